"""Does a peer really learn? Regret late against early, and against never learning."""

from collections.abc import Callable

import numpy as np

from peers.peer import Peer
from peers.regret import Zero, totals
from peers.rounds import FEEDBACKS, clairvoyant, draw

ROUNDS, SEEDS, WINDOW = 600, 3, 150


def failures(peers: list[Peer], tell: Callable[[str], None]) -> int:
    """How many (peer, feedback) do not learn.

    To pass, the regret per round of the last quarter must be below that of the first quarter under
    ``full``, and below 70 % of the untaught rule's under both feedbacks.
    """
    plays = [draw("signed", rounds=ROUNDS, boxes=10, dimension=5, seed=s) for s in range(SEEDS)]
    best = [clairvoyant(each) for each in plays]
    idle = np.mean([Zero(10, 5).play(p, "full") - b for p, b in zip(plays, best, strict=True)])
    tell(f"never learning: regret per round {idle:.3f}")
    bad = 0
    for peer in peers:
        for feedback in FEEDBACKS:
            lost = [totals(peer, p, feedback) - b for p, b in zip(plays, best, strict=True)]
            mean = np.mean(lost, axis=0)
            early, late = mean[:WINDOW].mean(), mean[-WINDOW:].mean()
            good = late < 0.7 * idle and (late < early or feedback == "opened")
            bad += not good
            verdict = "learns" if good else "FAILS"
            tell(f"{verdict}  {early:7.3f} → {late:7.3f}  {feedback:6}  {peer.label}")
    return bad
