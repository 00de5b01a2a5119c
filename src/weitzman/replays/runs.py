"""Runs over rounds that are known whole: the totals of the policies of a replay, round by round.

A run has *parts* that need nothing of each other: they may be played side by side, and neither their order
nor their place changes a bit of the result.

- Under ``full`` every candidate of a portfolio learns the same, whoever plays. Families that share no fitted
  model are parts, and the hedge goes over their totals afterwards. This is what the portfolio does live, bit
  for bit.
- Any other policy plays a run of its own, and learns what the feedback reveals to it.

Policies go by the costs that were expected, and are judged by them inside a portfolio, as they are live.
Where a log knows what looks really cost, the totals of a run are counted with that: then a portfolio plays a
run of its own too.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.jobs.processes import Tick
from weitzman.learn.policies.family import LearnerFamily
from weitzman.learn.policies.joint import Joint, JointFamily, by_trees
from weitzman.learn.policies.portfolio.player import pick
from weitzman.learn.policies.portfolio.portfolio import Portfolio, families_of, policy_name
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policy import Player, Policy, Round, walk
from weitzman.learn.record import play_known_round
from weitzman.replays.lineup import Lineup
from weitzman.search.state import RoundState

_SEED = 0
_TOGETHER = 3  # policies that go through the rounds together; each keeps a history of its own


class Rounds(Protocol):
    """Rounds with their values, to be gone through once."""

    @property
    def boxes(self) -> int:
        """The number of boxes."""

    @property
    def dimension(self) -> int:
        """The length of a context."""

    def settle(self, number: int, shown: Round, done: RoundState) -> RoundState:
        """Return a round that was played, with what its looks really cost."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Round, Floats]]: ...


class Part(NamedTuple):
    """Families of the first policy, by number; the first policy itself; or policies by themselves."""

    families: tuple[int, ...] = ()
    alone: tuple[str, ...] = ()


class Piece(NamedTuple):
    """What a part gave, or all together, as in :class:`weitzman.replays.replay.Replay`.

    ``expected``, ``candidates``, ``played`` and ``exploration`` are those of the first policy.
    """

    names: list[str]
    totals: Floats
    opened: Ints
    expected: Floats
    candidates: list[str]
    played: Ints
    exploration: Floats


def parts_of(lineup: Lineup, feedback: Feedback, *, paid: bool = False) -> list[Part]:
    """Return the parts of a run, those that take longest first; ``paid``: looks have real costs."""
    if feedback not in ("full", "opened"):
        rule = "be 'full' or 'opened': rules are played beside each other that learn from values"
        raise InvalidInputError("The feedback of a replay", rule, feedback)
    main, *others = lineup
    parts, scored = [Part()], set[str]()
    first = lineup[main]
    if _is_scored(first, feedback, paid=paid):
        kinds = [_kind(family) for family in families_of(first.candidates)]
        parts = [
            Part(families=tuple(k for k, kind in enumerate(kinds) if kind == one))
            for one in sorted(set(kinds))
        ]
        scored = {
            name
            for name, one in lineup.items()
            # One that is told apart from others of its name plays beside them
            if name == policy_name(one) and one in first.candidates and _plays_as_alone(one, first)
        }
    left = [name for name in others if name not in scored]
    together = [left[k : k + _TOGETHER] for k in range(0, len(left), _TOGETHER)]
    return [*parts, *(Part(alone=tuple(group)) for group in together)]


def _is_scored(policy: Policy, feedback: Feedback, *, paid: bool) -> TypeGuard[Portfolio]:
    """Whether a policy hedges over totals that its candidates would have had if they had played."""
    if not isinstance(policy, Portfolio) or feedback != "full" or paid:
        return False
    # A candidate is judged without its optimism
    return all(getattr(one, "optimism", "auto") in ("auto", 0.0) for one in policy.candidates)


def _plays_as_alone(candidate: Policy, portfolio: Portfolio) -> bool:
    """Whether what a candidate shares with others leaves it as it is by itself."""
    if isinstance(candidate, Simple | Joint):
        both = candidate.shared, candidate.prepare
        return both == (portfolio.shared, portfolio.prepare)
    return getattr(candidate, "prepares", "nothing") in ("nothing", portfolio.prepare)


def rank_of(part: Part) -> int:
    """Return 0 for the parts of any runs that take longest, 2 for those that take least."""
    return 2 if part.alone else int(bool(part.families))


def _kind(family: Any) -> int:
    """Return the same for families that share fitted models: trees; learners; all others."""
    if isinstance(family, JointFamily) and by_trees(family.kind):
        return 0
    return 1 if isinstance(family, LearnerFamily) else 2


def play_part(
    lineup: Lineup, part: Part, rounds: Rounds, feedback: Feedback, tick: Tick | None = None
) -> Piece:
    """Play rounds by a part; ``tick`` hears of each of them."""
    tick = tick or (lambda _: None)
    main = next(iter(lineup))
    first = lineup[main]
    if part.alone:
        return _beside(lineup, part.alone, rounds, feedback, tick)
    if not isinstance(first, Portfolio):
        return _beside(lineup, (main,), rounds, feedback, tick)
    if part.families:
        return _scored(first, part.families, rounds, tick)
    return _led(main, first, rounds, feedback, tick)


def put_together(
    lineup: Lineup, feedback: Feedback, pieces: Sequence[Piece], *, paid: bool = False
) -> Piece:
    """Return the run whose parts, in their order, gave these pieces."""
    main = next(iter(lineup))
    first = lineup[main]
    names = [name for piece in pieces for name in piece.names]
    totals = np.concatenate([piece.totals for piece in pieces], axis=1)
    opened = np.concatenate([piece.opened for piece in pieces], axis=1)
    if not _is_scored(first, feedback, paid=paid):
        return pieces[0]._replace(names=names, totals=totals, opened=opened)
    candidates = [n for family in families_of(first.candidates) for n in family.names]
    # Families come first; a policy beside them may have the name of a candidate
    count = len(candidates)
    columns = [*map(names.index, candidates), *range(count, len(names))]
    beside = names[count:]
    called = [f"{n} in {main}" if n in beside else n for n in candidates]
    totals, opened = totals[:, columns], opened[:, columns]
    return _hedged(first, [main, *called, *beside], totals, opened, count)


def _blank(names: list[str], count: int) -> Piece:
    """Return a piece to be filled in, of policies that play by themselves."""
    totals, opened = np.empty((count, len(names))), np.empty((count, len(names)), dtype=np.int64)
    played = np.zeros(count, dtype=np.int64)
    return Piece(names, totals, opened, totals[:, 0], names[:1], played, np.zeros(count))


def _started(policy: Policy, rounds: Rounds, feedback: Feedback) -> Player:
    return policy.start(
        boxes=rounds.boxes, dimension=rounds.dimension, feedback=feedback, seed=_SEED
    )


def _scored(policy: Portfolio, families: tuple[int, ...], rounds: Rounds, tick: Tick) -> Piece:
    """Score the members of families under full information."""
    candidates = policy.started(
        boxes=rounds.boxes,
        dimension=rounds.dimension,
        feedback="full",
        seed=_SEED,
        families=families,
    )
    piece = _blank(candidates.names, len(rounds))
    for t, (shown, values) in enumerate(rounds):
        piece.totals[t], piece.opened[t] = candidates.score(shown, values)
        candidates.learn(shown, values)
        tick(1)
    return piece


def _hedged(policy: Portfolio, names: list[str], totals: Floats, opened: Ints, count: int) -> Piece:
    """Hedge over the first ``count`` policies; the first name is that of the hedge."""
    candidates = names[: count + 1]
    # By their own names: here they may be called otherwise
    own = [name for family in families_of(policy.candidates) for name in family.names]
    gate = policy.gate(own, "full")
    scored = np.ascontiguousarray(totals[:, :count])
    expected, played = np.empty(len(scored)), np.empty(len(scored), dtype=np.int64)
    known: Flags = np.asarray(np.isfinite(scored).all(axis=1))
    for t, each in enumerate(scored):
        played[t] = pick(gate, seed=_SEED, number=t)
        expected[t] = gate.weights() @ each
        if known[t]:
            gate.add(each)
    mine = np.arange(len(scored)), played
    return Piece(
        names=names,
        totals=np.column_stack([totals[mine], totals]),
        opened=np.column_stack([opened[mine], opened]),
        expected=expected,
        candidates=candidates,
        played=played + 1,
        exploration=np.zeros(len(scored)),
    )


def _led(name: str, policy: Portfolio, rounds: Rounds, feedback: Feedback, tick: Tick) -> Piece:
    """Play a portfolio, and note which candidate it plays by."""
    player: Any = _started(policy, rounds, feedback)
    piece = _blank([name], len(rounds))._replace(candidates=["trial", *player.names])
    for t, (shown, values) in enumerate(rounds):
        piece.played[t] = 1 + player.played
        # A trial may cost more than the looks of whoever plays, and find more
        would = walk(player.favourite(shown), shown, values) if player.explores(shown) else None
        _, done = play_known_round(player, shown, values, feedback)
        rounds.settle(t, shown, done)
        piece.totals[t, 0], piece.opened[t, 0] = done.total, len(done.opened)
        piece.exploration[t] = 0.0
        if would is not None and len(done.opened) > len(would.opened):
            piece.played[t] = 0
            piece.exploration[t] = done.total - rounds.settle(t, shown, would).total
        tick(1)
    return piece


def _beside(
    lineup: Lineup, names: Sequence[str], rounds: Rounds, feedback: Feedback, tick: Tick
) -> Piece:
    """Play policies, each by itself."""
    players = [_started(lineup[name], rounds, feedback) for name in names]
    piece = _blank(list(names), len(rounds))
    for t, (shown, values) in enumerate(rounds):
        for k, player in enumerate(players):
            _, done = play_known_round(player, shown, values, feedback)
            rounds.settle(t, shown, done)
            piece.totals[t, k], piece.opened[t, k] = done.total, len(done.opened)
        tick(1)
    return piece
