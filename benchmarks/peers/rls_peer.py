"""Recursive least squares in plain numpy: all n boxes in one broadcast per round (reference)."""

import numpy as np

from peers.peer import Peer
from peers.rounds import Feedback, Floats, Rounds, search


class LeastSquares:
    """Ridge per box: P = (I + Σ x xᵀ)⁻¹ by Sherman–Morrison, w the ridge solution."""

    def __init__(self, n: int, d: int) -> None:
        self.w = np.zeros((n, d))
        self.p = np.tile(np.eye(d), (n, 1, 1))
        self.room = np.empty((n, d, d))

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        totals, costs = np.empty(len(prepared)), prepared.costs.tolist()
        for t, (x, v) in enumerate(zip(prepared.contexts, prepared.values, strict=True)):
            scores = np.einsum("nd,nd->n", self.w, x)
            opened, totals[t] = search(scores.tolist(), v.tolist(), costs)
            if feedback == "full":
                self.learn_all(x, v - scores)
            else:
                for i in opened:
                    self.learn_one(i, x[i], v[i] - scores[i])
        return totals

    def learn_all(self, x: Floats, error: Floats) -> None:
        px = np.matmul(self.p, x[:, :, None])[:, :, 0]
        gain = px / (1.0 + np.einsum("nd,nd->n", x, px))[:, None]
        self.w += gain * error[:, None]
        np.multiply(gain[:, :, None], px[:, None, :], out=self.room)
        self.p -= self.room

    def learn_one(self, i: int, x: Floats, error: float) -> None:
        p, room = self.p[i], self.room[i]
        px = p @ x
        gain = px / (1.0 + x @ px)
        self.w[i] += gain * error
        np.multiply(gain[:, None], px, out=room)
        p -= room


def peers() -> list[Peer]:
    """The one form: its input is numpy rows already."""
    return [
        Peer("numpy recursive least squares, batched", "second", LeastSquares, kind="reference")
    ]
