"""Runs over rounds that are known whole: what the policies of a replay come to, round by round.

Under ``full`` one run serves all: every candidate of a portfolio learns the same. Under ``opened`` a rule
learns from what it opened itself, so each plays a run of its own, and what it did not open never reaches
it: its value is NaN.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.panel import Chosen
from weitzman.learn.policy import Player, Round, Walk, walk
from weitzman.learn.portfolio import Portfolio
from weitzman.learn.simple import RULES

__all__ = ["Progress", "Run", "Size", "run_full", "run_opened"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Progress = Callable[[int, int], None]


class Rounds(Protocol):
    """Rounds with their values, to be gone through once."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Round, Floats]]: ...


_OWN = (*RULES, "paper")


class Size(NamedTuple):
    """The number of boxes and the length of a context."""

    boxes: int
    dimension: int


class Run(NamedTuple):
    """What came out of a run; see :class:`weitzman.lab.replay.Replay`."""

    names: list[str]
    totals: Floats
    opened: Ints
    expected: Floats
    candidates: list[str]
    played: Ints
    exploration: Floats


def _blank(names: list[str], candidates: list[str], count: int) -> Run:
    return Run(
        names=names,
        totals=np.empty((count, len(names))),
        opened=np.empty((count, len(names)), dtype=np.int64),
        expected=np.empty(count),
        candidates=candidates,
        played=np.empty(count, dtype=np.int64),
        exploration=np.zeros(count),
    )


def run_full(policy: Portfolio, rounds: Rounds, size: Size, progress: Progress | None) -> Run:
    """Play rounds under full information by a portfolio and by each of its candidates."""
    player = policy.start(boxes=size.boxes, dimension=size.dimension)
    names = ["default", *player.names]
    run = _blank(names, names, len(rounds))
    for t, (shown, values) in enumerate(rounds):
        pick, weights = player.played, player.weights()
        scores = player.score(shown, values)
        run.totals[t, 1:], run.opened[t, 1:] = scores
        run.totals[t, 0], run.opened[t, 0] = scores.totals[pick], scores.counts[pick]
        run.expected[t] = weights @ scores.totals
        run.played[t] = pick + 1
        player.learn_scored(shown, values, scores)
        if progress is not None:
            progress(t + 1, len(rounds))
    return run


def run_opened(policy: Portfolio, rounds: Rounds, size: Size, progress: Progress | None) -> Run:
    """Play rounds under ``opened``: a portfolio, and the simple rules and ``paper`` each by itself."""
    player = policy.start(boxes=size.boxes, dimension=size.dimension)
    own = {name: p.start(boxes=size.boxes, dimension=size.dimension) for name, p in _own(policy)}
    run = _blank(["default", *own], ["explore", *player.names], len(rounds))
    for t, (shown, values) in enumerate(rounds):
        run.played[t] = 0 if player.explores(shown) else 1 + player.played
        if player.explores(shown):
            # Opening everything costs more than the favourite's looks, and may find more
            run.exploration[t] = -walk(player.favourite(shown), shown, values).total
        for k, each in enumerate((player, *own.values())):
            walked = _round(each, shown, values)
            run.totals[t, k], run.opened[t, k] = walked.total, len(walked.opened)
        run.exploration[t] += run.totals[t, 0] if run.played[t] == 0 else 0.0
        if progress is not None:
            progress(t + 1, len(rounds))
    run.expected[:] = run.totals[:, 0]
    return run


def _own(policy: Portfolio) -> list[tuple[str, Chosen]]:
    """Return the simple rules and ``paper``, as far as they are candidates, each as a policy."""
    alone = policy.alone()
    return [(name, alone[name]) for name in _OWN if name in alone]


def _round(player: Player, shown: Round, values: Floats) -> Walk:
    """Play a round; the player learns what it opened."""
    walked = walk(player.propose(shown), shown, values)
    revealed = np.full(len(values), np.nan)
    revealed[list(walked.opened)] = values[list(walked.opened)]
    player.learn(shown, revealed)
    return walked
