"""Files of long work: there as a whole or not at all, and directories that hold them."""

import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.search.extras import need

if TYPE_CHECKING:
    import pyarrow

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


class Finished:
    """What is finished: a file per key, whole or not there, whose name ends in a suffix.

    The directory is made when it is entered, or for the first file. One process at a time may enter
    it: the system drops its lock when the process ends, however it ends. The lock is a file in the
    directory, unless another is given.
    """

    def __init__(self, directory: Path, *, suffix: str, lock: Path | None = None) -> None:
        self.directory = directory
        self.suffix = suffix
        self.lock = lock or directory / "lock"
        self._held: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self._held = self.lock.open("ab")
        except OSError as error:
            place, got = self.lock.parent, error.strerror or str(error)
            raise InvalidInputError(f"The directory {str(place)!r}", "be writable", got) from None
        try:
            self._take(self._held)
        except BaseException:
            self._held.close()
            raise
        # Nobody else writes here now: what was begun under another name is left by a killed process
        clear_begun(self.directory)
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._held.close()

    def _take(self, held: IO[bytes]) -> None:
        try:
            import fcntl
        except ImportError:  # no such locks on Windows: there the user takes care
            return
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # One that was cleared away between the two lines above belongs to nobody
            taken = os.path.samestat(os.fstat(held.fileno()), self.lock.stat())
        except OSError:
            taken = False
        if not taken:
            raise WeitzmanError(
                f"Another process runs in {str(self.lock.parent)!r}. Wait for it, or stop it."
            ) from None

    def file(self, key: str) -> Path:
        """Return the file of a key."""
        return self.directory / f"{key}{self.suffix}"

    def keys(self) -> set[str]:
        """Return the keys of what is finished."""
        return {file.stem for file in self.directory.glob(f"*{self.suffix}")}

    def save_arrays(self, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Keep arrays by their names."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with whole_file(self.file(key)) as file:
            np.savez(file, allow_pickle=False, **arrays)

    def load_arrays(self, key: str) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a key; None if they are not there, or damaged, which is as good as none."""
        try:
            # numpy would leave a file open that it cannot read
            with self.file(key).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                return dict(stored)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def clear(self) -> None:
        """Take everything away that is kept, for the whole is finished; what is not ours stays."""
        for key in self.keys():
            self.file(key).unlink()
        clear_begun(self.directory)
        self.lock.unlink(missing_ok=True)
        with suppress(OSError):
            self.directory.rmdir()
