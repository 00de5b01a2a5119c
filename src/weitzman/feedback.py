"""Feedbacks by name: what a round reveals when it is over.

:mod:`weitzman.learn.revealed` says what each of them is.
"""

from typing import Final, Literal

FreeFeedback = Literal["full", "opened", "chosen", "total"]
"""Those for which no look is bought."""
Feedback = FreeFeedback | Literal["probe", "opened+probe"]
FEEDBACKS: Final[tuple[Feedback, ...]] = (
    "full",
    "opened",
    "probe",
    "opened+probe",
    "chosen",
    "total",
)
BOUNDED: Final[tuple[Feedback, ...]] = ("chosen", "total")
"""Those where values are partly known by bounds alone: a player learns by ``learn_bounded``."""
