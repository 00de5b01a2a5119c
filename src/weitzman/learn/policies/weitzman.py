"""A learner and Weitzman's rule: the paper's policy, as a panel of one rule.

σ is what the learner predicts from contexts as they are, and stays as it is during the round. Features of
different sizes, and values far from zero, are hard on a linear learner: with ``standardise`` it is given
[1, z] instead, with z the context as the past standardises it. Where only the values of opened boxes are
revealed, σ is lowered by :mod:`weitzman.learn.learners.parts.optimism` as in a searcher. What that costs is
spent on learning, so the rule's ``totals`` are those without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.parts.optimism import KAPPA
from weitzman.learn.models.history import Past, with_constant
from weitzman.learn.policies.panel import index_totals
from weitzman.learn.policy import Floats, IndexCourse, Ints, Round, State

__all__ = ["Index", "paper"]


@dataclass(frozen=True, kw_only=True)
class Index:
    """Weitzman's rule over a learner's reservation values.

    Parameters
    ----------
    learner
        What learns the reservation values.
    name
        The name of the rule.
    standardise
        Whether the learner is given [1, z].
    """

    learner: Learner = field(default_factory=FTRL)
    name: str = "paper"
    standardise: bool = False

    def start(self, past: Past) -> "IndexMembers":
        """Return the rule, over a past without rounds."""
        dimension = past.dimension + int(self.standardise)
        bank = self.learner.start(boxes=past.boxes, dimension=dimension)
        return IndexMembers(past, bank, self)


def paper(*, shared: bool = False, standardise: bool = False) -> Index:
    """Return the rule of the paper: exact FTRL on linear reservation values."""
    name = "paper standardised" if standardise else "paper"
    return Index(learner=FTRL(shared=shared), name=name, standardise=standardise)


class IndexMembers:
    """The one rule, running."""

    def __init__(self, past: Past, bank: Bank, panel: Index) -> None:
        self.names = (panel.name,)
        self._standardise = panel.standardise
        self._past = past
        self._bank = bank
        self._optimism = KAPPA if past.feedback == "opened" else 0.0

    def course(self, round: Round, rule: int) -> IndexCourse:  # noqa: A002
        """Return what the rule does in a round."""
        return IndexCourse(self._sigma(round, self._optimism))

    def totals(self, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
        """Return what the rule comes to in a round without optimism, and how many boxes it opens."""
        return index_totals(self._sigma(round, 0.0)[np.newaxis], round, values)

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Let the learner learn."""
        self._bank.update_arrays(round.places, self._rows(round), values, round.costs)

    def state(self) -> State:
        """Return the learner's state."""
        return self._bank.state()

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._bank.restore(dict(state))

    def _sigma(self, round: Round, optimism: float) -> Floats:  # noqa: A002
        rows = self._rows(round)
        return self._bank.predict_arrays(rows, round.costs, round.places, optimism, round.outside)

    def _rows(self, round: Round) -> Floats:  # noqa: A002
        if not self._standardise:
            return round.contexts
        return with_constant(self._past.standardised(round))
