"""The learners by name: what a saved searcher may hold."""

from typing import Any, Final

from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Learner
from weitzman.learn.learners.boosted import Boosted
from weitzman.learn.learners.fourier import Fourier
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.linearised import LinearisedFTRL
from weitzman.learn.learners.logistic import Logistic
from weitzman.learn.learners.newton import NewtonStep
from weitzman.learn.learners.residual import Residual
from weitzman.learn.learners.ridge import Ridge

__all__ = ["LEARNERS", "learner_from", "learner_name"]

LEARNERS: Final[dict[str, type[Learner]]] = {
    c.__name__: c
    for c in (Boosted, Fourier, FTRL, LinearisedFTRL, Logistic, NewtonStep, Residual, Ridge)
}


def learner_name(learner: Learner) -> str:
    """Return the name under which a learner is saved."""
    name = type(learner).__name__
    if LEARNERS.get(name) is not type(learner):
        raise InvalidInputError("A saved learner", f"be one of {list(LEARNERS)}", learner)
    return name


def learner_from(name: str, parameters: dict[str, Any]) -> Learner:
    """Return the learner of this name and these parameters."""
    if name not in LEARNERS:
        raise InvalidInputError("A saved learner", f"be one of {list(LEARNERS)}", name)
    return LEARNERS[name](**parameters)
