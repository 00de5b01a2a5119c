"""Evaluate: contenders against the clairvoyant, on the same draws, as flat rows.

A run plays T rounds of a world. In round t the searcher goes by reservation values σ_t and ends
with the total C_t; the clairvoyant, who knows the laws, ends with C*_t on the same values. Then

    regret = Σ C_t − C*_t,      expected regret = Σ E[C_t | σ_t] − E[C*_t],

where the expectations are exact, at the true laws of round t (:mod:`weitzman.lab.exact.expected`): the
second has the mean of the first and less noise. Under feedback ``"probe"`` the expected total
includes what bought looks cost and what they find (:mod:`weitzman.lab.exact.probed`), and the certificate
what they cost.

Rounds are drawn and played in pieces of :data:`PIECE`, so that the memory of a run is that of its
searcher. A searcher goes on from piece to piece bit for bit as in one call. Expectations are those of rules
at fixed reservation values; of other policies they are NaN.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.lab.exact.clairvoyant import Clairvoyant, clairvoyant
from weitzman.lab.exact.expected import certificates, expected_totals
from weitzman.lab.exact.probed import probed_totals
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.rows import Row
from weitzman.lab.worlds import World
from weitzman.lab.worlds.instance import Instance
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.probing import probes
from weitzman.learn.record import Played
from weitzman.learn.searcher import Searcher
from weitzman.search.numbers import whole_number

PIECE: Final = 1 << 14
"""How many rounds are drawn and played at once."""

Progress = Callable[[int, int], None]

_EVEN, _LOG = 60, 40


def evaluate(
    contenders: Mapping[str, Contender],
    world: World,
    rounds: int,
    rng: int,
    *,
    checkpoints: Sequence[int] | None = None,
    expected: bool = True,
    progress: Progress | None = None,
) -> list[Row]:
    """Play a world and return rows, contender by contender.

    Parameters
    ----------
    contenders
        Who plays, by name.
    world
        Where the rounds come from.
    rounds
        The horizon T.
    rng
        The seed of the draws, and of the bought looks.
    checkpoints
        After which rounds there is a row; :func:`checkpoints_of` T if None.
    expected
        Whether expectations are computed. If not, ``expected_total``, ``expected_regret`` and
        ``certificate`` are NaN, and a long run is up to a third faster.
    progress
        Called after each piece with the rounds done and all rounds, of all contenders together.

    Examples
    --------
    >>> from weitzman.lab.worlds import WORLDS
    >>> rows = evaluate({"cpb": Contender(feedback="full")}, WORLDS["signed"](), rounds=50, rng=0)
    >>> rows[-1].round, rows[-1].regret > 0.0
    (50, True)
    """
    entries = list(contenders.items())
    each = evaluate_each(
        entries, world, rounds, rng, checkpoints=checkpoints, expected=expected, progress=progress
    )
    return [row for rows in each for row in rows]


def evaluate_each(
    entries: Sequence[tuple[str, Contender]],
    world: World,
    rounds: int,
    rng: int,
    *,
    label: str | None = None,
    checkpoints: Sequence[int] | None = None,
    expected: bool = True,
    progress: Progress | None = None,
) -> list[list[Row]]:
    """Return the rows of each contender; names may repeat, and rows call the world ``label``."""
    at = checked_checkpoints(checkpoints, rounds)
    _check(entries, world)
    tracks = [_Track(started(c, world, rounds, rng), at, expected) for _, c in entries]
    done = 0
    for start in range(0, rounds, PIECE):
        piece = world.draw(min(PIECE, rounds - start), rng, start=start)
        best = clairvoyant(piece)
        for track in tracks:
            track.play(piece, best, start)
            done += len(piece)
            if progress is not None:
                progress(done, rounds * len(tracks))
    run = (label or world.name, whole_number(rng, "The seed rng", least=0), rounds)
    return [list(track.rows(name, run)) for (name, _), track in zip(entries, tracks, strict=True)]


def checkpoints_of(rounds: int) -> tuple[int, ...]:
    """Return the default checkpoints: evenly and logarithmically spaced rounds, and the last.

    Examples
    --------
    >>> checkpoints_of(300)[:12], len(checkpoints_of(300)), checkpoints_of(300)[-1]
    ((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14), 85, 300)
    """
    even = np.linspace(0.0, rounds, _EVEN + 1)[1:]
    log = np.geomspace(1.0, rounds, _LOG)
    points = np.unique(np.rint(np.concatenate([even, log])).astype(np.int64))
    return tuple(int(p) for p in points[points >= 1])


def checked_checkpoints(checkpoints: Sequence[int] | None, rounds: int) -> tuple[int, ...]:
    """Return the checkpoints of a run of this length: increasing, up to and including its end."""
    whole_number(rounds, "The number of rounds", least=1)
    if checkpoints is None:
        return checkpoints_of(rounds)
    wanted = [whole_number(c, "A checkpoint", least=1) for c in checkpoints]
    return tuple(sorted({c for c in wanted if c <= rounds} | {rounds}))


def _check(entries: Sequence[tuple[str, Any]], world: Any) -> None:
    for name, contender in entries:
        if not isinstance(contender, Contender):
            rule = "be a Contender, such as Contender(learner=FTRL())"
            raise InvalidInputError(f"The contender {name!r}", rule, contender)
    if isinstance(world, type) or not hasattr(world, "draw"):
        raise InvalidInputError("The world", "be a world, such as WORLDS['signed']()", world)


def started(contender: Contender, world: World, rounds: int, rng: int) -> Searcher:
    """Return a searcher of a contender that has seen nothing of a world."""
    return contender.searcher(
        boxes=world.boxes,
        dimension=world.dimension,
        rounds=rounds,
        cost=world.cost,
        rng=rng,
        radius=getattr(world, "radius", None),
    )


class _Track:
    """The sums of one run, and what they were at its checkpoints."""

    def __init__(self, searcher: Searcher, at: tuple[int, ...], expected: bool) -> None:
        self._searcher = searcher
        self._at = np.array(at)
        self._expected = expected
        self._sums = np.zeros(7)
        self._kept: list[Floats] = []

    def play(self, piece: Instance, best: Clairvoyant, start: int) -> None:
        """Play the rounds of a piece, whose first has this number."""
        # A rule may look again after every box: then there is no σ to take expectations at
        predictions = self._expected and isinstance(self._searcher.policy, Weitzman)
        played = self._searcher.play(
            piece.contexts, piece.costs, piece.values, predictions=predictions
        )
        expected, certificate = self._expectations(piece, played, start)
        regrets = played.totals - best.totals, expected - best.expected_totals
        opened = played.opened_count, played.paid
        # In the order of the columns of a row
        steps = np.stack([played.totals, expected, *regrets, *opened, certificate])
        steps[:, 0] += self._sums
        # A cumulative sum adds in order, so pieces do not change it
        sums = np.cumsum(steps, axis=1)
        self._sums = sums[:, -1].copy()
        inside = self._at[(self._at > start) & (self._at <= start + len(piece))]
        self._kept.append(sums[:, inside - start - 1])

    def _expectations(self, piece: Instance, played: Played, start: int) -> tuple[Floats, Floats]:
        sigma = played.reservation_values
        if not self._expected or sigma is None:
            nothing = np.full(len(piece), np.nan)
            return nothing, nothing
        # A policy that knows nothing opens one box and no other: beyond all values is as good as infinite
        sigma = np.clip(sigma, piece.lower.min() - 1.0, piece.upper.max() + 1.0)
        certificate = certificates(piece, sigma)
        block = getattr(self._searcher.policy, "block", None)
        if block is None:
            return expected_totals(piece, sigma), certificate
        rounds, boxes = piece.values.shape
        seed = self._searcher.rng
        bought = probes(seed=seed, block=block, first=start, rounds=rounds, boxes=boxes)
        totals, extra = probed_totals(piece, sigma, bought)
        return totals, certificate + extra

    def rows(self, name: str, run: tuple[str, int, int]) -> Iterator[Row]:
        """Yield the rows of the run: world, seed and horizon."""
        world, seed, rounds = run
        for number, sums in zip(self._at, np.hstack(self._kept).T.tolist(), strict=True):
            sums[4] = round(sums[4])  # boxes are counted
            yield Row(world, self._searcher.feedback, name, seed, rounds, int(number), *sums)
