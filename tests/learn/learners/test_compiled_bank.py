"""What a bank is asked with wrong input is refused by every kind of bank, and nothing has changed."""

import math
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


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [
        *[(kind, "eta", None) for kind in (wz.FTRL, wz.LinearisedFTRL, wz.Ridge, wz.NewtonStep)],
        (wz.FTRL, "eta", [1.0, 2.0]),
        (wz.FTRL, "eta", math.nan),
        (wz.FTRL, "eta", True),
        (wz.FTRL, "radius", "wide"),
        (wz.FTRL, "radius", 0),
        (wz.FTRL, "forget", None),
        (wz.FTRL, "forget", "soon"),
        (wz.FTRL, "window", 2.5),
        (wz.FTRL, "horizon", "far"),
        (wz.LinearisedFTRL, "horizon", "far"),
        (wz.Residual, "memory", None),
        (wz.Residual, "memory", 1.5),
        (wz.Residual, "memory", 10**9),
        (wz.LinUCB, "memory", 10**9),
        (wz.Thompson, "memory", 10**9),
        (wz.Fourier, "features", 10**9),
    ],
)
def test_a_parameter_that_is_no_number_in_range_is_refused_in_a_sentence(
    kind: Any, name: str, wrong: object
) -> None:
    with pytest.raises(wz.InvalidInputError, match=rf"{name}.* must be ") as refused:
        kind(**{name: wrong}).start(boxes=2, dimension=2)
    assert refused.value.got is wrong


def test_a_window_takes_memory_as_it_fills() -> None:
    wide, all_ = (wz.FTRL(window=window).start(boxes=2, dimension=2) for window in (2**62, None))
    rng = np.random.default_rng(8)
    for _ in range(300):
        x, values = rng.normal(size=(2, 2)), rng.normal(size=2)
        for bank in (wide, all_):
            bank.update([0, 1], x, values, 1.0)
    assert sum(array.nbytes for array in wide.arrays if isinstance(array, np.ndarray)) < 1e6
    assert np.allclose(wide.predict(X, 1.0), all_.predict(X, 1.0), rtol=1e-12)


@pytest.mark.parametrize("window", [1, 63, 64, 65, 100, 1000])
def test_a_window_that_grows_forgets_what_is_older(window: int) -> None:
    rng = np.random.default_rng(window)
    x, values = rng.normal(size=(400, 1, 2)), rng.normal(size=(400, 1))
    bank, last = (wz.FTRL(eta=2.0, window=w).start(boxes=1, dimension=2) for w in (window, None))
    for t in range(400):
        bank.update([0], x[t], values[t], 1.0)
        if t == 170:
            other = wz.FTRL(eta=2.0, window=window).start(boxes=1, dimension=2)
            other.restore(bank.state())
            bank = other
    for t in range(max(0, 400 - window), 400):
        last.update([0], x[t], values[t], 1.0)
    assert np.allclose(bank.predict(X[:1], 1.0), last.predict(X[:1], 1.0), rtol=1e-9, atol=1e-12)
