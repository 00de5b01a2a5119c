"""Banks share machine code only where their arguments are of the same kinds."""

from typing import Any

import numpy as np
import pytest

import weitzman as wz
from weitzman.compiled.decorators import kind_of


def _played(learner: Any, seed: int) -> tuple[Any, list[float]]:
    rng = np.random.default_rng(seed)
    bank = learner.start(boxes=3, dimension=2)
    told: list[float] = []
    for _ in range(20):
        contexts = rng.normal(size=(3, 2))
        told += bank.predict(contexts, np.full(3, 0.5)).tolist()
        bank.update(np.arange(3), contexts, rng.normal(size=3), np.full(3, 0.5))
    return bank, told


def test_banks_of_one_learner_share_and_others_do_not() -> None:
    first, alone = _played(wz.FTRL(intercept=False), 0)
    second, _ = _played(wz.FTRL(intercept=False), 1)
    other, _ = _played(wz.NewtonStep(intercept=False), 0)
    assert second._predict_rows.call is first._predict_rows.call
    assert second._learn_rows.call is first._learn_rows.call
    assert other._predict_rows.call is not first._predict_rows.call
    assert _played(wz.FTRL(intercept=False), 0)[1] == alone


_frozen = np.zeros(2)
_frozen.flags.writeable = False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (np.zeros(2), np.zeros(2, dtype=np.int64)),
        (np.zeros(4), np.zeros(8)[::2]),
        (np.zeros(2), _frozen),
        (np.zeros((2, 3)), np.zeros((3, 2)).T),
        ((1, 2), [1, 2]),
        ((np.zeros(2),), (np.zeros((2, 2)),)),
    ],
)
def test_other_kinds_are_told_apart(one: Any, other: Any) -> None:
    assert kind_of(one) != kind_of(other)
