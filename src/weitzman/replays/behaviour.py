"""What a policy does on a log: which options it checks first, at all and how many, and what it keeps.

It is played live, round after round (:meth:`weitzman.Searcher.from_log`), which gives the totals of its
replay bit for bit, and ends as the searcher that goes on with the rounds that come next.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.feedback import Feedback
from weitzman.learn.policy import Policy, Round
from weitzman.learn.searcher import Searcher
from weitzman.logs.log import Log
from weitzman.logs.options import Option, options_of
from weitzman.search.round import Outcome

_CLEARLY = 0.9
"""In how many of the rounds a sentence has to be true."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Behaviour:
    """What a policy did on a log, round by round.

    Attributes
    ----------
    log
        The log, with the costs that were played.
    looks, kept
        The places of the boxes that were opened in each round, in order, and of the box that was kept: −1
        for the outside option.
    totals
        The total of each round, smaller is better.
    """

    log: Log
    looks: list[tuple[int, ...]]
    kept: Ints
    totals: Floats

    @property
    def counts(self) -> Ints:
        """How many boxes were opened in each round."""
        return np.array([len(row) for row in self.looks], dtype=np.int64)

    @property
    def has_names(self) -> bool:
        """Whether boxes are the same things in all rounds, so that it means something to name one."""
        return not self.log.shared

    @property
    def sign(self) -> float:
        """What turns a value into one of the user."""
        return 1.0 if self.log.sense == "min" else -1.0

    def options(self) -> list[Option]:
        """Return what was done with each option, those that are checked first most on top."""
        rounds = self.log.past()
        places: list[int] = []
        is_first: list[bool] = []
        spent: list[float] = []
        found: list[float] = []
        for number, ((shown, values), row) in enumerate(zip(rounds, self.looks, strict=True)):
            costs = rounds.real_costs(number, shown) or shown.costs.tolist()
            at = np.searchsorted(shown.places, row).tolist()
            places += row
            is_first += [turn == 0 for turn in range(len(row))]
            spent += [costs[k] for k in at]
            found += [float(values[k]) for k in at]
        return options_of(
            self.log.boxes,
            places=np.array(places, dtype=np.int64),
            is_first=np.array(is_first, dtype=np.bool_),
            paid=np.array(spent),
            values=self.sign * np.array(found),
            kept=self.kept,
        )

    def after(self, place: int) -> tuple[Floats, Ints]:
        """Return what was found in the rounds that began with a box, and what was opened next, −1: nothing.

        Rounds without another box say nothing and are left out.
        """
        found, following = [], []
        for (shown, values), row in zip(self.log.past(), self.looks, strict=True):
            if row and row[0] == place and len(shown.places) > 1:
                found.append(float(values[int(np.searchsorted(shown.places, place))]))
                following.append(row[1] if len(row) > 1 else -1)
        return np.array(found), np.array(following, dtype=np.int64)


def cut_between(found: Floats, goes_on: Flags) -> float | None:
    """Return the largest value found that is enough to stop; None if no value parts most rounds.

    Examples
    --------
    >>> cut_between(np.array([0.0, 20.0, 0.0, 20.0]), np.array([0, 1, 0, 1], dtype=bool))
    0.0
    >>> cut_between(np.array([0.0, 20.0, 0.0, 20.0]), np.array([0, 1, 1, 0], dtype=bool)) is None
    True
    """
    if goes_on.all() or not goes_on.any():
        return None
    order = np.argsort(found, kind="stable")
    found, goes = found[order], goes_on[order]
    # Stops at or below each value are right, and what goes on above it
    right = np.cumsum(~goes) + (goes.sum() - np.cumsum(goes))
    ends = np.flatnonzero(np.append(found[1:] > found[:-1], True))
    best = ends[int(np.argmax(right[ends]))]
    return float(found[best]) if right[best] >= _CLEARLY * len(found) else None


def behaviour_of(
    log: Log, policy: Policy | str, feedback: Feedback, *, cost_scale: float = 1.0
) -> tuple[Behaviour, Searcher]:
    """Return what a policy does on a log, and the searcher that has lived through it."""
    if cost_scale != 1.0:
        paid = None if log.paid is None else cost_scale * log.paid
        log = replace(log, costs=cost_scale * log.costs, paid=paid)
    place = {name: k for k, name in enumerate(log.boxes)}
    looks: list[tuple[int, ...]] = []
    kept: list[int] = []
    totals: list[float] = []

    def watch(_: Round, outcome: Outcome[Hashable]) -> None:
        looks.append(tuple(place[str(box)] for box in outcome.opened))
        kept.append(-1 if outcome.chosen is None else place[str(outcome.chosen)])
        totals.append(outcome.total)

    searcher = Searcher.from_log(log, policy, feedback=feedback, watch=watch)
    sign = 1.0 if log.sense == "min" else -1.0
    found = Behaviour(
        log=log,
        looks=looks,
        kept=np.array(kept, dtype=np.int64),
        totals=sign * np.array(totals),
    )
    return found, searcher
