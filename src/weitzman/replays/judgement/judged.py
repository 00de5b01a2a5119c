"""What a log says of one rule: shares of the rounds, estimates, bounds, a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.replays.judgement.estimate import (
    METHODS,
    NOTHING,
    Estimate,
    estimate,
    estimates,
    farthest,
    naive,
)
from weitzman.replays.judgement.guess import guesses
from weitzman.replays.judgement.seen import Seen
from weitzman.replays.judgement.trace import Trace
from weitzman.replays.judgement.verdict import Side, Verdict, compared


@dataclass(frozen=True, kw_only=True, eq=False)
class Judged:
    """What a log says of one rule.

    Attributes
    ----------
    estimates
        By the names of the estimators; NaN where a part of the rounds cannot be known, but for ``naive`` and
        ``independent``.
    low, high
        What bounds and the 95 % interval leave possible for the mean total.
    certain, explored, unidentified
        The shares of the rounds that are known whatever is drawn, known by draws, and shown by no draw.
    rounds_explored, largest_weight
        In how many rounds a draw showed the total, and the largest of their weights.
    verdict
        How the rule compares; None for the one that others are compared with.
    trace
        What the log shows of the rule, round by round.
    guesses
        The guesses of the totals, (T,).
    """

    estimates: Mapping[str, Estimate]
    low: float
    high: float
    certain: float
    explored: float
    unidentified: float
    rounds_explored: int
    largest_weight: float
    verdict: Verdict | None
    trace: Trace
    guesses: Floats

    def turned(self) -> "Judged":
        """Return the same of totals whose sign is turned; ``trace`` and ``guesses`` stay as they are."""
        return replace(
            self,
            estimates={name: one.turned() for name, one in self.estimates.items()},
            low=0.0 - self.high,
            high=0.0 - self.low,
            verdict=None if self.verdict is None else self.verdict.turned(),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """A rule on a log, before it is compared.

    ``side`` has its guesses, or bounds where rounds are out of reach.
    """

    trace: Trace
    guesses: Floats
    side: Side

    @classmethod
    def of(cls, trace: Trace, seen: Seen, reached: bool, first: int) -> "Part":
        """Return the part of a trace; ``reached``: draws were made for this rule."""
        guessed = guesses(trace, seen.plain_best(first))
        # One explored round says nothing of how far others may be from it
        explored = int((trace.covered & ~trace.certain).sum()) > 1
        # Where a draw opens one box, it never shows what two hold
        within = not seen.one or bool((trace.looks <= 1.0).all())
        if trace.certain.all() or (explored and within and (reached or seen.is_open(first))):
            side = Side(low=guessed, high=guessed, trace=trace)
        else:
            side = Side(low=trace.low, high=trace.high, trace=trace if explored else None)
        return cls(trace=trace, guesses=guessed, side=side)

    @property
    def is_reachable(self) -> bool:
        """Whether every round may be known."""
        return self.side.low is self.side.high

    def contradicts(self, seen: Seen, first: int) -> bool:
        """Whether a draw was made in a round of which the rule needs more."""
        drawn: Flags = np.asarray((seen.known & ~seen.plain).any(axis=1))[first:]
        return seen.together and not seen.one and bool((drawn & ~self.trace.covered).any())


def judged(
    part: Part, base: Side | None, more: Mapping[str, Estimate] = MappingProxyType({})
) -> Judged:
    """Return what the log says of a rule, compared with another one; ``more``: other estimates of it."""
    trace, weights = part.trace, part.trace.weights
    certain = float(trace.certain.mean())
    drawn = trace.covered & ~trace.certain
    used = drawn & (part.side.trace is not None)
    if part.is_reachable:
        found, hidden = estimates(trace, part.guesses), 0.0
        low, high = found["doubly robust"].low, found["doubly robust"].high
    else:
        found = {**dict.fromkeys(METHODS, NOTHING), "naive": naive(trace)}
        rest = np.where(trace.certain, 0.0, 1.0 - np.where(used, weights, 0.0))
        hidden = min(max(float(rest.mean()), 0.0), 1.0 - certain)
        ends = [
            estimate(series, (series - bound)[used], farthest(trace, bound) if used.any() else 0.0)
            for series, bound in zip(part.side.scores(), (trace.low, trace.high), strict=True)
        ]
        low, high = ends[0].low, ends[1].high
    return Judged(
        estimates={**found, **more},
        low=low,
        high=high,
        certain=certain,
        explored=1.0 - certain - hidden,
        unidentified=hidden,
        rounds_explored=int(drawn.sum()),
        largest_weight=float(weights.max()),
        verdict=None if base is None else compared(part.side, base),
        trace=trace,
        guesses=part.guesses,
    )
