"""The allowance for curiosity, counted by hand: looks that the plain rule would not have made."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.learn.policies.allowance import Allowance, predicted
from weitzman.learn.policy import Floats, Round, walk
from weitzman.search.rule import Rule, WeitzmanRule

NAN, INF = math.nan, math.inf


class Fixed:
    """A bank that always predicts the same, at optimism κ by κ lower."""

    def __init__(self, sigma: list[float], looks: list[int], *, shared: bool = False) -> None:
        self.sigma, self.seen, self.shared = np.array(sigma), np.array(looks), shared

    def predict_arrays(self, *, boxes: NDArray[Any], optimism: float, **_: Any) -> NDArray[Any]:
        return np.asarray(self.sigma[boxes] - optimism)

    def looks(self, boxes: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.seen[boxes])


def shown(costs: list[float], *, outside: float = INF, least: float = -INF) -> Round:
    places = np.arange(len(costs))
    contexts = np.ones((len(costs), 1))
    return Round(
        contexts=contexts, costs=np.array(costs), outside=outside, places=places, least=least
    )


def opening(values: NDArray[Any]) -> WeitzmanRule:
    """Return a rule that opens the rows whose values are known, and no other."""
    return WeitzmanRule(np.where(np.isnan(values), INF, -INF))


BANK: Any = Fixed([2.0, 1.0, 3.0], [5, 5, 5])


def note(allowance: Allowance, now: Round, values: Floats, rule: Rule) -> None:
    asked = np.array(walk(rule, now, values).opened, dtype=np.int64)
    allowance.note(now, values, asked, predicted(BANK, now, 0.0))


COSTS = [0.5, 0.25, 4.0]


@pytest.mark.parametrize(
    ("outside", "values", "curious"),
    [
        # The plain rule opens row 1, then 0, then 2, while σ is below the best value
        (INF, [NAN, 0.5, NAN], 0),
        (INF, [9.0, 9.0, 9.0], 0),
        (INF, [9.0, 0.5, NAN], 1),
        (INF, [9.0, 1.5, 9.0], 2),
        (INF, [9.0, 2.0, NAN], 1),  # as good as the next σ: it stops
        (INF, [9.0, NAN, NAN], 1),  # it would have begun with row 1
        (INF, [NAN, 9.0, 9.0], 1),  # row 0 was next, and was not opened
        (2.5, [9.0, 9.0, 9.0], 1),  # the outside option is in hand from the beginning
        (0.5, [NAN, NAN, NAN], 0),
        (0.5, [NAN, NAN, 1.0], 1),
    ],
)
def test_a_look_is_curious_if_the_plain_rule_would_not_have_made_it(
    outside: float, values: list[float], curious: int
) -> None:
    allowance = Allowance(3)
    found = np.array(values)
    note(allowance, shown(COSTS, outside=outside), found, opening(found))
    opened = ~np.isnan(found)
    paid = float(np.array(COSTS)[opened].sum())
    assert allowance.state()["counts"].tolist() == [1.0, curious, opened.sum(), paid]


def test_looks_that_the_rule_did_not_ask_for_are_free() -> None:
    allowance, everything = Allowance(3), np.array([9.0, 0.5, 9.0])
    note(allowance, shown(COSTS), everything, WeitzmanRule(np.array([INF, -INF, INF])))
    assert allowance.state()["counts"].tolist() == [1.0, 0.0, 3.0, 4.75]
    # One that was asked for and did not come ends what is known of the rule
    missed = np.array([NAN, 0.5, 9.0])
    note(allowance, shown(COSTS), missed, WeitzmanRule(np.array([-2.0, -1.0, -INF])))
    assert allowance.state()["counts"].tolist() == [2.0, 0.0, 5.0, 9.0]


def test_a_box_with_few_looks_is_opened_first_while_something_is_left() -> None:
    """Fewer than √(t/n): after 64 rounds of four boxes every box should have had four looks."""
    allowance = Allowance(4)
    some: Any = Fixed([2.0, 1.0, 3.0, 1.5], [9, 4, 3, 3])
    now = shown([0.5, 0.5, 0.5, 0.25])
    plain = [2.0, 1.0, 3.0, 1.5]
    for rounds, curious, expected in (
        (64.0, 0.0, [2.0, 1.0, 3.0, -INF]),  # of rows 2 and 3 the cheaper
        (36.0, 0.0, plain),  # three are as many as are due
        (64.0, 20.0, plain),  # n + √(n t) = 20: nothing is left
        (64.0, 19.0, [2.0, 1.0, 3.0, -INF]),
    ):
        allowance.restore({"counts": np.array([rounds, curious, 99.0, 99.0])})
        assert allowance.reservation_values(some, now, 0.0).tolist() == expected
    alike = shown([0.5, 0.5, 0.5, 0.5])
    allowance.restore({"counts": np.array([64.0, 0.0, 99.0, 99.0])})
    assert allowance.reservation_values(some, alike, 0.0).tolist() == [2.0, 1.0, -INF, 1.5]


def test_as_many_curious_looks_are_allowed_as_there_are_boxes_and_the_root_of_boxes_times_rounds() -> (
    None
):
    allowance, made = Allowance(3), 0
    rng = np.random.default_rng(1)
    for rounds in range(400):
        assert allowance.is_left == (made < 3 + math.sqrt(3 * rounds))
        # Two looks of which one is curious, as long as they are allowed; now and then none
        curious = allowance.is_left and bool(rng.random() < 0.8)
        values = [9.0, 0.5, NAN] if curious else [NAN, 0.5, NAN]
        found = np.array(values)
        note(allowance, shown(COSTS), found, opening(found))
        made += curious
    assert allowance.state()["counts"][:3].tolist() == [400.0, made, 400.0 + made]
    assert made > 36


def test_optimism_counts_while_it_is_allowed_and_again_when_boxes_join() -> None:
    allowance = Allowance(1)
    one: Any = Fixed([2.0], [5])
    now = shown([1.0])
    assert allowance.reservation_values(one, now, 0.75).tolist() == [1.25]
    # One curious look: 1 < 1 + √0 no more
    allowance.restore({"counts": np.array([0.0, 1.0, 1.0, 1.0])})
    assert allowance.reservation_values(one, now, 0.75).tolist() == [2.0]
    allowance.add_boxes(1)
    assert allowance.reservation_values(one, now, 0.75).tolist() == [1.25]
    # What cannot be is not predicted: a box holds 1.5 at least, so σ is 1.5 + c at least
    bounded = shown([1.0], least=1.5)
    assert allowance.reservation_values(one, bounded, 0.75).tolist() == [2.5]


def test_of_the_boxes_that_were_never_looked_at_one_may_be_opened() -> None:
    allowance = Allowance(4)
    # Two looks so far, for 3 in all: the mean cost is 1.5
    allowance.restore({"counts": np.array([9.0, 0.0, 2.0, 3.0])})
    some: Any = Fixed([2.0, 1.0, 1.0, 1.0], [5, 0, 0, 0])
    found = allowance.reservation_values(some, shown([0.5, 2.0, 1.75, 9.0]), 0.0)
    assert found.tolist() == [2.0, INF, 1.25, INF]
    # Before the first look of all there is no mean
    first = Allowance(4).reservation_values(some, shown([0.5, 2.0, 1.75, 9.0]), 0.0)
    assert first.tolist() == [2.0, INF, 2.75, INF]
    # One model for all boxes knows something of each
    shared: Any = Fixed([2.0, 1.0, 1.0, 1.0], [0, 0, 0, 0], shared=True)
    together = allowance.reservation_values(shared, shown([0.5, 2.0, 1.75, 9.0]), 0.25)
    assert together.tolist() == [1.75, 0.75, 0.75, 0.75]


def test_a_restored_allowance_is_the_same() -> None:
    allowance, other = Allowance(3), Allowance(3)
    found = np.array([9.0, 0.5, NAN])
    note(allowance, shown(COSTS), found, opening(found))
    state = allowance.state()
    other.restore(state)
    state["counts"][:] = 17.0
    assert other.state()["counts"].tolist() == allowance.state()["counts"].tolist()
