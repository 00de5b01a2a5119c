"""The rule on a joint law of the round: after every look the law is reweighted or moved by what was seen."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.sample import Sample
from weitzman.learn.models.sample_moves import MOVING, laid_out, move, next_look
from weitzman.learn.models.sample_steps import choose, judge, lowest, reweigh
from weitzman.learn.policy import Floats, State
from weitzman.search.rule import ACTIONS, Action
from weitzman.search.state import RoundState


class JointRule:
    """The choice on a law that follows every look."""

    def __init__(
        self, law: Sample, costs: Floats, choice: int, caution: float, least: float = -math.inf
    ) -> None:
        self._law = law
        self._costs = costs
        self._choice = choice
        self._caution = caution
        self._least = least
        # The looks so far, and the weights before and after each of them
        self._looks: list[tuple[int, float]] = []
        self._weights = [law.weights]
        # What was answered: a round is followed once live, and again when it is learned
        self._answers: dict[tuple[object, ...], Action] = {}

    def next(self, state: RoundState) -> Action:
        """Return the row to open next, or STOP."""
        asked = (*state.opened, *state.found, state.best)
        answer = self._answers.get(asked)
        if answer is None:
            answer = self._answers[asked] = self._next(state)
        return answer

    def _next(self, state: RoundState) -> Action:
        law, boxes = self._law, len(self._costs)
        marks = np.zeros(boxes, dtype=np.bool_)
        marks[state.opened] = True
        if self._choice == MOVING:
            vectors = self._moved(state.opened, state.found)
            row = next_look(
                vectors, law.weights, self._costs, marks, state.best, self._least, self._caution
            )
            return ACTIONS[int(row)]
        weights = self._reweighed(state.opened, state.found)
        gains, errors = np.empty(boxes), np.empty(boxes)
        judge(
            law.ranked, law.order, law.rows, law.shift, weights, marks, state.best, self._least,
            gains, errors,
        )  # fmt: skip
        row = int(
            choose(
                law.ranked, law.order, law.rows, law.shift, weights, self._costs, marks, state.best,
                self._choice, self._caution, gains, errors,
            )
        )  # fmt: skip
        return ACTIONS[row]

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values of all rows, given those that are open."""
        law = self._law
        if self._choice == MOVING:
            law, weights = Sample.of(self._moved(opened, found), law.weights), law.weights
        else:
            weights = self._reweighed(opened, found)
        sigma = np.empty(len(self._costs))
        for box, (row, cost) in enumerate(zip(law.rows, self._costs, strict=True)):
            price = cost * weights.sum()
            sigma[box] = lowest(law.ranked[row], law.order[row], weights, price, math.inf)
        return np.maximum(sigma + law.shift, self._least + self._costs)

    def _moved(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the vectors after these looks."""
        law = self._law
        vectors = laid_out(law.ranked, law.order, law.rows, law.shift)
        marks = np.zeros(len(self._costs), dtype=np.bool_)
        for box, value in zip(opened, found, strict=True):
            marks[box] = True
            move(vectors, law.weights, marks, box, value)
        return np.asarray(vectors)

    def _reweighed(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the weights after these looks; those of looks that are known are kept."""
        law = self._law
        looks = list(zip(opened, found, strict=True))
        same = 0
        for before, now in zip(self._looks, looks, strict=False):
            if before[0] != now[0] or not _is_same(before[1], now[1]):
                break
            same += 1
        del self._weights[same + 1 :], self._looks[same:]
        for box, value in looks[same:]:
            after, row = np.empty(len(law.weights)), law.rows[box]
            seen = value - float(law.shift[box])
            reweigh(law.ranked[row], law.order[row], seen, self._weights[-1], after)
            self._weights.append(after)
            self._looks.append((box, value))
        return self._weights[-1]

    def state(self) -> State:
        """Return the law before any look, and the rule; later weights follow from what was found."""
        law = self._law
        caution = [self._caution]
        if self._least > -math.inf:
            caution.append(self._least)
        return {
            "ranked": law.ranked[law.rows],
            "order": law.order[law.rows],
            "shift": law.shift,
            "weights": law.weights,
            "costs": self._costs,
            "rule": np.array([self._choice]),
            "caution": np.array(caution),
        }

    @classmethod
    def restored(cls, state: Mapping[str, NDArray[np.generic]]) -> "JointRule":
        """Return the rule whose :meth:`state` this is."""

        def floats(name: str) -> Floats:
            return np.array(state[name], dtype=np.float64)

        choice, caution = int(state["rule"].astype(np.int64)[0]), floats("caution").tolist()
        if "values" in state:
            # A search that was kept before laws were sorted
            return cls(
                Sample.of(floats("values"), floats("weights")), floats("costs"), choice, *caution
            )
        law = Sample(
            ranked=floats("ranked"),
            order=np.array(state["order"], dtype=np.int64),
            rows=np.arange(len(floats("shift"))),
            shift=floats("shift"),
            weights=floats("weights"),
        )
        return cls(law, floats("costs"), choice, *caution)


def _is_same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))
