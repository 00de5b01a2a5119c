"""Simulated rounds: the same from the same seed, and in agreement with the exact total.

Each statistical test allows |z| ≤ 6, a false alarm below 2e-9 for values with light tails.
"""

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.brute import Sense

BOXES = [
    wz.Box("a", 0.25, scipy.stats.norm(2, 1)),
    wz.Box("b", 0.5, wz.Discrete([0.0, 1.0, 4.0])),
    wz.Box("c", 0.125, scipy.stats.gamma(2)),
    wz.Box("d", 0.25, wz.Mixture([scipy.stats.uniform(0, 4), 1.0])),
    wz.Box("e", 0.25, wz.Truncated(scipy.stats.expon(), 0.5, 3.0)),
    wz.Box("f", 0.25, scipy.stats.bernoulli(0.25, loc=1)),
]
PLANS: list[dict[str, Any]] = [
    {},
    {"outside": 1.0},
    {"outside": -50.0},
    {"reservation_values": [0.5, 1.0, 1.0, 0.5, 2.0, 1.5]},
]


def made(options: dict[str, Any], sense: Sense) -> wz.Plan:
    if sense == "max" and "outside" in options:
        options = {"outside": -options["outside"]}
    plan: wz.Plan = wz.plan(BOXES, sense=sense, **options)
    return plan


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("options", PLANS, ids=str)
def test_the_mean_total_is_the_expected_one(options: dict[str, Any], sense: Sense) -> None:
    p = made(options, sense)
    result = p.simulate(100_000, 5)
    error = max(result.standard_error, 1e-12)
    assert abs(result.mean - p.expected_total) <= 6.0 * error
    n = result.totals.size
    spread = result.opened_count.std() / math.sqrt(n) + 1e-12
    assert abs(result.opened_count.mean() - p.expected_opened) <= 6.0 * spread
    assert abs(result.paid.mean() - p.expected_paid) <= 6.0 * (
        result.paid.std() / math.sqrt(n) + 1e-12
    )


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_same_seed_gives_the_same_rounds(sense: Sense) -> None:
    p = made({}, sense)
    a, b, c = p.simulate(500, 3), p.simulate(500, np.random.default_rng(3)), p.simulate(500, 4)
    assert a.totals.tolist() == b.totals.tolist()
    assert a.chosen.tolist() == b.chosen.tolist()
    assert a.totals.tolist() != c.totals.tolist()


def test_a_generator_goes_on_where_it_was() -> None:
    p, rng = made({}, "min"), np.random.default_rng(3)
    assert p.simulate(50, rng).totals.tolist() != p.simulate(50, rng).totals.tolist()


@pytest.mark.parametrize("sense", ["min", "max"])
def test_every_round_adds_up(sense: Sense) -> None:
    r = made({"outside": 1.5}, sense).simulate(2000, 9)
    sign = 1.0 if sense == "min" else -1.0
    assert (r.totals == r.values + sign * r.paid).all()
    assert ((r.chosen == -1) <= (r.values == sign * 1.5)).all()
    assert (r.opened_count <= len(BOXES)).all()
    assert ((r.opened_count == 0) == (r.paid == 0.0)).all()


def test_shares_of_the_chosen_boxes_sum_to_one() -> None:
    share = made({"outside": 1.5}, "min").simulate(2000, 9).chosen_share()
    assert set(share) == {None, *"abcdef"}
    assert math.fsum(share.values()) == pytest.approx(1.0)
    assert share[None] > 0.0


def test_summary_numbers_are_those_of_numpy() -> None:
    r = made({}, "min").simulate(1000, 9)
    assert r.mean == pytest.approx(np.mean(r.totals))
    assert r.standard_error == pytest.approx(scipy.stats.sem(r.totals))
    assert r.quantile([0.1, 0.9]).tolist() == np.quantile(r.totals, [0.1, 0.9]).tolist()
    assert "1000 rounds" in repr(r)
    assert f"{r.mean:.6g}" in repr(r)


def test_a_single_round_has_no_standard_error() -> None:
    r = made({}, "min").simulate(1, 9)
    assert r.standard_error == math.inf
    assert "1 rounds" in repr(r)


@pytest.mark.parametrize("rounds", [0, -3, 2.5, "many", True])
def test_a_number_of_rounds_that_is_none_is_refused(rounds: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match=r"^The number of rounds must be .*\. Got"):
        made({}, "min").simulate(rounds, 0)
