"""Bounds: the formulas fit together, their exponents are right, and vacuous means what it says."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.paper import bounds
from weitzman.lab.worlds.paper import Signed
from weitzman.lab.worlds.spread import Spread

PAPER: dict[str, Any] = {"boxes": 10, "radius": 4.0, "slope": 4.0}


def test_the_numbers_of_the_paper() -> None:
    assert bounds.printed_lipschitz(cost=1.0, radius=4.0) == 4.0
    printed = bounds.printed_full_bound(rounds=300, **PAPER)
    assert printed == pytest.approx(3 * 10 * 2.0 * math.sqrt(2.0) * 300**0.75)
    printed = bounds.printed_probe_bound(rounds=300, cost=1.0, **PAPER)
    assert printed == pytest.approx(20 * 128 ** (1 / 6) * 300 ** (5 / 6))
    oracle = bounds.printed_oracle_regret(rounds=300, radius=4.0, slope=4.0)
    assert oracle == pytest.approx(4 * math.sqrt(2400))
    # The printed constant 3 is 2·2^{1/4} rounded up
    chained = bounds.printed_main_bound(boxes=10, rounds=300, oracle=oracle)
    assert chained == pytest.approx(
        2 * 2**0.25 / 3 * bounds.printed_full_bound(rounds=300, **PAPER)
    )


def test_the_corrected_theorems_follow_from_the_corrected_lemmas() -> None:
    oracle = bounds.oracle_regret(rounds=300, radius=4.0, slope=4.0)
    # The smallest value of M²/(2η) + T L² η, on a grid of η
    eta = np.geomspace(1e-4, 10.0, 200_001)
    assert oracle == pytest.approx((16.0 / (2 * eta) + 300 * 16.0 * eta).min(), rel=1e-8)
    full = bounds.full_bound(rounds=300, **PAPER)
    assert full == pytest.approx(bounds.main_bound(boxes=10, rounds=300, oracle=oracle))
    assert round(full) == 4849
    every = bounds.probe_bound(rounds=300, cost=1.0, block=1, **PAPER)
    assert every == pytest.approx(full + 10 * 300)


def test_blocks_that_are_not_whole_count_as_whole() -> None:
    cut = bounds.probe_bound(rounds=301, cost=1.0, block=100, **PAPER)
    oracle = 100 * bounds.oracle_regret(rounds=4, radius=4.0, slope=4.0)
    assert cut == pytest.approx(10 * math.sqrt(2 * 301 * oracle) + 10 * 4)


def test_exponents() -> None:
    def slope(bound: list[float]) -> float:
        return math.log(bound[1] / bound[0]) / math.log(1e4)

    horizons = (10**14, 10**18)
    assert slope([bounds.full_bound(rounds=t, **PAPER) for t in horizons]) == pytest.approx(0.75)
    best, paper = [], []
    for t in horizons:
        k = wz.block_length(horizon=t, cost=1.0, radius=4.0, lipschitz=4.0)
        best.append(bounds.probe_bound(rounds=t, cost=1.0, block=k, **PAPER))
        k = bounds.printed_block(rounds=t, radius=4.0, cost=1.0, slope=4.0)
        paper.append(bounds.probe_bound(rounds=t, cost=1.0, block=k, **PAPER))
    assert slope(best) == pytest.approx(4 / 5, abs=1e-3)
    assert slope(paper) == pytest.approx(5 / 6, abs=5e-3)


@pytest.mark.parametrize(
    ("cost", "lowest", "length"), [(1, 0, 1), (1, -8, 1), (3, 0, 1), (1, -2, 1.5)]
)
def test_the_lipschitz_constant_is_the_steepest_slope(
    cost: float, lowest: float, length: float
) -> None:
    z = np.linspace(-2.0 * length - 20.0, 2.0 * length - lowest, 100_001)
    steepest = length * np.abs(np.maximum(z, 0.0) - cost).max()
    assert bounds.lipschitz(cost=cost, radius=2.0, lowest=lowest, length=length) == pytest.approx(
        steepest
    )


def test_which_bound_applies() -> None:
    known: dict[str, Any] = {"rounds": 300, "cost": 1.0, **PAPER}
    assert bounds.bound("full", **known) == bounds.full_bound(rounds=300, **PAPER)
    assert bounds.bound("probe", block=2, **known) == bounds.probe_bound(block=2, **known)
    assert bounds.bound("opened", **known) is None
    with pytest.raises(wz.InvalidInputError, match="block must be given"):
        bounds.bound("probe", **known)


def test_most_to_lose_is_the_worst_of_all_sets_of_boxes() -> None:
    instance = Spread(boxes=5).draw(50, 0)
    best = clairvoyant(instance).totals
    sets = [list(s) for r in range(1, 6) for s in itertools.combinations(range(5), r)]
    for t, lost in enumerate(bounds.most_to_lose(instance)):
        values, costs = instance.values[t], instance.costs
        worst = max(values[s].min() + costs[s].sum() for s in sets)
        assert lost == pytest.approx(worst - best[t])


def test_vacuous() -> None:
    instance = Signed().draw(300, 0)
    bound = bounds.full_bound(rounds=300, **PAPER)
    assert bounds.vacuous(bound, instance)
    assert not bounds.vacuous(100.0, instance)
    assert bounds.verdict(bound, instance).startswith("bound 4,849: vacuous, nobody can lose more")
    assert bounds.verdict(100.0, instance).startswith("bound 100, where ")
