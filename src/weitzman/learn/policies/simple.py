"""Simple rules: what a practitioner would do without this library. All are index courses.

With μ the ridge means of the round (:mod:`weitzman.learn.models.means`) and c its costs:

==========  ======================================================================================
stay        keep the outside option
all         open everything
single      open the box with the least mean value so far plus c, if that is below the outside option
fixed-set   open all boxes of the best fixed set so far (:mod:`weitzman.learn.models.fixed_set`)
one-shot    open the box with the least μ + c, if that is below the outside option
mean        σ = μ
mean+cost   σ = μ + c
no-context  σ of the empirical distributions so far (:mod:`weitzman.learn.models.empirical`)
==========  ======================================================================================

Where a rule would open nothing and there is no outside option, it opens the cheapest box. A box that
was never seen is taken to have the value 0, so that ``single`` and the index rules try it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.models.empirical import NoContext
from weitzman.learn.models.fixed_set import FixedSet
from weitzman.learn.models.history import Past
from weitzman.learn.models.means import Means
from weitzman.learn.policies.panel import index_totals
from weitzman.learn.policy import Floats, IndexCourse, Ints, Round, State, only

__all__ = ["RULES", "Simple", "best_or_stay", "stay"]

RULES = ("stay", "all", "single", "fixed-set", "one-shot", "mean", "mean+cost", "no-context")
"""The names of the simple rules."""


@dataclass(frozen=True, kw_only=True)
class Simple:
    """The simple rules, as a panel.

    Parameters
    ----------
    rules
        Which of :data:`RULES`.
    """

    rules: Sequence[str] = RULES

    def start(self, past: Past) -> "SimpleMembers":
        """Return the rules, over a past without rounds."""
        unknown = [rule for rule in self.rules if rule not in RULES]
        if unknown or len(set(self.rules)) < len(self.rules):
            raise InvalidInputError("The simple rules", f"be distinct, of {RULES}", self.rules)
        return SimpleMembers(past, tuple(self.rules))


def best_or_stay(totals: Floats, round: Round) -> Floats:  # noqa: A002
    """Return the σ that open the row with the least expected total, or stay if it is no better."""
    sigma = np.full(len(totals), np.inf)
    _open_best(totals, round, sigma)
    return sigma


def _open_best(totals: Floats, round: Round, sigma: Floats) -> None:  # noqa: A002
    row = int(totals.argmin())
    if totals[row] < round.outside:
        sigma[row] = -np.inf


def stay(round: Round) -> Floats:  # noqa: A002
    """Return the σ that keep the outside option; that open the cheapest box, if there is none."""
    count = len(round.costs)
    if round.outside < np.inf:
        return np.full(count, np.inf)
    return only(int(np.argmin(round.costs)), count)


class SimpleMembers:
    """The simple rules, running."""

    def __init__(self, past: Past, names: tuple[str, ...]) -> None:
        self.names = names
        self._past = past
        self._asked: tuple[Round | None, int, Floats] = (None, 0, np.empty((0, 0)))

    def course(self, round: Round, rule: int) -> IndexCourse:  # noqa: A002
        """Return what one rule does in a round."""
        asked, count, known = self._asked
        if asked is round and count == self._past.count:
            return IndexCourse(known[rule])
        # The other rules may never be asked
        sigma = np.full(len(round.costs), np.inf)
        self._set(self.names[rule], round, sigma)
        return IndexCourse(sigma)

    def totals(self, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
        """Return what every rule comes to in a round, and how many boxes it opens."""
        return index_totals(self._sigma(round), round, values)

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn nothing beside the past."""

    def state(self) -> State:
        """Return nothing: all is in the past."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the past alone."""
        self._asked = (None, 0, np.empty((0, 0)))

    def _sigma(self, round: Round) -> Floats:  # noqa: A002
        asked, count, sigma = self._asked
        if asked is not round or count != self._past.count:
            sigma = np.full((len(self.names), len(round.costs)), np.inf)
            for row, rule in enumerate(self.names):
                self._set(rule, round, sigma[row])
            self._asked = (round, self._past.count, sigma)
        return sigma

    def _set(self, rule: str, round: Round, sigma: Floats) -> None:  # noqa: A002
        """Set the σ of one rule, which are +∞ before."""
        past, costs = self._past, round.costs
        match rule:
            case "all":
                sigma[:] = -np.inf
            case "no-context":
                sigma[:] = past.model(NoContext).predict(round)
            case "mean" | "mean+cost":
                means = past.model(Means).predict(round)
                sigma[:] = means if rule == "mean" else means + costs
            case "one-shot":
                _open_best(past.model(Means).predict(round) + costs, round, sigma)
            case "single" if past.count:
                seen, sums = past.seen[round.places], past.totals[round.places]
                _open_best(sums / np.maximum(seen, 1.0) + costs, round, sigma)
            case "fixed-set" if (chosen := past.model(FixedSet).chosen()[round.places]).any():
                sigma[chosen] = -np.inf
            case _:
                sigma[:] = stay(round)
