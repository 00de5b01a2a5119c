"""Files of long work: those that are there as a whole or not at all, directories that are ours."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from weitzman.errors import InvalidInputError
from weitzman.search.extras import need

if TYPE_CHECKING:
    import pyarrow

__all__ = ["arrow", "check_own", "clear_begun", "whole_file", "write_table"]

_GROUP: Final = 1 << 20


def arrow() -> Any:
    """Return pyarrow, or say how to install it."""
    return need("Rows need pyarrow", "lab", "pyarrow")


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write that is there as a whole or not at all, whenever the machine stops."""
    # A name of its own: what a killed process leaves behind is never taken for the whole
    begun = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with begun.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    begun.replace(path)
    _flush_directory(path.parent)


def clear_begun(directory: Path) -> None:
    """Take away what :func:`whole_file` began in a directory and never finished."""
    for begun in directory.glob(".*.tmp"):
        begun.unlink()


def write_table(path: Path, table: "pyarrow.Table") -> None:
    """Write a table to a file that is there as a whole or not at all."""
    arrow()
    from pyarrow import parquet

    with whole_file(path) as file:
        parquet.write_table(table, file, compression="zstd", row_group_size=_GROUP)


def _flush_directory(directory: Path) -> None:
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:  # Windows opens no directories, and renames durably
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_own(path: Path, inner: str) -> None:
    """Refuse a directory with something in it that a report with its runs in ``inner`` did not put there."""
    if path.is_dir() and any(path.iterdir()) and not (path / inner).is_dir():
        names = sorted(entry.name for entry in path.iterdir())
        rule = "be empty or hold an earlier report of the same command"
        raise InvalidInputError(f"The directory {str(path)!r}", rule, names[:5])
