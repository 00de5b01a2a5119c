"""Exploration: as often as declared, and scores without bias."""

from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.learn.policies.portfolio.exploration import chance, checked_share, corrected, is_drawn


def test_the_chance_is_the_declared_share_of_what_looks_cost() -> None:
    costs = np.array([1.0, 2.0, 3.0])
    assert chance(0.03, 1.5, costs) * costs.sum() == pytest.approx(0.03 * 1.5)
    assert chance(1.0, 100.0, costs) == 0.5
    assert chance(0.03, 0.0, costs) == chance(0.0, 1.5, costs) == 0.0
    assert chance(0.03, 0.0, np.zeros(2)) == 0.0


def test_rounds_are_explored_with_their_chance() -> None:
    """100,000 draws at ¹⁄₁₀: beyond 450 = 4.7 standard deviations with probability 2 · 10⁻⁶."""
    drawn = [is_drawn(0.1, seed=3, number=t) for t in range(100_000)]
    assert abs(sum(drawn) - 10_000) < 450
    assert drawn[:50] == [is_drawn(0.1, seed=3, number=t) for t in range(50)]
    assert drawn[:50] != [is_drawn(0.1, seed=4, number=t) for t in range(50)]
    assert not is_drawn(0.0, seed=0, number=0)


def test_a_chance_above_the_number_of_a_round_explores_it_and_one_at_it_does_not() -> None:
    """Each round has a number below 1, found here by halving; it is explored from just above it on."""
    for number in range(20):
        low, high = 0.0, 1.0
        while np.nextafter(low, high) < high:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if is_drawn(middle, seed=7, number=number) else (middle, high)
        assert low == float(_mixed(7, number)) / 2.0**64
        assert is_drawn(high, seed=7, number=number)
        assert not is_drawn(low, seed=7, number=number)


def _mixed(seed: int, number: int) -> int:
    """SplitMix64 in whole numbers: the seed twice, then the number of the round."""
    state = seed
    for add in (0, 0, number):
        state = (state + add + 0x9E3779B97F4A7C15) % 2**64
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % 2**64
        state ^= state >> 31
    return state


def test_scores_are_unbiased_however_wrong_the_estimates_are() -> None:
    """The mean of the scores is the mean of the totals: |z| > 5 has probability 6 · 10⁻⁷ a candidate."""
    rng = np.random.default_rng(0)
    rounds, phi = 200_000, 0.05
    totals = rng.normal([1.0, 2.0, 3.0], 1.0, size=(rounds, 3))
    # One estimate is right, one blind, one off and correlated with the truth
    estimates = np.column_stack([totals[:, 0], np.zeros(rounds), 5.0 - totals[:, 2]])
    scores = estimates.copy()
    for t in range(rounds):
        if is_drawn(phi, seed=1, number=t):
            scores[t] = corrected(estimates[t], totals[t], chance=phi, number=t + 1_000)
    apart = scores - totals
    assert (apart[:, 0] == 0.0).all()
    error = apart[:, 1:].std(axis=0) / np.sqrt(rounds)
    assert (np.abs(apart[:, 1:].mean(axis=0)) < 5.0 * error).all()
    # The variance is that of (1): (L − m)² (1 − φ)/φ
    expected = np.mean((totals - estimates) ** 2, axis=0)[1:] * (1.0 - phi) / phi
    assert apart[:, 1:].var(axis=0) == pytest.approx(expected, rel=0.05)
    # Without the correction the blind estimate is off by 2
    assert abs((estimates - totals)[:, 1].mean()) > 1.9


def test_rare_explorations_do_not_outweigh_everything() -> None:
    score = corrected(np.array([0.0]), np.array([1.0]), chance=1e-4, number=100)
    assert score[0] == 10.0


def test_what_is_refused() -> None:
    assert checked_share(0.0) == 0.0
    wrong: Any
    for wrong in (-0.1, 1.5, np.nan):
        with pytest.raises(wz.InvalidInputError, match="exploration"):
            checked_share(wrong)
