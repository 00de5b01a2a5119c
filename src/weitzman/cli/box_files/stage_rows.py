"""The stages of a box from rows of a CSV file.

A row of a stage that shows signals has one ``signal`` and its ``chance``, or the ``count`` of how often
it was seen; rows of the last stage have
a value. ``given`` is the signal of the stage before that a row is for; empty, it is for all of them.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from weitzman.cli.box_files.entry import Words, wrong
from weitzman.search.contents import Stage
from weitzman.search.laws.conversion import ValueLike


class Fields(Protocol):
    """A row, by column."""

    def __getitem__(self, column: str, /) -> str: ...
    def where(self, column: str, /) -> str: ...
    def number(self, column: str, subject: str, /) -> float: ...


Row = TypeVar("Row", bound=Fields)


def read_stages(
    box: str, rows: list[Row], content: Callable[[str, list[Row]], tuple[float, ValueLike, str]]
) -> list[Stage]:
    """Return the stages in the order of the rows; ``content`` reads the rows of a value."""
    names = list(dict.fromkeys(row["stage"] for row in rows))
    return [
        _stage(box, name, [row for row in rows if row["stage"] == name], content) for name in names
    ]


def _stage(box: str, name: str, rows: list[Row], content: Callable[..., Any]) -> Stage:
    if not name:
        rule = "be given in all rows of a box with stages"
        raise wrong(rows[0].where("stage"), f"the stage of box {box!r}", rule, Words("nothing"))
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["given"], []).append(row)
    costs: dict[str, float] = {}
    shows: dict[str, Any] = {}
    for given, part in groups.items():
        if part[0]["signal"]:
            costs[given], shows[given] = _signals(box, part)
        else:
            costs[given], shows[given], _ = content(box, part)
    if "" not in groups:
        return Stage(name, costs, shows)
    if len(groups) > 1:
        rule = "be given in all rows of a stage or in none"
        got = Words("nothing")
        raise wrong(groups[""][0].where("given"), f"the signal before {name!r}", rule, got)
    return Stage(name, costs[""], shows[""])


def _signals(box: str, rows: list[Row]) -> tuple[float, Mapping[str, float]]:
    """Return the cost of a stage, and the chances of its signals, or how often each was seen."""
    chances: dict[str, float] = {}
    counted = bool(rows[0]["count"])
    cost = math.nan
    for row in rows:
        for column in ("distribution", "parameters", "sample", "weight"):
            if row[column]:
                rule = "be empty in a row with a signal"
                raise wrong(row.where(column), f"the {column}", rule, row[column])
        price = row.number("cost", f"the cost of box {box!r}")
        if chances and price != cost:
            rule = f"be the same in all rows of a stage, {cost:g}"
            raise wrong(row.where("cost"), f"the cost of box {box!r}", rule, row["cost"])
        cost = price
        if not row["signal"] or row["signal"] in chances:
            rule = "be distinct ones"
            raise wrong(row.where("signal"), f"the signals of box {box!r}", rule, row["signal"])
        column, other = ("count", "chance") if counted else ("chance", "count")
        if row[other]:
            rule = f"be empty where the {column} is given"
            raise wrong(row.where(other), f"the {other} of a signal", rule, row[other])
        number = row.number(column, f"the {column} of a signal")
        if counted and (number < 0.0 or number != int(number)):
            rule = "be an integer >= 0"
            raise wrong(row.where("count"), "the count of a signal", rule, row["count"])
        chances[row["signal"]] = number
    if counted:
        return cost, Counter({signal: int(count) for signal, count in chances.items()})
    return cost, chances
