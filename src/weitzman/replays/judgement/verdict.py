"""Verdicts: whether a rule is cheaper than what it is compared with, as far as a log can say.

Two rules have totals of the same rounds, so they are compared by the differences of their scores. Where a
part of one cannot be known, the smallest possible difference is made of the lower bound of the one and the
upper bound of the other, and the largest the other way round. A rule is *better* if all of the interval of
the largest difference is below 0, and *worse* if all of that of the smallest is above. If not, the verdict is

- *cannot be known*, if the bounds alone leave both signs open: more rounds of the same kind would not help;
- *too few rounds*, if the interval does.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.replays.judgement.estimate import estimate, farthest, scores
from weitzman.replays.judgement.trace import Trace

Word = Literal["better", "worse", "the same", "too few rounds", "cannot be known"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """One side of a comparison: what a rule costs at least and at most, round by round.

    ``trace`` is None for what is known of every round. Where the rule can be known everywhere, ``low`` and
    ``high`` are the same guesses.
    """

    low: Floats
    high: Floats
    trace: Trace | None = None

    def scores(self) -> tuple[Floats, Floats]:
        """Return the scores of either guess, (T,)."""
        if self.trace is None:
            return self.low, self.high
        low = scores(self.trace, self.low)
        return low, low if self.high is self.low else scores(self.trace, self.high)

    def farthest(self, guesses: Floats) -> float:
        """Return what one more explored round might add."""
        return 0.0 if self.trace is None else farthest(self.trace, guesses)

    def explored(self, other: "Side") -> Flags:
        """Return which rounds of either side are known by a draw, (T,)."""
        marks = np.zeros(len(self.low), dtype=np.bool_)
        for side in (self, other):
            if side.trace is not None:
                marks |= side.trace.covered & ~side.trace.certain
        return marks


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How a rule compares: the difference in mean total, below 0 if it is cheaper.

    ``low`` and ``high`` are what bounds and the 95 % interval leave possible together.
    """

    word: Word
    low: float
    high: float
    mean: float
    se: float

    def turned(self) -> "Verdict":
        """Return the same of totals whose sign is turned."""
        low, high, mean = (0.0 - x for x in (self.high, self.low, self.mean))
        return replace(self, low=low, high=high, mean=mean)


def compared(side: Side, other: Side) -> Verdict:
    """Return the verdict on one side against the other."""
    low, high = side.scores()
    least, most = other.scores()
    marks = side.explored(other)
    # What draws add: all beyond the guesses
    more = side.farthest(side.low) + other.farthest(other.high)
    smallest = estimate(low - most, (low - most - side.low + other.high)[marks], more)
    same = side.high is side.low and other.high is other.low
    largest = smallest
    if not same:
        more = side.farthest(side.high) + other.farthest(other.low)
        largest = estimate(high - least, (high - least - side.high + other.low)[marks], more)
    word: Word = "too few rounds"
    if not np.any(low - most) and not np.any(high - least):
        word = "the same"
    elif largest.high < 0.0:
        word = "better"
    elif smallest.low > 0.0:
        word = "worse"
    elif not same and smallest.mean <= 0.0 <= largest.mean:
        word = "cannot be known"
    mean = smallest.mean if same else float("nan")
    error = smallest.se if same else float("nan")
    return Verdict(word=word, low=smallest.low, high=largest.high, mean=mean, se=error)
