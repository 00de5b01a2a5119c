"""Rounds that are kept. A column of contexts that is the same in all boxes is kept once, in single precision.

What a round is about (a query, a prompt, a customer) is often the same for all its boxes. A column that has
been so in every round is kept once per round; from the first round on in which it is not, it is kept for
every box. Prepared numbers lie within ±4, and trees look at them in single precision anyway.

Rows are written once and never moved: what was handed out stays as it is while rounds are added.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import checked
from weitzman.learn.policy import State

Singles = NDArray[np.float32]


@checked
def put_round(
    places: Ints, rows: Floats, paid: Floats, found: Floats,
    contexts: Floats, costs: Floats, values: Floats, sums: Floats,
) -> None:  # fmt: skip
    """Write one round, NaN for boxes that are not there, and count what was found.

    ``contexts`` has no rows if they are kept elsewhere.
    """
    if places.shape[0] < costs.shape[0]:
        contexts[:], costs[:], values[:] = np.nan, np.nan, np.nan
    for row in range(places.shape[0]):
        box = places[row]
        if contexts.shape[0] > 0:
            contexts[box] = rows[row]
        # One NaN for all: turning signs gives others, which would be other bits in a state
        costs[box], values[box] = paid[row], np.nan
        if not np.isnan(found[row]):
            values[box] = found[row]
            sums[0, box] += 1.0
            sums[1, box] += found[row]


@checked
def add_up(values: Floats, start: Floats, sums: Floats) -> None:
    """Set the sums before each of the rounds, and behind the last one."""
    sums[0] = start
    for t in range(values.shape[0]):
        sums[t + 1] = sums[t]
        for box in range(values.shape[1]):
            if not np.isnan(values[t, box]):
                sums[t + 1, 0, box] += 1.0
                sums[t + 1, 1, box] += values[t, box]


class KeptContexts:
    """Contexts of rounds of n boxes.

    Attributes
    ----------
    common
        Which columns are kept once, (d,).
    once, own
        The columns that are, (T, p), and the others, (T, n, d − p); NaN where a box was absent.
    present
        Which boxes were there, (T, n).
    """

    def __init__(self, common: Flags, once: Singles, own: Singles, present: Flags) -> None:
        self.common = common
        self.once = once
        self.own = own
        self.present = present

    def __len__(self) -> int:
        return len(self.present)

    def of_box(self, rounds: Ints | slice, box: int) -> Floats:
        """Return the contexts of one box in some rounds."""
        once = self.once[rounds]
        out = np.empty((len(once), len(self.common)))
        out[:, self.common] = once
        out[:, ~self.common] = self.own[rounds, box]
        return out

    def joined(self) -> tuple[Flags, Singles]:
        """Return which columns are common in all these rounds, and the contexts as one row a round.

        The common columns come first, then those of each box, 0 for one that was absent.
        """
        least, most = np.fmin.reduce(self.own, axis=1), np.fmax.reduce(self.own, axis=1)
        same = (least == most).all(axis=0)
        common = self.common.copy()
        common[~self.common] = same
        once = np.empty((len(self), int(common.sum())), dtype=np.float32)
        of_kept = self.common[common]
        once[:, of_kept], once[:, ~of_kept] = self.once, least[:, same]
        own = np.nan_to_num(self.own[:, :, ~same]).reshape(len(self), -1)
        return common, np.concatenate([once, own], axis=1)

    def last(self, count: int) -> "KeptContexts":
        """Return the last of these rounds."""
        return KeptContexts(
            self.common, self.once[-count:], self.own[-count:], self.present[-count:]
        )

    def whole(self) -> Floats:
        """Return all contexts, (T, n, d); NaN where a box was absent."""
        count, boxes = self.present.shape
        out = np.empty((count, boxes, len(self.common)))
        out[:, :, self.common] = self.once[:, np.newaxis]
        out[:, :, ~self.common] = self.own
        out[~self.present] = np.nan
        return out


class Kept:
    """The contexts of the last rounds.

    Parameters
    ----------
    boxes, dimension
        The number n of boxes and the length d of a context.
    """

    def __init__(self, boxes: int, dimension: int) -> None:
        self._boxes = boxes
        self._common = np.ones(dimension, dtype=np.bool_)
        self._once = np.empty((0, dimension), dtype=np.float32)
        self._own = np.empty((0, boxes, 0), dtype=np.float32)
        self._present = np.empty((0, boxes), dtype=np.bool_)

    def put(self, at: int, places: Ints, rows: Floats) -> None:
        """Write a round."""
        differs = self._common & (rows != rows[0]).any(axis=0)
        if differs.any():
            self._spread(at, self._common & ~differs)
        self._once[at] = rows[0, self._common]
        self._own[at] = np.nan
        self._own[at, places] = rows[:, ~self._common]
        self._present[at] = False
        self._present[at, places] = True

    def put_rounds(self, at: int, contexts: Floats, present: Flags) -> None:
        """Write rounds in a row, (T, n, d), of which some boxes are present."""
        first = contexts[np.arange(len(contexts)), present.argmax(axis=1)]
        other = (contexts != first[:, np.newaxis]) & present[:, :, np.newaxis]
        differs = self._common & other.any(axis=(0, 1))
        if differs.any():
            self._spread(at, self._common & ~differs)
        here = slice(at, at + len(contexts))
        self._once[here] = first[:, self._common]
        self._own[here] = contexts[:, :, ~self._common]
        self._present[here] = present

    def _spread(self, count: int, common: Flags) -> None:
        """Keep fewer columns once."""
        whole = self.between(0, count).whole()
        capacity = len(self._once)
        self._common = common
        self._once = np.empty((capacity, int(common.sum())), dtype=np.float32)
        self._own = np.empty((capacity, self._boxes, int((~common).sum())), dtype=np.float32)
        # A common column is in any box that is there, and every round has one
        there = self._present[:count].argmax(axis=1)
        self._once[:count] = whole[np.arange(count), there][:, common]
        self._own[:count] = whole[:, :, ~common]

    def resize(self, first: int, end: int, capacity: int) -> None:
        """Keep the rounds between two places, with room for others behind."""

        def moved(array: NDArray[Any]) -> NDArray[Any]:
            # What is not written yet takes no memory
            new: NDArray[Any] = np.empty((capacity, *array.shape[1:]), dtype=array.dtype)
            new[: end - first] = array[first:end]
            return new

        self._once, self._own = moved(self._once), moved(self._own)
        self._present = moved(self._present)

    def between(self, first: int, end: int) -> KeptContexts:
        """Return the contexts of the rounds between two places."""
        return KeptContexts(
            self._common, self._once[first:end], self._own[first:end], self._present[first:end]
        )

    def state(self, first: int, end: int) -> State:
        """Return the rounds between two places as arrays; a file holds no single precision."""
        kept = self.between(first, end)
        return {
            "common": kept.common.copy(),
            "once": kept.once.astype(np.float64),
            "own": kept.own.astype(np.float64),
        }

    def shapes(self, state: Mapping[str, NDArray[np.generic]], count: int) -> dict[str, object]:
        """Return the shapes that a state of so many rounds has."""
        dimension = len(self._common)
        once = int(np.count_nonzero(state["common"])) if "common" in state else 0
        return {
            "common": (dimension,),
            "once": (count, once),
            "own": (count, self._boxes, dimension - once),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]], present: Flags) -> None:
        """Go on from what :meth:`state` returned."""
        self._common = np.array(state["common"], dtype=np.bool_)
        self._once = np.array(state["once"], dtype=np.float32)
        self._own = np.array(state["own"], dtype=np.float32)
        self._present = np.array(present)
