"""The worlds of a study that was run before, from the ``study.json`` beside its rows."""

import json
from pathlib import Path

from weitzman.errors import InvalidFileError
from weitzman.lab.paper.proved import study_bounds
from weitzman.lab.pictures.regret import Bounds
from weitzman.lab.study.summary import Curve
from weitzman.lab.worlds import WORLDS, World

__all__ = ["kept_bounds", "kept_worlds"]


def kept_worlds(directory: Path) -> dict[str, World]:
    """Return the worlds of a study by their names in its rows; those of other packages are left out."""
    file = directory / "study.json"
    if not file.exists():
        return {}
    try:
        told = json.loads(file.read_text(encoding="utf-8"))["study"]["worlds"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFileError(f"The file {str(file)!r}", "tell a study", str(error)) from None
    kinds = {f"{kind.__module__}.{kind.__qualname__}": kind for kind in WORLDS.values()}
    return {
        name: kinds[settings["class"]](**{k: v for k, v in settings.items() if k != "class"})
        for name, settings in told.items()
        if settings["class"] in kinds
    }


def kept_bounds(results: Path, curves: list[Curve]) -> Bounds:
    """Return the bounds to draw beside the curves of a directory, or of a file of rows in it."""
    return study_bounds(kept_worlds(results if results.is_dir() else results.parent), curves)
