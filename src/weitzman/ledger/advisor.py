"""What a problem asks: reservation values for a round, and learning from its values.

The advisor of a learner is the learner's bank, asked as :class:`weitzman.Searcher` asks it: predictions
lowered by optimism, values learned when a round closes. Smaller values are better here.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.learners import learner_from
from weitzman.learn.settings import checked_optimism
from weitzman.ledger.bodies import Created

__all__ = ["Advisor", "Floats", "Ints", "State", "advisor_for"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, NDArray[Any]]


class Advisor(Protocol):
    """Predicts and learns for the n boxes of one problem."""

    @property
    def every(self) -> Ints:
        """The places of all boxes."""

    def propose(self, places: Ints, contexts: Floats, costs: Floats, outside: float) -> Floats:
        """Return the reservation values of the rows of a round; nothing changes."""

    def learn(
        self, places: Ints, contexts: Floats, costs: Floats, values: Floats, outside: float
    ) -> None:
        """Learn the values of the rows of a round, NaN for what was not seen."""

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""

    def restore(self, state: State) -> None:
        """Go on from what :meth:`state` returned."""


class BankAdvisor:
    """A learner's bank."""

    def __init__(self, settings: Created) -> None:
        try:
            learner = learner_from(settings.learner, settings.parameters)
        except TypeError as error:
            rule = f"be those of {settings.learner}"
            raise InvalidInputError("The parameters of the learner", rule, str(error)) from None
        self._bank = learner.start(boxes=len(settings.boxes), dimension=len(settings.features))
        self._kappa = checked_optimism(settings.optimism, settings.feedback)

    @property
    def every(self) -> Ints:
        """The places of all boxes."""
        return self._bank.every

    def propose(self, places: Ints, contexts: Floats, costs: Floats, outside: float) -> Floats:
        """Return what the bank predicts, lowered by optimism."""
        return self._bank.predict_arrays(contexts, costs, places, self._kappa)

    def learn(
        self, places: Ints, contexts: Floats, costs: Floats, values: Floats, outside: float
    ) -> None:
        """Let the bank learn."""
        self._bank.update_arrays(places, contexts, values, costs)

    def state(self) -> State:
        """Return the arrays of the bank."""
        return self._bank.state()

    def restore(self, state: State) -> None:
        """Go on from what :meth:`state` returned."""
        self._bank.restore(state)


def advisor_for(settings: Created) -> Advisor:
    """Return an advisor that has seen nothing."""
    if settings.policy is not None:
        raise InvalidInputError("The policy", "be None", settings.policy)
    return BankAdvisor(settings)
