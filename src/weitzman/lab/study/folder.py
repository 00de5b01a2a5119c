"""The directory of a study: what is finished, safe from a stop at any moment.

::

    DIR/study.json          the study, the versions and the machine that run it
    DIR/runs/KEY.parquet    the rows of one finished run, whole or not there
    DIR/rows.parquet        all rows in the order of the study, when all runs are finished

A directory belongs to one study, and one process at a time works in it (:mod:`weitzman.jobs.finished`).
"""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.jobs.files import clear_begun, whole_file
from weitzman.jobs.finished import Finished
from weitzman.lab.study.rows import FORMAT
from weitzman.lab.study.study import Study
from weitzman.lab.worlds import WORLDS, World

__all__ = ["claimed", "kept_worlds"]

_PACKAGES = ("weitzman", "numpy", "scipy", "numba", "pyarrow")


@contextmanager
def claimed(directory: Path, study: Study) -> Iterator[Finished]:
    """Hold the directory of a study and yield its finished runs; that of another study is refused."""
    with Finished(directory / "runs", suffix=".parquet", lock=directory / "study.lock") as runs:
        clear_begun(directory)
        _claim(directory, study)
        yield runs


def kept_worlds(directory: Path) -> dict[str, World]:
    """Return the worlds of a study that was run, by their names in its rows; other packages' are left out."""
    file = directory / "study.json"
    if not file.exists():
        return {}
    kinds = {f"{kind.__module__}.{kind.__qualname__}": kind for kind in WORLDS.values()}
    return {
        name: kinds[settings["class"]](**{k: v for k, v in settings.items() if k != "class"})
        for name, settings in _known(file)["worlds"].items()
        if settings["class"] in kinds
    }


def _claim(directory: Path, study: Study) -> None:
    file, description = directory / "study.json", study.description()
    if file.exists():
        known = _known(file)
        if known != description:
            rule = "be empty or belong to this study, and not to one that differs in these"
            different = sorted(k for k in description if known.get(k) != description[k])
            raise InvalidInputError(f"The directory {str(directory)!r}", rule, different)
    content = {"study": description, "format": FORMAT, **_surroundings()}
    with whole_file(file) as out:
        out.write((json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def _known(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_text(encoding="utf-8"))["study"]
        return {**known, "worlds": known["worlds"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFileError(f"The file {str(file)!r}", "tell a study", str(error)) from None


def _surroundings() -> dict[str, Any]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    machine = {"system": platform.platform(), "processor": platform.machine()}
    return {"versions": versions, "machine": {**machine, "cores": os.cpu_count()}}
