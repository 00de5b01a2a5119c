"""Features: what is known of a box before it is opened, as the numbers of a context.

*Encoding*. A number is one column. A text or truth value is one column of 0 and 1 per level,
``name=level``; a level that the encoding does not know is all zeros, and is said to be unknown: live by a
warning, in the service by its answer. A feature whose levels are true and false takes nothing else: truth
values, 1 and 0, and these words in any case. Where a feature may be missing, a column ``name?`` of 0 and 1
says so.

Numbers stay in their units: what a model sees of them is up to :mod:`weitzman.learn.preparation`.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number

_LONGEST = 80  # characters of an unknown level that are said
_TRUTH = ("false", "true")
PREFIX = "x_"
"""What the columns of features in a log may begin with; it is no part of their names."""


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

    @cached_property
    def is_truth(self) -> bool:
        """Whether its levels are truth values, or one of the two: a log may hold no other."""
        words = [level.lower() for level in self.levels or ()]
        return bool(words) and set(words) <= set(_TRUTH) and len(set(words)) == len(words)

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

    def level_column(self, level: str) -> str:
        """Return how the column of a level is called, whether there is one or not."""
        return f"{self.name}={level[:_LONGEST]}"

    def cell(self, given: Any) -> float:
        """Return one number, or number of a level; None and NaN are missing, and what pandas has for them."""
        if given is None or is_gap(given):
            return math.nan
        if self.levels is None:
            rule = "be a finite number or None"
            if isinstance(given, str):
                rule += f", or have its levels named: features={{{self.name!r}: [{given!r}, …], …}}"
            return finite_number(given, f"The feature {self.name!r}", rule)
        level = self.level(given)
        return float(self.levels.index(level)) if level in self.levels else -1.0

    def level(self, given: Any) -> str:
        """Return the level that something given stands for, whether there is one or not."""
        if not self.is_truth:
            return _text(given)
        word = _truth_word(given)
        if word is None:
            rule = "be True or False, which 1 and 0 stand for too, or None if it is missing"
            raise InvalidInputError(f"The feature {self.name!r}", rule, given)
        # As the levels are written
        return next((level for level in self.levels or () if level.lower() == word), word)


def is_gap(given: Any) -> bool:
    """Whether something is NaN, or what pandas has for what is missing."""
    if isinstance(given, float | np.floating):
        return math.isnan(given)
    return type(given).__name__ in ("NAType", "NaTType")


def _text(given: Any) -> str:
    return str(given).lower() if isinstance(given, bool | np.bool_) else str(given)


def _truth_word(given: Any) -> str | None:
    """Return ``true`` or ``false`` for a truth value, however it is given; None for anything else."""
    if isinstance(given, str):
        word = given.strip().lower()
        return word if word in _TRUTH else None
    is_number = isinstance(given, int | float | np.bool_ | np.integer | np.floating)
    return _TRUTH[int(given)] if is_number and given in (0, 1) else None


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
        """Return one row per box from its features by name; other names are ignored.

        A feature that a log has in a column ``x_words`` is called either.
        """
        blocks = [np.empty((len(records), 0))]
        for feature in self.features:
            cells = [feature.cell(record[self.found_in(feature, record)]) for record in records]
            blocks.append(feature.encode(np.array(cells, dtype=np.float64)))
        return np.concatenate(blocks, axis=1)

    def unknown_levels(self, records: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the texts of some boxes that are no levels of their features, each once, named as columns.

        >>> colour = Feature(name="colour", levels=("red", "blue"))
        >>> Encoding(features=(colour,)).unknown_levels([{"colour": "green"}, {"colour": None}])
        ['colour=green']
        """
        found: dict[str, None] = {}
        for feature in self.features:
            if feature.levels is not None:
                given = (record[self.found_in(feature, record)] for record in records)
                strange = (feature.level(x) for x in given if feature.cell(x) == -1.0)
                found |= dict.fromkeys(map(feature.level_column, strange))
        return list(found)

    def found_in(self, feature: Feature, names: Collection[str]) -> str:
        """Return under which of some names a feature goes."""
        plain = feature.name.removeprefix(PREFIX)
        for name in (feature.name, plain, f"{PREFIX}{plain}"):
            if name in names:
                return name
        rule = "be given for every box, None if it is missing"
        raise InvalidInputError(f"The feature {feature.name!r}", rule, list(names)[:8])

    @classmethod
    def named(cls, columns: Sequence[str]) -> "Encoding | None":
        """Return the encoding of columns; None if they are only counted, 0, 1, …, and nobody named them."""
        return None if list(columns) == [str(k) for k in range(len(columns))] else cls.of(columns)

    @classmethod
    def of(cls, features: Any) -> "Encoding":
        """Return the encoding of features that somebody lists.

        A list is of names of numbers, and of columns: ``colour=red`` is a level of ``colour``, and ``size?``
        says that ``size`` may be missing. A mapping has for each name ``None`` for a number, ``bool``, or the
        levels of a text.

        Examples
        --------
        >>> Encoding.of(["size", "size?", "colour=red", "colour=blue"]).columns
        ['size', 'size?', 'colour=red', 'colour=blue']
        >>> Encoding.of({"size": None, "new": bool}).columns
        ['size', 'new=false', 'new=true']
        """
        if isinstance(features, Encoding):
            return features
        if isinstance(features, Mapping):
            return cls(features=tuple(_described(name, what) for name, what in features.items()))
        rule = "be a list of distinct names, or a mapping from names to None, bool or levels"
        if isinstance(features, str) or not isinstance(features, Sequence):
            raise InvalidInputError("The features", rule, features)
        if len(set(features)) < len(features) or not all(isinstance(n, str) for n in features):
            raise InvalidInputError("The features", rule, features)
        return cls(features=tuple(_grouped(features)))


def _described(name: Any, what: Any) -> Feature:
    rule = "be None for a number, bool, or a list of its levels"
    subject = f"The feature {name!r}"
    if not isinstance(name, str):
        raise InvalidInputError(subject, "have a text for a name", name)
    if what is None or what in (int, float):
        return Feature(name=name)
    if what is bool:
        return Feature(name=name, levels=_TRUTH)
    if isinstance(what, str) or not isinstance(what, Sequence) or not what:
        raise InvalidInputError(subject, rule, what)
    levels = tuple(str(x).lower() if isinstance(x, bool) else str(x) for x in what)
    if len(set(levels)) < len(levels):
        raise InvalidInputError(f"The levels of the feature {name!r}", "be distinct", what)
    return Feature(name=name, levels=levels)


def _grouped(columns: Sequence[str]) -> Iterator[Feature]:
    """Yield the features whose columns these are, one after the other."""
    place = 0
    while place < len(columns):
        name, _, level = columns[place].partition("=")
        if columns[place] == f"{name}={level}" and name:
            levels = [level]
            while columns[place + 1 : place + 2] and columns[place + 1].startswith(f"{name}="):
                place += 1
                levels.append(columns[place].removeprefix(f"{name}="))
            feature = Feature(name=name, levels=tuple(levels))
        else:
            feature = Feature(name=columns[place])
        place += 1
        if list(columns[place : place + 1]) == [f"{feature.name}?"]:
            place += 1
            feature = replace(feature, optional=True)
        yield feature
