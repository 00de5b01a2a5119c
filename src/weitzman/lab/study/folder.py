"""The directory of a study: what is finished, safe from a stop at any moment.

::

    DIR/study.json          the study, the versions and the machine that run it
    DIR/runs/KEY.parquet    the rows of one finished run, whole or not there
    DIR/rows.parquet        all rows in the order of the study, when all runs are finished

A directory belongs to one study. One process at a time works in it, held by a lock that the system
drops when the process ends, however it ends.
"""

import json
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from weitzman.errors import InvalidFileError, InvalidInputError, WeitzmanError
from weitzman.lab.study.rows import FORMAT, Row, join_files, write_rows
from weitzman.lab.study.study import Study

__all__ = ["Folder"]

_PACKAGES = ("weitzman", "numpy", "scipy", "numba", "pyarrow")


class Folder:
    """The directory of a study, held while it is entered.

    Parameters
    ----------
    path
        The directory; made if it is not there.
    study
        Whose directory it is. That of another study is refused.
    """

    def __init__(self, path: str | os.PathLike[str], study: Study) -> None:
        self.path = Path(path)
        self.study = study
        self._lock: IO[bytes] | None = None

    @property
    def rows(self) -> Path:
        """The file of all rows."""
        return self.path / "rows.parquet"

    def part(self, key: str) -> Path:
        """Return the file of a run."""
        return self.path / "runs" / f"{key}.parquet"

    def __enter__(self) -> Self:
        try:
            (self.path / "runs").mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / "study.lock").open("ab")
        except OSError as error:
            rule, got = "be writable", error.strerror or str(error)
            raise InvalidInputError(f"The directory {str(self.path)!r}", rule, got) from None
        try:
            _take(self._lock, self.path)
            self._claim()
        except BaseException:
            self._lock.close()
            raise
        # Nobody else writes here now: what was begun under another name is left by a killed process
        for begun in (self.path / "runs").glob(".*.tmp"):
            begun.unlink()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    def _claim(self) -> None:
        file, description = self.path / "study.json", self.study.description()
        if file.exists():
            known = _known(file)
            if known != description:
                rule = "be empty or belong to this study, and not to one that differs in these"
                different = sorted(k for k in description if known.get(k) != description[k])
                raise InvalidInputError(f"The directory {str(self.path)!r}", rule, different)
        content = {"study": description, "format": FORMAT, **_surroundings()}
        begun = file.with_suffix(".json.tmp")
        with begun.open("w", encoding="utf-8") as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
            out.flush()
            os.fsync(out.fileno())
        begun.replace(file)

    def finished(self) -> set[str]:
        """Return the keys of the finished runs."""
        return {part.stem for part in (self.path / "runs").glob("*.parquet")}

    def write(self, key: str, rows: Sequence[Row]) -> None:
        """Keep the rows of a finished run."""
        write_rows(self.part(key), rows)

    def join(self, keys: Sequence[str]) -> None:
        """Write the rows of these runs into one file, in this order."""
        join_files([self.part(key) for key in keys], self.rows)


def _known(file: Path) -> dict[str, Any]:
    try:
        known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["study"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFileError(f"The file {str(file)!r}", "tell a study", str(error)) from None
    return known


def _surroundings() -> dict[str, Any]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.platform(), "processor": platform.machine()}
    return {"versions": versions, "machine": {**machine, "cores": os.cpu_count()}}


def _take(lock: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such locks on Windows: there the user takes care
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise WeitzmanError(
            f"Another process runs a study in {str(path)!r}. Wait for it, or stop it."
        ) from None
