"""Features: what is known of a box before it is opened, as the numbers of a context.

*Encoding*. A number is one column. A text or truth value is one column of 0 and 1 per level,
``name=level``; a level that the encoding does not know is all zeros. Where a feature may be
missing, a column ``name?`` of 0 and 1 says so.

*Running standardisation*. Columns of numbers are brought to mean 0 and deviation 1, with the mean
and deviation of all contexts up to and including those of the round at hand. Contexts are known
before anything is opened, so nothing is looked up in the future, and values never enter. Columns of
0 and 1 stay as they are: a level that first comes in row N would become about √N. A column without
deviation becomes 0, and so does a number that is missing.

Sums are taken of x − x₀, where x₀ is the first number of the column. As x₀ is itself one of the N
numbers, their variance is at least (mean − x₀)²/N: the subtraction in ``Σ(x − x₀)²/N − (mean − x₀)²``
costs at most a factor of N + 1 in precision, wherever the column lies.

A whole log and its rounds one by one give the same bits: both add box after box, then round after
round.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number, float_array, whole_number

__all__ = ["Encoding", "Feature", "Standardiser", "standardise"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
State = dict[str, NDArray[np.generic]]

_STATE = ("first", "count", "sum", "square")
_ROUNDING = 1e-14  # a deviation below this share of the mean is what rounding leaves
_CELLS = 1 << 16  # numbers that are worked on at a time, so that they stay in the cache
_SUBJECT = "The contexts"


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A feature of the boxes.

    Attributes
    ----------
    name
        What rows call it.
    levels
        Its levels if it is text; None for a number.
    optional
        Whether a column says that it is missing.
    """

    name: str
    levels: tuple[str, ...] | None = None
    optional: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        names = [self.name] if self.levels is None else [f"{self.name}={x}" for x in self.levels]
        return [*names, f"{self.name}?"] if self.optional else names

    def encode(self, cells: Floats) -> Floats:
        """Return the columns of numbers, or of numbers of levels; NaN is missing, −1 unknown."""
        missing = np.isnan(cells)
        columns = np.empty((len(cells), len(self.columns)))
        if self.levels is None:
            columns[:, 0] = cells
        for place in range(len(self.levels or ())):
            columns[:, place] = cells == place
        if self.optional:
            columns[:, -1] = missing
        return columns

    def cell(self, given: Any) -> float:
        """Return one number, or number of a level; None and NaN are missing."""
        if given is None or (isinstance(given, float) and math.isnan(given)):
            return math.nan
        if self.levels is None:
            return finite_number(given, f"The feature {self.name!r}", "be a finite number or None")
        level = str(given).lower() if isinstance(given, bool | np.bool_) else str(given)
        return float(self.levels.index(level)) if level in self.levels else -1.0


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How the features of a box become a context.

    Examples
    --------
    >>> size, colour = Feature(name="size"), Feature(name="colour", levels=("red", "blue"))
    >>> encoding = Encoding(features=(size, colour))
    >>> encoding.columns
    ['size', 'colour=red', 'colour=blue']
    >>> encoding.rows([{"size": 2, "colour": "blue"}, {"size": None, "colour": "green"}])
    array([[ 2.,  0.,  1.],
           [nan,  0.,  0.]])
    """

    features: tuple[Feature, ...]

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a context."""
        return [column for feature in self.features for column in feature.columns]

    @property
    def numeric(self) -> Flags:
        """Which columns are numbers, to be standardised; the others are 0 and 1."""
        return np.array([c == f.name for f in self.features for c in f.columns], dtype=np.bool_)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> Floats:
        """Return one row per box from its features by name; other names are ignored."""
        for feature in self.features:
            if any(feature.name not in record for record in records):
                rule = "be given for every box, None if it is missing"
                raise InvalidInputError(f"The feature {feature.name!r}", rule, records)
        blocks = [f.encode(np.array([f.cell(r[f.name]) for r in records])) for f in self.features]
        return np.concatenate([np.empty((len(records), 0)), *blocks], axis=1)


class Standardiser:
    """Running means and deviations of the columns of contexts.

    A round is two calls, ``update(rows)`` and ``transform(rows)``, with one row per box in the same
    order every round. A row of nothing but NaN is an absent box: it counts for nothing and stays.

    Parameters
    ----------
    dimension
        The length d of a context.
    numeric
        Which columns are standardised, such as :attr:`Encoding.numeric`; all if None.

    Examples
    --------
    >>> standardiser = Standardiser(dimension=1)
    >>> standardiser.update([[1.0], [5.0]])
    >>> standardiser.transform([[1.0], [5.0], [7.0]]).ravel().tolist()
    [-1.0, 1.0, 2.0]
    """

    def __init__(self, *, dimension: int, numeric: ArrayLike | None = None) -> None:
        self._dimension = whole_number(dimension, "The dimension", least=0)
        self._numeric = np.ones(dimension, bool) if numeric is None else np.asarray(numeric, bool)
        if self._numeric.shape != (dimension,):
            rule = f"be one flag per column, {dimension}"
            raise InvalidInputError("The numeric columns", rule, numeric)
        self._first = np.full(dimension, np.nan)
        self._sums = np.zeros((3, dimension))  # of 1, of x − x₀ and of its square

    def update(self, rows: ArrayLike) -> None:
        """Take in the contexts of a round, (n, d)."""
        self._add(self._checked(rows, 2)[np.newaxis])

    def transform(self, rows: ArrayLike) -> Floats:
        """Return contexts, (n, d), standardised by what has been taken in."""
        out = self._checked(rows, 2)[np.newaxis].copy()
        self._scale(out, self._sums[:, np.newaxis])
        return np.asarray(out[0])

    def run(self, rounds: ArrayLike, *, out: Floats | None = None) -> Floats:
        """Take in rounds, (T, n, d), and return each as it stands standardised in its turn.

        ``out`` may be the array of the rounds itself.
        """
        x = self._checked(rounds, 3)
        out = np.empty(x.shape) if out is None else out
        step = max(1, _CELLS // max(1, x[:1].size))
        for begin in range(0, len(x), step):
            part = x[begin : begin + step]
            sums = self._add(part)
            out[begin : begin + step] = part
            self._scale(out[begin : begin + step], sums)
        return out

    def state(self) -> State:
        """Return everything as arrays."""
        return {k: v.copy() for k, v in zip(_STATE, (self._first, *self._sums), strict=True)}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        shapes = [state[name].shape if name in state else None for name in _STATE]
        if shapes != [(self._dimension,)] * len(_STATE):
            rule = f"hold {', '.join(_STATE)}, each of length {self._dimension}"
            raise InvalidInputError("The state of a standardiser", rule, dict(state))
        first, *sums = (np.array(state[name], dtype=np.float64) for name in _STATE)
        self._first, self._sums = first, np.stack(sums)

    def _checked(self, given: ArrayLike, axes: int) -> Floats:
        x = float_array(given, _SUBJECT)
        if x.ndim != axes or x.shape[-1] != self._dimension:
            shape = ("T", "n", str(self._dimension))[-axes:]
            raise InvalidInputError(_SUBJECT, f"have the shape ({', '.join(shape)})", x.shape)
        if np.isinf(x).any():
            raise InvalidInputError(_SUBJECT, "be finite, or NaN for what is missing", given)
        return x

    def _add(self, x: Floats) -> Floats:
        """Take in rounds and return the sums as they stand after each, (3, T, d)."""
        known = ~np.isnan(x)
        flat = known.reshape(x.shape[0] * x.shape[1], -1) if x.size else known[:0, 0]
        if np.isnan(self._first).any() and len(flat):
            earliest = x.reshape(flat.shape)[flat.argmax(axis=0), range(self._dimension)]
            self._first = np.where(np.isnan(self._first), earliest, self._first)
        apart = np.where(known, x - self._first, 0.0)
        sums = np.zeros((3, len(x) + 1, self._dimension))
        sums[:, 0] = self._sums
        sums[0, 1:] = known.sum(axis=1)
        # One box at a time: numpy's own sum takes another order where d is 1
        for box in range(x.shape[1]):
            sums[1, 1:] += apart[:, box]
            sums[2, 1:] += apart[:, box] * apart[:, box]
        sums = np.cumsum(sums, axis=1)
        self._sums = sums[:, -1].copy()
        return sums[:, 1:]

    def _scale(self, x: Floats, sums: Floats) -> None:
        """Standardise rounds in place, each by its sums."""
        absent = np.isnan(x).all(axis=2)
        count = np.maximum(sums[0], 1.0)
        mean = sums[1] / count
        deviation = np.sqrt(np.maximum(sums[2] / count - mean * mean, 0.0))
        flat = ~(deviation > _ROUNDING * np.abs(self._first + mean))
        z = (x - self._first) - mean[:, np.newaxis]
        z /= np.where(flat, 1.0, deviation)[:, np.newaxis]
        z[np.isnan(x) | flat[:, np.newaxis]] = 0.0
        np.copyto(x, z, where=self._numeric)
        x[absent] = np.nan


def standardise(contexts: ArrayLike, *, numeric: ArrayLike | None = None) -> Floats:
    """Return recorded contexts, (T, n, d), standardised without looking ahead.

    The same, bit for bit, as ``update`` and ``transform`` of a :class:`Standardiser` round by round.
    """
    x = float_array(contexts, _SUBJECT)
    return Standardiser(dimension=x.shape[-1] if x.ndim else 0, numeric=numeric).run(x)
