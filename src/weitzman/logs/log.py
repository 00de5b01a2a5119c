"""Recorded rounds: a log of past decisions, read from a file or a table.

A log has one row per round and box: what a look costs, what was found, and what was known before.
The format, and what is done with it, is in ``docs/reference/logs.md``. Rounds keep the order in which
they come first; rows of one round need not stand together.

Contexts come encoded by :mod:`weitzman.learn.features`, in the units of the log. What a model sees of them
is up to the policy that plays the log (:mod:`weitzman.learn.preparation`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.features import Encoding
from weitzman.learn.settings import bound_of, checked_unit
from weitzman.logs.chances import Drawn
from weitzman.logs.rounds import LogRounds
from weitzman.logs.rows import Roles, Rows, checked_rows
from weitzman.logs.sharing import FIRST, are_new, explain_nothing
from weitzman.logs.table import Table, read_table
from weitzman.search.reservation import Sense, check_sense

_FILLED = 100  # the fewest rows per hundred places of a table that is laid out


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Log:
    """T recorded rounds of n boxes with contexts of length d, in their order.

    ``sense`` says whether smaller (``"min"``) or larger (``"max"``) values are better in the table that was
    read, and ``unit`` what values and costs are counted in, for people; empty if that was not said.

    Attributes
    ----------
    rounds
        T labels, whole numbers or text.
    boxes
        The names of the boxes; ``"0"``, ``"1"``, … for places in the round if the names are new in
        every round.
    shared
        Whether the boxes carry no history, and are told apart by their contexts alone.
    contexts
        T×n×d, encoded; NaN where a feature is missing, a row of NaN where a box is absent.
    features
        The names of the d columns of the contexts. There is none for a constant.
    costs
        T×n, what looks are expected to cost, NaN where a box is absent.
    values
        T×n, NaN where a box is absent or its value is missing. Smaller is better: where larger values are
        (``sense="max"``), values and outside options have their sign turned.
    outside
        T values that are there without opening anything, +∞ for a round without; None if the log
        has no such column.
    opened
        T×n, which boxes were opened when it happened; None if the log does not say.
    paid
        T×n, what looks really cost, NaN where that is not known; None if the log does not say.
    chances
        T×n, with what chance each box was opened, given what the boxes of its round hold: 1 if no draw was
        needed, NaN for a box that was not opened and of which it is not known; None if the log does not say.
    draws
        ``"round"`` if one draw decides for all boxes of a round, ``"box"`` if each box has its own, ``"one"``
        if one box is opened and no other.
    least
        The best value that a box can hold, turned as values are; None if that was not said.
    skipped
        How many bad rows are left out.
    source
        The path of the file, or ``table``.
    columns
        The column that each role was read from, features aside.
    encoding
        What made the contexts, to go on live.
    """

    rounds: NDArray[Any]
    boxes: list[str]
    shared: bool
    contexts: Floats
    features: list[str]
    costs: Floats
    values: Floats
    outside: Floats | None
    opened: Flags | None
    paid: Floats | None = None
    chances: Floats | None = None
    draws: Drawn = "round"
    least: float | None = None
    sense: Sense = "min"
    unit: str = ""
    skipped: int
    source: str
    columns: dict[str, str]
    encoding: Encoding

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def has_ratios(self) -> bool:
        """Whether values have a natural zero, so that one total may be a share of another.

        Costs, prices, errors and yields have one. Where a value or an outside option is below 0, zero is
        where somebody put it.
        """
        sign = 1.0 if self.sense == "min" else -1.0
        outside = np.empty(0) if self.outside is None else self.outside[np.isfinite(self.outside)]
        return not bool((sign * self.values < 0.0).any() or (sign * outside < 0.0).any())

    def past(self, cost_scale: float = 1.0) -> LogRounds:
        """Return the rounds in which a value is known, one by one, as they are played."""
        return LogRounds(self, cost_scale)

    def __repr__(self) -> str:
        rounds, boxes, dimension = self.contexts.shape
        return f"Log({self.source!r}, {rounds} rounds, {boxes} boxes, dimension {dimension})"


def read_log(
    source: Any,
    *,
    round: str = "round",  # noqa: A002
    box: str = "box",
    cost: str = "cost",
    value: str = "value",
    outside: str | None = "outside",
    opened: str | None = "opened",
    paid: str | None = "paid",
    chance: str | None = "chance",
    draws: Drawn = "round",
    features: Sequence[str] | None = None,
    shared: bool | Literal["auto"] = "auto",
    sense: Sense = "min",
    least: float | None = None,
    most: float | None = None,
    unit: str = "",
    skip_bad: bool = False,
) -> Log:
    """Return a log from a file or a table.

    Parameters
    ----------
    source
        The path of a Parquet or CSV file, or a pandas, polars or Arrow table.
    round, box, cost, value, outside, opened, paid, chance
        The names of the columns. The last four may be absent under these names, or None; ``chance`` counts
        only beside ``opened``.
    draws
        What a draw decides where boxes were opened by chance: ``"round"``, one draw for all boxes of a round,
        ``"box"``, one for each, or ``"one"``, which box is opened and no other.
    features
        The columns that are known before a box is opened. None: all that begin with ``x_``; if none
        does, all that have no other role.
    shared
        Whether one model serves all boxes; ``"auto"`` decides by :mod:`weitzman.logs.sharing`.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    least, most
        The best value that a box can hold, if that is known: ``least`` under sense ``"min"``, ``most`` under
        ``"max"``. No look is made that could not be worth its cost, and a row with a value beyond it is bad.
    unit
        What values and costs are counted in, such as ``"$"`` or ``"s"``: reports say it.
    skip_bad
        Whether rows that break a rule are left out and counted. Otherwise the first is an error.
    """
    if shared not in (True, False, "auto"):
        raise InvalidInputError("The setting 'shared'", "be True, False or 'auto'", shared)
    if draws not in ("round", "box", "one"):
        raise InvalidInputError("The setting 'draws'", "be 'round', 'box' or 'one'", draws)
    named = {"round": round, "box": box, "cost": cost, "value": value}
    maybe = {"outside": outside, "opened": opened, "paid": paid, "chance": chance}

    def roles(table: Table) -> Roles:
        return _roles(table, named, maybe, features)

    checked_unit(unit)
    bound = bound_of(least, most, check_sense(sense))
    table = read_table(source, lambda t: roles(t).columns)
    chosen = roles(table)
    rows = checked_rows(table, chosen, skip_bad=skip_bad, bound=bound, sense=sense, draws=draws)
    found = replace(_laid_out(table, rows, shared, chosen), sense=sense, unit=unit, draws=draws)
    return found if bound == -np.inf else replace(found, least=bound)


def _roles(
    table: Table, named: dict[str, str], maybe: dict[str, str | None], given: Sequence[str] | None
) -> Roles:
    """Return which column of a table is what; all of them exist."""
    # A default name that is not there means that the log does not say
    there = {r: None if c == r and c not in table.names else c for r, c in maybe.items()}
    if there["opened"] is None and there["chance"] is not None:
        if maybe["chance"] != "chance":
            rule = "stand beside one that says what was opened"
            raise table.wrong(": the column of the chance", rule, there["chance"])
        # Some other column of that name
        there["chance"] = None
    taken = {**named, **{r: c for r, c in there.items() if c is not None}}
    for role, column in taken.items():
        if column not in table.names:
            rule = (
                f"be one of {list(table.names)}, named with --{role} COLUMN or {role}=… in Python"
            )
            if len(table.names) == 1 and ";" in table.names[0]:
                rule = "be in a header with commas between the names, not semicolons"
            raise table.wrong(f": the column of the {role}", rule, column)
    if len(set(taken.values())) < len(taken):
        raise table.wrong(": the columns of the roles", "be distinct", taken)
    if given is None:
        free = [n for n in table.names if n not in taken.values()]
        features = [n for n in free if n.startswith("x_")] or free
    else:
        hidden = {taken["value"], there["opened"], there["paid"], there["chance"]}
        features = _given_features(table, given, hidden)
    both: dict[str, Any] = {**named, **there}
    return Roles(**both, features=tuple(features))


def _given_features(table: Table, given: Sequence[str], hidden: set[str | None]) -> list[str]:
    listed = isinstance(given, Sequence) and all(isinstance(name, str) for name in given)
    if not listed or isinstance(given, str) or len(set(given)) < len(given):
        raise InvalidInputError("The features", "be a list of distinct names", given)
    for name in given:
        if name not in table.names or name in hidden:
            known = [n for n in table.names if n not in hidden]
            rule = f"be one of {known}, named with --features or features=[…] in Python"
            raise table.wrong(": the column of a feature", rule, name)
    return list(given)


def _laid_out(table: Table, rows: Rows, shared: bool | Literal["auto"], roles: Roles) -> Log:
    """Return rows as arrays of rounds × boxes."""
    count, names = len(rows.rounds.labels), len(rows.boxes.labels)
    new = are_new(rounds=count, names=names, rows=len(rows.costs))
    slots = new and shared is not False
    within = _slots(rows.rounds.places) if slots else rows.boxes.places
    n = int(within.max()) + 1 if slots else names
    if count * n > _FILLED * len(rows.costs):
        rule = f"fill one place in {_FILLED} of rounds × boxes"
        raise table.wrong(": the rows", rule, f"{len(rows.costs)} of {count} × {n}")
    places = rows.rounds.places * n + within
    contexts = np.full((count, n, len(rows.encoding.columns)), np.nan)
    begin = 0
    for feature, cells in zip(rows.encoding.features, rows.cells, strict=True):
        end = begin + len(feature.columns)
        contexts.reshape(count * n, -1)[places, begin:end] = feature.encode(cells)
        begin = end
    costs, values = (_grid(x, places, (count, n)) for x in (rows.costs, rows.values))
    if shared == "auto":
        shared = new or explain_nothing(contexts[:FIRST], costs, values)
    opened = None if rows.opened is None else _grid(rows.opened, places, (count, n)) == 1.0
    outside = None
    if rows.outside is not None:
        # The same in all rows of a round
        outside = np.empty(count)
        outside[rows.rounds.places] = np.where(np.isnan(rows.outside), np.inf, rows.outside)
    return Log(
        rounds=rows.rounds.labels,
        boxes=[str(x) for x in (range(n) if slots else rows.boxes.labels)],
        shared=shared,
        contexts=contexts,
        features=rows.encoding.columns,
        costs=costs,
        values=values,
        outside=outside,
        opened=opened,
        paid=None if rows.paid is None else _grid(rows.paid, places, (count, n)),
        chances=None if rows.chances is None else _grid(rows.chances, places, (count, n)),
        skipped=rows.skipped,
        source=table.name,
        columns=roles.by_name,
        encoding=rows.encoding,
    )


def _slots(rounds: Ints) -> Ints:
    """Return for each row how many rows of its round stand above it."""
    order = np.argsort(rounds, kind="stable")
    begins = np.searchsorted(rounds[order], rounds[order])
    slots = np.empty(len(rounds), dtype=np.int64)
    slots[order] = np.arange(len(rounds)) - begins
    return slots


def _grid(column: Floats, places: Ints, shape: tuple[int, int]) -> Floats:
    grid = np.full(shape, np.nan)
    grid.reshape(-1)[places] = column
    return grid
