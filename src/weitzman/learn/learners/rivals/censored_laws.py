"""Laws from looks of which some are known by bounds alone: an optimistic law under feedback ``chosen``.

The share H of :mod:`weitzman.learn.learners.rivals.optimistic_law` is that of the law of Kaplan and Meier
(:mod:`weitzman.search.laws.censored`) in the place of the empirical one; where all values are known they are
the same. A look is not hidden below the σ at which its box was opened (:mod:`weitzman.learn.revealed`), so
up to the least of these σ the law is as exact as that of as many values, and so is the mass that makes it
optimistic.

**Cost.** The law of a box is made again when its looks have grown by a fiftieth, and σ is a look-up in it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import entry
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.plain_bank import PlainBank
from weitzman.learn.learners.rivals.constants import (
    BOXES,
    best_value,
    blank_ends,
    logarithm_of,
    optimistic_share,
    unseen,
    widen,
)
from weitzman.learn.revealed import filled
from weitzman.search.laws.censored import kaplan_meier
from weitzman.search.laws.discrete import Empirical

_GROWTH = 1.02


class _Table(NamedTuple):
    """The optimistic law of a box: ∫ H up to each point, and H above it; ``key`` is what it was made from."""

    key: tuple[float, ...]
    points: Floats
    shares: Floats
    areas: Floats

    def root(self, cost: float) -> float:
        """Return σ with ∫ H = c."""
        place = int(np.searchsorted(self.areas[1:], cost))
        place = max(place, int(np.argmax(self.shares > 0.0)))
        return float(self.points[place] + (cost - self.areas[place]) / self.shares[place])


class CensoredLaws:
    """The looks of all rows, as a model (:class:`weitzman.learn.learners.plain_bank.Model`).

    Parameters
    ----------
    rows
        The number of rows.
    rules
        Scale, horizon and least value, and the number of the mass.
    """

    def __init__(self, rows: int, rules: Floats) -> None:
        self._rules = rules
        self._forget(rows)

    def _forget(self, rows: int) -> None:
        self._looks: list[list[float]] = [[] for _ in range(rows)]
        self._exact: list[list[bool]] = [[] for _ in range(rows)]
        # How many looks the law of each row is made from, and from how many it is made again
        self._made = [(0, 1)] * rows
        self._laws: list[Empirical | None] = [None] * rows
        self._tables: list[_Table | None] = [None] * rows
        self._ends = blank_ends()
        self._count = 0

    def law(self, row: int) -> Empirical:
        """Return the law of all looks of a row."""
        if not self._looks[row]:
            raise InvalidInputError("A law", "be of a box that was looked at", row)
        return kaplan_meier(self._looks[row], np.array(self._exact[row]))

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        """Return σ of each row."""
        pairs = zip(rows.tolist(), costs.tolist(), strict=True)
        return np.array([self._sigma(row, cost) for row, cost in pairs])

    def _sigma(self, row: int, cost: float) -> float:
        if not self._looks[row]:
            return float(_unseen(self._ends, cost))
        best, logarithm = _now(self._rules, self._ends, float(self._count))
        made, due = self._made[row]
        count = len(self._looks[row])
        while due <= count:
            made, due = due, max(due + 1, int(_GROWTH * due))
        if made != self._made[row][0]:
            known = np.array(self._exact[row][:made])
            self._laws[row] = kaplan_meier(self._looks[row][:made], known)
        self._made[row] = made, due
        key, table = (made, best, logarithm), self._tables[row]
        if table is None or table.key != key:
            table = self._table(row, key)
            self._tables[row] = table
        return table.root(cost)

    def _table(self, row: int, key: tuple[float, float, float]) -> _Table:
        made, best, logarithm = key
        law: Any = self._laws[row]
        # Below the first value nothing was seen, above the last one everything
        shares = np.concatenate([[0.0], np.cumsum(law.probabilities)])
        shares[-1] = 1.0
        _raise(shares, float(self._rules[-1]), float(made), logarithm)
        points = np.concatenate([[min(best, law.values[0])], law.values])
        areas = np.concatenate([[0.0], np.cumsum(shares[:-1] * np.diff(points))])
        return _Table(key, points, shares, areas)

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        """Return how little is known of each row."""
        counts = np.array([len(self._looks[row]) for row in rows.tolist()], dtype=np.float64)
        return np.where(counts > 0.0, 1.0 / np.sqrt(0.25 + counts), np.inf)

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        """Learn values."""
        self.learn_bounded(rows, values, np.ones(len(rows), dtype=np.bool_))

    def learn_bounded(self, rows: Ints, looks: Floats, exact: NDArray[np.bool_]) -> None:
        """Learn values, and bounds where they are not exact."""
        for row, look, known in zip(rows.tolist(), looks.tolist(), exact.tolist(), strict=True):
            _widen(self._ends, look, float(len(self._looks[row])))
            self._looks[row].append(look)
            self._exact[row].append(known)
            self._count += 1

    def resize(self, rows: int) -> None:
        """Let rows join that have seen nothing."""
        more = rows - len(self._looks)
        self._looks += [[] for _ in range(more)]
        self._exact += [[] for _ in range(more)]
        self._made += [(0, 1)] * more
        self._laws += [None] * more
        self._tables += [None] * more

    def state(self) -> Arrays:
        """Return the looks of all rows, one row after the other."""
        return {
            "looks": np.array([look for own in self._looks for look in own], dtype=np.float64),
            "exact": np.array([known for own in self._exact for known in own], dtype=np.bool_),
            "counts": np.array([len(own) for own in self._looks], dtype=np.int64),
            "ends": self._ends.copy(),
            "rules": self._rules.copy(),
        }

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        counts = np.array(state.get("counts", ()), dtype=np.int64)
        looks, exact = state.get("looks", counts), state.get("exact", counts)
        ends, rules = state.get("ends", counts), state.get("rules", counts)
        fits = len(counts) == rows and looks.shape == exact.shape == (int(counts.sum()),)
        if not fits or ends.shape != (3,) or rules.tobytes() != self._rules.tobytes():
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        self._forget(rows)
        parts = np.cumsum(counts)[:-1]
        self._looks = [own.tolist() for own in np.split(looks.astype(np.float64), parts)]
        self._exact = [own.tolist() for own in np.split(exact.astype(np.bool_), parts)]
        self._ends = np.array(ends, dtype=np.float64)
        self._count = int(counts.sum())


class CensoredBank(PlainBank):
    """The running learner of all boxes, which learns from bounds too."""

    def update_bounded(
        self, *, boxes: Ints, contexts: Floats, values: Floats, bounds: Floats, costs: Floats
    ) -> None:
        """Learn values, and bounds where they are not known."""
        self._update(boxes, contexts, filled(values, bounds), costs, exact=~np.isnan(values))

    def law(self, box: int) -> Empirical:
        """Return the law of a box, as far as it was seen; smaller values are better."""
        model: Any = self._model
        found: Empirical = model.law(int(self._places([box])[0]))
        return found


@entry
def _now(rules: Floats, ends: Floats, looks: float) -> tuple[float, float]:
    """Return the best possible value and L."""
    return best_value(rules, ends), logarithm_of(rules, ends[BOXES], looks)


@entry
def _unseen(ends: Floats, cost: float) -> float:
    return unseen(ends, cost)


@entry
def _widen(ends: Floats, value: float, looks: float) -> None:
    widen(ends, value, looks)


@entry
def _raise(shares: Floats, mass: float, count: float, logarithm: float) -> None:
    """Let shares be those of the optimistic law."""
    for j in range(shares.shape[0]):
        shares[j] = optimistic_share(mass, shares[j], count, logarithm)
