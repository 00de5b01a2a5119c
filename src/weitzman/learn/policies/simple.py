"""Simple rules: what a practitioner would do without this library. All are Weitzman's rule at some σ.

With μ the ridge means of the round (:mod:`weitzman.learn.models.means`) and c its costs:

==========  ======================================================================================
stay        keep the outside option
all         open everything
cheapest    open the cheapest box, if its mean value so far plus c is below the outside option
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
from weitzman.learn.models.history import History
from weitzman.learn.models.means import Means
from weitzman.learn.policies.family import alone, index_totals
from weitzman.learn.policy import Feedback, Floats, Ints, Player, Round, State, cheapest, only
from weitzman.learn.preparation import Prepare
from weitzman.search.rule import WeitzmanRule

RULES = (
    "stay",
    "all",
    "cheapest",
    "single",
    "fixed-set",
    "one-shot",
    "mean",
    "mean+cost",
    "no-context",
)
"""The names of the simple rules."""

EARLIER_RULES = tuple(rule for rule in RULES if rule != "cheapest")
"""Those that ``default`` went by before rounds were prepared."""


@dataclass(frozen=True)
class Simple:
    """A simple rule, as a policy.

    Parameters
    ----------
    rule
        Which of :data:`RULES`.
    shared
        Whether the boxes carry no history, and one model serves all of them.
    prepare
        What is prepared (:mod:`weitzman.learn.preparation`).
    """

    rule: str
    shared: bool = False
    prepare: Prepare = "all"

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InvalidInputError("The simple rule", f"be one of {list(RULES)}", self.rule)

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.rule

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return a player that has seen nothing."""
        return alone(self, boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)

    def family(self) -> "SimpleFamily":
        """Return the family of one."""
        return SimpleFamily((self.rule,))


@dataclass(frozen=True)
class SimpleFamily:
    """Simple rules over one history."""

    rules: Sequence[str] = RULES

    @property
    def names(self) -> Sequence[str]:
        """The names of the rules."""
        return self.rules

    @property
    def key(self) -> str:
        """What families that can be one have in common."""
        return "simple"

    def __add__(self, other: "SimpleFamily") -> "SimpleFamily":
        """Return the family of both."""
        return SimpleFamily((*self.rules, *other.rules))

    def start(self, history: History, *, seed: int) -> "SimpleMembers":
        """Return the rules, over a history without rounds."""
        unknown = [rule for rule in self.rules if rule not in RULES]
        if unknown or len(set(self.rules)) < len(self.rules):
            raise InvalidInputError("The simple rules", f"be distinct, of {RULES}", self.rules)
        return SimpleMembers(history, tuple(self.rules))


def best_or_stay(totals: Floats, shown: Round) -> Floats:
    """Return the σ that open the row with the least expected total, or stay if it is no better."""
    sigma = np.full(len(totals), np.inf)
    _open_best(totals, shown, sigma)
    return sigma


def _open_best(totals: Floats, shown: Round, sigma: Floats) -> None:
    row = int(totals.argmin())
    if totals[row] < shown.outside:
        sigma[row] = -np.inf


def stay(shown: Round) -> Floats:
    """Return the σ that keep the outside option; that open the cheapest box, if there is none."""
    count = len(shown.costs)
    if shown.outside < np.inf:
        return np.full(count, np.inf)
    return only(int(np.argmin(shown.costs)), count)


class SimpleMembers:
    """The simple rules, running."""

    def __init__(self, history: History, names: tuple[str, ...]) -> None:
        self.names = names
        self._history = history
        self._asked: tuple[Round | None, int, Floats] = (None, 0, np.empty((0, 0)))
        self._new: tuple[Round | None, int, Ints] = (None, 0, np.empty(0, dtype=np.int64))

    def rule(self, shown: Round, member: int) -> WeitzmanRule:
        """Return what decides in a round for one of the rules."""
        asked, count, known = self._asked
        if asked is shown and count == self._history.count:
            return WeitzmanRule(known[member])
        # The other rules may never be asked
        sigma = np.full(len(shown.costs), np.inf)
        self._set(self.names[member], shown, sigma)
        return WeitzmanRule(sigma)

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of every rule in a round, and how many boxes it opens."""
        return index_totals(self.sigma(shown), shown, values)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn nothing beside the history."""

    def state(self) -> State:
        """Return nothing: all is in the history."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the history alone."""
        self._asked = (None, 0, np.empty((0, 0)))
        self._new = (None, 0, np.empty(0, dtype=np.int64))

    def sigma(self, shown: Round) -> Floats:
        """Return the σ of every rule in a round, one row each."""
        asked, count, sigma = self._asked
        if asked is not shown or count != self._history.count:
            sigma = np.full((len(self.names), len(shown.costs)), np.inf)
            for row, rule in enumerate(self.names):
                self._set(rule, shown, sigma[row])
            self._asked = (shown, self._history.count, sigma)
        return sigma

    def _set(self, rule: str, shown: Round, sigma: Floats) -> None:
        """Set the σ of one rule, which are +∞ before."""
        if rule == "all":
            sigma[:] = -np.inf
            return
        if rule == "stay":
            sigma[:] = stay(shown)
            return
        if self._history.is_cold:
            sigma[:] = cheapest(shown)
            return
        self._set_informed(rule, shown, sigma)
        if shown.least > -np.inf:
            np.maximum(sigma, shown.floor, out=sigma, where=sigma > -np.inf)
        if self._history.unit_free and self._history.feedback == "opened":
            new = self._never_seen(shown)
            if len(new):
                sigma[new] = np.inf
                sigma[new[shown.costs[new].argmin()]] = -np.inf

    def _never_seen(self, shown: Round) -> Ints:
        """Return the rows that never showed a value; every rule of a round asks for them."""
        asked, count, rows = self._new
        if asked is not shown or count != self._history.count:
            rows = np.flatnonzero(self._history.never_seen(shown.places))
            self._new = (shown, self._history.count, rows)
        return rows

    def _set_informed(self, rule: str, shown: Round, sigma: Floats) -> None:
        """Set the σ of a rule that goes by what was seen."""
        history, costs = self._history, shown.costs
        match rule:
            case "no-context":
                sigma[:] = history.model(NoContext).predict(shown)
            case "mean" | "mean+cost":
                means = history.model(Means).predict(shown)
                sigma[:] = means if rule == "mean" else means + costs
            case "one-shot":
                _open_best(history.model(Means).predict(shown) + costs, shown, sigma)
            case "cheapest" | "single" if history.count:
                seen, sums = history.seen[shown.places], history.totals[shown.places]
                totals = sums / np.maximum(seen, 1.0) + costs
                if history.unit_free:
                    mean = history.totals.sum() / history.seen.sum()
                    totals[seen == 0.0] = mean + costs[seen == 0.0]
                if rule == "cheapest":
                    totals[costs > costs.min()] = np.inf
                _open_best(totals, shown, sigma)
            case "fixed-set" if (chosen := history.model(FixedSet).chosen()[shown.places]).any():
                sigma[chosen] = -np.inf
            case _:
                sigma[:] = stay(shown)
