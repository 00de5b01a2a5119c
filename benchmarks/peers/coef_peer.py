"""Regressors with ``partial_fit`` and a public ``coef_``: scikit-learn and two bandit libraries.

Calling ``predict`` n times a round is mostly input checks. A user in a hurry keeps the n ``coef_``
in one matrix and multiplies once; so does this player. ``partial_fit`` is called box by box.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from peers.peer import Peer
from peers.rounds import Feedback, Floats, Rounds, search


class CoefPlayer:
    """n regressors and their coefficients as one (n, d) matrix."""

    def __init__(self, model: Callable[[], Any], n: int, d: int) -> None:
        self.models = [model() for _ in range(n)]
        self.coef = np.zeros((n, d))

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        totals, costs, coef = np.empty(len(prepared)), prepared.costs.tolist(), self.coef
        fits, boxes = [model.partial_fit for model in self.models], range(len(self.models))
        for t, (x, v) in enumerate(zip(prepared.contexts, prepared.values, strict=True)):
            scores = np.einsum("nd,nd->n", coef, x).tolist()
            opened, totals[t] = search(scores, v.tolist(), costs)
            for i in boxes if feedback == "full" else opened:
                fits[i](x[i : i + 1], v[i : i + 1])
                coef[i] = self.models[i].coef_
        return totals


def _sklearn() -> Any:
    make = import_module("sklearn.linear_model").SGDRegressor
    return make(fit_intercept=False, learning_rate="constant", eta0=0.3, alpha=0.0)


def _contextualbandits() -> Any:
    make = import_module("contextualbandits.linreg").LinearRegression
    return make(lambda_=1.0, fit_intercept=False, method="sm", use_float=False)


def _bayesianbandits() -> Any:
    make: Any = import_module("bayesianbandits").NormalRegressor
    return make(alpha=1.0, beta=1.0)


def peers() -> list[Peer]:
    """Their input is numpy rows already (contextualbandits in double: no slower, no conversion)."""
    return [
        Peer("scikit-learn SGDRegressor", "first", partial(CoefPlayer, _sklearn)),
        Peer(
            "contextualbandits LinearRegression", "second", partial(CoefPlayer, _contextualbandits)
        ),
        Peer("bayesianbandits NormalRegressor", "second", partial(CoefPlayer, _bayesianbandits)),
    ]
