"""Rows: what a study measures, one row per run and checkpoint, in Parquet files.

A run is one world × feedback × searcher × seed × horizon. The numbers of a row are sums over the
run's first ``round`` rounds. A table is a mapping of column names to arrays of one length.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidFileError
from weitzman.jobs.files import arrow, write_table

if TYPE_CHECKING:
    import pyarrow

FORMAT: Final = 1
"""The version of the columns; part of a run's key, so that old and new rows never mix."""

Table = Mapping[str, NDArray[Any]]

_KEY: Final = b"weitzman.rows"


@dataclass(frozen=True, slots=True)
class Row:
    """Sums over the first ``round`` rounds of a run.

    Attributes
    ----------
    world, feedback, searcher, seed, rounds
        The run; ``rounds`` is its horizon T.
    round
        How many rounds are summed.
    total
        The totals as they happened.
    expected_total
        The exact expectations of the totals at the reservation values that the searcher used, under
        the true laws of each round; NaN if they were not asked for.
    regret, expected_regret
        The same minus the clairvoyant's.
    opened, paid
        How many boxes were opened, and what they cost; bought looks are part of both.
    certificate
        An upper bound on ``expected_regret`` that needs no integral, see
        :func:`weitzman.lab.exact.expected.certificates`; NaN where the boxes are dependent.
    """

    world: str
    feedback: str
    searcher: str
    seed: int
    rounds: int
    round: int
    total: float
    expected_total: float
    regret: float
    expected_regret: float
    opened: int
    paid: float
    certificate: float


_TYPES: Final[dict[Any, str]] = {str: "string", int: "int64", float: "float64"}
_COLUMNS: Final = {field.name: _TYPES[field.type] for field in fields(Row)}


def table_of(rows: Sequence[Row]) -> dict[str, NDArray[Any]]:
    """Return rows as columns."""
    return {f.name: np.array([getattr(r, f.name) for r in rows], f.type) for f in fields(Row)}


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows to a file that is there as a whole or not at all."""
    write_table(path, arrow().table(table_of(rows), schema=_schema()))


def read_rows(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the table of a file, or of the directory of a study.

    Names are arrays of strings, counts of int64, sums of float64.
    """
    place = Path(path)
    table = _read(place / "rows.parquet" if place.is_dir() else place)
    return {
        name: np.array(column.to_pylist(), dtype=np.str_)
        if _COLUMNS[name] == "string"
        else column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def join_files(paths: Iterable[Path], out: Path) -> None:
    """Write the rows of files, one after the other, into one file."""
    write_table(out, arrow().concat_tables([_read(path) for path in paths]))


def _read(path: Path) -> "pyarrow.Table":
    library = arrow()
    from pyarrow import parquet

    subject = f"The file {str(path)!r}"
    try:
        # Through one handle: the threads of a dataset take longer to start than a part to read
        with path.open("rb") as file:
            table = parquet.ParquetFile(file).read(use_threads=False)
    except OSError as error:
        raise InvalidFileError(subject, "be readable", error.strerror or str(error)) from None
    except library.ArrowInvalid as error:
        raise InvalidFileError(subject, "be a whole Parquet file", str(error)) from None
    if not table.schema.equals(_schema()):
        raise InvalidFileError(subject, f"have the columns {list(_COLUMNS)}", table.column_names)
    return table


def _schema() -> "pyarrow.Schema":
    library = arrow()
    columns = [(name, getattr(library, kind)()) for name, kind in _COLUMNS.items()]
    return library.schema(columns, metadata={_KEY: str(FORMAT)})
