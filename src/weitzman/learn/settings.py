"""What a searcher is told when it is made, checked."""

from collections.abc import Hashable, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.parts.optimism import KAPPA
from weitzman.learn.learners.play import FEEDBACKS, Feedback
from weitzman.learn.policy import Policy
from weitzman.search.numbers import whole_number
from weitzman.search.reservation import Sense

if TYPE_CHECKING:
    from weitzman.learn.searcher import Searcher

__all__ = [
    "box_names",
    "checked_feedback",
    "checked_optimism",
    "checked_policy",
    "plain_parameters",
    "saved_settings",
    "started",
]


def box_names(boxes: int | Sequence[Hashable]) -> list[Hashable]:
    """Return the names of the boxes; 0, 1, … for a number of them."""
    if isinstance(boxes, int | np.integer):
        return list(range(whole_number(boxes, "The number of boxes", least=1)))
    try:
        names = list(boxes)
        distinct = len(set(names)) == len(names)
    except TypeError:
        rule = "be a number of boxes, or a list of hashable names"
        raise InvalidInputError("The boxes", rule, boxes) from None
    if not names or not distinct:
        raise InvalidInputError("The names of the boxes", "be distinct, at least one", boxes)
    return names


def checked_feedback(feedback: Feedback, block: int | None) -> Feedback:
    """Return the feedback, if it is one and the block fits it."""
    if feedback not in FEEDBACKS:
        raise InvalidInputError("The feedback", f"be one of {list(FEEDBACKS)}", feedback)
    if ("probe" in feedback) != (block is not None):
        raise InvalidInputError("The block", f"fit the feedback {feedback!r}", block)
    return feedback


def checked_optimism(optimism: float | Literal["auto"], feedback: Feedback) -> float:
    """Return κ: as given, or what ``"auto"`` means under the feedback."""
    if optimism == "auto":
        return KAPPA if feedback == "opened" else 0.0
    if not (isinstance(optimism, int | float) and 0.0 <= optimism < np.inf):
        raise InvalidInputError("The optimism", "be 'auto' or a finite number >= 0", optimism)
    return float(optimism)


def started(learner: Learner, sense: Sense, *, boxes: int, dimension: int) -> Bank:
    """Return a bank of a learner; where larger values are better it sees them, and its prior, turned."""
    chosen: Any = learner
    prior = getattr(chosen, "prior", None)
    if sense == "max" and prior is not None:
        chosen = replace(chosen, prior=-np.asarray(prior, dtype=np.float64))
    return cast("Bank", chosen.start(boxes=boxes, dimension=dimension))


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON has them: numpy's numbers and arrays as Python's."""
    arrays = (np.ndarray, np.generic, list, tuple)
    return {
        k: np.asarray(v).tolist() if isinstance(v, arrays) else v for k, v in parameters.items()
    }


def checked_policy(
    policy: Policy | Literal["default"] | None,
    learner: Learner | None,
    feedback: Feedback,
    optimism: float | Literal["auto"],
    seed: int,
) -> Policy | None:
    """Return the policy with the searcher's feedback; None if the searcher goes by a learner."""
    if policy is None:
        return None
    if learner is not None:
        raise InvalidInputError("A searcher", "have a policy or a learner, not both", learner)
    if feedback not in ("full", "opened"):
        raise InvalidInputError(
            "The feedback of a policy",
            "be 'full' or 'opened'; looks are bought by learners",
            feedback,
        )
    if optimism != "auto":
        raise InvalidInputError(
            "The optimism", "be left to the policy where there is one", optimism
        )
    if isinstance(policy, str):
        if policy != "default":
            raise InvalidInputError("The policy", "be a Policy or 'default'", policy)
        from weitzman.learn.policies.portfolio import default

        policy = replace(default(), seed=seed)
    given: Any = policy
    has_own = is_dataclass(given) and any(f.name == "feedback" for f in fields(given))
    if has_own and not isinstance(given, type):
        given = replace(given, feedback=feedback)
    return cast("Policy", given)


def saved_settings(searcher: "Searcher") -> dict[str, Any]:
    """Return what a searcher was told and how many rounds it has had, as JSON has it."""
    kinds = {type(name) for name in searcher.names}
    if not kinds <= {str, int}:
        raise InvalidInputError("The names of a saved searcher", "be strings or integers", kinds)
    what: dict[str, Any]
    if searcher.policy is not None:
        from weitzman.learn.storage.policies import described_policy

        what = {"policy": described_policy(searcher.policy)}
    else:
        # All learners: loaded when one is saved, not with the first searcher
        from weitzman.learn.storage.learners import learner_name

        learner = cast("Any", searcher.learner)
        what = {
            "learner": learner_name(learner),
            "parameters": plain_parameters(asdict(learner)),
        }
    return {
        "names": searcher.names,
        "dimension": searcher.dimension,
        **what,
        "feedback": searcher.feedback,
        "sense": searcher.sense,
        "optimism": searcher.optimism if searcher.optimism == "auto" else float(searcher.optimism),
        "block": searcher.block,
        "rng": searcher.rng,
        "rounds": searcher.rounds,
    }
