"""Runs over rounds that are known whole: what the policies of a replay come to, round by round.

A run has *parts* that need nothing of each other: they may be played side by side, and neither their order
nor their place changes a bit of what comes back.

- Under ``full`` every candidate of a portfolio learns the same, whoever plays. Panels that share no fitted
  model are parts, and the hedge goes over their totals afterwards.
- Under ``opened`` a rule learns from what it opened itself, so each plays a run of its own, and what it did
  not open never reaches it: its value is NaN. The portfolio is a part, and so are a few rules beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from weitzman.jobs.processes import Tick
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.panel import Chosen, Panel
from weitzman.learn.policies.portfolio import Portfolio
from weitzman.learn.policies.portfolio_player import pick
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policies.weitzman import Index
from weitzman.learn.policy import Player, Round, Walk, walk

__all__ = ["Part", "Piece", "Run", "Size", "parts_of", "play_part", "put_together", "rank_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Rounds(Protocol):
    """Rounds with their values, to be gone through once."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Round, Floats]]: ...


_OWN = (*RULES, "paper")
_TOGETHER = 3  # rules that go through the rounds together; each keeps a past of its own


class Size(NamedTuple):
    """The number of boxes and the length of a context."""

    boxes: int
    dimension: int


class Part(NamedTuple):
    """Panels of a portfolio, or rules that each play a run of its own; if neither, the portfolio itself."""

    panels: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()


class Led(NamedTuple):
    """By which of its candidates a portfolio went, and what exploration cost it, (T,)."""

    candidates: list[str]
    played: Ints
    exploration: Floats


class Piece(NamedTuple):
    """What came out of a part: the total of each policy in each round, and the boxes it opened, (T, k)."""

    names: list[str]
    totals: Floats
    opened: Ints
    led: Led | None = None


class Run(NamedTuple):
    """What came out of a run; see :class:`weitzman.replays.replay.Replay`."""

    names: list[str]
    totals: Floats
    opened: Ints
    expected: Floats
    candidates: list[str]
    played: Ints
    exploration: Floats


def parts_of(policy: Portfolio) -> list[Part]:
    """Return the parts of a run, those that take longest first."""
    if policy.feedback == "opened":
        rules = [name for name in policy.alone() if name in _OWN]
        together = [rules[k : k + _TOGETHER] for k in range(0, len(rules), _TOGETHER)]
        return [Part(), *(Part(rules=tuple(group)) for group in together)]
    kinds = [_kind(panel) for panel in policy.panels]
    return [
        Part(panels=tuple(k for k, kind in enumerate(kinds) if kind == one))
        for one in sorted(set(kinds))
    ]


def rank_of(part: Part) -> int:
    """Return 0 for the parts of any runs that take longest, 2 for those that take least."""
    return 2 if part.rules else int(bool(part.panels))


def _kind(panel: Panel) -> int:
    """Return the same for panels that share fitted models: trees; learners; all others."""
    if isinstance(panel, Law) and "trees" in panel.kind:
        return 0
    return 1 if isinstance(panel, Index) else 2


def play_part(
    policy: Portfolio, part: Part, rounds: Rounds, size: Size, tick: Tick | None = None
) -> Piece:
    """Play rounds by a part; ``tick`` hears of each of them."""
    tick = tick or (lambda _: None)
    if part.panels:
        panels = tuple(policy.panels[k] for k in part.panels)
        return _scored(replace(policy, panels=panels), rounds, size, tick)
    if part.rules:
        return _beside(policy, part.rules, rounds, size, tick)
    return _led(policy, rounds, size, tick)


def put_together(policy: Portfolio, pieces: Sequence[Piece]) -> Run:
    """Return the run whose parts, in their order, came to these pieces."""
    names = [name for piece in pieces for name in piece.names]
    led = pieces[0].led
    wanted = list(policy.alone()) if led is None else names
    columns = [names.index(name) for name in wanted]
    totals = np.concatenate([piece.totals for piece in pieces], axis=1)[:, columns]
    opened = np.concatenate([piece.opened for piece in pieces], axis=1)[:, columns]
    if led is not None:
        return Run(wanted, totals, opened, totals[:, 0].copy(), *led)
    return _hedged(policy, Piece(wanted, np.ascontiguousarray(totals), opened))


def _blank(names: list[str], count: int) -> Piece:
    shape = (count, len(names))
    return Piece(names, np.empty(shape), np.empty(shape, dtype=np.int64))


def _scored(policy: Portfolio, rounds: Rounds, size: Size, tick: Tick) -> Piece:
    """Score every candidate under full information."""
    candidates = policy.candidates(boxes=size.boxes, dimension=size.dimension)
    piece = _blank(candidates.names, len(rounds))
    for t, (shown, values) in enumerate(rounds):
        piece.totals[t], piece.opened[t] = candidates.score(shown, values)
        candidates.learn(shown, values)
        tick(1)
    return piece


def _hedged(policy: Portfolio, piece: Piece) -> Run:
    """Hedge over candidates, round by round."""
    names, count = ["default", *piece.names], len(piece.totals)
    gate = policy.gate(piece.names)
    expected, played = np.empty(count), np.empty(count, dtype=np.int64)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(piece.totals).all(axis=1))
    for t, totals in enumerate(piece.totals):
        played[t] = pick(gate, seed=policy.seed, number=t)
        expected[t] = gate.weights() @ totals
        if known[t]:
            gate.add(totals)
    mine = np.arange(count), played
    return Run(
        names=names,
        totals=np.column_stack([piece.totals[mine], piece.totals]),
        opened=np.column_stack([piece.opened[mine], piece.opened]),
        expected=expected,
        candidates=names,
        played=played + 1,
        exploration=np.zeros(count),
    )


def _led(policy: Portfolio, rounds: Rounds, size: Size, tick: Tick) -> Piece:
    """Play a portfolio under ``opened``."""
    player = policy.start(boxes=size.boxes, dimension=size.dimension)
    count = len(rounds)
    led = Led(["explore", *player.names], np.empty(count, dtype=np.int64), np.zeros(count))
    piece = _blank(["default"], count)
    for t, (shown, values) in enumerate(rounds):
        explored = player.explores(shown)
        led.played[t] = 0 if explored else 1 + player.played
        # Opening everything costs more than the favourite's looks, and may find more
        would = walk(player.favourite(shown), shown, values).total if explored else 0.0
        walked = _round(player, shown, values)
        piece.totals[t, 0], piece.opened[t, 0] = walked.total, len(walked.opened)
        led.exploration[t] = walked.total - would if explored else 0.0
        tick(1)
    return piece._replace(led=led)


def _beside(
    policy: Portfolio, rules: Sequence[str], rounds: Rounds, size: Size, tick: Tick
) -> Piece:
    """Play rules under ``opened``, each by itself."""
    alone: dict[str, Chosen] = policy.alone()
    players = [alone[rule].start(boxes=size.boxes, dimension=size.dimension) for rule in rules]
    piece = _blank(list(rules), len(rounds))
    for t, (shown, values) in enumerate(rounds):
        for k, player in enumerate(players):
            walked = _round(player, shown, values)
            piece.totals[t, k], piece.opened[t, k] = walked.total, len(walked.opened)
        tick(1)
    return piece


def _round(player: Player, shown: Round, values: Floats) -> Walk:
    """Play a round; the player learns what it opened."""
    walked = walk(player.propose(shown), shown, values)
    revealed = np.full(len(values), np.nan)
    revealed[list(walked.opened)] = values[list(walked.opened)]
    player.learn(shown, revealed)
    return walked
