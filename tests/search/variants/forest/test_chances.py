"""The chances of a forest: the same however many ways are looked at together."""

import pytest
import scipy.stats

import weitzman as wz
from weitzman.search.variants.forest import chances

BOXES = [
    wz.Box("a", 0.2, scipy.stats.norm(1.0, 2.0)),
    wz.Box("b", 0.1, wz.Discrete([0.0, 1.0, 4.0]), after="a"),
    wz.Box("c", 0.3, scipy.stats.expon(0.5, 2.0), after="a"),
    wz.Box("d", 0.05, wz.Discrete([1.0, 2.0])),
    wz.Box("e", 0.4, scipy.stats.uniform(-1.0, 3.0), after="d"),
]


@pytest.mark.parametrize("cells", [1, 7, 10**9])
def test_ways_are_looked_at_in_parts_of_any_size(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forest of more trees than one table has cells is looked at way by way."""
    whole = wz.plan(BOXES, outside=3.0)
    expected = whole.open_probabilities, whole.keep_probabilities
    monkeypatch.setattr(chances, "_CELLS", cells)
    again = wz.plan(BOXES, outside=3.0)
    assert (again.open_probabilities, again.keep_probabilities) == expected
