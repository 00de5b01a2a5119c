"""Scenarios, rules that go by those that agree with what was seen, and the tree of such a rule."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.search.rule import STOP, Action, Open, Rule, advance
from weitzman.search.state import RoundState

_MOST_STATES = 200_000


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Value vectors, a row each, with weights of sum 1; smaller values better."""

    values: Floats
    weights: Floats
    costs: Floats
    outside: float

    def begin(self) -> RoundState:
        """Return the state of a new round."""
        return RoundState(self.costs.tolist(), self.outside)

    def agreeing(self, rows: Ints, box: int, value: float) -> Ints:
        """Return the scenarios that agree with a value; if none does, the nearest ones."""
        far = np.abs(self.values[rows, box] - value)
        return np.asarray(rows[far == far.min()])

    def split(self, rows: Ints, box: int) -> list[tuple[float, Ints]]:
        """Return the values that a box may show, each with its scenarios."""
        column = self.values[rows, box]
        order = np.argsort(column, kind="stable")
        found, starts = np.unique(column[order], return_index=True)
        parts = np.split(rows[order], starts[1:])
        return list(zip(found.tolist(), parts, strict=True))

    def reservation_values(self, rows: Ints) -> Floats:
        """Return σ of every box given that the scenario is one of the rows."""
        values, weights = self.values[rows], self.weights[rows]
        if rows.size == 1:
            return np.asarray(values[0] + self.costs)
        order = np.argsort(values, axis=0, kind="stable")
        p = (weights / weights.sum())[order]
        area = np.cumsum(p * np.take_along_axis(values, order, axis=0), axis=0)
        sigma: Floats = np.min((self.costs + area) / np.cumsum(p, axis=0), axis=0)
        # At no cost the least of the lines is the first, but for rounding
        return np.where(self.costs == 0.0, values.min(axis=0), sigma)

    def restrict(self, state: RoundState) -> Ints:
        """Return the scenarios that agree with all that a round has shown."""
        rows = np.arange(self.weights.size)
        for box in state.opened:
            if box in state.values:
                rows = self.agreeing(rows, box, state.values[box])
        return rows

    def state(self) -> Arrays:
        """Return the scenarios as arrays."""
        return {"values": self.values, "weights": self.weights, "costs": self.costs}


class ScenarioRule:
    """Weitzman's rule on the scenarios that agree with what was seen."""

    def __init__(self, given: Scenarios) -> None:
        self._given = given

    def next(self, state: RoundState) -> Action:
        """Return the closed row with the smallest conditional σ, or STOP."""
        if len(state.opened) == self._given.costs.size:
            return STOP
        sigma = self._given.reservation_values(self._given.restrict(state))
        sigma[state.opened] = math.inf
        row = int(np.argmin(sigma))
        return STOP if state.best <= sigma[row] else Open(row)

    def state(self) -> Arrays:
        """Return the scenarios."""
        return self._given.state()


class OptimalRule:
    """The optimum of few scenarios: what to open, by the sets of agreeing scenarios and open boxes."""

    def __init__(self, given: Scenarios, choices: Mapping[tuple[bytes, int], int]) -> None:
        self._given, self._choices = given, choices

    def next(self, state: RoundState) -> Action:
        """Return the best action."""
        opened = sum(1 << row for row in state.opened)
        row = self._choices.get((self._given.restrict(state).tobytes(), opened), -1)
        return STOP if row < 0 else Open(row)

    def state(self) -> Arrays:
        """Return the scenarios."""
        return self._given.state()


def optimal(given: Scenarios) -> OptimalRule:
    """Return the optimum, by recursion over the scenarios that agree and the open boxes."""
    totals: dict[tuple[bytes, int], float] = {}
    choices: dict[tuple[bytes, int], int] = {}
    boxes = range(given.costs.size)

    def total(rows: Ints, opened: int, best: float) -> float:
        key = (rows.tobytes(), opened)
        if key in totals:
            return totals[key]
        if len(totals) > _MOST_STATES:
            rule = f"have at most {_MOST_STATES:,} states to be solved exactly"
            raise InvalidInputError(
                "The scenarios", rule, f"more with {given.weights.size} scenarios"
            )
        least, choice = best, -1
        for box in boxes:
            if opened >> box & 1:
                continue
            later, whole = 0.0, float(given.weights[rows].sum())
            for value, part in given.split(rows, box):
                weight = float(given.weights[part].sum()) / whole
                later += weight * total(np.sort(part), opened | 1 << box, min(best, value))
            if given.costs[box] + later < least:
                least, choice = float(given.costs[box]) + later, box
        totals[key], choices[key] = least, choice
        return least

    total(np.arange(given.weights.size), 0, given.outside)
    return OptimalRule(given, choices)


@dataclass(frozen=True, eq=False)
class Branch:
    """A place in the tree of a rule: its chance, what is in hand, what is opened, and what may follow."""

    chance: float
    best: float
    paid: float
    holder: int | None
    box: int | None
    later: Sequence[tuple[float, "Branch"]]

    def leaves(self) -> Iterator["Branch"]:
        """Yield the places where the rule stops."""
        if self.box is None:
            yield self
        for _, branch in self.later:
            yield from branch.leaves()

    @property
    def total(self) -> float:
        """The expected total from the root, times the chance to be here."""
        return math.fsum(leaf.chance * (leaf.best + leaf.paid) for leaf in self.leaves())

    def kept(self, count: int) -> Floats:
        """Return how often each box is kept."""
        kept = np.zeros(count)
        for leaf in self.leaves():
            if leaf.holder is not None:
                kept[leaf.holder] += leaf.chance
        return kept

    def opened(self, count: int) -> Floats:
        """Return how often each box is opened."""
        opened, todo = np.zeros(count), [self]
        while todo:
            branch = todo.pop()
            if branch.box is not None:
                opened[branch.box] += branch.chance
            todo.extend(child for _, child in branch.later)
        return opened

    def lines(self, names: Sequence[str], sign: float, depth: int = 0) -> Iterator[str]:
        """Yield the tree as text, one line a place."""
        if depth == 0:
            yield self._does(names, sign)
        for value, branch in self.later:
            yield f"{'  ' * (depth + 1)}{sign * value + 0.0:g}: {branch._does(names, sign)}"
            yield from branch.lines(names, sign, depth + 1)

    def _does(self, names: Sequence[str], sign: float) -> str:
        if self.box is not None:
            return f"open {names[self.box]}"
        return f"keep {sign * self.best + 0.0:g}"


class _Again:
    """The rule that opens given rows in turn."""

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows = rows

    def next(self, state: RoundState) -> Action:
        return Open(self._rows[len(state.opened)])

    def state(self) -> Arrays:
        return {"rows": np.array(self._rows)}


def grown(given: Scenarios, rule: Rule) -> Branch:
    """Return the tree of a rule."""

    def branch(rows: Ints, opened: Sequence[int], found: Sequence[float]) -> Branch:
        state, again = given.begin(), _Again(opened)
        for box, value in zip(opened, found, strict=True):
            advance(again, state)
            state.see(box, value)
        chance = float(given.weights[rows].sum())
        action = advance(rule, state)
        if not isinstance(action, Open):
            return Branch(chance, state.best, state.paid, state.kept, None, [])
        later = [
            (value, branch(np.sort(part), [*opened, action.box], [*found, value]))
            for value, part in given.split(rows, action.box)
        ]
        return Branch(chance, state.best, state.paid, state.kept, action.box, later)

    return branch(np.arange(given.weights.size), [], [])
