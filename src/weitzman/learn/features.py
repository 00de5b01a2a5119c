"""Features: what is known of a box before it is opened, as the numbers of a context.

*Encoding*. A number is one column. A text or truth value is one column of 0 and 1 per level,
``name=level``; a level that the encoding does not know is all zeros. Where a feature may be
missing, a column ``name?`` of 0 and 1 says so.

Numbers stay in their units: what a model sees of them is up to :mod:`weitzman.learn.preparation`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number


@dataclass(frozen=True, kw_only=True)
class Feature:
    """A feature of the boxes, by the name that rows call it.

    It has ``levels`` if it is text, None for a number. A column says where an ``optional`` one is missing.
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
        """Which columns are numbers; the others are 0 and 1."""
        return np.array([c == f.name for f in self.features for c in f.columns], dtype=np.bool_)

    def rows(self, records: Sequence[Mapping[str, Any]]) -> Floats:
        """Return one row per box from its features by name; other names are ignored."""
        for feature in self.features:
            if any(feature.name not in record for record in records):
                rule = "be given for every box, None if it is missing"
                raise InvalidInputError(f"The feature {feature.name!r}", rule, records)
        blocks = [f.encode(np.array([f.cell(r[f.name]) for r in records])) for f in self.features]
        return np.concatenate([np.empty((len(records), 0)), *blocks], axis=1)
