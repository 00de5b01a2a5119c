"""Boxes from the text of a CSV file: one row per box with a distribution, or one row per sample."""

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from weitzman.cli.box_files.entry import BoxFile, Entry, Words, checked_cost, checked_name, wrong
from weitzman.cli.box_files.laws import law
from weitzman.cli.box_files.stage_rows import read_stages
from weitzman.errors import InvalidInputError
from weitzman.search.laws.conversion import ValueLike
from weitzman.search.laws.discrete import Empirical

COLUMNS = (
    *("box", "cost", "distribution", "parameters", "sample", "weight"),
    *("after", "stage", "given", "signal", "chance", "count"),
)


@dataclass(frozen=True)
class _Row:
    """The fields of a row by column, and the line it begins at."""

    file: str
    line: int
    fields: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")

    def where(self, column: str) -> str:
        return f"{self.file}, line {self.line}, column {column!r}"

    def number(self, column: str, subject: str, text: str | None = None) -> float:
        """Return the number in a column, or in a part of its text."""
        text = self[column] if text is None else text
        number = _number(text)
        if number is None or not math.isfinite(number):
            raise wrong(self.where(column), subject, "be a finite number", text)
        return number


def read_rows(text: str, file: str) -> BoxFile:
    """Return the boxes of a CSV text; ``file`` is its name in messages."""
    groups: dict[str, list[_Row]] = {}
    for row in _rows(text, file):
        groups.setdefault(checked_name(row["box"], row.where), []).append(row)
    if not groups:
        raise wrong(file, "the file", "hold at least one box", Words("a header only"))
    return BoxFile(tuple(_entry(name, rows) for name, rows in groups.items()))


def _entry(name: str, rows: list[_Row]) -> Entry:
    """Return the box that the rows of one name describe."""
    for row in rows:
        if row["after"] != rows[0]["after"]:
            rule = f"be the same in all its rows, {rows[0]['after'] or 'empty'}"
            raise wrong(row.where("after"), f"the box before {name!r}", rule, row["after"])
    names = [each.strip() for each in rows[0]["after"].split(";") if each.strip()]
    after = names if len(names) > 1 else names[0] if names else None
    if rows[0]["stage"]:
        stages = read_stages(name, rows, _content)
        return Entry.of(name, math.nan, None, rows[0].where("stage"), stages=stages, after=after)
    cost, value, place = _content(name, rows)
    return Entry.of(name, cost, value, place, after=after)


def _content(name: str, rows: list[_Row]) -> tuple[float, ValueLike, str]:
    """Return the cost and the value that some rows give, and the place of the value."""
    for row in rows:
        for column in ("signal", "chance", "count"):
            _empty(row, column, "value")
        if bool(row["distribution"]) == bool(row["sample"]):
            got = Words("both" if row["sample"] else "neither")
            rule = "hold exactly one of distribution and sample"
            raise wrong(f"{row.file}, line {row.line}", f"the row of box {name!r}", rule, got)
    costs = [checked_cost(_number(r["cost"]), name, r.where, r["cost"]) for r in rows]
    for row, cost in zip(rows, costs, strict=True):
        if cost != costs[0]:
            rule = f"be the same in all its rows, {costs[0]:g}"
            raise wrong(row.where("cost"), f"the cost of box {name!r}", rule, row["cost"])
    by_law = any(r["distribution"] for r in rows)
    if by_law and len(rows) > 1:
        rule = f"be the only one of its name, or all rows hold a sample (see line {rows[0].line})"
        raise wrong(rows[1].where("box"), "a box with a distribution", rule, name)
    place = rows[0].where("distribution" if by_law else "sample")
    value = _law(rows[0]) if by_law else _sample(name, rows)
    return costs[0], value, place


def _law(row: _Row) -> ValueLike:
    _empty(row, "weight", "distribution")
    parameters: dict[str, float] = {}
    for pair in re.sub(r"\s*=\s*", "=", row["parameters"]).replace(";", " ").split():
        key, equals, value = pair.partition("=")
        if not (key and equals) or key in parameters:
            rule = "be distinct name=value pairs separated by spaces or semicolons"
            raise wrong(row.where("parameters"), "the parameters", rule, row["parameters"])
        parameters[key] = row.number("parameters", f"the {key}", value)
    return law(row["distribution"], parameters, row.where)


def _sample(name: str, rows: list[_Row]) -> Empirical:
    sample, weights = [], []
    for row in rows:
        _empty(row, "parameters", "sample")
        sample.append(row.number("sample", f"the sample of box {name!r}"))
        place, subject = row.where("weight"), f"the weight of box {name!r}"
        if bool(row["weight"]) != bool(rows[0]["weight"]):
            raise wrong(place, subject, "be given in all its rows or in none", row["weight"])
        if row["weight"]:
            weights.append(row.number("weight", subject))
            if weights[-1] < 0.0:
                raise wrong(place, subject, "be >= 0", row["weight"])
    try:
        return Empirical(sample, weights or None)
    except InvalidInputError as error:
        place, subject = rows[0].where("weight"), f"the weights of box {name!r}"
        raise wrong(place, subject, error.rule, error.got) from None


def _empty(row: _Row, column: str, kind: str) -> None:
    if row[column]:
        rule = f"be empty in a row with a {kind}"
        raise wrong(row.where(column), f"the {column}", rule, row[column])


def _number(text: str) -> float | None:
    """Return a number, or None; Python's ``1_000`` is none, as no other program writes it."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _rows(text: str, file: str) -> Iterator[_Row]:
    """Yield the rows below the header; rows of empty fields are skipped."""
    header: list[str] | None = None
    for line, fields in _records(text, file):
        if header is None:
            header = _header(fields, file, line)
        elif len(fields) > len(header) and any(fields[len(header) :]):
            rule = f"have at most {len(header)} fields, as the header"
            raise wrong(f"{file}, line {line}", "the row", rule, len(fields))
        else:
            yield _Row(file, line, dict(zip(header, fields, strict=False)))


def _header(fields: list[str], file: str, line: int) -> list[str]:
    if not ({"box", "cost"} <= set(fields) and {"distribution", "sample"} & set(fields)):
        rule = "be a header with the columns box, cost, and distribution or sample"
        raise wrong(f"{file}, line {line}", "the first row", rule, ",".join(fields))
    for i, column in enumerate(fields):
        if column not in COLUMNS or column in fields[:i]:
            rule = f"be distinct ones of {', '.join(COLUMNS)}"
            raise wrong(f"{file}, line {line}", "the columns", rule, column)
    return fields


def _records(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that hold anything, with the line each begins at, as editors count."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for record in reader:
            fields = [f.strip() for f in record]
            if any(fields):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise wrong(f"{file}, line {line}", "the text", "be CSV", str(error)) from None
