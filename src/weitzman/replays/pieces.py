"""Finished parts of a replay, kept in a directory: one that was stopped goes on where it was.

A file is named by a hash of everything that its content depends on: the log, the task and the version.
"""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.jobs.finished import Finished
from weitzman.logs.log import Log
from weitzman.replays.diagnosis.calibration import Promise
from weitzman.replays.runs import Led, Piece

__all__ = ["Pieces", "finished_parts"]

Arrays = dict[str, NDArray[Any]]


def finished_parts(directory: Path) -> Finished:
    """Return the finished parts in a directory."""
    return Finished(directory, suffix=".npz")


class Pieces:
    """What is finished of the replays of a log.

    Parameters
    ----------
    directory
        Where it is kept; made with the first piece.
    log
        What is replayed.
    """

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
        arrays = self._finished.load_arrays(self._key(task)) or {}
        try:
            return _promises(arrays) if "rules" in arrays else _piece(arrays)
        except KeyError:
            return None

    def save(self, task: object, result: Piece | list[Promise]) -> None:
        """Keep what a task came to."""
        arrays = _of_piece(result) if isinstance(result, Piece) else _of_promises(result)
        self._finished.save_arrays(self._key(task), arrays)

    def _key(self, task: object) -> str:
        return hashlib.sha256(f"{self._log} {task!r}".encode()).hexdigest()[:32]


def _of_piece(piece: Piece) -> Arrays:
    arrays: Arrays = {
        "names": np.array(piece.names),
        "totals": piece.totals,
        "opened": piece.opened,
    }
    if piece.led is not None:
        led = piece.led
        arrays |= {"candidates": np.array(led.candidates), "played": led.played}
        arrays["exploration"] = led.exploration
    return arrays


def _piece(arrays: Arrays) -> Piece:
    led = None
    if "candidates" in arrays:
        led = Led(arrays["candidates"].tolist(), arrays["played"], arrays["exploration"])
    return Piece(arrays["names"].tolist(), arrays["totals"], arrays["opened"], led)


def _of_promises(promises: list[Promise]) -> Arrays:
    arrays: Arrays = {"rules": np.array([promise.rule for promise in promises])}
    for k, promise in enumerate(promises):
        arrays |= {f"sigma{k}": promise.sigma, f"values{k}": promise.values}
        arrays[f"costs{k}"] = promise.costs
    return arrays


def _promises(arrays: Arrays) -> list[Promise]:
    return [
        Promise(
            rule=rule,
            sigma=arrays[f"sigma{k}"],
            values=arrays[f"values{k}"],
            costs=arrays[f"costs{k}"],
        )
        for k, rule in enumerate(arrays["rules"].tolist())
    ]
