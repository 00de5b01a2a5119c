"""What a searcher is told when it is made, checked."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.learn.optimism import KAPPA
from weitzman.learn.play import FEEDBACKS, Feedback
from weitzman.search.numbers import whole_number

__all__ = ["box_names", "checked_feedback", "checked_optimism", "plain_parameters"]


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


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON has them: numpy's numbers and arrays as Python's."""
    arrays = (np.ndarray, np.generic, list, tuple)
    return {
        k: np.asarray(v).tolist() if isinstance(v, arrays) else v for k, v in parameters.items()
    }
