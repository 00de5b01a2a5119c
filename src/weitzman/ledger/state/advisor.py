"""What a problem asks: advice for a round, and learning from its values.

The advisor of a learner is the learner's bank, that of a policy its player; both are asked as
:class:`weitzman.Searcher` asks them. Smaller values are better here.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.learn.learners.parts.kernels import LIMIT
from weitzman.learn.searcher import Searcher
from weitzman.learn.settings import checked_optimism, started
from weitzman.learn.storage.learners import learner_from
from weitzman.ledger.bodies import Created

__all__ = ["Advice", "Advisor", "Floats", "Ints", "State", "advisor_for", "searcher_for"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = dict[str, NDArray[Any]]


class Advice(NamedTuple):
    """How to search a round: by reservation values, or by a course that decides anew after every look."""

    sigma: Floats | None
    course: State | None = None


class Advisor(Protocol):
    """Predicts and learns for the n boxes of one problem."""

    @property
    def every(self) -> Ints:
        """The places of all boxes."""

    def propose(self, places: Ints, contexts: Floats, costs: Floats, outside: float) -> Advice:
        """Return the advice for the rows of a round; nothing changes."""

    def learn(
        self, places: Ints, contexts: Floats, costs: Floats, values: Floats, outside: float
    ) -> None:
        """Learn the values of the rows of a round, NaN for what was not seen."""

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""

    def restore(self, state: State) -> None:
        """Go on from what :meth:`state` returned."""


class BankAdvisor:
    """A learner's bank: predictions, lowered by optimism."""

    def __init__(self, settings: Created) -> None:
        learner = learner_from(settings.learner, settings.parameters)
        boxes, dimension = len(settings.boxes), len(settings.features)
        self._bank = started(learner, settings.sense, boxes=boxes, dimension=dimension)
        self._kappa = checked_optimism(settings.optimism, settings.feedback)

    @property
    def every(self) -> Ints:
        """The places of all boxes."""
        return self._bank.every

    def propose(self, places: Ints, contexts: Floats, costs: Floats, outside: float) -> Advice:
        """Return what the bank predicts."""
        return Advice(self._bank.predict_arrays(contexts, costs, places, self._kappa, outside))

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


class PolicyAdvisor:
    """A policy's player."""

    def __init__(self, settings: Created) -> None:
        policy = searcher_for(settings).policy
        assert policy is not None
        self._player = policy.start(boxes=len(settings.boxes), dimension=len(settings.features))
        self._every: Ints = np.arange(len(settings.boxes))

    @property
    def every(self) -> Ints:
        """The places of all boxes."""
        return self._every

    def propose(self, places: Ints, contexts: Floats, costs: Floats, outside: float) -> Advice:
        """Return the player's course."""
        # Laws of rounds: loaded where there is a policy
        from weitzman.learn.policies.courses import course_state
        from weitzman.learn.policy import IndexCourse, Round

        if not (np.abs(contexts) <= LIMIT).all():
            rule = f"be finite numbers, at most {LIMIT:g} in size"
            raise InvalidInputError("The contexts", rule, contexts)
        known = Round(contexts=contexts, costs=costs, outside=outside, places=places)
        course = self._player.propose(known)
        if isinstance(course, IndexCourse):
            return Advice(course.sigma)
        return Advice(None, course_state(course))

    def learn(
        self, places: Ints, contexts: Floats, costs: Floats, values: Floats, outside: float
    ) -> None:
        """Let the player learn; a round that ended with nothing is none."""
        from weitzman.learn.policy import Round

        unknown = np.isnan(values)
        if outside < np.inf or not unknown.all():
            known = Round(contexts=contexts, costs=costs, outside=outside, places=places)
            # One NaN for all: turning signs gives others, which would be other bits in a state
            self._player.learn(known, np.where(unknown, np.nan, values))

    def state(self) -> State:
        """Return the state of the player."""
        return self._player.state()

    def restore(self, state: State) -> None:
        """Go on from what :meth:`state` returned."""
        self._player.restore(state)


def searcher_for(settings: Created) -> Searcher:
    """Return a searcher with the settings of a problem that has seen nothing."""
    what: dict[str, Any] = {"policy": "default"}
    if settings.policy is None:
        what = {"learner": learner_from(settings.learner, settings.parameters)}
    elif settings.policy != "default":
        from weitzman.learn.storage.policies import policy_from

        what = {"policy": policy_from({**settings.parameters, "class": settings.policy})}
    elif settings.parameters:
        rule = "be left to the policy 'default'"
        raise InvalidInputError("The parameters", rule, settings.parameters)
    return Searcher(
        boxes=settings.boxes,
        dimension=len(settings.features),
        feedback=settings.feedback,
        sense=settings.sense,
        optimism=settings.optimism,
        **what,
    )


def advisor_for(settings: Created) -> Advisor:
    """Return an advisor that has seen nothing."""
    try:
        return BankAdvisor(settings) if settings.policy is None else PolicyAdvisor(settings)
    except TypeError as error:
        rule = f"be those of {settings.policy or settings.learner}"
        raise InvalidInputError("The parameters", rule, str(error)) from None
    except InvalidInputError:
        raise
    except (ImportError, WeitzmanError) as error:
        rule = "be one whose packages are installed"
        subject = "The learner" if settings.policy is None else "The policy"
        raise InvalidInputError(subject, rule, str(error)) from None
