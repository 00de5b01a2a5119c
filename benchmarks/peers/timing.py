"""Rounds per second: interleaved repetitions, a time budget per cell, medians.

The clock is the CPU time of the process. On an idle machine, one thread, it equals wall time; on
a shared one it leaves out the time taken by others; a peer that starts threads pays for them.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time

from peers.peer import Peer
from peers.rounds import Feedback, Rounds, draw

SIZES = ((10, 5), (10, 50), (100, 20))
FIRST = 20


@dataclass(frozen=True)
class Cell:
    """One peer at one size under one feedback. ``played`` is the rounds of a repetition."""

    peer: Peer
    boxes: int
    dimension: int
    feedback: Feedback
    rates: tuple[float, ...]
    played: int

    @property
    def rate(self) -> float:
        """Median rounds per second."""
        return median(self.rates)


def measure(
    peers: list[Peer],
    *,
    sizes: tuple[tuple[int, int], ...] = SIZES,
    feedbacks: tuple[Feedback, ...] = ("full", "opened"),
    rounds: int = 1000,
    repeats: int = 3,
    budget: float = 3.0,
    tell: Callable[[str], None] = print,
) -> list[Cell]:
    """Time every peer in every cell; within a cell the repetitions of all peers interleave."""
    cells = []
    for n, d in sizes:
        recorded = draw("signed", rounds=rounds, boxes=n, dimension=d, seed=0)
        for feedback in feedbacks:
            tell(f"n = {n}, d = {d}, {feedback}")
            rates: dict[str, list[float]] = {peer.label: [] for peer in peers}
            played = {}
            for peer in peers:
                warm = peer.make(n, d)
                warm.play(warm.prepare(recorded.part(0, 3)), feedback)
            for _ in range(repeats):
                for peer in peers:
                    count, spent = once(peer, recorded, feedback, budget / repeats)
                    rates[peer.label].append(count / spent)
                    played[peer.label] = count
            cells += [
                Cell(peer, n, d, feedback, tuple(rates[peer.label]), played[peer.label])
                for peer in peers
            ]
    return cells


def once(peer: Peer, recorded: Rounds, feedback: Feedback, budget: float) -> tuple[int, float]:
    """Play with a fresh player until the rounds or the budget run out: rounds, seconds.

    The first block sets the pace; the rest is played in one call unless ``peer.block`` forbids.
    """
    _, n, d = recorded.contexts.shape
    player, done, spent = peer.make(n, d), 0, 0.0
    size = min(peer.block or FIRST, FIRST)
    gc.collect()
    gc.disable()
    while done < len(recorded) and spent < budget:
        prepared = player.prepare(recorded.part(done, done + size))
        start = process_time()
        player.play(prepared, feedback)
        spent += process_time() - start
        done = min(done + size, len(recorded))
        affordable = max(1, int((budget - spent) * done / spent))
        size = min(peer.block or affordable, affordable)
    gc.enable()
    return done, spent
