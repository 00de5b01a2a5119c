"""Ski rental: the factor 2 against every stopping point, and a plain re-enactment of its decisions."""

from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

import weitzman as wz
from weitzman.learn.policies.ski_rental import SkiRentalRule
from weitzman.learn.policy import Round, walk


@pytest.mark.parametrize("outside", [None, 5])
def test_it_is_at_most_twice_as_expensive_as_the_best_stop(outside: int | None) -> None:
    """In whole numbers, over every stopping point of the order; the worst ratio comes near 2."""
    rng, worst = np.random.default_rng(0), Fraction(0)
    for _ in range(3000):
        count = int(rng.integers(1, 6))
        costs, values = rng.integers(1, 9, size=count), rng.integers(0, 30, size=count)
        shown = Round(
            contexts=np.ones((count, 1)),
            costs=costs.astype(float),
            outside=np.inf if outside is None else float(outside),
            places=np.arange(count),
        )
        order = rng.permutation(count)
        found = Fraction(walk(SkiRentalRule(order, 0.0), shown, values.astype(float)).total)
        first = 1 if outside is None else 0
        stops = [
            min([int(v) for v in values[order[:k]]] + ([] if outside is None else [outside]))
            + int(costs[order[:k]].sum())
            for k in range(first, count + 1)
        ]
        # Without an outside option a first look is needed, whose cost is above what it could win
        assert found <= 2 * min(stops)
        worst = max(worst, found / min(stops) if min(stops) else Fraction(1))
    assert worst > Fraction(17, 10)


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_its_rounds_are_those_of_plain_lists(feedback: str) -> None:
    rng, boxes = np.random.default_rng(1), 4
    searcher = wz.Searcher(
        boxes=boxes, dimension=1, policy="ski-rental", feedback=cast("Any", feedback)
    )
    seen: list[list[float]] = [[] for _ in range(boxes)]
    for t in range(80):
        costs = rng.uniform(0.2, 1.0, size=boxes)
        values = rng.exponential(size=boxes) * [1.0, 2.0, 3.0, 4.0] - 3.0
        outside = None if t % 2 else 1.0
        every = [value for own in seen for value in own]
        new = sorted((i for i in range(boxes) if not seen[i]), key=lambda i: costs[i])
        old = [i for i in range(boxes) if seen[i]]
        order = new + sorted(old, key=lambda i: float(np.mean(seen[i])) + costs[i])
        best, paid, opened = np.inf if outside is None else outside, 0.0, list[int]()
        for box in order:
            if every and best - min(every) <= paid + costs[box]:
                break
            opened.append(box)
            paid += costs[box]
            best = min(best, values[box])
        search = searcher.open(np.ones((boxes, 1)), costs, outside=outside)
        for asked in search:
            search.see(values[cast("Any", asked)])
        revealed = values if feedback == "full" else None
        done = search.close() if revealed is None else search.close(values=revealed)
        assert list(done.opened) == opened
        for box in range(boxes) if feedback == "full" else opened:
            seen[box].append(float(values[box]))
    assert {len(own) for own in seen} != {80} or feedback == "full"


def test_the_least_value_that_is_said_is_what_could_be_won() -> None:
    shown = Round(np.ones((2, 1)), np.array([1.0, 1.0]), 4.0, np.arange(2), least=3.5)
    player = wz.SkiRental().start(boxes=2, dimension=1)
    assert walk(player.rule(shown), shown, np.array([0.0, 0.0])).opened == []
    assert walk(player.rule(shown._replace(least=-9.0)), shown, np.array([4.0, 4.0])).opened == [
        0,
        1,
    ]


def test_a_state_of_another_size_is_refused() -> None:
    player = wz.SkiRental(shared=True).start(boxes=3, dimension=1)
    with pytest.raises(wz.InvalidInputError, match="same policy"):
        player.restore(wz.SkiRental().start(boxes=3, dimension=1).state())
