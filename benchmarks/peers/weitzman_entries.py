"""weitzman's own entries, timed beside the peers."""

from functools import partial
from typing import Any

import numpy as np

import weitzman as wz
from peers.peer import Peer
from peers.rounds import Feedback, Floats, Rounds


class Play:
    """A searcher that plays recorded rounds in one call."""

    def __init__(self, learner: Any, options: dict[str, Any], n: int, d: int) -> None:
        self.learner, self.options, self.n, self.d = learner, options, n, d
        self.searcher: wz.Searcher | None = None

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def _searcher(self, feedback: Feedback) -> wz.Searcher:
        # A Player is told the feedback when it plays; a Searcher when it is made.
        if self.searcher is None:
            self.searcher = wz.Searcher(
                boxes=self.n,
                dimension=self.d,
                learner=self.learner,
                feedback=feedback,
                **self.options,
            )
        return self.searcher

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        searcher = self._searcher(feedback)
        return searcher.play(prepared.contexts, prepared.costs, prepared.values).totals


class RoundByRound(Play):
    """The same searcher through open, see and close, as a live program calls it."""

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        searcher = self._searcher(feedback)
        costs, full = prepared.costs, feedback == "full"
        totals = []
        for contexts, values in zip(prepared.contexts, prepared.values, strict=True):
            found = values.tolist()
            search = searcher.open(contexts, costs)
            for box in search:
                search.see(found[box])
            outcome = search.close(values) if full else search.close()
            totals.append(outcome.total)
        return np.array(totals)


def _entry(name: str, order: Any, learner: Any, kind: type[Play] = Play, **options: Any) -> Peer:
    return Peer(name, order, partial(kind, learner, options), kind="ours")


def ours() -> list[Peer]:
    """weitzman's entries of the speed table."""
    return [
        _entry("weitzman FTRL, play", "second", wz.FTRL()),
        _entry("weitzman LinearisedFTRL, play", "first", wz.LinearisedFTRL()),
        _entry("weitzman FTRL, open/see/close", "second", wz.FTRL(), RoundByRound),
    ]


def regret_entries() -> list[Peer]:
    """weitzman's entries of the regret table."""
    theorem = wz.FTRL(eta="theorem", radius=4.0, horizon=300)
    return [
        _entry("weitzman FTRL, all defaults", "second", wz.FTRL()),
        _entry("weitzman FTRL, 1/η = 0.1, no optimism", "second", wz.FTRL(eta=10.0), optimism=0.0),
        _entry("weitzman FTRL, theorem η, no optimism", "second", theorem, optimism=0.0),
        _entry("weitzman Ridge, no optimism", "second", wz.Ridge(eta=10.0), optimism=0.0),
        _entry("weitzman LinearisedFTRL, all defaults", "first", wz.LinearisedFTRL()),
        _entry("weitzman NewtonStep, all defaults", "second", wz.NewtonStep()),
        _entry("weitzman Residual, all defaults", "second", wz.Residual()),
    ]
