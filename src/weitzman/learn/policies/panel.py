"""Panels: rules that share what they have learned.

Many rules need the same: the ridge means of a round serve "one shot", "mean" and "mean + cost"; one
law of the round serves every way of playing it. A *panel* is a frozen description of such rules.
``start`` makes *members* of it, over a :class:`~weitzman.learn.models.history.Past` that several panels may
share and that is not theirs to write.

Under full information every rule can be scored on every round, also those that were not played:
``totals`` says what each would have come to. It follows the same decisions as the courses do, but for
optimism (:mod:`weitzman.learn.policies.weitzman`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.errors import InvalidInputError
from weitzman.learn.models.history import Past, Revealed
from weitzman.learn.policy import Course, Floats, Ints, Player, Round, State, joined, parted
from weitzman.search.kernels import play_round

__all__ = ["Chosen", "Members", "Panel", "index_totals", "joined", "parted"]


class Members(Protocol):
    """The rules of a panel, running."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the rules."""

    def course(self, round: Round, rule: int) -> Course:  # noqa: A002
        """Return what one rule does in a round; nothing changes."""

    def totals(self, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
        """Return what every rule comes to in a round, and how many boxes it opens.

        A total is NaN if a value that the rule would have seen is.
        """

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Learn a round, before it is added to the past."""

    def state(self) -> State:
        """Return a copy of everything beside the past that later answers depend on."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned; the past is restored before."""


class Panel(Protocol):
    """The description of rules that share what they have learned."""

    def start(self, past: Past) -> Members:
        """Return the rules, over a past without rounds."""


@checked
def _index_totals(
    orders: Ints,
    sigma: Floats,
    costs: Floats,
    outside: float,
    values: Floats,
    totals: Floats,
    counts: Ints,
) -> None:
    for rule in range(sigma.shape[0]):
        best, paid, _, count = play_round(orders[rule], sigma[rule], costs, values, outside)
        totals[rule], counts[rule] = best + paid, count
        for k in range(count):
            if np.isnan(values[orders[rule, k]]):
                totals[rule] = np.nan


def index_totals(sigma: Floats, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
    """Return what index courses come to, one per row of σ.

    Examples
    --------
    >>> known = Round(contexts=np.ones((2, 1)), costs=np.ones(2), outside=9.0, places=np.arange(2))
    >>> index_totals(np.array([[3.0, 1.0], [np.inf, np.inf]]), known, np.array([2.0, 5.0]))
    (array([4., 9.]), array([2, 0]))
    """
    totals, counts = np.empty(len(sigma)), np.empty(len(sigma), dtype=np.int64)
    orders = np.argsort(sigma, axis=1, kind="stable")
    _index_totals(orders, sigma, round.costs, round.outside, values, totals, counts)
    return totals, counts


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """One rule of a panel, as a policy.

    Parameters
    ----------
    panel
        Where the rule is.
    rule
        Its name.
    shared
        Whether one model serves all boxes.
    standardise
        Whether contexts are to be standardised for the models that need it.
    feedback
        What rounds reveal: ``"full"`` or ``"opened"``.
    """

    panel: Panel
    rule: str
    shared: bool = False
    standardise: bool = True
    feedback: Revealed = "full"

    def start(self, *, boxes: int, dimension: int) -> Player:
        """Return a player that has seen nothing."""
        past = Past(
            boxes=boxes,
            dimension=dimension,
            shared=self.shared,
            standardise=self.standardise,
            feedback=self.feedback,
        )
        members = self.panel.start(past)
        if self.rule not in members.names:
            raise InvalidInputError("The rule", f"be one of {list(members.names)}", self.rule)
        return _ChosenPlayer(past, members, list(members.names).index(self.rule))


class _ChosenPlayer:
    def __init__(self, past: Past, members: Members, rule: int) -> None:
        self._past = past
        self._members = members
        self._rule = rule

    def propose(self, round: Round) -> Course:  # noqa: A002
        return self._members.course(round, self._rule)

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        self._members.learn(round, values)
        self._past.add(round, values)

    def state(self) -> State:
        return joined({"past": self._past.state(), "members": self._members.state()})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        self._past.restore(parted(state, "past"))
        self._members.restore(parted(state, "members"))
