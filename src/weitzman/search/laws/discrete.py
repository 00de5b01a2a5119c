"""Values with finitely many outcomes: exact in O(m log m) once, O(log m) per question.

With outcomes v_1 < … < v_m and F_k = P(v ≤ v_k), c_D(s) is linear between the outcomes with slope
F_k on [v_k, v_{k+1}], zero at v_1 and s − E v beyond v_m. The table of c_D(v_k) is a running sum of
the non-negative terms F_k (v_{k+1} − v_k), so it holds no cancellation, and the root of c_D(s) = c
is a look-up and a division.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.search.laws.distribution import Distribution

_MANY = 10_000


class Discrete(Distribution):
    """A value with finitely many outcomes.

    Parameters
    ----------
    values
        The outcomes, finite, in any order; equal ones are merged.
    probabilities
        One number ≥ 0 per outcome, of sum 1. Omitted, all outcomes are equally likely.

    Examples
    --------
    >>> from weitzman import reservation_value
    >>> reservation_value(Discrete([0, 240], [0.8, 0.2]), 20, sense="max")
    140.0
    """

    def __init__(self, values: ArrayLike, probabilities: ArrayLike | None = None) -> None:
        points = _vector(values, "The values of Discrete")
        mass = _masses(probabilities, points, "The probabilities of Discrete")
        if probabilities is not None and abs(mass.sum() - 1.0) > 1e-9:
            raise InvalidInputError("The probabilities of Discrete", "sum to 1", float(mass.sum()))
        self._fill(points, mass)

    def _fill(self, points: Floats, mass: Floats) -> None:
        order = np.argsort(points, kind="stable")
        points, mass = points[order], mass[order]
        first = np.flatnonzero(np.concatenate([[True], points[1:] > points[:-1]]))
        mass = np.add.reduceat(mass, first)
        kept = mass > 0.0
        self.values: Floats = points[first][kept]
        # Kept unscaled: counts add up exactly, m-th parts do not.
        self._mass: Floats = mass[kept]
        self.probabilities: Floats = self._mass / self._mass.sum()

    @classmethod
    def of_masses(cls, points: Floats, mass: Floats) -> "Discrete":
        """Return the law of outcomes with masses >= 0 of any sum, unchecked; +∞ stands for none."""
        law = Discrete.__new__(Discrete)
        law._fill(points, mass)
        return law

    @cached_property
    def _below(self) -> Floats:
        """P(v < v_1), P(v ≤ v_1), …, P(v ≤ v_m) = 1."""
        cumulated = np.concatenate([[0.0], _running_sum(self._mass)])
        return np.asarray(cumulated / cumulated[-1])

    @cached_property
    def _above(self) -> Floats:
        """P(v ≥ v_1) = 1, …, P(v ≥ v_m), P(v > v_m) = 0: summed from the top to keep small tails."""
        cumulated = np.concatenate([_running_sum(self._mass[::-1])[::-1], [0.0]])
        return np.asarray(cumulated / cumulated[0])

    @cached_property
    def _excess(self) -> Floats:
        """c_D at each outcome."""
        return np.concatenate([[0.0], _running_sum(self._below[1:-1] * np.diff(self.values))])

    def cdf(self, x: ArrayLike) -> Floats:
        return self._below[np.searchsorted(self.values, x, side="right")]

    def sf(self, x: ArrayLike) -> Floats:
        return self._above[np.searchsorted(self.values, x, side="right")]

    def atom(self, x: ArrayLike) -> Floats:
        x = np.asarray(x, dtype=np.float64)
        place = np.minimum(np.searchsorted(self.values, x), len(self.values) - 1)
        return np.where(self.values[place] == x, self.probabilities[place], 0.0)

    def mean(self) -> Floats:
        return np.asarray(np.sum(self.probabilities * self.values))

    def support(self) -> tuple[Floats, Floats]:
        return self.values[0], self.values[-1]

    def kinks(self) -> Floats:
        return self.values

    @property
    def is_step(self) -> bool:
        return True

    def quantile(self, p: ArrayLike) -> Floats:
        place = np.searchsorted(self._below[1:], p, side="left")
        return self.values[np.minimum(place, len(self.values) - 1)]

    def excess_below(self, s: ArrayLike) -> Floats:
        s = np.asarray(s, dtype=np.float64)
        place = np.searchsorted(self.values, s, side="right") - 1
        inside = np.maximum(place, 0)
        with np.errstate(invalid="ignore"):
            value = self._excess[inside] + self._below[inside + 1] * (s - self.values[inside])
        return np.where(place >= 0, value, 0.0)

    def excess_above(self, s: ArrayLike) -> Floats:
        return self._mirrored.excess_below(-np.asarray(s, dtype=np.float64))

    def solve_below(self, cost: ArrayLike) -> Floats:
        cost = np.asarray(cost, dtype=np.float64)
        place = np.searchsorted(self._excess, cost, side="right") - 1
        return self.values[place] + (cost - self._excess[place]) / self._below[place + 1]

    def solve_above(self, cost: ArrayLike) -> Floats:
        return -self._mirrored.solve_below(cost)

    def affine(self, *, shift: float = 0.0, scale: float = 1.0) -> "Discrete":
        return Discrete.of_masses(shift + scale * self.values, self._mass)

    @cached_property
    def _mirrored(self) -> "Discrete":
        return self.affine(scale=-1.0)


class Empirical(Discrete):
    """The values seen so far, each as likely as it was frequent or as its weight says.

    Parameters
    ----------
    sample
        Finite numbers, in any order, repeated as often as they were seen.
    weights
        One number ≥ 0 per entry of the sample, not all zero; they need not sum to 1.

    Examples
    --------
    >>> prices = Empirical([12.0, 9.5, 14.0, 9.5])
    >>> float(prices.mean())
    11.25
    """

    def __init__(
        self,
        sample: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        subject: str = "The sample of Empirical",
    ) -> None:
        points = _vector(sample, subject)
        self._fill(points, _masses(weights, points, "The weights of Empirical"))

    @property
    def counts(self) -> Ints | None:
        """How often each value was seen; None if the weights are not whole numbers."""
        counts = np.rint(self._mass)
        return counts.astype(np.int64) if np.array_equal(counts, self._mass) else None


def _running_sum(terms: Floats) -> Floats:
    """Return cumulative sums; of very many terms also those that are below the rounding of the sum."""
    if terms.size < _MANY:
        return np.cumsum(terms)
    return np.cumsum(terms, dtype=np.longdouble).astype(np.float64)


def _vector(values: ArrayLike, subject: str) -> Floats:
    try:
        given = np.asarray(values)
        # Texts and truths could be read as numbers; objects such as fractions are
        points = np.atleast_1d(given.astype(np.float64)) if given.dtype.kind in "fiuO" else None
    except (TypeError, ValueError, OverflowError):
        points = None
    if points is None:
        raise InvalidInputError(subject, "be numbers", values)
    if points.ndim != 1 or points.size == 0:
        raise InvalidInputError(subject, "be a list of at least one number", values)
    if not np.isfinite(points).all():
        raise InvalidInputError(subject, "be finite", float(points[~np.isfinite(points)][0]))
    return points


def _masses(masses: ArrayLike | None, points: Floats, subject: str) -> Floats:
    if masses is None:
        return np.ones(points.shape)
    mass = _vector(masses, subject)
    if mass.shape != points.shape:
        raise InvalidInputError(subject, f"be as many as the values, {points.size}", mass.size)
    if (mass < 0.0).any():
        raise InvalidInputError(subject, "be >= 0", float(mass[mass < 0.0][0]))
    if not mass.sum() > 0.0:
        raise InvalidInputError(subject, "not all be 0", mass.tolist())
    return mass
