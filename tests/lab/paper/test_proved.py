"""Bounds are drawn where their theorem applies, and called vacuous where they say nothing."""

import math
from typing import Any

import pytest

from tests.replays.synthetic import roots, table
from weitzman.lab.paper.proved import applicable, drawn_bound, study_bounds
from weitzman.lab.study.summary import summarise
from weitzman.lab.worlds import WORLDS


@pytest.mark.parametrize("name", ["signed", "shifted", "spread", "agree", "adversarial", "bandit"])
def test_realizable_worlds_are_found(name: str) -> None:
    world: Any = WORLDS[name]()
    assert applicable(world, 200, range(2)).radius == world.radius


@pytest.mark.parametrize("name", ["orthant", "drifting", "correlated", "unrealizable"])
def test_worlds_without_a_theorem_are_found(name: str) -> None:
    known = applicable(WORLDS[name](), 2000, range(2))
    assert known.radius is None
    assert known.at("full", 300) is None
    assert not known.vacuous("full", 300)
    assert drawn_bound(known, "full", 300) is None


def test_the_bound_is_that_of_the_notes() -> None:
    """2^{3/4} n √(LM) T^{3/4} with L = max{c, M + V − c}: by hand, for values in [σ − 2c, σ]."""
    known = applicable(WORLDS["shifted"](), 300, range(20))
    # −V = −M − 2c at the least; draws come close to it
    assert 8.0 < known.slope <= 9.0
    by_hand = 2.0**0.75 * 10 * math.sqrt(known.slope * 4.0) * 300**0.75
    assert known.at("full", 300) == pytest.approx(by_hand, rel=1e-12)
    assert known.at("opened", 300) is None
    # Nobody can lose more than all nine further looks and the worst value
    assert known.most < 9.0 + 2.0 + 8.0
    assert known.vacuous("full", 300)


def test_a_bound_says_something_in_the_end() -> None:
    known = applicable(WORLDS["shifted"](), 300, range(3))
    vacuous = [known.vacuous("full", 10**k) for k in range(2, 12)]
    # T^{3/4} falls below any multiple of T, once
    assert vacuous == sorted(vacuous, reverse=True)
    assert vacuous[0]
    assert not vacuous[-1]


def test_the_drawn_bound_is_the_bound_at_every_number_of_rounds() -> None:
    known = applicable(WORLDS["signed"](), 300, range(2))
    for feedback in ("full", "probe"):
        drawn = drawn_bound(known, feedback, 300)
        assert drawn is not None
        assert (drawn.at[0], drawn.at[-1], drawn.vacuous) == (1.0, 300.0, True)
        for t, value in zip(drawn.at, drawn.values, strict=True):
            assert value == known.at(feedback, int(t))


def test_a_study_has_bounds_for_the_worlds_that_are_told() -> None:
    curves = summarise(table(roots, worlds=("signed", "other"), horizons=(50, 100)))
    bounds = study_bounds({"signed": WORLDS["signed"]()}, curves)
    assert list(bounds) == [("signed", "full")]
    assert bounds["signed", "full"].at[-1] == 100.0
