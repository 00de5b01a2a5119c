"""Weitzman's rule over nodes: of all that can be opened now, the smallest reservation value is next.

What can be opened are the roots and, behind every open row, the nodes of the branch that its value
or signal leads to. Which these are follows from the state of the round alone. With k values to keep
the rule goes by the k-th smallest value in hand.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats
from weitzman.search.rule import ACTIONS, Action, next_box
from weitzman.search.state import RoundState
from weitzman.search.variants.forest.forest import Forest

_ROOT = -1.0


def links(forest: Forest) -> Floats:
    """Return what leads to what: parent row (−1: none), what it shows (NaN: anything), child row."""
    found = [(_ROOT, math.nan, float(forest.row[id(root)])) for root in forest.roots]
    for row, node in enumerate(forest.nodes):
        for place, branch in enumerate(node.branches):
            shown = math.nan
            if node.labels is not None:
                shown = float(place)
            elif node.outcomes is not None:
                shown = node.outcomes[place]
            found += [(float(row), shown, float(forest.row[id(c)])) for c in branch.then]
    return np.array(found)


class ForestRule:
    """Open the node with the smallest reservation value unless as good is in hand, ``keep`` times.

    Without an outside option a value missing from the first ``keep`` counts as +∞.
    """

    def __init__(self, sigma: Floats, links: Floats, keep: int = 1) -> None:
        self._arrays = {"sigma": sigma, "links": links, "keep": np.array(keep)}
        self._keep = keep
        self.sigma: list[float] = sigma.tolist()
        self._roots: list[int] = []
        self._behind: dict[int, list[tuple[float, int]]] = {}
        for parent, shown, child in links.tolist():
            if parent == _ROOT:
                self._roots.append(int(child))
            else:
                self._behind.setdefault(int(parent), []).append((shown, int(child)))
        self._roots.sort(key=self._key)

    def _key(self, row: int) -> tuple[float, int]:
        return self.sigma[row], row

    def available(self, state: RoundState) -> list[int]:
        """Return the rows that can be opened now, by key."""
        opened = set(state.opened)
        ready = [row for row in self._roots if row not in opened]
        return sorted(ready + self._unlocked(state, opened), key=self._key)

    def _unlocked(self, state: RoundState, opened: set[int]) -> list[int]:
        """Return the closed rows behind open ones."""
        return [
            child
            for row in state.opened
            for shown, child in self._behind.get(row, ())
            if child not in opened
            # What does not come is like a value that nobody wants
            and (math.isnan(shown) or shown == state.values.get(row, math.inf))
        ]

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        opened = set(state.opened)
        ready = self._unlocked(state, opened)
        ready += (
            [row for row in self._roots if row not in opened][:1] if opened else self._roots[:1]
        )
        order = [min(ready, key=self._key)] if ready else []
        return ACTIONS[next_box(order, self.sigma, 0, self._mark(state))]

    def _mark(self, state: RoundState) -> float:
        """Return the worst of the values that would be kept now."""
        if self._keep == 1:
            return state.best
        values = sorted(value for _, value in found_values(state))
        return min(state.outside, *values[self._keep - 1 : self._keep], math.inf)

    def state(self) -> Arrays:
        """Return the reservation values, and what leads to what."""
        return dict(self._arrays)

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "ForestRule":
        """Return the rule whose :meth:`state` this is."""
        sigma = np.array(state["sigma"], dtype=np.float64)
        lines = np.array(state["links"], dtype=np.float64)
        return cls(sigma, lines, int(np.asarray(state["keep"])))


def found_values(state: RoundState) -> list[tuple[int, float]]:
    """Return the rows that hold a value, and their values, in the order in which they were opened."""
    return [
        (row, state.values[row])
        for row in state.opened
        if row in state.values and row not in state.signals
    ]
