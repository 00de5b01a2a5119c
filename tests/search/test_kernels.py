"""The compiled loop against the live search, bit for bit."""

import math

import numpy as np
import pytest

import weitzman as wz
from weitzman.search.kernels import play_fixed
from weitzman.search.rule import NO_BOX, opening_order


@pytest.mark.parametrize("dyadic", [True, False], ids=["dyadic costs", "decimal costs"])
@pytest.mark.parametrize("outside", [math.inf, 1.0])
def test_the_compiled_loop_is_the_live_search(dyadic: bool, outside: float) -> None:
    """3,000 rounds, ties frequent: best value, costs paid, chosen box and number opened."""
    rng = np.random.default_rng(17)
    for _ in range(60):
        n = int(rng.integers(1, 7))
        sigma = rng.integers(-2, 3, n) / 2.0
        costs = rng.integers(0, 9, n) / (8.0 if dyadic else 10.0)
        values = rng.integers(-2, 7, (50, n)) / 2.0
        best, paid, chosen, opened = play_fixed(opening_order(sigma), sigma, costs, outside, values)
        for t in range(50):
            search = wz.search_by(
                boxes=list(range(n)),
                costs=costs.tolist(),
                reservation_values=sigma.tolist(),
                outside=None if math.isinf(outside) else outside,
            )
            for box in search:
                search.see(values[t, box])
            outcome = search.close()
            assert best[t] == outcome.value
            assert opened[t] == len(outcome.opened)
            assert chosen[t] == (NO_BOX if outcome.chosen is None else outcome.chosen)
            assert paid[t] == outcome.paid, (costs[list(outcome.opened)].tolist(), paid[t])


def test_open_in_any_case_opens_everything() -> None:
    sigma = np.full(3, -np.inf)
    values = np.array([[3.0, 1.0, 2.0]])
    best, paid, chosen, opened = play_fixed(
        opening_order(sigma), sigma, np.ones(3), math.inf, values
    )
    assert (best[0], paid[0], chosen[0], opened[0]) == (1.0, 3.0, 1, 3)


def test_no_rounds_give_nothing() -> None:
    sigma = np.zeros(2)
    results = play_fixed(opening_order(sigma), sigma, np.ones(2), math.inf, np.empty((0, 2)))
    assert [r.size for r in results] == [0, 0, 0, 0]
