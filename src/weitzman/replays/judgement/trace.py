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
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policy import Policy, Round, bounded
from weitzman.replays.judgement.panel import SEED, panel_traces
from weitzman.replays.judgement.seen import Seen
from weitzman.replays.judgement.walk import COLUMNS, frame_of, walk_rule
from weitzman.search.rule import Rule, WeitzmanRule


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
    looks
        The number of boxes that the rule opens, or on the longest way that is possible.
    """

    totals: Floats
    chances: Floats
    low: Floats
    high: Floats
    spent: Floats
    hand: Floats
    missing: Floats
    looks: Floats

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


class _Alone:
    """A policy that goes through the rounds, and what the log shows of it."""

    def __init__(self, policy: Policy, boxes: int, dimension: int, *, fixed: bool) -> None:
        self._player: Any = policy.start(
            boxes=boxes, dimension=dimension, feedback="opened", seed=SEED
        )
        # Who learns no more has no use for trials
        own = self._player.rule
        self._rule = getattr(self._player, "favourite", own) if fixed else own

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        return bounded(self._rule(shown), shown)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round."""
        self._player.learn(shown, values)


def groups_of(policies: Sequence[Policy]) -> list[list[int]]:
    """Return which policies go through the rounds together: simple rules over one history, others alone."""
    panels: dict[bool, list[int]] = {}
    groups: list[list[int]] = []
    for k, one in enumerate(policies):
        if isinstance(one, Simple) and one.prepare == "all":
            if one.shared not in panels:
                groups.append(panels.setdefault(one.shared, []))
            panels[one.shared].append(k)
        else:
            groups.append([k])
    return groups


def traces(
    policies: Sequence[Policy], seen: Seen, *, learned: int | None, tick: Tick, sigmas: bool = False
) -> tuple[Floats, Floats | None]:
    """Return what a log shows of policies that go together, (k, 8, T).

    With ``sigmas`` also their reservation values, (k, T, n): +∞ where a box is absent, NaN in a round whose
    rule has none.

    ``learned`` is how many rounds policies learn from; the rounds behind these are judged. None: all are, by
    policies that go on learning.
    """
    simple = [one for one in policies if isinstance(one, Simple) and one.prepare == "all"]
    if simple:
        return panel_traces(simple, seen, learned=learned, tick=tick, sigmas=sigmas)
    (policy,) = policies
    fixed, first = learned is not None, learned or 0
    run = _Alone(policy, *seen.contexts.shape[1:], fixed=fixed)
    found = np.empty((1, len(COLUMNS), len(seen) - first))
    kept = np.full((1, len(seen) - first, seen.costs.shape[1]), np.inf) if sigmas else None
    teaches = seen.teaches.tolist()
    for t, (shown, places) in enumerate(seen.rounds()):
        if t >= first:
            rule = run.rule(shown)
            found[0, :, t - first] = walk_rule(rule, shown, frame_of(seen, t, places))
            if kept is not None:
                kept[0, t - first, places] = (
                    rule.sigma if isinstance(rule, WeitzmanRule) else np.nan
                )
        if teaches[t] and (learned is None or t < learned):
            run.learn(shown, seen.values[t, places])
        tick(1)
    return found, kept
