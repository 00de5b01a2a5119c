"""Finished parts of a replay, kept in a directory: one that was stopped goes on where it was.

A file is named by a hash of everything that its content depends on: the log, the task and the version.
"""

import hashlib
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from weitzman.jobs.finished import Finished
from weitzman.logs.log import Log
from weitzman.replays.diagnosis.calibration import Promise
from weitzman.replays.runs import Piece

__all__ = ["Pieces", "finished_parts"]

_PROMISE = [field.name for field in fields(Promise)]


def finished_parts(directory: Path) -> Finished:
    """Return the finished parts in a directory."""
    return Finished(directory, suffix=".npz")


class Pieces:
    """What is finished of the replays of a log, in a directory that is made with the first piece."""

    def __init__(self, directory: Path, log: Log) -> None:
        self._finished = finished_parts(directory)
        found = hashlib.sha256(f"{version('weitzman')} {log.shared}".encode())
        for array in (log.contexts, log.costs, log.values, log.outside):
            if array is not None:
                found.update(f"{array.shape}".encode())
                found.update(np.ascontiguousarray(array).data)
        self._log = found.hexdigest()

    def load(self, task: object) -> Piece | list[Promise] | None:
        """Return what a task came to; None if it is not finished."""
        stored = self._finished.load_arrays(self._key(task)) or {}
        arrays: Any = {n: a.tolist() if a.dtype.kind == "U" else a for n, a in stored.items()}
        try:
            if "rule" not in arrays:
                return Piece(**arrays)
            each = zip(*(arrays[name] for name in _PROMISE), strict=True)
            return [Promise(**dict(zip(_PROMISE, one, strict=True))) for one in each]
        except (KeyError, TypeError):  # made by another version
            return None

    def save(self, task: object, result: Piece | list[Promise]) -> None:
        """Keep what a task came to."""
        if isinstance(result, Piece):
            parts = result._asdict()
        else:
            parts = {name: [getattr(promise, name) for promise in result] for name in _PROMISE}
        arrays = {name: np.array(part) for name, part in parts.items()}
        self._finished.save_arrays(self._key(task), arrays)

    def _key(self, task: object) -> str:
        return hashlib.sha256(f"{self._log} {task!r}".encode()).hexdigest()[:32]
