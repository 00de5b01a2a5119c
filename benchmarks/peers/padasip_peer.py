"""padasip: adaptive filters, one per box; LMS is a gradient step, RLS least squares."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from peers.peer import Bank, Peer, play_bank
from peers.rounds import Feedback, Floats, Rounds

filters: Any = import_module("padasip.filters")


class PadasipPlayer:
    """n filters; ``adapt`` takes the value first."""

    def __init__(self, model: Callable[..., Any], n: int, d: int) -> None:
        self.models = [model(n=d, w="zeros") for _ in range(n)]
        self.learn = [partial(self._learn, each.adapt) for each in self.models]

    @staticmethod
    def _learn(adapt: Any, x: Floats, value: float) -> None:
        adapt(value, x)

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        predict = [each.predict for each in self.models]
        bank = Bank(prepared.contexts, prepared.values.tolist(), prepared.costs.tolist())
        return play_bank(predict, self.learn, bank, feedback)


def peers() -> list[Peer]:
    """No forgetting (mu = 1) in the least squares."""
    lms = partial(filters.FilterLMS, mu=0.3)
    rls = partial(filters.FilterRLS, mu=1.0, eps=1.0)
    return [
        Peer("padasip FilterLMS", "first", partial(PadasipPlayer, lms)),
        Peer("padasip FilterRLS", "second", partial(PadasipPlayer, rls)),
    ]
