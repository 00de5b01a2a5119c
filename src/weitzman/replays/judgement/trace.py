"""Policies on a log with gaps: what the log shows of each of them, round by round.

A policy learns what the log shows, also of boxes that it would not have opened, and every round is judged by
the rule that it had by then; or it learns from the first rounds only, and is judged on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.jobs.processes import Tick
from weitzman.learn.models.history import History
from weitzman.learn.policies.simple import Simple, SimpleFamily
from weitzman.learn.policy import Policy, Round, bounded
from weitzman.learn.preparation import Preparation
from weitzman.replays.judgement.seen import Seen
from weitzman.replays.judgement.walk import COLUMNS, Frame, walk_many, walk_rule

_SEED = 0


class Start(NamedTuple):
    """The number of boxes, and the length of a context."""

    boxes: int
    dimension: int


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


class _Alone:
    """A policy that goes through the rounds, and what the log shows of it."""

    def __init__(self, policy: Policy, start: Start, *, fixed: bool) -> None:
        self._player: Any = policy.start(
            boxes=start.boxes, dimension=start.dimension, feedback="opened", seed=_SEED
        )
        # Who learns no more has no use for trials
        own = self._player.rule
        self._rule = getattr(self._player, "favourite", own) if fixed else own

    def walk(self, shown: Round, frame: Frame) -> Floats:
        """Return what the log shows of a round, a row."""
        return walk_rule(bounded(self._rule(shown), shown), shown, frame)[np.newaxis]

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round."""
        self._player.learn(shown, values)


class _Panel:
    """Simple rules over one history, which decide as each does over its own."""

    def __init__(self, policies: Sequence[Simple], start: Start) -> None:
        history = History(
            boxes=start.boxes,
            dimension=start.dimension,
            shared=policies[0].shared,
            prepare="all",
            feedback="opened",
        )
        family = SimpleFamily(tuple(one.rule for one in policies))
        self._members = family.start(history, seed=_SEED)
        self._history = history
        self._preparation = Preparation(start.dimension, values=True, feedback="opened")

    def walk(self, shown: Round, frame: Frame) -> Floats:
        """Return what the log shows of a round, a row for each rule."""
        ready = self._preparation.ready(shown)
        sigma = self._members.sigma(ready)
        if ready.units is not None:
            sigma = ready.units.thresholds(sigma.ravel()).reshape(sigma.shape)
        return walk_many(sigma, shown, frame)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn a round."""
        ready, found = self._preparation.take(shown, values)
        if ready.units is not None:
            self._members.learn(ready, found)
            self._history.add(ready, found)


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


def traces(policies: Sequence[Policy], seen: Seen, *, learned: int | None, tick: Tick) -> Floats:
    """Return what a log shows of policies, (k, 7, T).

    ``learned`` is how many rounds policies learn from; the rounds behind these are judged. None: all are, by
    policies that go on learning.
    """
    start = Start(*seen.contexts.shape[1:])
    groups = groups_of(policies)
    runs = [_started([policies[k] for k in g], start, fixed=learned is not None) for g in groups]
    first = 0 if learned is None else learned
    found = np.empty((len(policies), len(COLUMNS), len(seen) - first))
    for t, (shown, places) in enumerate(seen.rounds()):
        values = seen.values[t, places]
        if t >= first:
            frame = Frame(
                seen.prices[t, places], values, seen.plain_values[t, places],
                seen.known[t, places], seen.plain[t, places],
                seen.chances[t, places], seen.together, seen.floor, seen.ceiling,
            )  # fmt: skip
            for group, run in zip(groups, runs, strict=True):
                found[group, :, t - first] = run.walk(shown, frame)
        if (learned is None or t < first) and (
            shown.outside < np.inf or not np.isnan(values).all()
        ):
            for run in runs:
                run.learn(shown, values)
        tick(1)
    return found


def _started(policies: Sequence[Policy], start: Start, *, fixed: bool) -> "_Alone | _Panel":
    simple = [one for one in policies if isinstance(one, Simple)]
    if len(simple) > 1:
        return _Panel(simple, start)
    return _Alone(policies[0], start, fixed=fixed)
