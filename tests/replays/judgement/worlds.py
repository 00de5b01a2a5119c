"""Small searches of which everything is enumerated: what a rule pays, what a draw shows. Plain Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.feedback import Feedback
from weitzman.learn.features import Encoding
from weitzman.learn.policy import Floats, Player, Round
from weitzman.logs.log import Log
from weitzman.search.rule import STOP, Action, Open, Rule, WeitzmanRule
from weitzman.search.state import RoundState


class AsItGoes:
    """A rule whose order turns round with what was seen, and that stops below a level of each place."""

    def __init__(self, order: Sequence[int], levels: Sequence[float]) -> None:
        self.order, self.levels = order, levels

    def next(self, state: RoundState) -> Action:
        """Open the next of the order unless the best is at most this place's level."""
        k = len(state.opened)
        if k == len(self.order) or state.best <= self.levels[k]:
            return STOP
        # What was seen last turns the order of the rest round
        left = [row for row in self.order if row not in state.opened]
        odd = k > 0 and state.values.get(state.opened[-1], 0.0) % 2.0 == 1.0
        return Open(left[-1] if odd else left[0])

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return nothing: it is never saved."""
        return {}


@dataclass(frozen=True)
class Fixed:
    """A policy whose rule is always the same."""

    name: str
    made: Rule

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return the player."""
        return _Fixed(self.made)


class _Fixed:
    def __init__(self, made: Rule) -> None:
        self._made = made

    def rule(self, shown: Round) -> Rule:
        made = self._made
        return WeitzmanRule(made.sigma[shown.places]) if isinstance(made, WeitzmanRule) else made

    def learn(self, shown: Round, values: Floats) -> None:
        pass

    def state(self) -> dict[str, NDArray[np.generic]]:
        return {}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        pass


def log_of(**parts: Any) -> Log:
    """Return a log of arrays."""
    rounds, boxes = parts["costs"].shape
    usual: dict[str, Any] = {
        "rounds": np.arange(rounds),
        "boxes": [str(k) for k in range(boxes)],
        "shared": False,
        "contexts": np.zeros((rounds, boxes, 0)),
        "features": [],
        "outside": None,
        "opened": None,
        "skipped": 0,
        "source": "table",
        "columns": {},
        "encoding": Encoding(features=()),
    }
    return Log(**{**usual, **parts})


def index_search(
    sigma: Sequence[float], costs: Sequence[int], values: Sequence[int], outside: float
) -> tuple[list[int], Fraction]:
    """Return what Weitzman's rule opens, and its total."""
    best = outside
    opened: list[int] = []
    for row in sorted(range(len(sigma)), key=lambda k: (sigma[k], k)):
        if best <= sigma[row]:
            break
        opened.append(row)
        best = min(best, values[row])
    return opened, Fraction(best) + sum(costs[k] for k in opened)


def other_search(
    rule: AsItGoes, costs: Sequence[int], values: Sequence[int], outside: float
) -> tuple[list[int], Fraction]:
    """Return what :class:`AsItGoes` opens, and its total."""
    best = outside
    opened: list[int] = []
    left = list(rule.order)
    while left and best > rule.levels[len(opened)]:
        odd = bool(opened) and values[opened[-1]] % 2 == 1
        opened.append(left.pop(-1 if odd else 0))
        best = min(best, values[opened[-1]])
    return opened, Fraction(best) + sum(costs[k] for k in opened)
