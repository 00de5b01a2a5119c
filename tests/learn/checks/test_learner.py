"""Every check of a learner lets a good one pass, and names the promise that a bad one breaks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.learn.checks import learner as checks
from weitzman.learn.learner import Bank
from weitzman.learn.learners.plain_bank import PlainBank


class Means:
    """The mean of each row plus the cost, or something that breaks a promise."""

    def __init__(self, rows: int, what: str) -> None:
        self.what = what
        self.seen = np.zeros((rows, 2))
        self.grown: list[Floats] = []
        self.hidden = 0

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        count, total = self.seen[rows].T
        sigma: Floats = total / np.maximum(count, 1.0) + costs
        match self.what:
            case "one number too many":
                return np.append(sigma, 0.0)
            case "infinite":
                return np.where(count > 0.0, np.inf, sigma)
            case "goes by places":
                return np.asarray(sigma + np.arange(len(rows)))
            case "counts questions":
                self.seen[:, 0] += 1.0
            case "has a unit":
                return np.asarray(sigma + 1.0)
            case "overflows":
                return np.where(np.abs(contexts).max(axis=1) > 1e5, np.inf, sigma)
        return np.asarray(sigma)

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        return np.ones(len(rows))

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        self.hidden += 1
        if self.what == "hides what it knows" and self.hidden > 75:
            values = 2.0 * values
        np.add.at(self.seen, rows, np.column_stack([np.ones(len(rows)), values]))
        if self.what == "grows":
            self.grown.append(np.zeros(len(self.grown)))

    def resize(self, rows: int) -> None:
        new = np.zeros((rows - len(self.seen), 2))
        if self.what == "tells new boxes":
            new += self.seen[0]
        self.seen = np.concatenate([self.seen, new])

    def state(self) -> Arrays:
        more = {"grown": np.concatenate(self.grown)} if self.grown else {}
        return {"seen": self.seen.copy(), **more}

    def restore(self, rows: int, state: Mapping[str, NDArray[Any]]) -> None:
        self.seen = np.array(state["seen"]) * (0.0 if self.what == "loses" else 1.0)


class Careless(PlainBank):
    """A bank that breaks a promise before its model is asked."""

    @property
    def what(self) -> str:
        return str(self._model.what)  # type: ignore[attr-defined]

    def update(self, boxes: Any, contexts: Any, values: Any, costs: Any) -> None:
        super().update(boxes, contexts, values, costs)
        if self.what == "learns twice":
            super().update(boxes, contexts, values, costs)

    def update_arrays(self, **given: Any) -> None:
        match self.what:
            case "learns before it looks":
                self._spread[0, 0] += 1.0
            case "takes everything":
                given["costs"] = np.abs(given["costs"])
            case "takes what is missing for 0":
                given["values"] = np.nan_to_num(given["values"])
        super().update_arrays(**given)

    def scale(self, boxes: Any = None) -> Floats:
        return super().scale(boxes)[: 1 if self.what == "has one scale" else None]


@dataclass(frozen=True)
class Spec:
    what: str = ""

    def start(self, *, boxes: int, dimension: int) -> Bank:
        if self.what == "starts no bank":
            return {}  # type: ignore[return-value]
        return Careless(model=Means(boxes, self.what), boxes=boxes, dimension=dimension)


BROKEN = [
    ("starts no bank", checks.check_shapes, "start returns a bank"),
    ("one number too many", checks.check_shapes, "predict returns one number per box"),
    ("infinite", checks.check_shapes, "reservation values are finite"),
    ("goes by places", checks.check_shapes, "predict can be asked about some boxes"),
    ("has one scale", checks.check_shapes, "scale returns one number per box"),
    ("counts questions", checks.check_determinism, "the same calls give the same bits"),
    ("learns before it looks", checks.check_failed_update, "that raises changes nothing"),
    ("takes everything", checks.check_failed_update, "with a wrong input raises Inv"),
    ("takes what is missing for 0", checks.check_missing, "a missing value is the same as a"),
    ("tells new boxes", checks.check_joining, "a box that joins late is a box that was not"),
    ("loses", checks.check_restore, "restore brings the state back"),
    ("hides what it knows", checks.check_restore, "a restored bank goes on"),
    ("learns twice", checks.check_play, "play learns the same bits as the rounds"),
    ("has a unit", checks.check_units, "the unit of values and costs does not matter"),
    ("grows", checks.check_memory, "memory grows linearly"),
    ("overflows", checks.check_scales, "reservation values stay finite"),
]


@pytest.mark.parametrize(("what", "check", "text"), BROKEN, ids=[what for what, _, _ in BROKEN])
def test_a_broken_promise_is_named(what: str, check: Callable[[Any], None], text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        check(Spec(what))
    with pytest.raises(AssertionError):
        checks.check_learner(Spec(what))


def test_every_check_finds_something_and_a_plain_mean_passes_all() -> None:
    assert {check for _, check, _ in BROKEN} == set(checks.CHECKS)
    checks.check_learner(Spec())
