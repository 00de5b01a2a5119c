"""The law of Kaplan and Meier against exact fractions, and against other laws by likelihood."""

from fractions import Fraction

import numpy as np
import pytest

import weitzman as wz


def product_limit(looks: list[tuple[int, bool]]) -> dict[int, Fraction]:
    """Return P(v > s) at each value s that was seen, by its definition."""
    above, found = Fraction(1), {}
    for value in sorted({value for value, exact in looks if exact}):
        deaths = sum(exact and look == value for look, exact in looks)
        above *= 1 - Fraction(deaths, sum(look >= value for look, _ in looks))
        found[value] = above
    return found


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_product_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    values = rng.integers(0, 8, size=count)
    exact = rng.uniform(size=count) < rng.uniform()
    law = wz.kaplan_meier(values, exact)
    looks = list(zip(values.tolist(), exact.tolist(), strict=True))
    limits = product_limit(looks)
    largest = max((value for value, known in looks if not known), default=-1)
    for value, above in limits.items():
        # What is left lies at the largest bound
        last = value == max(limits) and value >= largest
        expected = 0.0 if last else float(above)
        assert float(law.sf(value)) == pytest.approx(expected, abs=1e-14)


def log_likelihood(
    points: np.ndarray, mass: np.ndarray, values: np.ndarray, exact: np.ndarray
) -> float:
    total = 0.0
    for value, known in zip(values, exact, strict=True):
        total += np.log(mass[points == value].sum() if known else mass[points > value].sum())
    return float(total)


def test_no_other_law_of_the_same_values_is_more_likely() -> None:
    rng = np.random.default_rng(7)
    values, exact = rng.integers(0, 10, size=60), rng.uniform(size=60) < 0.6
    # The largest is a value, so that nothing is left above it
    values, exact = np.append(values, 11), np.append(exact, True)
    law = wz.kaplan_meier(values, exact)
    best = log_likelihood(law.values, law.probabilities, values, exact)
    for _ in range(500):
        mass = law.probabilities * np.exp(rng.normal(scale=0.2, size=len(law.values)))
        other = log_likelihood(law.values, mass / mass.sum(), values, exact)
        assert other < best


def test_without_bounds_it_is_the_empirical_law() -> None:
    sample = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0]
    law = wz.kaplan_meier(sample, np.ones(7, dtype=bool))
    np.testing.assert_allclose(law.probabilities, wz.Empirical(sample).probabilities, rtol=1e-14)
    assert wz.kaplan_meier([2.0, 3.0], [False, False]).values.tolist() == [3.0]


@pytest.mark.parametrize(
    ("values", "exact", "what"),
    [
        ([], [], "at least one finite number"),
        ([1.0, np.nan], [True, True], "at least one finite number"),
        ([1.0, 2.0], [True], "as many truth values"),
        ([1.0, 2.0], [1, 0], "as many truth values"),
    ],
)
def test_what_is_no_list_of_looks_is_refused(
    values: list[float], exact: list[bool], what: str
) -> None:
    with pytest.raises(wz.InvalidInputError, match=what):
        wz.kaplan_meier(values, exact)
