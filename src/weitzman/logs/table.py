"""Where a log comes from: a Parquet or CSV file, or a table in memory, as columns of Arrow.

The columns to read are chosen when the names are known, so that nothing else is loaded. CSV has no
types: all its columns come as text, and :mod:`weitzman.logs.cells` finds the numbers. Rows of a CSV
file with too many or too few fields are set aside with their numbers; whoever reads the columns
decides whether they are an error.

Rows count from 1, below the header; blank lines do not count.
"""

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.search.extras import need

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null")
"""The texts that stand for nothing."""

Choose = Callable[["Table"], Sequence[str]]
_PARQUET = (".parquet", ".pq")
_RULE = "be a Parquet or CSV file, or a pandas, polars or Arrow table"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Columns of one length, of which those that were read are chunked arrays of Arrow.

    Messages call it by the path of its file, or ``table``. ``ragged`` are the numbers of the rows
    that are not in the columns, as they have another number of fields than the header, with these
    numbers; increasing.
    """

    name: str
    is_file: bool
    names: tuple[str, ...] = ()
    columns: dict[str, Any] = field(default_factory=dict)
    ragged: tuple[tuple[int, int], ...] = ()

    def wrong(self, place: str, rule: str, got: object) -> InvalidInputError:
        """Return the error of one place, such as ``column 'cost': the cost``."""
        kind = InvalidFileError if self.is_file else InvalidInputError
        return kind(f"{self.name}{place}", rule, got)

    def row(self, place: int) -> int:
        """Return the number that a person sees of the row at a place of the columns."""
        number = place + 1
        for other, _ in self.ragged:
            if other > number:
                break
            number += 1
        return number


def read_table(source: Any, choose: Choose) -> Table:
    """Return the columns that ``choose`` picks from a table that only has names yet."""
    arrow = arrow_library()
    if isinstance(source, str | os.PathLike):
        return _read_file(os.fspath(source), choose)
    if isinstance(source, arrow.Table):
        names, content = source.column_names, source
    else:
        names, content = _from_narwhals(source)
    table = _named(Table(name="table", is_file=False), names)
    return replace(table, columns={n: content[n] for n in choose(table)})


def _read_file(name: str, choose: Choose) -> Table:
    suffix = Path(name).suffix.lower()
    if suffix not in (*_PARQUET, ".csv"):
        rule = f"end in {', '.join(_PARQUET)} or .csv"
        raise InvalidFileError(f"{name}: the name of the file", rule, Path(name).name)
    read = _read_parquet if suffix in _PARQUET else _read_csv
    try:
        return read(Table(name=name, is_file=True), choose)
    except OSError as error:
        got = os.strerror(error.errno) if error.errno else str(error)
        raise InvalidFileError(name, "be a file that can be read", got) from None
    except arrow_library().ArrowInvalid as error:
        kind = "Parquet" if suffix in _PARQUET else "CSV"
        raise InvalidFileError(name, f"be a whole {kind} file", str(error)) from None
    except UnicodeDecodeError as error:
        raise InvalidFileError(name, "be UTF-8", error.object[error.start :][:1]) from None


def _read_parquet(table: Table, choose: Choose) -> Table:
    from pyarrow import parquet

    with Path(table.name).open("rb") as file:
        whole = parquet.ParquetFile(file)
        table = _named(table, whole.schema_arrow.names)
        chosen = list(choose(table))
        content = whole.read(columns=chosen, use_threads=False)
    return replace(table, columns={n: content[n] for n in chosen})


def _read_csv(table: Table, choose: Choose) -> Table:
    arrow = arrow_library()
    from pyarrow import csv as reader

    names, lines = _header(table)
    table = _named(table, names)
    chosen = list(choose(table))
    ragged: list[tuple[int, int]] = []

    def set_aside(row: Any) -> str:
        ragged.append((row.number - lines, row.actual_columns))
        return "skip"

    content = reader.read_csv(
        table.name,
        # On one thread, as rows have numbers on one only
        read_options=reader.ReadOptions(use_threads=False, column_names=names, skip_rows=lines),
        parse_options=reader.ParseOptions(newlines_in_values=True, invalid_row_handler=set_aside),
        convert_options=reader.ConvertOptions(
            include_columns=chosen,
            column_types=dict.fromkeys(names, arrow.string()),
            strings_can_be_null=True,
            null_values=MISSING,
        ),
    )
    return replace(table, columns={n: content[n] for n in chosen}, ragged=tuple(ragged))


def _header(table: Table) -> tuple[list[str], int]:
    """Return the names of the columns, and how many lines they and what is above them take."""
    names: list[str] = []
    with Path(table.name).open(encoding="utf-8-sig", newline="") as file:
        records = csv.reader(file)
        try:
            while not any(names):
                names = [name.strip() for name in next(records)]
        except StopIteration:
            names = []
        except csv.Error as error:
            raise table.wrong("", "be CSV", str(error)) from None
        if not any(line.strip() for line in file):
            raise table.wrong("", "hold a header and at least one row", names)
    return names, records.line_num


def _named(table: Table, names: Sequence[str]) -> Table:
    """Return a table with the names of its columns, which are distinct."""
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise table.wrong(": the names of the columns", "be distinct", twice)
    return replace(table, names=tuple(names))


def _from_narwhals(source: Any) -> tuple[list[str], Any]:
    """Return the names and the Arrow table of any eager table that narwhals knows."""
    narwhals = need("Tables of pandas and polars need narwhals", "lab", "narwhals")
    try:
        frame = narwhals.from_native(source, eager_only=True)
    except TypeError:
        raise InvalidInputError("The log", _RULE, type(source).__name__) from None
    arrow = arrow_library()
    try:
        table = frame.to_arrow()
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, OverflowError):
        # A pandas column may hold numbers and text side by side, and huge integers; Arrow's may not
        table = arrow.table({name: _mixed(frame[name]) for name in frame.columns})
    # Narwhals knows no index, but pandas may write it as a column more
    return list(frame.columns), table.select(list(frame.columns))


def _mixed(column: Any) -> Any:
    arrow = arrow_library()
    try:
        return column.to_arrow()
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, OverflowError):
        cells = [None if x is None or x != x else str(x) for x in column.to_list()]  # noqa: PLR0124
        return arrow.array(cells, type=arrow.string())


def arrow_library() -> Any:
    """Return pyarrow, or say how to install it."""
    return need("Logs need pyarrow", "lab", "pyarrow")
