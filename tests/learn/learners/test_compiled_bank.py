"""What a bank is asked with wrong input is refused by every kind of bank, and nothing has changed."""

from typing import Any

import numpy as np
import pytest

import weitzman as wz

BANKS: dict[str, wz.Learner] = {
    "FTRL": wz.FTRL(intercept=False),
    "Residual": wz.Residual(memory=5),
    "Ridge, shared": wz.Ridge(shared=True),
    "Fourier": wz.Fourier(features=8),
}
X = np.array([[0.5, -1.0], [2.0, 0.25]])


@pytest.fixture(params=BANKS)
def bank(request: pytest.FixtureRequest) -> Any:
    made = BANKS[request.param].start(boxes=2, dimension=2)
    rng = np.random.default_rng(3)
    for _ in range(70):
        made.update([0, 1], rng.normal(size=(2, 2)), rng.normal(size=2), [1.0, 2.0])
    return made


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e60])
@pytest.mark.parametrize("place", [(0, 0), (1, 1)])
def test_widths_are_asked_of_finite_contexts(
    bank: Any, wrong: float, place: tuple[int, int]
) -> None:
    before, contexts = bank.digest(), X.copy()
    contexts[place] = wrong
    with pytest.raises(wz.InvalidInputError, match=r"must be finite numbers, at most 1e\+50"):
        bank.widths(contexts)
    assert bank.digest() == before
    assert np.isfinite(bank.widths(X)).all()


@pytest.mark.parametrize("boxes", [[0, 2], [-1, 0]])
def test_boxes_that_are_not_there_are_refused(bank: Any, boxes: list[int]) -> None:
    before = bank.digest()
    for ask in (bank.widths, lambda x, rows: bank.predict(x, 1.0, rows)):
        with pytest.raises(
            wz.InvalidInputError, match=r"must be (integers from 0 to 1|the number of a box)"
        ):
            ask(X, boxes)
    assert bank.digest() == before


def test_widths_of_some_boxes_are_those_of_all(bank: Any) -> None:
    assert bank.widths(X[[1, 0]], [1, 0]).tolist() == bank.widths(X)[[1, 0]].tolist()
    assert bank.widths(X[1:], [1]).tolist() == bank.widths(X)[1:].tolist()
