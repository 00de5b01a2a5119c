"""Realised regret at T = 300 against the clairvoyant, same draws for all: River on this loss."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from peers import river_peer, rls_peer
from peers.peer import Peer
from peers.rounds import FEEDBACKS, WORLDS, Feedback, Floats, Rounds, World, clairvoyant, draw
from peers.weitzman_entries import regret_entries

SGD_RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
FTRL_ALPHAS = (0.05, 0.2, 0.5, 1.0, 2.0, 5.0)
FTRL_L2 = (1.0, 0.0)


@dataclass(frozen=True)
class Regret:
    """Regrets of one learner over the seeds; ``default`` marks the library's own settings."""

    learner: str
    setting: str
    default: bool
    world: World
    feedback: Feedback
    regrets: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the seeds."""
        return float(np.mean(self.regrets))

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(np.std(self.regrets, ddof=1) / np.sqrt(len(self.regrets)))


def learners() -> list[tuple[str, str, bool, Peer]]:
    """River's two optimisers over their grids, ridge as the familiar reference, and ours."""
    made: list[tuple[str, str, bool, Peer]] = []
    for rate in SGD_RATES:
        make = partial(river_peer.RiverPlayer, partial(river_peer.sgd, rate), True)
        made.append(("River SGD", f"lr={rate:g}", rate == 0.01, Peer("sgd", "first", make)))
    for l2 in FTRL_L2:
        for alpha in FTRL_ALPHAS:
            make = partial(river_peer.RiverPlayer, partial(river_peer.ftrl, alpha, l2), True)
            default = (alpha, l2) == (0.05, 1.0)
            setting = f"alpha={alpha:g}, l2={l2:g}"
            made.append(("River FTRLProximal", setting, default, Peer("ftrl", "first", make)))
    made.append(("ridge as index (numpy)", "λ=1", True, rls_peer.peers()[0]))
    made.append(("never learns (σ = 0)", "", True, Peer("zero", "first", Zero)))
    made += [(peer.name, "", True, peer) for peer in regret_entries()]
    return made


class Zero:
    """Scores of 0 for ever: the start of every learner, and what failing to learn costs."""

    def __init__(self, n: int, d: int) -> None:
        self.zeros = np.zeros(n)

    def prepare(self, rounds: Rounds) -> Rounds:
        return rounds

    def play(self, prepared: Rounds, feedback: Feedback) -> Floats:
        still = np.tile(self.zeros, (len(prepared), 1))
        return clairvoyant(Rounds(prepared.contexts, prepared.values, prepared.costs, still))


def table(
    *, rounds: int = 300, seeds: int = 20, n: int = 10, d: int = 5, tell: Callable[[str], None]
) -> list[Regret]:
    """Regret of every learner and setting in every world under both feedbacks."""
    rows = []
    for world in WORLDS:
        plays = [
            draw(world, rounds=rounds, boxes=n, dimension=d, seed=seed) for seed in range(seeds)
        ]
        best = [clairvoyant(each) for each in plays]
        for feedback in FEEDBACKS:
            tell(f"{world}, {feedback}")
            for learner, setting, default, peer in learners():
                regrets = tuple(
                    float((totals(peer, each, feedback) - known).sum())
                    for each, known in zip(plays, best, strict=True)
                )
                rows.append(Regret(learner, setting, default, world, feedback, regrets))
    return rows


def totals(peer: Peer, rounds: Rounds, feedback: Feedback) -> Floats:
    """Totals of a fresh player; what may not be prepared at once is prepared in blocks."""
    _, n, d = rounds.contexts.shape
    player, step = peer.make(n, d), peer.block or len(rounds)
    parts = [
        player.play(player.prepare(rounds.part(start, start + step)), feedback)
        for start in range(0, len(rounds), step)
    ]
    return np.concatenate(parts)
