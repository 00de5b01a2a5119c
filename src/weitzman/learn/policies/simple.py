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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import kernel
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.models.empirical import NoContext
from weitzman.learn.models.fixed_set import FixedSet
from weitzman.learn.models.history import History
from weitzman.learn.models.means import Means
from weitzman.learn.policies.family import Indices, alone
from weitzman.learn.policy import Floats, Ints, Player, Round, State, only
from weitzman.learn.preparation import Prepare
from weitzman.search.rule import NO_BOX, WeitzmanRule

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
    _open_least(totals, shown.costs, math.inf, shown.outside, sigma)
    return sigma


def stay(shown: Round) -> Floats:
    """Return the σ that keep the outside option; that open the cheapest box, if there is none."""
    count = len(shown.costs)
    if shown.outside < np.inf:
        return np.full(count, np.inf)
    return only(int(np.argmin(shown.costs)), count)


_STAY, _ALL, _CHEAPEST, _SINGLE, _FIXED_SET, _ONE_SHOT, _MEAN, _MEAN_COST, _NO_CONTEXT = range(
    len(RULES)
)
BY_MEANS = {"one-shot", "mean", "mean+cost"}
_NONE, _NO = np.empty(0), np.empty(0, dtype=np.bool_)


def codes_of(names: Sequence[str]) -> Ints:
    """Return rules as :func:`set_rows` takes them."""
    return np.array([RULES.index(name) for name in names])


@kernel
def _cheapest(costs: Floats, among: Flags) -> int:
    """Return the row with the least cost among some, of equal ones the first; NO_BOX if there are none."""
    found = NO_BOX
    for row in range(among.shape[0]):
        if among[row] and (found == NO_BOX or costs[row] < costs[found]):
            found = row
    return found


@kernel
def _open_least(totals: Floats, costs: Floats, most: float, outside: float, row: Floats) -> None:
    """Open the box with the least total that costs at most so much, if it is below the outside option."""
    found, least = NO_BOX, outside
    for box in range(totals.shape[0]):
        if costs[box] <= most and totals[box] < least:
            found, least = box, totals[box]
    if found != NO_BOX:
        row[found] = -math.inf


@kernel
def _inform(
    code: int, costs: Floats, outside: float, means: Floats, plain: Floats, totals: Floats,
    chosen: Flags, low: int, row: Floats,
) -> None:  # fmt: skip
    """Set the σ of a rule that goes by what was seen, which are +∞ before."""
    if code == _MEAN:
        row[:] = means
    elif code == _MEAN_COST:
        row[:] = means + costs
    elif code == _NO_CONTEXT:
        row[:] = plain
    elif code == _ONE_SHOT:
        _open_least(means + costs, costs, math.inf, outside, row)
    elif code == _FIXED_SET and chosen.any():
        row[:] = np.where(chosen, -math.inf, math.inf)
    elif code in (_CHEAPEST, _SINGLE) and totals.shape[0]:
        most = costs[low] if code == _CHEAPEST else math.inf
        _open_least(totals, costs, most, outside, row)
    elif outside == math.inf:
        row[low] = -math.inf


@kernel
def set_rows(
    codes: Ints, costs: Floats, outside: float, cold: bool, means: Floats, plain: Floats,
    totals: Floats, chosen: Flags, new: Flags, least: float, sigma: Floats,
) -> None:  # fmt: skip
    """Set the σ of rules, one row each. What is not known is empty.

    Of every row ``means`` are μ, ``plain`` is σ of the empirical distribution, ``totals`` are mean value plus
    cost, ``chosen`` says what is in the best fixed set, ``new`` what was never seen and is to be tried.
    """
    low = _cheapest(costs, np.ones(costs.shape[0], dtype=np.bool_))
    tried = _cheapest(costs, new)
    for k in range(codes.shape[0]):
        code, row = codes[k], sigma[k]
        row[:] = -math.inf if code == _ALL else math.inf
        if code == _STAY or (cold and code != _ALL):
            if code != _STAY or outside == math.inf:
                row[low] = -math.inf
            continue
        if code == _ALL:
            continue
        _inform(code, costs, outside, means, plain, totals, chosen, low, row)
        for box in range(row.shape[0]):
            if row[box] > -math.inf:
                row[box] = max(row[box], least + costs[box])
            if tried != NO_BOX and new[box]:
                row[box] = math.inf
        if tried != NO_BOX:
            row[tried] = -math.inf


class SimpleMembers:
    """The simple rules, running."""

    def __init__(self, history: History, names: tuple[str, ...]) -> None:
        self.names = names
        self._history = history
        self._forget()

    def _forget(self) -> None:
        # A round, how many were closed before it, and what the rules go by in it
        self._asked: tuple[Round, int, Floats, Indices] | None = None

    def rule(self, shown: Round, member: int) -> WeitzmanRule:
        """Return what decides in a round for one of the rules."""
        if self._is_asked(shown):
            return WeitzmanRule(self.sigma(shown)[member])
        # The other rules may never be asked
        return WeitzmanRule(self._sigma(shown, self.names[member : member + 1])[0])

    def totals(self, shown: Round, values: Floats) -> tuple[Floats, Ints]:
        """Return the total of every rule in a round, and how many boxes it opens."""
        return self._all(shown)[1].totals(values)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn nothing beside the history."""

    def state(self) -> State:
        """Return nothing: all is in the history."""
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from the history alone."""
        self._forget()

    def _is_asked(self, shown: Round) -> bool:
        asked = self._asked
        return asked is not None and asked[0] is shown and asked[1] == self._history.count

    def _all(self, shown: Round) -> tuple[Floats, Indices]:
        """Return the σ of all rules, and what plays them."""
        if self._asked is None or not self._is_asked(shown):
            sigma = self._sigma(shown, self.names)
            self._asked = (shown, self._history.count, sigma, Indices(sigma, shown))
        return self._asked[2:]

    def sigma(self, shown: Round) -> Floats:
        """Return the σ of every rule in a round, one row each."""
        return self._all(shown)[0]

    def _sigma(self, shown: Round, names: Sequence[str]) -> Floats:
        """Return the σ of some rules, one row each."""
        history, places = self._history, shown.places
        cold = history.is_cold
        means = plain = totals = _NONE
        chosen, new = _NO, _NO
        if not cold:
            seen, sums = history.seen[places], history.totals[places]
            totals = sums / np.maximum(seen, 1.0) + shown.costs
            if history.unit_free:
                unseen = seen == 0.0
                if unseen.any():
                    level = history.totals.sum() / history.seen.sum()
                    totals[unseen] = level + shown.costs[unseen]
                if history.feedback == "opened":
                    new = history.never_seen(places)
            if not history.count:
                totals = _NONE
            if not BY_MEANS.isdisjoint(names):
                means = history.model(Means).predict(shown)
            if "no-context" in names:
                plain = history.model(NoContext).predict(shown)
            if "fixed-set" in names:
                chosen = history.model(FixedSet).chosen()[places]
        sigma = np.empty((len(names), len(places)))
        set_rows(
            codes_of(names), shown.costs, shown.outside, cold, means, plain, totals, chosen, new, shown.least,
            sigma,
        )  # fmt: skip
        return sigma
