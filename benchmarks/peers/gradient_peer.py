"""Online gradient descent on the paper's loss in plain numpy, all boxes at once (reference)."""

import numpy as np

from peers.peer import Peer
from peers.rounds import Feedback, Floats, Rounds, search

RATE = 0.3


class Gradient:
    """w ← w − rate · (z⁺ − c) x, with z = w·x − v."""

    def __init__(self, n: int, d: int) -> None:
        self.w = np.zeros((n, d))

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        totals, costs = np.empty(len(prepared)), prepared.costs.tolist()
        w, prices = self.w, prepared.costs
        for t, (x, v) in enumerate(zip(prepared.contexts, prepared.values, strict=True)):
            scores = np.einsum("nd,nd->n", w, x)
            opened, totals[t] = search(scores.tolist(), v.tolist(), costs)
            slope = np.maximum(scores - v, 0.0) - prices
            if feedback == "full":
                w -= (RATE * slope)[:, None] * x
            else:
                for i in opened:
                    w[i] -= (RATE * slope[i]) * x[i]
        return totals


def peers() -> list[Peer]:
    """The one form: its input is numpy rows already."""
    return [Peer("numpy gradient on H_c, batched", "first", Gradient, kind="reference")]
