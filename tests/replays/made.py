"""Replays with means that are known beforehand."""

import numpy as np
from numpy.typing import NDArray

from weitzman.feedback import Feedback
from weitzman.replays.replay import Replay

__all__ = ["a_replay"]

Floats = NDArray[np.float64]


def a_replay(
    default: float,
    single: float,
    *,
    recorded: float | None = None,
    feedback: Feedback = "full",
    cost_scale: float = 1.0,
    rounds: int = 400,
) -> Replay:
    """Totals with these means and noise of 0.2 that is not common to the policies."""
    rng = np.random.default_rng(0)
    noise = 0.2 * rng.normal(size=(rounds, 4))
    noise -= noise.mean(axis=0)
    totals = np.array([default, single, single + 1.0]) + noise[:, :3]
    counts = np.ones(rounds, dtype=np.int64)
    return Replay(
        names=["default", "single", "all"],
        totals=totals,
        opened=np.ones((rounds, 3), dtype=np.int64),
        expected=totals[:, 0],
        hindsight=np.full(rounds, min(default, single) - 1.0),
        hindsight_opened=np.ones(rounds, dtype=np.bool_),
        candidates=["default", "single", "all"],
        played=counts,
        exploration=np.zeros(rounds),
        others=[],
        has_outside=False,
        recorded=None if recorded is None else recorded + noise[:, 3],
        recorded_opened=None if recorded is None else counts,
        unknown=0,
        empty=0,
        feedback=feedback,
        cost_scale=cost_scale,
        simpler=("single", "all"),
    )
