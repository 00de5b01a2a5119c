"""Policies on a log with gaps: what the log shows of each of them, round by round.

A policy learns what the log shows, also of boxes that it would not have opened, and every round is judged by
the rule that it had by then; or it learns from the first rounds only, and is judged on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.jobs.processes import Tick
from weitzman.learn.policy import Policy, bounded
from weitzman.replays.judgement.seen import Seen
from weitzman.replays.judgement.walk import COLUMNS, Frame, walk_rule

_SEED = 0


@dataclass(frozen=True, eq=False)
class Trace:
    """What a log shows of one rule, (T,) each (:mod:`weitzman.replays.judgement.walk`).

    Attributes
    ----------
    totals, chances
        The total, and with what chance it is known; NaN where it is not.
    low, high
        What plain boxes say that the total is at least and at most.
    spent, hand
        What is paid, with the first box that is not plain, and what is in hand by then.
    missing
        What the boxes cost that the rule opens and that are not plain; where the total is not known, those of
        them on the longest way that is possible.
    """

    totals: Floats
    chances: Floats
    low: Floats
    high: Floats
    spent: Floats
    hand: Floats
    missing: Floats

    @property
    def covered(self) -> Flags:
        """Whether all boxes that the rule opens are known."""
        return ~np.isnan(self.totals)

    @property
    def certain(self) -> Flags:
        """Whether the rule opens plain boxes alone: the total is known whatever is drawn."""
        return np.asarray(self.chances == 1.0)

    @property
    def weights(self) -> Floats:
        """1/P(covered) where the round is covered, else 0."""
        return np.where(self.covered, 1.0 / self.chances, 0.0)


def traces(policies: Sequence[Policy], seen: Seen, *, learned: int | None, tick: Tick) -> Floats:
    """Return what a log shows of policies, (k, 7, T).

    ``learned`` is how many rounds policies learn from; the rounds behind these are judged. None: all are, by
    policies that go on learning.
    """
    boxes, dimension = seen.contexts.shape[1:]
    players: list[Any] = [
        p.start(boxes=boxes, dimension=dimension, feedback="opened", seed=_SEED) for p in policies
    ]
    first = 0 if learned is None else learned
    found = np.empty((len(players), len(COLUMNS), len(seen) - first))
    for t, (shown, places) in enumerate(seen.rounds()):
        values = seen.values[t, places]
        if t >= first:
            frame = Frame(
                seen.prices[t, places], values, seen.plain_values[t, places],
                seen.known[t, places], seen.plain[t, places],
                seen.chances[t, places], seen.together, seen.floor, seen.ceiling,
            )  # fmt: skip
            for k, player in enumerate(players):
                # Who learns no more has no use for trials
                decide = (
                    player.rule if learned is None else getattr(player, "favourite", player.rule)
                )
                found[k, :, t - first] = walk_rule(bounded(decide(shown), shown), shown, frame)
        if (learned is None or t < first) and (
            shown.outside < np.inf or not np.isnan(values).all()
        ):
            for player in players:
                player.learn(shown, values)
        tick(1)
    return found
