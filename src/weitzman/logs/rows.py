"""The rows of a log, checked: what is wrong is an error with its place, or is left out and counted.

The rules, in the order in which they are tried; a row breaks the first of them that it breaks:

- it has as many fields as the header;
- ``round`` and ``box`` are there;
- ``cost`` is a finite number ≥ 0;
- ``paid`` is a finite number ≥ 0 or missing;
- ``value`` and ``outside`` are finite numbers or missing, ``opened`` is true or false;
- ``chance`` is a number from 0 to 1 or missing, above 0 for a box that was opened and below 1 for another;
- ``value`` is not better than the best possible one, if that is known;
- a feature is a finite number, a level, or missing;
- the box is not yet in the round, among the rows that are right so far;
- ``outside`` is that of the first such row of the round;
- where one draw decides for the round, ``chance`` of a box that was not opened is below that of every box
  that was.

Without ``skip_bad`` the first row that breaks a rule is the error.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.learn.features import Encoding, Feature
from weitzman.learn.record import bound_rule
from weitzman.logs.cells import Labels, Levels, feature_of, flags_of, labels_of, numbers_of
from weitzman.logs.chances import Drawn, beside_another, broken_rules, out_of_draw
from weitzman.logs.table import Table
from weitzman.search.numbers import LIMIT
from weitzman.search.reservation import Sense

MOST_LEVELS = 64
"""How many levels a feature of text may have: each is a column of the contexts."""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Which column is what; None for one of the last five that the log does not have."""

    round: str
    box: str
    cost: str
    value: str
    outside: str | None
    opened: str | None
    paid: str | None = None
    chance: str | None = None
    features: tuple[str, ...]

    @property
    def by_name(self) -> dict[str, str]:
        """The column of each role that the log has, features aside."""
        names = ("round", "box", "cost", "value", "outside", "opened", "paid", "chance")
        return {n: column for n in names if (column := getattr(self, n)) is not None}

    @property
    def named(self) -> list[str]:
        """The columns that have a role, features aside."""
        return list(self.by_name.values())

    @property
    def columns(self) -> list[str]:
        """All columns that have a role or are a feature, each once."""
        return list(dict.fromkeys([*self.named, *self.features]))


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The good rows: one element of each array per row, and how many rows are left out.

    ``rounds`` and ``boxes`` hold labels of good rows only; ``cells`` are the features before encoding.
    """

    rounds: Labels
    boxes: Labels
    costs: Floats
    values: Floats
    outside: Floats | None
    opened: Floats | None
    paid: Floats | None
    chances: Floats | None
    encoding: Encoding
    cells: list[Floats]
    skipped: int


class _Faults:
    """The bad rows so far, and the first of them with all that a message needs."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.bad: Flags = np.zeros(len(next(iter(table.columns.values()))), dtype=np.bool_)
        self._first: tuple[int, str, str, object] | None = None
        for row, fields in table.ragged[:1]:
            self._first = (row, ": the row", f"have {len(table.names)} fields", fields)

    def note(self, bad: Flags, column: str, subject: str, rule: str) -> None:
        """Take rows in that break a rule."""
        bad = bad & ~self.bad
        if not bad.any():
            return
        self.bad |= bad
        place = int(bad.argmax())
        row = self._table.row(place)
        if self._first is None or row < self._first[0]:
            got = self._table.columns[column][place].as_py()
            self._first = (row, f", column {column!r}: the {subject}", rule, got)

    def done(self, skip: bool) -> int:
        """Return how many rows are bad, or raise the first."""
        if self._first is not None and not skip:
            row, subject, rule, got = self._first
            raise self._table.wrong(f", row {row}{subject}", rule, got)
        return int(self.bad.sum()) + len(self._table.ragged)


def checked_rows(
    table: Table,
    roles: Roles,
    *,
    skip_bad: bool,
    bound: float = -np.inf,
    sense: Sense = "min",
    draws: Drawn = "round",
) -> Rows:
    """Return the rows of a table that keep the rules, values and outside options turned under ``"max"``.

    ``bound`` is the best value that a box can hold, turned as well; ``draws`` are those of the log.
    """
    sign = 1.0 if sense == "min" else -1.0
    faults = _Faults(table)
    rounds = _labels(table, roles.round, "round", faults)
    boxes = _labels(table, roles.box, "box", faults)
    costs = _noted(numbers_of(table.columns[roles.cost]), roles.cost, "cost", faults, least=0.0)
    faults.note(np.isnan(costs), roles.cost, "cost", _rule(0.0))
    values = _noted(numbers_of(table.columns[roles.value]), roles.value, "value", faults)
    values = sign * values
    faults.note(values < bound, roles.value, "value", bound_rule(bound, sign))
    outside = opened = paid = chances = None
    if roles.paid is not None:
        paid = _noted(numbers_of(table.columns[roles.paid]), roles.paid, "paid", faults, least=0.0)
    if roles.outside is not None:
        outside = sign * numbers_of(table.columns[roles.outside])
        _noted(outside, roles.outside, "outside option", faults)
    if roles.opened is not None:
        opened = flags_of(table.columns[roles.opened])
        wrong = ~np.isfinite(opened)
        faults.note(wrong, roles.opened, "mark of an opened box", "be true or false")
        if roles.chance is not None:
            chances = numbers_of(table.columns[roles.chance])
            for wrong, rule in broken_rules(chances, opened == 1.0):
                faults.note(wrong, roles.chance, "chance", rule)
    features, cells = _features(table, roles, faults)
    good = np.flatnonzero(~faults.bad)
    twice = _seen_before(rounds.places[good] * max(1, len(boxes.labels)) + boxes.places[good])
    if twice.size:
        label = rounds.labels[rounds.places[good[twice[0]]]]
        rule = f"be in a round only once, but is twice in round {label}"
        faults.note(_among(good[twice], faults.bad), roles.box, "box", rule)
    if outside is not None and roles.outside is not None:
        differs = _differing(outside, rounds.places, np.flatnonzero(~faults.bad))
        rule = "be the same in all rows of a round"
        faults.note(_among(differs, faults.bad), roles.outside, "outside option", rule)
    if chances is not None and opened is not None and roles.chance is not None:
        looked = opened == 1.0
        chances = np.where(looked & np.isnan(chances), 1.0, chances)
        if draws == "round":
            wrong, rule = out_of_draw(chances, looked, rounds.places, ~faults.bad)
            faults.note(wrong, roles.chance, "chance of a box that was not opened", rule)
        elif draws == "one":
            wrong, rule = beside_another(looked, rounds.places, ~faults.bad)
            faults.note(wrong, roles.chance, "chance of an opened box", rule)
    skipped = faults.done(skip_bad)
    kept = ~faults.bad
    if not kept.any():
        raise table.wrong("", "hold at least one good row", f"{skipped} bad rows")
    cells = [column[kept] for column in cells] if skipped else cells
    encoding, cells = _encoding(features, cells)
    return Rows(
        rounds=_used(rounds, kept),
        boxes=_used(boxes, kept),
        costs=costs[kept],
        values=values[kept],
        outside=None if outside is None else outside[kept],
        opened=None if opened is None else opened[kept],
        paid=None if paid is None else paid[kept],
        chances=None if chances is None else chances[kept],
        encoding=encoding,
        cells=cells,
        skipped=skipped,
    )


def _labels(table: Table, column: str, role: str, faults: _Faults) -> Labels:
    labels = labels_of(table.columns[column])
    if labels is None:
        kind = str(table.columns[column].type)
        rule = "be whole numbers, text or dates"
        raise table.wrong(f", column {column!r}: the labels", rule, kind)
    faults.note(labels.places == -1, column, role, "be given")
    faults.note(labels.places == -2, column, role, "be text without control characters")
    return labels


def _noted(
    numbers: Floats, column: str, subject: str, faults: _Faults, least: float = -np.inf
) -> Floats:
    """Return numbers, of which the wrong ones are noted."""
    wrong = (np.abs(numbers) > LIMIT) | (numbers < least)
    faults.note(wrong, column, subject, _rule(least))
    return numbers


def _rule(least: float) -> str:
    return f"be a finite number{' >= 0' if least == 0.0 else ''}, at most {LIMIT:g} in size"


def _features(table: Table, roles: Roles, faults: _Faults) -> tuple[list[Feature], list[Floats]]:
    """Return the features and their cells; the text of a column is let go once it is read."""
    features: list[Feature] = []
    cells: list[Floats] = []
    for name in roles.features:
        content = feature_of(table.columns[name])
        if isinstance(content, Levels):
            levels, places = content.levels, content.places
            if len(levels) > MOST_LEVELS:
                rule = f"be numbers, or at most {MOST_LEVELS} different texts, or be left out with --features"
                got = f"{len(levels)} different texts"
                raise table.wrong(f", column {name!r}: the feature", rule, got)
            rule = "be text without control characters"
            faults.note(np.isinf(places), name, "feature", rule)
            features.append(Feature(name=name, levels=levels))
            cells.append(places)
        else:
            features.append(Feature(name=name))
            cells.append(_noted(content, name, "feature", faults))
        if name not in roles.named:
            del table.columns[name]
    return features, cells


def _encoding(features: list[Feature], cells: list[Floats]) -> tuple[Encoding, list[Floats]]:
    """Return the encoding of good rows: with levels and gaps that are among them, and no others."""
    chosen, coded = [], []
    for feature, column in zip(features, cells, strict=True):
        missing = np.isnan(column)
        optional = bool(missing.any())
        if feature.levels is None:
            chosen.append(Feature(name=feature.name, optional=optional))
            coded.append(column)
            continue
        places = np.where(missing, 0.0, column).astype(np.int64)
        used = np.bincount(places[~missing], minlength=len(feature.levels)) > 0
        levels = tuple(x for x, u in zip(feature.levels, used, strict=True) if u)
        chosen.append(Feature(name=feature.name, levels=levels, optional=optional))
        coded.append(np.where(missing, np.nan, (np.cumsum(used) - 1.0)[places]))
    return Encoding(features=tuple(chosen)), coded


def _seen_before(keys: Ints) -> Ints:
    """Return the places whose key stands at an earlier place too."""
    if (keys[1:] > keys[:-1]).all():
        return np.empty(0, dtype=np.int64)
    first = np.zeros(len(keys), dtype=np.bool_)
    first[np.unique(keys, return_index=True)[1]] = True
    return np.flatnonzero(~first)


def _differing(outside: Floats, rounds: Ints, good: Ints) -> Ints:
    """Return the places whose outside option is not that of the first good row of its round."""
    first = np.zeros(int(rounds.max(initial=0)) + 1, dtype=np.int64)
    first[rounds[good][::-1]] = good[::-1]
    here, there = outside[good], outside[first[rounds[good]]]
    differs: Ints = good[(here != there) & ~(np.isnan(here) & np.isnan(there))]
    return differs


def _among(places: Ints, like: Flags) -> Flags:
    marks = np.zeros(like.shape, dtype=np.bool_)
    marks[places] = True
    return marks


def _used(labels: Labels, kept: Flags) -> Labels:
    """Return the labels of the kept rows."""
    places = labels.places[kept]
    used = np.zeros(len(labels.labels), dtype=np.bool_)
    used[places] = True
    numbers: Any = np.cumsum(used) - 1
    return Labels(numbers[places], labels.labels[used])
