"""A binary heap of (key, id): the kinks of a step in their order.

``keys[0]`` is the smallest key. The arrays belong to the caller, who also keeps the size.
Operations that put a key in move entries aside first and write once. Equal keys keep the order in
which the operations left them, so the same calls always give the same heap.
"""

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, rare


@compiled
def _sink(keys: Floats, ids: Ints, size: int, place: int, key: float, ident: int) -> None:
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place] = keys[child]
        ids[place] = ids[child]
        place = child
    keys[place] = key
    ids[place] = ident


@compiled
def replace_top(keys: Floats, ids: Ints, size: int, key: float, ident: int) -> None:
    """Put another entry in the place of the smallest one."""
    _sink(keys, ids, size, 0, key, ident)


@rare
def heapify(keys: Floats, ids: Ints, size: int) -> None:
    """Order the first entries as a heap."""
    for place in range((size >> 1) - 1, -1, -1):
        _sink(keys, ids, size, place, keys[place], ids[place])
