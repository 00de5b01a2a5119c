"""Replay: what policies would have come to on recorded rounds.

Rounds are played online in their order, learning costs included from the first, under full
information: every value of a round is revealed when it closes. A box whose value the log does not
know is no part of its round; a round that is left without boxes is left out. Both are counted.

The linear learner has no intercept of its own, so contexts are [1, x], with x as the log has it, cut
off at ±4.

*Hindsight* is the least total that was possible: the better of the outside option and min (v + c).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.lab.recorded import Log
from weitzman.learn.past import CLIP
from weitzman.learn.policy import Round
from weitzman.learn.portfolio import Portfolio, default
from weitzman.search.numbers import finite_number

__all__ = ["Replay", "replay", "rounds_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """What came out of a replay of T rounds.

    Attributes
    ----------
    names
        The policies: ``default``, then its candidates.
    totals, opened
        The total of each policy in each round, and how many boxes it opened, (T, k).
    expected
        The total of ``default``, as an expectation over its draws, (T,).
    hindsight
        The least total that was possible, (T,).
    played
        The candidate that ``default`` went by, as a number of ``names``, (T,).
    unknown, empty
        How many values the log does not know, and how many rounds are left out for it.
    """

    names: list[str]
    totals: Floats
    opened: Ints
    expected: Floats
    hindsight: Floats
    played: Ints
    unknown: int
    empty: int

    def of(self, name: str) -> Floats:
        """Return the totals of one policy, (T,)."""
        if name not in self.names:
            raise InvalidInputError("The policy", f"be one of {self.names}", name)
        return self.totals[:, self.names.index(name)]


def rounds_of(log: Log, *, cost_scale: float = 1.0) -> list[tuple[Round, Floats]]:
    """Return the rounds of a log that have boxes, with their values."""
    if finite_number(cost_scale, "The cost scale", "be a finite number > 0") <= 0.0:
        raise InvalidInputError("The cost scale", "be a finite number > 0", cost_scale)
    known = ~np.isnan(log.values)
    rounds = []
    for t in range(len(log)):
        places = np.flatnonzero(known[t])
        if len(places):
            rows = np.ones((len(places), log.contexts.shape[2] + 1))
            rows[:, 1:] = np.clip(log.contexts[t, places], -CLIP, CLIP)
            shown = Round(
                contexts=rows,
                costs=cost_scale * log.costs[t, places],
                outside=np.inf if log.outside is None else float(log.outside[t]),
                places=places,
            )
            rounds.append((shown, log.values[t, places]))
    return rounds


def replay(
    log: Log,
    policy: Portfolio | None = None,
    *,
    cost_scale: float = 1.0,
    progress: Progress | None = None,
) -> Replay:
    """Play a log under full information, by a portfolio and by each of its candidates.

    Parameters
    ----------
    log
        The recorded rounds.
    policy
        What is called ``default``; :func:`weitzman.learn.portfolio.default` if None.
    cost_scale
        By what the costs are multiplied.
    progress
        Called after each round with the rounds done and all rounds.
    """
    policy = default(shared=log.shared, standardise=False) if policy is None else policy
    boxes, dimension = log.values.shape[1], log.contexts.shape[2] + 1
    player = policy.start(boxes=boxes, dimension=dimension)
    rounds = rounds_of(log, cost_scale=cost_scale)
    count, width = len(rounds), len(player.names) + 1
    totals, opened = np.empty((count, width)), np.empty((count, width), dtype=np.int64)
    expected, hindsight = np.empty(count), np.empty(count)
    played = np.empty(count, dtype=np.int64)
    for t, (shown, values) in enumerate(rounds):
        pick, weights = player.played, player.weights()
        scores = player.score(shown, values)
        totals[t, 1:], opened[t, 1:] = scores
        totals[t, 0], opened[t, 0] = scores.totals[pick], scores.counts[pick]
        expected[t] = weights @ scores.totals
        hindsight[t] = min(shown.outside, float((values + shown.costs).min()))
        played[t] = pick + 1
        player.learn_scored(shown, values, scores)
        if progress is not None:
            progress(t + 1, count)
    present = ~np.isnan(log.costs)
    return Replay(
        names=["default", *player.names],
        totals=totals,
        opened=opened,
        expected=expected,
        hindsight=hindsight,
        played=played,
        unknown=int((present & np.isnan(log.values)).sum()),
        empty=len(log) - count,
    )
