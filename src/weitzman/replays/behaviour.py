"""What a policy does on a log: which options it checks first, at all and how many, and what it keeps.

It is played live, round after round (:meth:`weitzman.Searcher.from_log`), which gives the totals of its
replay bit for bit, and ends as the searcher that goes on with the rounds that come next.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.feedback import Feedback
from weitzman.learn.policy import Policy, Round
from weitzman.learn.searcher import Searcher
from weitzman.logs.log import Log
from weitzman.logs.options import Option, options_of
from weitzman.search.round import Outcome


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
