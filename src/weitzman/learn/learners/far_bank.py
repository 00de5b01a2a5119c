"""The bank of FTRL with a memory: most of its points lie in a temporary file.

:mod:`weitzman.learn.learners.exact.far` says which points may leave the memory, and why the weights are
exact all the same. Here is when: a box that holds as many points as it may puts away those that are
outside its ball, and one whose weights end a round outside the ball gets back what is near. Both follow
from the rounds alone, so that live, played and restored rounds have the same bits; a played sequence is
cut where a box asks for something. Points are written once, in the order in which they came, and a state has
all of them in this order.
"""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import Native
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.exact.far import (
    CENTRE,
    FOLD,
    FULL,
    LIMIT,
    MARK,
    NOTHING,
    OUTSIDE,
    PLAIN,
    RADIUS,
    UNIT,
    apart_from,
    arrange,
    bring,
    distances,
    rows_of,
    settle,
    wants,
)
from weitzman.learn.learners.exact.point_file import PointFile
from weitzman.learn.learners.exact.points import ENTRIES
from weitzman.learn.learners.parts.loop import Results, Rounds, Scratch

_LONGEST = 4096  # rounds that are played again if a box asks for something in one of them
_OWN = ("every", "every_counts", "homes", "balls")


class FarBank(CompiledBank):
    """The running FTRL, with a bound on the points of a box in memory.

    Parameters
    ----------
    learner, boxes, dimension, blank, tidy
        As for :class:`~weitzman.learn.learners.compiled_bank.CompiledBank`.
    memory
        How many points a box may hold. It holds more only where the ball needs it.
    """

    def __init__(
        self,
        learner: Any,
        *,
        boxes: int,
        dimension: int,
        blank: Callable[[Floats, int], Any],
        tidy: Callable[[Arrays], Arrays],
        memory: int,
    ) -> None:
        self._memory = memory
        self._stride = _LONGEST
        self._wants = Native(wants)
        super().__init__(
            learner,
            boxes=boxes,
            dimension=dimension,
            blank=blank,
            seen=lambda state: int(state.counts[:, ENTRIES].max()),
            tidy=tidy,
        )
        rows, size = self.arrays.weights.shape
        self._file = PointFile(rows, size + 2)
        # Where in the file each point that is held is, −1 for nowhere
        self._homes = np.full((rows, self._capacity), -1, dtype=np.int64)

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        super().update_arrays(boxes=boxes, contexts=contexts, values=values, costs=costs)
        self._attend()

    def play(self, rounds: Rounds, results: Results, work: Scratch) -> int:
        count = min(len(rounds.contexts), self._stride)
        before = [array.copy() for array in self.arrays]
        while True:
            super().play(
                _first(rounds, count),
                Results(*(cast("Any", array)[:count] for array in results)),
                work,
            )
            if count == 1 or not self._asked():
                self._stride = min(2 * count, _LONGEST)
                self._attend()
                return count
            # A box asks for something, perhaps since an earlier one of these rounds
            for array, old in zip(self.arrays, before, strict=True):
                array[...] = old
            count //= 2

    def _asked(self) -> bool:
        """Return whether a box asks for something, or did before it learned."""
        self._asks = np.empty(len(self.arrays.weights), dtype=np.int64)
        return bool(self._wants.call(self.arrays, self._asks))

    def _attend(self) -> None:
        """Give every box what it asks for after a round."""
        if not self._asked():
            return
        for row in np.flatnonzero(self._asks != NOTHING).tolist():
            while self._ask(row) == OUTSIDE:
                self._widen(row)
            if self._ask(row) == FULL:
                self._put_aapart_from(row)
        self.arrays.work[PLAIN + MARK :: FOLD] = 0.0

    def _ask(self, row: int) -> int:
        self._asked()
        return int(self._asks[row])

    def _ball(self, row: int) -> Floats:
        ball: Floats = self.arrays.work[rows_of(row)]
        return ball

    def _distances(self, points: Floats, centre: Floats, unit: Floats) -> Floats:
        out = np.empty(len(points))
        distances(points, centre, unit, out)
        return out

    def _widen(self, row: int) -> None:
        """Make the ball wider around its centre, and find the minimiser again."""
        state, ball = self.arrays, self._ball(row)
        held = int(state.counts[row, ENTRIES])
        apart = apart_from(state.weights[row], ball[CENTRE], state.unit[row])
        # As many points as half of what may be held, if they are everywhere as they are here
        share = min(0.5 * self._memory / max(held, 1), 4.0)
        radius = max(2.0 * apart, 2.0 * ball[RADIUS, 0], share * ball[RADIUS, 0])
        self._bring_back(row, ball[CENTRE].copy(), radius)
        settle(self.arrays, row)

    def _bring_back(self, row: int, centre: Floats, radius: float) -> None:
        """Let the ball have this centre, in which all signs are known, and radius, and hold what is in it."""
        state = self.arrays
        first = held = int(state.counts[row, ENTRIES])
        unit = state.unit[row].copy()
        homes = self._homes[row, :held].copy()
        for number, points in self._file.read(row):
            near = np.flatnonzero(self._distances(points, centre, unit) <= radius)
            # What is held already stays where it is
            near = near[~np.isin(near + number, homes)]
            count = held + len(near)
            if count > self._capacity:
                self._grow(self.boxes, max(count, 2 * self._capacity))
            self._homes[row, held:count] = near + number
            bring(self.arrays, row, points[near], centre)
            held = count
        ball = self._ball(row)
        ball[CENTRE], ball[UNIT], ball[RADIUS] = centre, unit, radius
        arrange(self.arrays, row, first)
        self._left = 0

    def _put_aapart_from(self, row: int) -> None:
        """Put away what is outside the ball, once that is one with few enough points in it."""
        state, ball = self.arrays, self._ball(row)
        held = int(state.counts[row, ENTRIES])
        weights, points = state.weights[row].copy(), state.points[row, :held]
        far = self._distances(points, ball[CENTRE], ball[UNIT]) > ball[RADIUS, 0]
        if 2 * np.count_nonzero(~far) > held:
            apart = self._distances(points, weights, state.unit[row])
            radius = _radius(apart, self._memory // 4)
            slack = ball[RADIUS, 0] - apart_from(weights, ball[CENTRE], ball[UNIT])
            if (ball[UNIT] != state.unit[row]).any() and ball[RADIUS, 0] < math.inf:
                slack = 0.0
            if radius <= 0.0:
                # Too many points lie at their kinks for any ball: they stay
                pass
            elif slack >= radius:
                # Wider than asked for, if what is in it is not too much
                few = slack < math.inf and 2 * np.count_nonzero(apart <= slack) <= held
                ball[CENTRE], ball[UNIT] = weights, state.unit[row]
                ball[RADIUS] = radius = slack if few else radius
            else:
                self._bring_back(row, weights, radius)
                state, ball = self.arrays, self._ball(row)
                held = int(state.counts[row, ENTRIES])
                points = state.points[row, :held]
                apart = self._distances(points, weights, state.unit[row])
            if radius > 0.0:
                far = apart > ball[RADIUS, 0]
        new = self._new(row, held)
        self._homes[row, new] = self._file.count(row) + np.arange(len(new))
        self._file.append(row, points[new][:, : points.shape[1] - 2])
        stay = np.flatnonzero(~far)
        for array in (state.points[row], self._homes[row]):
            array[: len(stay)] = array[stay]
        state.points[row, len(stay) : held] = 0.0
        self._homes[row, len(stay) : held] = -1
        state.counts[row, ENTRIES] = len(stay)
        ball[LIMIT] = max(self._memory, 2 * len(stay))
        arrange(state, row, len(stay))
        self._left = 0

    def _new(self, row: int, held: int) -> Ints:
        """Return the slots of points that are not in the file, in the order in which they came."""
        return np.flatnonzero(self._homes[row, :held] < 0)

    def _grow(self, boxes: int, capacity: int) -> None:
        old, homes, rows = self.arrays.work, self._homes, len(self.arrays.weights)
        super()._grow(boxes, capacity)
        # The rows of boxes that join are as they were made
        self.arrays.work[PLAIN : len(old)] = old[PLAIN:]
        self._file.add_rows(len(self.arrays.weights) - rows)
        self._homes = np.full((len(self.arrays.weights), capacity), -1, dtype=np.int64)
        self._homes[:rows, : homes.shape[1]] = homes

    def _state(self) -> Arrays:
        state = super()._state()
        size, held = self.arrays.weights.shape[1], state["keys"].shape[1]
        homes, every = self._homes.copy(), []
        for row, count in enumerate(self.arrays.counts[:, ENTRIES].tolist()):
            new = self._new(row, count)
            homes[row, new] = self._file.count(row) + np.arange(len(new))
            every.append([points for _, points in self._file.read(row)])
            every[row].append(self.arrays.points[row, new, : size + 2])
        counts = np.array([sum(map(len, parts)) for parts in every], dtype=np.int64)
        state["points"] = state["points"][:, :, size + 2 :]
        # More than boxes mostly hold, so that a state grows by what was seen
        more = max(2 * self._memory - held, 0)
        for name in ("points", "keys", "ids"):
            blank = np.zeros((len(homes), more, *state[name].shape[2:]), dtype=state[name].dtype)
            state[name] = np.concatenate([state[name], blank], axis=1)
        homes = np.pad(homes[:, :held], ((0, 0), (0, more)), constant_values=-1)
        together = np.concatenate([points for parts in every for points in parts])
        own = (together, counts, homes, self.arrays.work[PLAIN:].copy())
        return state | dict(zip(_OWN, own, strict=True))

    def _restore(self, boxes: int, state: Arrays) -> None:
        rows, size = self._rows(boxes), self.arrays.weights.shape[1]
        every, counts, homes, balls = (state.get(name, np.empty(0)) for name in _OWN)
        fits = every.ndim == 2 and every.shape[1] == size + 2 and counts.shape == (rows,)
        fits = fits and balls.shape == (rows * FOLD, size) and homes.ndim == 2
        fits = fits and len(homes) == rows and int(counts.astype(np.int64).sum()) == len(every)
        if not fits or state["points"].shape != (*homes.shape, 2):
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        ends = np.cumsum(counts.astype(np.int64))
        parts = np.split(every.astype(np.float64), ends[:-1])
        points = np.zeros((*homes.shape, size + 4))
        points[:, :, size + 2 :] = state["points"]
        for row, own in enumerate(parts):
            held = np.flatnonzero(homes[row] >= 0)
            points[row, held, : size + 2] = own[homes[row, held].astype(np.int64)]
        others = {name: array for name, array in state.items() if name not in _OWN}
        super()._restore(boxes, others | {"points": points})
        self.arrays.work[PLAIN:] = balls
        self._homes = np.full((rows, self._capacity), -1, dtype=np.int64)
        self._homes[:, : homes.shape[1]] = homes
        self._file = PointFile(rows, size + 2)
        for row, own in enumerate(parts):
            self._file.append(row, own)


def _radius(apart: Floats, count: int) -> float:
    """Return the radius in which about this many points are; less where many are equally far."""
    radius = float(np.partition(apart, count)[count]) if count < len(apart) else float(apart.max())
    if not math.isfinite(radius):
        return float(apart[np.isfinite(apart)].max(initial=0.0))
    return radius if 4 * np.count_nonzero(apart > radius) >= len(apart) else 0.5 * radius


def _first(rounds: Rounds, count: int) -> Rounds:
    """Return the first of these rounds; what is the same in all of them has one row."""

    def cut(array: Any) -> Any:
        return array if len(array) == 1 else array[:count]

    return rounds._replace(
        contexts=rounds.contexts[:count],
        values=rounds.values[:count],
        costs=cut(rounds.costs),
        outside=cut(rounds.outside),
        probes=cut(rounds.probes),
    )
