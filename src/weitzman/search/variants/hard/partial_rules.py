"""Rules for partial and full looks, and the recursion that judges them.

A round has two rows per box, 2i for the partial look, which shows a signal, and 2i + 1 for the full one.
What matters of it is the *sight* of every box (0 closed, k after its k-th signal, −1 open) and the best
value in hand. A rule is a function of the two, and its total is an exact recursion over both; so is the
optimum, which does not follow a look if the bound says that it cannot be the best one.
"""

import math
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.errors import InvalidInputError
from weitzman.search.rule import STOP, Action, Open
from weitzman.search.state import RoundState
from weitzman.search.variants.hard.batches import smallest
from weitzman.search.variants.hard.partial_look import Looks, at_least, expected_smallest

if TYPE_CHECKING:
    from weitzman.search.laws.discrete import Discrete

Sights = tuple[int, ...]
Decide = Callable[[Sights, float], int]
"""Of sights and the best in hand to the row to open next; −1 stops."""

_MOST_STATES = 300_000


class IndexRule:
    """Look where the index is smallest; how, is committed, turns at σ^{F/P}, or attains the index."""

    def __init__(
        self,
        looks: Sequence[Looks],
        *,
        commitment: Sequence[bool] | None,
        turning: bool = False,
    ) -> None:
        self._looks, self._commitment, self._turning = looks, commitment, turning

    def _index(self, box: int, sight: int) -> float:
        look = self._looks[box]
        if sight != 0:
            return look.after[sight - 1] if sight > 0 else math.inf
        if self._commitment is not None:
            return look.partial if self._commitment[box] else look.full
        return min(look.full, look.partial)

    def decide(self, sights: Sights, best: float) -> int:
        """Return the row to open next, or −1."""
        indices = [self._index(box, sight) for box, sight in enumerate(sights)]
        box = min(range(len(indices)), key=lambda i: indices[i])
        if best <= indices[box]:
            return -1
        look = self._looks[box]
        partial = look.partial < look.full
        if self._commitment is not None:
            partial = self._commitment[box]
        elif self._turning:
            others = indices[:box] + indices[box + 1 :]
            partial = min(best, *others, math.inf) < look.turn
        return 2 * box if partial and sights[box] == 0 else 2 * box + 1


class WhittleRule:
    """Do what is best now if every later state is worth E min(x, min_j W_j), Whittle's integral."""

    def __init__(self, problem: "PartialProblem") -> None:
        self._problem = problem

    def decide(self, sights: Sights, best: float) -> int:
        """Return the row to open next, or −1."""
        return min([(best, -1), *self._problem.prospects(sights, best)])[1]


class SingleRule:
    """Do what is best now if no other box is looked at afterwards; stop if that is worth nothing."""

    def __init__(self, looks: Sequence[Looks]) -> None:
        self._looks = looks
        self._known: dict[tuple[int, int, float], tuple[float, int]] = {}

    def _alone(self, box: int, sight: int, best: float) -> tuple[float, int]:
        """Return the smallest expected total of one more box, and the row to begin with."""
        if (box, sight, best) not in self._known:
            look = self._looks[box]
            cost, first = look.box.cost, look.box.partial_cost
            law = look.whole if sight == 0 else look.laws[sight - 1]
            found = (cost + expected_smallest([law], best), 2 * box + 1)
            if sight == 0:
                after = [min(best, cost + expected_smallest([law], best)) for law in look.laws]
                found = min(found, (first + float(look.box.chances @ np.array(after)), 2 * box))
            self._known[box, sight, best] = found
        return self._known[box, sight, best]

    def decide(self, sights: Sights, best: float) -> int:
        """Return the row to open next, or −1."""
        closed = (self._alone(box, sight, best) for box, sight in enumerate(sights) if sight >= 0)
        return min([(best, -1), *closed])[1]


class LookRule:
    """A rule that goes by the sights and the best in hand."""

    def __init__(self, looks: Sequence[Looks], decide: Decide) -> None:
        self._looks, self._decide = looks, decide

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        sights = tuple(_sight(state, box) for box in range(len(self._looks)))
        row = self._decide(sights, state.best)
        return STOP if row < 0 else Open(row)

    def state(self) -> Arrays:
        """Return the thresholds of closed boxes."""
        return {
            "full": np.array([look.full for look in self._looks]),
            "partial": np.array([look.partial for look in self._looks]),
            "turn": np.array([look.turn for look in self._looks]),
        }


def _sight(state: RoundState, box: int) -> int:
    if 2 * box + 1 in state.opened:
        return -1
    return int(state.values[2 * box]) + 1 if 2 * box in state.values else 0


@dataclass(frozen=True, eq=False)
class Looked:
    """What comes of a rule: the expected value kept, how often each look is made, how often a box is kept."""

    value: float
    looks: Floats
    kept: Floats


@dataclass(frozen=True)
class PartialProblem:
    """Boxes with their thresholds and the outside option, smaller values better."""

    looks: Sequence[Looks]
    outside: float

    @property
    def bound(self) -> float:
        """E min(o, min_j W_j)."""
        return expected_smallest([look.worth for look in self.looks], self.outside)

    def cost(self, row: int) -> float:
        """Return what a look costs."""
        box = self.looks[row // 2].box
        return box.cost if row % 2 else box.partial_cost

    def after(self, sights: Sights, best: float, row: int) -> Iterator[tuple[float, Sights, float]]:
        """Yield what may follow a look, with its chance: new sights and best in hand."""
        box, sight = row // 2, sights[row // 2]
        look = self.looks[box]
        if row % 2 == 0:
            for k, p in enumerate(look.box.chances.tolist()):
                yield p, (*sights[:box], k + 1, *sights[box + 1 :]), best
            return
        law = look.whole if sight == 0 else look.laws[sight - 1]
        opened = (*sights[:box], -1, *sights[box + 1 :])
        for v, p in zip(law.values.tolist(), law.probabilities.tolist(), strict=True):
            yield p, opened, min(best, v)

    @cached_property
    def _relaxed(self) -> "dict[Sights, Discrete | None]":
        """The law of min_j W_j by sights, as far as it was asked for."""
        return {}

    def _worth(self, sights: Sights, best: Floats) -> Floats:
        """Return E min(x, min_j W_j) at sights, for every x in hand: no search pays less."""
        if sights not in self._relaxed:
            laws = [
                look.worth if sight == 0 else at_least(look.laws[sight - 1], look.after[sight - 1])
                for look, sight in zip(self.looks, sights, strict=True)
                if sight >= 0
            ]
            self._relaxed[sights] = smallest(laws) if laws else None
        law = self._relaxed[sights]
        if law is None:
            return best
        far = np.isinf(best)
        near = np.where(far, 0.0, best)
        return np.where(far, law.mean(), near - law.excess_below(near))

    def prospects(self, sights: Sights, best: float) -> list[tuple[float, int]]:
        """Return for every row that can be opened what any search pays at least from there on."""
        found = []
        for box, sight in enumerate(sights):
            for row in (2 * box, 2 * box + 1)[1 if sight else 0 : 0 if sight < 0 else 2]:
                chances, states, hands = zip(*self.after(sights, best, row), strict=True)
                if row % 2:
                    worth = self._worth(states[0], np.array(hands))
                else:
                    now = np.full(1, best)
                    worth = np.array([self._worth(state, now)[0] for state in states])
                found.append((self.cost(row) + float(np.array(chances) @ worth), row))
        return found

    @cached_property
    def _solved(self) -> dict[tuple[Sights, float], tuple[float, int]]:
        """The least total and the best row, by state, as far as it was asked for."""
        return {}

    def _total(self, sights: Sights, best: float) -> float:
        """Solve a state: no row is followed whose prospect is not better than what is found."""
        if (sights, best) not in self._solved:
            _check_size(self._solved)
            least, choice = best, -1
            for prospect, row in sorted(self.prospects(sights, best)):
                if prospect >= least:
                    break
                later = self.after(sights, best, row)
                worth = self.cost(row) + sum(p * self._total(s, b) for p, s, b in later)
                if worth < least:
                    least, choice = worth, row
            self._solved[sights, best] = least, choice
        return self._solved[sights, best][0]

    def optimal(self, sights: Sights, best: float) -> int:
        """Return the row that is best to open, or −1."""
        self._total(sights, best)
        return self._solved[sights, best][1]

    def follow(self, decide: Decide) -> Looked:
        """Return what comes of a rule."""
        looked, kept, end = np.zeros(2 * len(self.looks)), np.zeros(len(self.looks) + 1), 0.0
        # By the number of looks so far: every look leads to a later layer. Holder −1 is the outside option
        layer = {((0,) * len(self.looks), self.outside, -1): 1.0}
        states = 0
        while layer:
            later: dict[tuple[Sights, float, int], float] = {}
            states += len(layer)
            _check_size(range(states))
            for (sights, best, holder), chance in layer.items():
                row = decide(sights, best)
                if row < 0:
                    end += chance * best
                    kept[holder] += chance
                    continue
                looked[row] += chance
                for p, new, hand in self.after(sights, best, row):
                    key = (new, hand, row // 2 if hand < best else holder)
                    later[key] = later.get(key, 0.0) + chance * p
            layer = later
        return Looked(end, looked, kept[:-1])


def _check_size(states: Sized) -> None:
    if len(states) > _MOST_STATES:
        rule = f"have at most {_MOST_STATES:,} states to be solved exactly"
        raise InvalidInputError("The boxes", rule, "more")
