"""Which points to look at: a list of (key, id) in two parts, near and far.

A point is due when the travelled distance has reached its key. The first ``near`` entries are those
with a key up to the horizon h, the others are far: as long as the distance is below h, the due ones
are all among the near. When it passes h, or when the near have been gone through for longer than
one pass over all entries takes, all are parted again at h = distance + gap.

**The gap.** If it lasts for K updates, the near grow with K and are gone through K times: work a K²,
against n for the pass over all n entries. The cost per update, a K + n/K, is least where both are
equal. So the gap is multiplied by √(n / work), between ¼ and 4, whenever the entries are parted:
it follows the pace of the weights. An update then costs O(√n) comparisons, of several keys at once.

The arrays belong to the caller. The order of the entries follows from the calls alone.
"""

import math

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, rare

_BLOCK = 32


@compiled
def exchange(keys: Floats, ids: Ints, one: int, other: int) -> None:
    """Let two entries change places."""
    keys[one], keys[other] = keys[other], keys[one]
    ids[one], ids[other] = ids[other], ids[one]


@compiled
def find_due(keys: Floats, size: int, distance: float, places: Ints) -> int:
    """Set places to those of the keys up to distance, in order; return how many there are."""
    found = 0
    for place in range(size):
        # A branch would be mispredicted at most of them
        places[found] = place
        found += keys[place] <= distance
    return found


@rare
def part(keys: Floats, ids: Ints, size: int, horizon: float, places: Ints) -> int:
    """Move the keys up to the horizon to the front; return how many there are."""
    near = 0
    for start in range(0, size, _BLOCK):
        block = keys[start : min(start + _BLOCK, size)]
        some = 0
        for j in range(block.shape[0]):
            some += block[j] <= horizon
        if some == 0:
            continue
        for i in range(find_due(block, block.shape[0], horizon, places)):
            exchange(keys, ids, near, start + places[i])
            near += 1
    return near


@compiled
def next_gap(gap: float, size: int, work: int) -> float:
    """Return the gap to use when parting, after work comparisons of near keys with the last one."""
    return gap * min(max(math.sqrt(size / (work + 1.0)), 0.25), 4.0)


@compiled
def remove(keys: Floats, ids: Ints, near: int, size: int, place: int) -> None:
    """Take out a near entry: the last near one comes into its place, the last far one into that's."""
    keys[place], ids[place] = keys[near - 1], ids[near - 1]
    keys[near - 1], ids[near - 1] = keys[size - 1], ids[size - 1]
