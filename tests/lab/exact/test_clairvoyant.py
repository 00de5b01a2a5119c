"""The clairvoyant, against the search room and against backward induction."""

from functools import cache

import numpy as np
import pytest

import weitzman as wz
from tests.lab.instances import boxes_of, hoeffding, instance_of
from weitzman.lab.exact.clairvoyant import clairvoyant, conditional_reservation_values
from weitzman.lab.exact.expected import expected_totals
from weitzman.lab.worlds import WORLDS
from weitzman.lab.worlds.instance import Instance

ATOMS = 200


def test_with_independent_boxes_it_is_the_optimal_plan() -> None:
    instance = WORLDS["spread"](boxes=4).draw(40, 1)  # type: ignore[call-arg]
    found = clairvoyant(instance)
    for t in range(40):
        plan = wz.plan(boxes_of(instance, t))
        search = plan.search()
        for box in search:
            search.see(float(instance.values[t, int(box)]))
        outcome = search.close()
        assert found.expected_totals[t] == pytest.approx(plan.optimal_total, abs=1e-10)
        assert found.totals[t] == pytest.approx(outcome.total, abs=1e-12)
        assert found.opened_count[t] == len(outcome.opened)


def _two_states(seed: int, rounds: int = 12, boxes: int = 3) -> Instance:
    """Random laws, narrow and wide ones, whose intervals are disjoint for every box."""
    rng = np.random.default_rng(seed)
    shape = (rounds, boxes)
    good, bad = rng.uniform(0.0, 2.0, shape), rng.uniform(5.0, 7.0, shape)
    widths = rng.uniform(0.05, 3.0, (2, *shape))
    lower = np.stack([good, bad])
    # The order of the states differs between boxes: high in one may be low in another
    turned = rng.random(shape) < 0.3
    lower = np.where(turned, lower[::-1], lower)
    share = rng.uniform(0.2, 0.8)
    return instance_of(
        costs=rng.uniform(0.05, 0.6, boxes),
        lower=lower,
        upper=lower + widths,
        shares=[share, 1.0 - share],
        rng=seed,
    )


def _best_by_backward_induction(instance: Instance, t: int) -> float:
    """The optimum of the same problem with each value moved to the middle of one of ATOMS cells."""
    boxes = instance.values.shape[1]
    cells = (np.arange(ATOMS) + 0.5) / ATOMS
    low, high = instance.lower[:, t], instance.upper[:, t]
    atoms = low[..., None] + (high - low)[..., None] * cells
    costs = instance.costs

    def go_on(k: int, closed: frozenset[int], grid: np.ndarray) -> np.ndarray:
        """The least expected cost to come, with the numbers of the grid in hand."""

        @cache
        def value(closed: frozenset[int]) -> np.ndarray:
            best = grid.copy()
            for box in closed:
                rest = value(closed - {box})
                hand = np.searchsorted(grid, np.minimum(grid[:, None], atoms[k, box]))
                best = np.minimum(best, costs[box] + rest[hand].mean(axis=1))
            return best

        return value(closed)

    def first(box: int) -> float:
        total = float(costs[box])
        for k, share in enumerate(instance.shares):
            grid = np.unique(atoms[k])
            rest = go_on(k, frozenset(range(boxes)) - {box}, grid)
            total += float(share) * float(rest[np.searchsorted(grid, atoms[k, box])].mean())
        return total

    return min(first(box) for box in range(boxes))


@pytest.mark.parametrize("seed", range(3))
def test_with_common_states_nothing_is_better(seed: int) -> None:
    # Moving every value by at most half a cell moves the optimum by no more than that
    instance = _two_states(seed)
    found = clairvoyant(instance)
    moved = 0.5 * (instance.upper - instance.lower).max() / ATOMS
    for t in range(len(instance)):
        assert abs(found.expected_totals[t] - _best_by_backward_induction(instance, t)) <= moved


def test_with_common_states_the_first_box_is_not_always_that_of_the_marginal_laws() -> None:
    instance = _two_states(0)
    lost = expected_totals(instance, instance.reservation_values)
    lost = lost - clairvoyant(instance).expected_totals
    assert lost.min() > -1e-12
    assert lost.max() > 0.1


def test_what_it_plays_is_what_it_expects() -> None:
    # Hoeffding's bound: a false alarm has probability 1e-6
    one = _two_states(4, rounds=1)
    rounds = 100_000
    many = instance_of(
        costs=one.costs,
        lower=np.repeat(one.lower, rounds, axis=1),
        upper=np.repeat(one.upper, rounds, axis=1),
        shares=one.shares,
        rng=1,
    )
    found = clairvoyant(many)
    assert np.ptp(found.expected_totals) == 0.0
    spread = many.upper.max() + many.costs.sum() - many.lower.min()
    assert abs(found.totals.mean() - found.expected_totals[0]) < hoeffding(spread, rounds)
    assert (found.opened_count >= 1).all()


def test_conditional_reservation_values_are_those_of_the_search_room() -> None:
    instance = _two_states(5)
    sigma = conditional_reservation_values(instance)
    for k in range(2):
        for t in range(len(instance)):
            for i, box in enumerate(boxes_of(instance, t, k)):
                exact = wz.reservation_value(box.law, box.expected_cost)
                assert sigma[k, t, i] == pytest.approx(exact, abs=1e-12)


def test_states_that_a_look_may_leave_open_are_refused() -> None:
    lower = np.array([0.0, 0.5])[:, None, None] * np.ones((2, 1, 3))
    instance = instance_of(costs=[1.0] * 3, lower=lower, upper=lower + 1.0, shares=[0.5, 0.5])
    with pytest.raises(wz.InvalidInputError, match="one look reveals the state"):
        clairvoyant(instance)
