"""Finished parts of a replay, kept in a directory: one that was stopped goes on where it was.

A file is named by a hash of everything that its content depends on: the log, the task and the version. It is
whole or not there; one that is damaged is as good as none.
"""

import hashlib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.logs.log import Log
from weitzman.replays.diagnosis.calibration import Promise
from weitzman.replays.runs import Led, Piece

__all__ = ["Pieces", "clear_pieces"]

Arrays = dict[str, NDArray[Any]]


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
        self._directory = directory
        found = hashlib.sha256(f"{version('weitzman')} {log.shared}".encode())
        for array in (log.contexts, log.costs, log.values, log.outside):
            if array is not None:
                found.update(f"{array.shape}".encode())
                found.update(np.ascontiguousarray(array).data)
        self._log = found.hexdigest()

    def load(self, task: object) -> Piece | list[Promise] | None:
        """Return what a task came to; None if it is not finished."""
        try:
            # numpy would leave a file open that it cannot read
            with self._file(task).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = dict(stored)
            return _promises(arrays) if "rules" in arrays else _piece(arrays)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def save(self, task: object, result: Piece | list[Promise]) -> None:
        """Keep what a task came to."""
        file = self._file(task)
        file.parent.mkdir(parents=True, exist_ok=True)
        arrays = _of_piece(result) if isinstance(result, Piece) else _of_promises(result)
        part = file.with_suffix(".part")
        with part.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)
        part.replace(file)

    def _file(self, task: object) -> Path:
        key = hashlib.sha256(f"{self._log} {task!r}".encode()).hexdigest()[:32]
        return self._directory / f"{key}.npz"


def clear_pieces(directory: Path) -> None:
    """Take all pieces away: the whole is finished."""
    for pattern in ("*.npz", "*.part"):
        for file in directory.glob(pattern):
            file.unlink()
    if directory.is_dir() and not any(directory.iterdir()):
        directory.rmdir()


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
