"""MABWiser: ridge and LinUCB, one arm per box; its rewards are the negated values.

MABWiser takes one context for all arms. Two ways to give every box its own: one bandit of n arms
asked for n contexts, of which the diagonal counts; or n bandits of one arm each.
"""

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from peers.peer import Bank, Peer, play_bank
from peers.rounds import Feedback, Floats, Rounds, search

mab: Any = import_module("mabwiser.mab")
RIDGE = mab.LearningPolicy.LinGreedy(epsilon=0.0, l2_lambda=1.0)
LINUCB = mab.LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0)


def bandit(policy: Any, n: int, d: int) -> Any:
    """A bandit of n arms that has seen nothing (it must be fitted once: to zeros)."""
    made = mab.MAB(arms=list(range(n)), learning_policy=policy)
    made.fit(decisions=np.arange(n), rewards=np.zeros(n), contexts=np.zeros((n, d)))
    return made


class DiagonalPlayer:
    """One bandit; predictions of all arms for all contexts, the diagonal kept."""

    def __init__(self, policy: Any, n: int, d: int) -> None:
        self.bandit = bandit(policy, n, d)
        self.arms = np.arange(n)

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        totals, costs = [], prepared.costs.tolist()
        predict, learn = self.bandit.predict_expectations, self.bandit.partial_fit
        for x, v in zip(prepared.contexts, prepared.values, strict=True):
            scores = [-float(row[i]) for i, row in enumerate(predict(x))]
            opened, total = search(scores, v.tolist(), costs)
            totals.append(total)
            if feedback == "full":
                learn(self.arms, -v, x)
            else:
                learn(self.arms[opened], -v[opened], x[opened])
        return np.array(totals)


class SeparatePlayer:
    """n bandits of one arm."""

    def __init__(self, policy: Any, n: int, d: int) -> None:
        bandits = [bandit(policy, 1, d) for _ in range(n)]
        self.predict = [partial(self._score, each.predict_expectations) for each in bandits]
        self.learn = [partial(self._learn, each.partial_fit, np.zeros(1, int)) for each in bandits]

    @staticmethod
    def _score(expect: Any, x: Floats) -> float:
        return -float(expect(x)[0])

    @staticmethod
    def _learn(fit: Any, arm: Any, x: Floats, value: float) -> None:
        fit(arm, np.array([-value]), x)

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        rows = (x[:, None, :] for x in prepared.contexts)
        bank = Bank(rows, prepared.values.tolist(), prepared.costs.tolist())
        return play_bank(self.predict, self.learn, bank, feedback)


def peers() -> list[Peer]:
    """Ridge both ways, LinUCB the way that is faster."""
    return [
        Peer("MABWiser ridge, one bandit", "second", partial(DiagonalPlayer, RIDGE)),
        Peer("MABWiser ridge, n bandits", "second", partial(SeparatePlayer, RIDGE)),
        Peer("MABWiser LinUCB, one bandit", "second", partial(DiagonalPlayer, LINUCB)),
    ]
