"""Finished work, kept in a directory: what was stopped goes on where it was."""

import os
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.jobs.files import clear_begun, whole_file

__all__ = ["Finished"]


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
            # One that was cleared away between the two lines above is nobody's
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
