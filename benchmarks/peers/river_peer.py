"""River: one linear model per box, fed dictionaries.

With ``ReservationLoss``, River's LinearRegression runs the paper's regression: its minimiser is
the reservation value. BayesianLinearRegression and PARegressor predict the mean or near it.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from peers.peer import Bank, Peer, play_bank
from peers.rounds import COST, Feedback, Floats, Rounds

linear_model: Any = import_module("river.linear_model")
optim: Any = import_module("river.optim")


class ReservationLoss(optim.losses.RegressionLoss):  # type: ignore[misc]
    """H_c(z) = ½(z⁺)² − cz with z = prediction − value."""

    def __init__(self, cost: float = COST) -> None:
        self.cost = cost

    def __call__(self, y_true: float, y_pred: float) -> float:
        z = y_pred - y_true
        return (0.5 * z * z if z > 0 else 0.0) - self.cost * z

    def gradient(self, y_true: float, y_pred: float) -> float:
        z = y_pred - y_true
        return z - self.cost if z > 0 else -self.cost


class RiverPlayer:
    """n River models; ``ready`` says whether the dictionaries are built before the clock runs."""

    def __init__(self, model: Callable[[], Any], ready: bool, n: int, d: int) -> None:
        self.models = [model() for _ in range(n)]
        self.names = [f"x{j}" for j in range(d)]
        self.ready = ready

    def prepare(self, rounds: Rounds) -> Bank | Rounds:
        return self._bank(rounds, ready=True) if self.ready else rounds

    def play(self, prepared: Bank | Rounds, feedback: Feedback) -> Floats:
        bank = prepared if isinstance(prepared, Bank) else self._bank(prepared, ready=False)
        predict = [model.predict_one for model in self.models]
        learn = [model.learn_one for model in self.models]
        return play_bank(predict, learn, bank, feedback)

    def _bank(self, rounds: Rounds, *, ready: bool) -> Bank:
        names = self.names
        each = (
            [dict(zip(names, row, strict=True)) for row in contexts.tolist()]
            for contexts in rounds.contexts
        )
        inputs = list(each) if ready else each
        return Bank(inputs, rounds.values.tolist(), rounds.costs.tolist())


def linear(optimizer: Callable[[], Any]) -> Any:
    """LinearRegression on the paper's loss, without intercept (σ = w·x has none)."""
    return linear_model.LinearRegression(
        optimizer=optimizer(), loss=ReservationLoss(), intercept_lr=0.0
    )


def sgd(rate: float = 0.01) -> Any:
    """SGD; 0.01 is River's default."""
    return linear(partial(optim.SGD, rate))


def ftrl(alpha: float = 0.05, l2: float = 1.0) -> Any:
    """FTRLProximal; 0.05 and 1.0 are River's defaults."""
    return linear(partial(optim.FTRLProximal, alpha=alpha, l2=l2))


def newton(rate: float = 1.0, eps: float = 1.0) -> Any:
    """Online Newton Step."""
    return linear(partial(optim.Newton, rate, eps))


MODELS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "River LinearRegression, SGD, H_c": ("first", partial(sgd, 0.3)),
    "River LinearRegression, FTRLProximal, H_c": ("first", partial(ftrl, 1.0)),
    "River PARegressor": (
        "first",
        partial(linear_model.PARegressor, C=0.1, learn_intercept=False),
    ),
    "River BayesianLinearRegression": ("second", linear_model.BayesianLinearRegression),
    "River LinearRegression, Newton, H_c": ("second", newton),
}


def peers() -> list[Peer]:
    """Each model from numpy rows and from ready dictionaries."""
    return [
        Peer(name, order, partial(RiverPlayer, model, ready), "prepared" if ready else "rows")
        for name, (order, model) in MODELS.items()
        for ready in (False, True)
    ]
