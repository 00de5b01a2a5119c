"""Any units: the same problem with other origins and scales is decided alike, from the first round on."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import weitzman as wz
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy
from weitzman.learn.units import PILE, Units

Array = NDArray[np.float64]

POLICIES: dict[str, Policy] = {
    "FTRL": wz.Weitzman(wz.FTRL()),
    "Ridge": wz.Weitzman(wz.Ridge()),
    "Residual": wz.Weitzman(wz.Residual()),
    "aware": wz.Aware(),
    **{rule: wz.Simple(rule) for rule in RULES},
    "past index 1": wz.Joint("past", "index", 1.0),
    "linear greedy 0": wz.Joint("linear", "greedy", 0.0),
    "stacked moving 1": wz.Joint("stacked", "moving"),
    "default": wz.default_policy(),
}
numbers = st.floats(-1e6, 1e6)
scales = st.floats(-6.0, 6.0).map(lambda e: 10.0**e)


@given(numbers, st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=20), scales)
def test_values_keep_their_order(origin: float, values: list[float], scale: float) -> None:
    found = Units(origin, scale).values(np.sort(values))
    assert (np.diff(found) >= 0.0).all()


@given(numbers, st.floats(-100.0, 100.0), scales, st.lists(st.floats(-1e-8, 1e-8), max_size=9))
@example(0.0, 0.0, 1.0, [0.0])
def test_a_threshold_is_the_largest_value_below(
    origin: float, sigma: float, scale: float, apart: list[float]
) -> None:
    units = Units(origin, scale)
    limit = float(units.thresholds(np.array([sigma]))[0])
    assert units.value(limit) <= sigma < units.value(math.nextafter(limit, math.inf))
    for near in apart:
        value = origin + scale * (sigma + near)
        assert (units.value(value) <= sigma) == (value <= limit)


def test_infinite_reservation_values_stay() -> None:
    found = Units(3.0, 2.0).thresholds(np.array([-np.inf, np.inf]))
    assert found.tolist() == [-np.inf, np.inf]


def problem(rounds: int, seed: int) -> tuple[Array, Array, Array, float]:
    """Rounds whose values follow their contexts, with ties, costs that differ and an outside option."""
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, 4, 3))
    contexts[:, :, 2] = np.rint(contexts[:, :, 2])
    weights = rng.normal(size=(4, 3))
    values = np.einsum("tnd,nd->tn", contexts, weights) + np.rint(
        2.0 * rng.normal(size=(rounds, 4))
    )
    return contexts, rng.uniform(0.1, 1.0, size=4), values, 2.0


def opened(policy: Policy, feedback: str, record: tuple[Any, Any, Any, Any]) -> tuple[Any, Any]:
    contexts, costs, values, outside = record
    searcher = wz.Searcher(boxes=4, dimension=3, policy=policy, feedback=feedback)  # type: ignore[arg-type]
    played = searcher.play(contexts, costs, values, outside=outside)
    return played.opened_count, played.chosen


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("feedback", ["full", "opened"])
@settings(max_examples=4, deadline=None)
@given(
    shift=st.floats(-1e4, 1e4),
    scale=scales,
    context_scale=scales,
    context_shift=st.floats(-1e4, 1e4),
    seed=st.integers(0, 3),
)
def test_the_same_boxes_are_opened_in_all_units(
    policy: Policy,
    feedback: str,
    shift: float,
    scale: float,
    context_scale: float,
    context_shift: float,
    seed: int,
) -> None:
    contexts, costs, values, outside = problem(40, seed)
    first = opened(policy, feedback, (contexts, costs, values, outside))
    other = opened(
        policy,
        feedback,
        (
            context_scale * (contexts + context_shift),
            scale * costs,
            scale * (values + shift),
            scale * (outside + shift),
        ),
    )
    for one, two in zip(first, other, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_policy_that_knows_nothing_opens_the_cheapest_box(policy: Policy) -> None:
    if policy in (wz.Simple("all"), wz.Simple("stay")):
        pytest.skip("it does what its name says")
    searcher = wz.Searcher(boxes=list("abc"), dimension=1, policy=policy)
    search = searcher.open([[1.0], [2.0], [3.0]], [5.0, 2.0, 4.0], outside=30.0)
    assert list(_looked_at(search, 25.0)) == ["b"]


def _looked_at(search: Any, value: float) -> list[Any]:
    found = []
    for box in search:
        found.append(box)
        search.see(value)
    search.close()
    return found


@pytest.mark.parametrize("name", ["FTRL", "Ridge", "aware", "default"])
def test_one_new_box_a_round_at_the_most(name: str) -> None:
    rng = np.random.default_rng(5)
    searcher = wz.Searcher(boxes=8, dimension=2, policy=POLICIES[name], feedback="opened")
    seen: set[Any] = set()
    for _ in range(30):
        search = searcher.open(rng.normal(size=(8, 2)), 1.0)
        looked: set[Any] = set()
        for box in search:
            looked.add(box)
            search.see(25.0 + 3.0 * rng.normal())
        search.close()
        assert len(looked - seen) <= 1
        seen |= looked
    assert len(seen) > 3


@pytest.mark.parametrize("name", ["FTRL", "aware", "no-context", "linear greedy 0", "default"])
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_nothing_is_looked_at_after_a_value_that_piles_up_at_the_end(
    name: str, feedback: str
) -> None:
    rng = np.random.default_rng(2)
    searcher = wz.Searcher(boxes=5, dimension=2, policy=POLICIES[name], feedback=feedback)  # type: ignore[arg-type]
    zeros, ends = 0, [set[int](), set[int]()]
    for _ in range(150):
        contexts = rng.normal(size=(5, 2))
        values = np.where(rng.uniform(size=5) < 0.6, 0.0, 20.0)
        search = searcher.open(contexts, 0.3, outside=20.0)
        piles_up = zeros >= PILE and len(ends[0] & ends[1]) > 1
        for box in search:
            assert not (piles_up and 0.0 in search._state.values.values())
            search.see(values[int(str(box))])
        found = dict(enumerate(values)) if feedback == "full" else dict(search._state.values)
        search.close(values if feedback == "full" else None)
        for box, value in found.items():
            zeros += int(value == 0.0)
            ends[int(value == 20.0)].add(box)
    assert piles_up


@pytest.mark.parametrize("name", ["FTRL", "aware", "default"])
def test_a_fixed_price_is_not_taken_for_the_best_possible_value(name: str) -> None:
    """One box always costs 25; another one is often better, at a look that costs little.

    Its first look is a bad one, too: a rule that goes by it alone never looks again.
    """
    rng = np.random.default_rng(3)
    searcher = wz.Searcher(boxes=2, dimension=1, policy=POLICIES[name], feedback="opened")
    other = 0
    for _ in range(200):
        search = searcher.open(np.ones((2, 1)), [0.1, 0.2])
        for box in search:
            first = 40.0 if not other else 25.0 + 10.0 * rng.normal()
            search.see(25.0 if box == 0 else first)
            other += box == 1
        search.close()
    assert other > 100


@pytest.mark.parametrize("name", ["FTRL", "Ridge", "aware", "default"])
def test_values_cut_off_at_the_worst_end_do_not_end_the_search(name: str) -> None:
    """Most values are what is in hand anyway; the first ones are nothing else."""
    rng = np.random.default_rng(4)
    searcher = wz.Searcher(boxes=3, dimension=1, policy=POLICIES[name], feedback="opened")
    late = 0
    for number in range(300):
        search = searcher.open(np.ones((3, 1)), 0.01, outside=1.0)
        for _ in search:
            late += number >= 200
            search.see(1.0 if number < 10 or rng.uniform() < 0.6 else rng.uniform())
        search.close()
    assert late > 50


def test_optimism_causes_no_more_looks_than_are_allowed() -> None:
    """With many features and expensive looks, optimism alone would open most boxes for ever."""
    rng = np.random.default_rng(0)
    rounds, boxes, dimension = 400, 8, 30
    contexts = rng.normal(size=(rounds, boxes, dimension))
    values = rng.normal(size=(rounds, boxes)) + np.arange(boxes)
    searcher = wz.Searcher(boxes=boxes, dimension=dimension, learner=wz.FTRL(), feedback="opened")
    played = searcher.play(contexts, 4.0, values)
    # One look a round is what the search takes; the others are made to learn, a round's worth late
    extra = int(played.opened_count.sum()) - rounds
    assert extra <= boxes + math.sqrt(boxes * rounds) + boxes


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_features_that_say_nothing_cost_little(feedback: Any) -> None:
    """The strength with which weights are held is found while playing."""
    rng = np.random.default_rng(3)
    totals = {}
    levels, noise = 4.0 * rng.normal(size=6), rng.normal(size=(250, 6))
    for dimension in (1, 40):
        contexts = rng.normal(size=(250, 6, dimension))
        searcher = wz.Searcher(boxes=6, dimension=dimension, learner=wz.FTRL(), feedback=feedback)
        totals[dimension] = searcher.play(contexts, 0.3, levels + noise).totals[50:].mean()
    assert totals[40] <= totals[1] + 0.25
