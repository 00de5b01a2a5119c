"""Numbers in increasing order, in place: one that is put where it belongs, or all of them."""

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, rare


@compiled
def insert(ordered: Floats, count: int, value: float) -> None:
    """Put a value among those that are in increasing order."""
    place = count
    while place > 0 and ordered[place - 1] > value:
        ordered[place] = ordered[place - 1]
        place -= 1
    ordered[place] = value


@rare
def sort(numbers: Floats, count: int) -> None:
    """Put the first numbers in increasing order, in place [Shell 1959]."""
    gap = count // 2
    while gap > 0:
        for i in range(gap, count):
            number, place = numbers[i], i
            while place >= gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap = gap // 2 if gap < 5 else int(gap / 2.2)
