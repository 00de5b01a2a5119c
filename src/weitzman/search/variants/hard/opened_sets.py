"""The dynamic programme over opened sets: the optimum of small problems with any limits.

Smaller values better, boxes independent, laws discrete. What matters of a round is the set S of open
boxes and the best value b in hand. With a finite set of *moves* out of S, each a set of boxes that are
opened together for a price on top of their costs, and m_j = E v_j where box j may be taken unopened
(+∞ where not),

    V(S, b) = min( b,  min_{j ∉ S} m_j,
                   min_{moves M} price(M) + Σ_{j ∈ M} c_j + E V(S ∪ M, min(b, min_{j ∈ M} v_j)) ).

A cap, a budget, prerequisites, batches and optional inspection differ in their moves and m_j alone.
The work is the number of reachable sets (at most 2ⁿ) times moves times outcomes: seconds at n = 12.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.search.laws.discrete import Discrete
from weitzman.search.laws.distribution import Distribution
from weitzman.search.rule import STOP, Action, Open, Take
from weitzman.search.state import RoundState

Moves = Callable[[int], Sequence[tuple[int, float]]]
"""Of an opened set to the sets that may be opened next, each with its price; sets are bit masks."""

_MOST_STATES = 4_000_000


@dataclass(frozen=True, eq=False)
class Courses:
    """What happens how often if a rule is followed: its expected total, who is opened, who is kept."""

    expected_total: float
    expected_paid: float
    open_probabilities: Floats
    keep_probabilities: Floats


@dataclass(frozen=True, eq=False)
class OpenedSets:
    """A problem whose state is the opened set and the best value, smaller values better.

    ``blind`` holds E v_j of the boxes that may be taken unopened and +∞ of the others.
    """

    laws: Sequence[Discrete]
    costs: Floats
    outside: float
    moves: Moves
    blind: Floats

    @cached_property
    def grid(self) -> Floats:
        """All numbers that can be the best in hand, sorted."""
        values = np.concatenate([law.values for law in self.laws])
        return np.append(np.unique(values[values < self.outside]), self.outside)

    @cached_property
    def _mass(self) -> Floats:
        """P(min(v_j, o) is the g-th of the grid), a row per box."""
        mass = np.zeros((len(self.laws), self.grid.size))
        for row, law in zip(mass, self.laws, strict=True):
            np.add.at(row, self._place(law.values), law.probabilities)
        return mass

    @cached_property
    def _rest(self) -> Floats:
        """P(v_j is at least the g-th of the grid), a row per box."""
        return np.cumsum(self._mass[:, ::-1], axis=1)[:, ::-1]

    def _place(self, best: Floats | float) -> Ints:
        """Return the place in the grid of the smallest number that is at least ``best``."""
        return np.minimum(np.searchsorted(self.grid, best), self.grid.size - 1)

    def _opened(self, later: Floats, box: int) -> Floats:
        """Return E f(min(b, v_j)) at every b of the grid."""
        mass, rest = self._mass[box], self._rest[box]
        found = np.cumsum(mass * np.where(mass > 0.0, later, 0.0))
        before = np.concatenate([[0.0], found[:-1]])
        return np.asarray(before + rest * np.where(rest > 0.0, later, 0.0))

    def price(self, move: int, extra: float) -> float:
        """Return what a move costs."""
        return extra + float(self.costs[rows_of(move)].sum())

    @cached_property
    def _sets(self) -> list[int]:
        """All sets that can be reached, larger numbers later: a set is later than its subsets."""
        known, new = {0}, [0]
        while new:
            opened = new.pop()
            later = {opened | move for move, _ in self.moves(opened)} - known
            known |= later
            new.extend(later)
            if len(known) * self.grid.size > _MOST_STATES:
                rule = f"have at most {_MOST_STATES:,} states to be solved exactly"
                raise InvalidInputError("The problem", rule, f"more with {len(self.laws)} boxes")
        return sorted(known)

    @cached_property
    def _solved(self) -> tuple[dict[int, Floats], dict[int, Ints]]:
        """V, and the action that attains it: 0 stops, a set is opened, −1 − j takes box j."""
        values: dict[int, Floats] = {}
        actions: dict[int, Ints] = {}
        for opened in reversed(self._sets):
            value, action = self.grid.copy(), np.zeros(self.grid.size, dtype=np.int64)
            closed = [j for j in range(len(self.laws)) if not opened >> j & 1]
            options = [(-1 - j, np.full(value.size, self.blind[j])) for j in closed]
            for move, extra in self.moves(opened):
                later = values[opened | move]
                for row in rows_of(move):
                    later = self._opened(later, row)
                options.append((move, self.price(move, extra) + later))
            for option, worth in options:
                better = worth < value
                value[better], action[better] = worth[better], option
            values[opened], actions[opened] = value, action
        return values, actions

    @property
    def expected_total(self) -> float:
        """The expected total of the best rule."""
        return float(self._solved[0][0][-1])

    def action(self, opened: int, best: float) -> int:
        """Return the best action: 0 stops, a set is opened, −1 − j takes box j."""
        return int(self._solved[1][opened][int(self._place(best))])

    def rule(self, action: Callable[[int, float], int] | None = None) -> "OpenedSetsRule":
        """Return the best rule, or another one, as a table."""
        if action is None:
            actions = np.stack([self._solved[1][opened] for opened in self._sets])
        else:
            best = self.grid.tolist()
            rows = [[action(opened, b) for b in best] for opened in self._sets]
            actions = np.array(rows, dtype=np.int64)
        return OpenedSetsRule(sets=np.array(self._sets), grid=self.grid, actions=actions)

    def follow(self, action: Callable[[int, float], int] | None = None) -> Courses:
        """Return what comes of a rule, from the opened set and the best value to an action."""
        chosen = self.action if action is None else action
        count, size = len(self.laws), self.grid.size
        # By holder of the best value, none for the outside option, and place of the value
        reach = {0: np.zeros((count + 1, size))}
        reach[0][count, -1] = 1.0
        worth, prices, q, kept = 0.0, 0.0, np.zeros(count), np.zeros(count + 1)
        for opened in self._sets:
            there = reach.pop(opened, None)
            if there is None:
                continue
            does = np.zeros(size, dtype=np.int64)
            for g in np.flatnonzero(there.any(axis=0)):
                does[g] = chosen(opened, float(self.grid[g]))
            extras = dict(self.moves(opened))
            for act in np.unique(does).tolist():
                part = np.where(does == act, there, 0.0)
                weight = float(part.sum())
                if weight == 0.0:
                    continue
                if act == 0:
                    used = part.sum(axis=0)
                    worth += float(np.sum(used[used > 0.0] * self.grid[used > 0.0]))
                    kept += part.sum(axis=1)
                elif act < 0:
                    worth += weight * float(self.blind[-1 - act])
                    kept[-1 - act] += weight
                else:
                    prices += weight * self.price(act, extras[act])
                    q[rows_of(act)] += weight
                    for row in rows_of(act):
                        part = self._moved(part, row)
                    reach[opened | act] = reach.get(opened | act, 0.0) + part
        return Courses(worth + prices, prices, q, kept[:count])

    def _moved(self, part: Floats, row: int) -> Floats:
        """Return the chances of holders and places after a box is opened."""
        at = part.sum(axis=0)
        above = np.concatenate([np.cumsum(at[::-1])[::-1][1:], [0.0]])
        moved: Floats = part * self._rest[row]
        moved[row] += self._mass[row] * above
        return moved


def one_by_one(count: int) -> Moves:
    """Return the moves that open any one closed box."""
    return lambda opened: [(1 << j, 0.0) for j in range(count) if not opened >> j & 1]


def rows_of(move: int) -> list[int]:
    """Return the rows of a set.

    >>> rows_of(0b101)
    [0, 2]
    """
    return [j for j in range(move.bit_length()) if move >> j & 1]


class OpenedSetsRule:
    """A rule that goes by the opened set and the best value; boxes of one move are opened in turn.

    ``actions`` has a row per set and a column per number of the grid: 0 stops, a set is opened, −1 − j
    takes row j.
    """

    def __init__(self, *, sets: Ints, grid: Floats, actions: Ints) -> None:
        self._sets, self._grid, self._actions = sets, grid, actions

    def next(self, state: RoundState) -> Action:
        """Return the first closed row of the move that is under way, or begin the next."""
        *_, (move, closed) = self._moves(state)
        if closed:
            return Open(closed[0])
        return STOP if move == 0 else Take(-1 - move)

    def begun(self, state: RoundState) -> int:
        """Return the number of moves that were begun."""
        return sum(
            move > 0 and len(closed) < len(rows_of(move)) for move, closed in self._moves(state)
        )

    def _moves(self, state: RoundState) -> Iterator[tuple[int, list[int]]]:
        """Yield the moves of a round, each with its rows that are still closed."""
        opened, best = 0, state.outside
        while (move := self._action(opened, best)) > 0:
            rows = rows_of(move)
            closed = [row for row in rows if row not in state.opened]
            yield move, closed
            if closed:
                return
            opened |= move
            best = min(best, *(state.values.get(row, np.inf) for row in rows))
        yield move, []

    def _action(self, opened: int, best: float) -> int:
        place = min(int(np.searchsorted(self._grid, best)), self._grid.size - 1)
        return int(self._actions[int(np.searchsorted(self._sets, opened)), place])

    def state(self) -> Arrays:
        """Return the sets, the grid and the actions."""
        return {"sets": self._sets, "grid": self._grid, "actions": self._actions}


def discrete_laws(laws: Sequence[Distribution], what: str) -> list[Discrete]:
    """Return the laws if all of them are discrete."""
    for law in laws:
        if not isinstance(law, Discrete):
            raise InvalidInputError(f"The values of {what}", "have finitely many outcomes", law)
    return [law for law in laws if isinstance(law, Discrete)]
