"""A policy of somebody else's: nothing of it comes from the library but the protocols."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.feedback import Feedback
from weitzman.learn.policy import Floats, Round, State
from weitzman.search.rule import STOP, Action, Open, Take
from weitzman.search.state import RoundState


class OpenOrTake:
    """Open one row; or keep another unopened."""

    def __init__(self, action: Action) -> None:
        self.action = action

    def next(self, state: RoundState) -> Action:
        return STOP if state.opened else self.action

    def state(self) -> State:
        return {}


class Thrifty:
    """The box with the least mean so far: opened while it is new, then taken unopened.

    With an outside option in hand it is opened, if it is worth its cost, and never taken.
    """

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> "Means":
        return Means(boxes)


class Means:
    def __init__(self, boxes: int) -> None:
        self.seen = np.zeros((2, boxes))

    def rule(self, shown: Round) -> OpenOrTake:
        count, total = self.seen[:, shown.places]
        means = total / np.maximum(count, 1.0)
        row = int(np.argmin(means + shown.costs))
        if shown.outside < np.inf:
            stays = shown.outside <= means[row] + shown.costs[row]
            return OpenOrTake(STOP if stays else Open(row))
        return OpenOrTake(Take(row) if count[row] >= 6.0 else Open(row))

    def learn(self, shown: Round, values: Floats) -> None:
        known = ~np.isnan(values)
        self.seen[0, shown.places[known]] += 1.0
        self.seen[1, shown.places[known]] += values[known]

    def state(self) -> State:
        return {"seen": self.seen.copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self.seen = np.array(state["seen"])
