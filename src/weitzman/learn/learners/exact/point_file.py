"""Points out of memory: a temporary file of (x, v, c), of all boxes, to which is only added.

The file has no name, and is gone with the bank or with the process. It lies where temporary files lie:
the environment variable ``TMPDIR`` says where that is. A place in memory (``tmpfs``) would save nothing.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from weakref import finalize

import numpy as np

from weitzman.arrays import Floats

_AT_ONCE = 1 << 15


class PointFile:
    """The points of each box, in the order in which they came.

    Parameters
    ----------
    rows, width
        The number of boxes, and of numbers of a point.
    """

    def __init__(self, rows: int, width: int) -> None:
        self._width = width
        # Where the parts of each box begin, and how many points are in them
        self._parts: list[list[tuple[int, int]]] = [[] for _ in range(rows)]
        self._file = -1
        self._end = 0

    def add_rows(self, count: int) -> None:
        """Let boxes join without points."""
        self._parts += [[] for _ in range(count)]

    def count(self, row: int) -> int:
        """Return how many points of a box are written."""
        return sum(count for _, count in self._parts[row])

    def append(self, row: int, points: Floats) -> None:
        """Write points of a box."""
        if not len(points):
            return
        if self._file < 0:
            self._file, path = tempfile.mkstemp(prefix="weitzman-")
            Path(path).unlink()
            finalize(self, os.close, self._file)
        data = np.ascontiguousarray(points).data.cast("B")
        self._parts[row].append((self._end, len(points)))
        while data:
            written = os.pwrite(self._file, data, self._end)
            self._end += written
            data = data[written:]

    def read(self, row: int) -> Iterator[tuple[int, Floats]]:
        """Yield the points of a box, some at once, each time with the number of the first one."""
        number, size = 0, 8 * self._width
        for begin, count in self._parts[row]:
            for first in range(0, count, _AT_ONCE):
                some = min(_AT_ONCE, count - first)
                points = np.empty((some, self._width))
                data, place = points.data.cast("B"), begin + size * first
                while data:
                    done = os.preadv(self._file, [data], place)
                    data, place = data[done:], place + done
                yield number, points
                number += some
