"""A learner and Weitzman's rule: the paper's policy, as a panel of one rule.

σ is what the learner predicts from contexts as they are, and stays as it is during the round. Where only
the values of opened boxes are revealed, σ is lowered by :mod:`weitzman.learn.optimism` as in a searcher.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.ftrl import FTRL
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.optimism import KAPPA
from weitzman.learn.panel import index_totals
from weitzman.learn.past import Past
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
    """

    learner: Learner = field(default_factory=FTRL)
    name: str = "paper"

    def start(self, past: Past) -> "IndexMembers":
        """Return the rule, over a past without rounds."""
        bank = self.learner.start(boxes=past.boxes, dimension=past.dimension)
        return IndexMembers(bank, (self.name,), KAPPA if past.feedback == "opened" else 0.0)


def paper(*, shared: bool = False) -> Index:
    """Return the rule of the paper: exact FTRL on linear reservation values."""
    return Index(learner=FTRL(shared=shared))


class IndexMembers:
    """The one rule, running."""

    def __init__(self, bank: Bank, names: tuple[str, ...], optimism: float = 0.0) -> None:
        self.names = names
        self._optimism = optimism
        self._bank = bank

    def course(self, round: Round, rule: int) -> IndexCourse:  # noqa: A002
        """Return what the rule does in a round."""
        return IndexCourse(self._sigma(round))

    def totals(self, round: Round, values: Floats) -> tuple[Floats, Ints]:  # noqa: A002
        """Return what the rule comes to in a round, and how many boxes it opens."""
        return index_totals(self._sigma(round)[np.newaxis], round, values)

    def learn(self, round: Round, values: Floats) -> None:  # noqa: A002
        """Let the learner learn."""
        self._bank.update_arrays(round.places, round.contexts, values, round.costs)

    def state(self) -> State:
        """Return the learner's state."""
        return self._bank.state()

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._bank.restore(dict(state))

    def _sigma(self, round: Round) -> Floats:  # noqa: A002
        return self._bank.predict_arrays(round.contexts, round.costs, round.places, self._optimism)
