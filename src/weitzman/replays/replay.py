"""Replay: what policies would have come to on recorded rounds.

Rounds are played online in their order, learning costs included from the first. Under feedback ``full``
every value of a round is revealed when it closes; under ``opened`` only those of the boxes that were opened,
so every rule plays a run of its own and learns from what it opened itself. A box whose value the log does
not know is no part of its round; a round that is left without boxes is left out. Both are counted. Where
nobody looked for a value, no answer is made of this; :mod:`weitzman.replays.judgement` makes one.

Totals are those of :meth:`weitzman.Searcher.play` and of live rounds, bit for bit.

*Hindsight* is the least total that was possible: the better of the outside option and min (v + c). Where the
log knows what looks really cost, totals are counted with that; rules go by what was expected.

The *share* of the gap that a policy closes is (b − m)/(b − h), with the mean totals m of the policy, b of
the best simple rule, chosen afterwards, and h of hindsight: 0 is as good as the best simple rule, which
nobody knows beforehand, 1 is hindsight. Its standard error holds the best simple rule fixed
(:mod:`weitzman.replays.bootstrap`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.figures.table import as_text
from weitzman.jobs.processes import Tick, in_processes
from weitzman.learn.policy import Policy
from weitzman.logs.log import Log
from weitzman.logs.rounds import LogRounds, gaps_of
from weitzman.replays.bootstrap import block_means, standard_errors
from weitzman.replays.lineup import SIMPLE, Lineup, lineup_of, simpler_than
from weitzman.replays.runs import Part, Piece, parts_of, play_part, put_together
from weitzman.search.numbers import whole_number
from weitzman.search.reservation import Sense

if TYPE_CHECKING:
    from rich.console import Group

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """What came out of a replay of T rounds. Rows and words are in the sense of the user, all else is turned.

    Attributes
    ----------
    names
        The policies that were asked for, and what they are compared with. The first is what the replay is
        about, ``default`` if nobody asked; under ``full`` the candidates of a portfolio follow.
    totals, opened
        The total of each policy in each round, and how many boxes it opened, (T, k).
    expected
        The total of ``default``, as an expectation over its draws, (T,); under ``opened`` what was drawn.
    hindsight, hindsight_opened
        The least total that was possible, and whether it takes a look, (T,).
    candidates, played
        The candidate that ``default`` followed in each round, (T,), as a number of ``candidates``: ``names``,
        and under ``opened`` all of them behind ``trial``, a round in which more was opened to compare two.
    exploration
        What trials cost beyond what the candidate that played would have paid, (T,), below 0 if they won.
    others, has_outside
        Which other policies were asked for, and whether every round has an outside option.
    recorded, recorded_opened
        What was actually done (:mod:`weitzman.logs.rounds`): its total, and the boxes opened, (T,), or None.
    unknown, empty, gaps
        How many values the log does not know, how many rounds are left out for it, and how many values nobody
        looked for in the others: then totals are not what policies would have paid.
    feedback, cost_scale
        ``"full"`` or ``"opened"``, and what costs were multiplied by.
    simpler
        What the policy is compared with that is simpler.
    """

    names: list[str]
    totals: Floats
    opened: Ints
    expected: Floats
    hindsight: Floats
    hindsight_opened: Flags
    candidates: list[str]
    played: Ints
    exploration: Floats
    others: list[str]
    has_outside: bool
    recorded: Floats | None
    recorded_opened: Ints | None
    unknown: int
    empty: int
    feedback: Feedback
    cost_scale: float
    sense: Sense = "min"
    unit: str = ""
    ratios: bool = True
    simpler: Sequence[str] = ()
    gaps: int = 0

    @property
    def sign(self) -> float:
        """What turns a total into one of the user."""
        return 1.0 if self.sense == "min" else -1.0

    @property
    def main(self) -> str:
        """The policy that the replay is about."""
        return self.names[0]

    @property
    def simple(self) -> list[str]:
        """What the policy is compared with; ``stay`` only where there is something to stay with."""
        names = [n for n in SIMPLE if n in self.names and n != self.main]
        return [n for n in names if n != "stay" or self.has_outside]

    @property
    def best_simple(self) -> str:
        """The simple rule with the least mean total."""
        return min(self.simple, key=lambda name: float(self.of(name).mean()))

    def share(self, totals: Floats | None = None) -> tuple[float, float]:
        """Return the share of the gap that totals close, those of the policy if None, and its s.e."""
        mine = self.of(self.main) if totals is None else totals
        series = np.column_stack([self.of(self.best_simple), mine, self.hindsight])
        drawn = block_means(series)
        best, mean, least = series.mean(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = (drawn[:, 0] - drawn[:, 1]) / (drawn[:, 0] - drawn[:, 2])
            return float((best - mean) / (best - least)), float(spread.std())

    def __rich__(self) -> "Group":
        """Return the replay as a table for rich."""
        from weitzman.replays.table import replay_table

        return replay_table(self)

    def _repr_html_(self) -> str:
        from weitzman.search.html import as_html

        return as_html(self.__rich__())

    def __repr__(self) -> str:
        return as_text(self)

    def rows(self, against: str | None = None) -> list[dict[str, str | float]]:
        """Return a row for each policy that was asked for or is simple, ``recorded`` and ``hindsight``.

        ``default_saves`` is what ``default``, or the policy to compare ``against``, saves per round against
        that of the row, and ``default_saves_se`` its standard error; rounds are paired.
        """
        against = self.main if against is None else against
        shown = self.shown()
        if against not in list(shown):
            raise InvalidInputError(
                "The policy to compare with", f"be one of {list(shown)}", against
            )
        totals = np.column_stack([series for series, _ in shown.values()])
        mine = list(shown).index(against)
        drawn = block_means(totals)
        errors = standard_errors(drawn)
        apart = standard_errors(drawn - drawn[:, [mine]], drawn)
        means = totals.mean(axis=0)
        return [
            {
                "policy": name,
                "feedback": self.feedback,
                "cost_scale": self.cost_scale,
                "mean_total": float(self.sign * means[k]),
                "se": float(errors[k]),
                "boxes_opened": float(opened.mean()),
                f"{against}_saves": float(means[k] - means[mine]),
                f"{against}_saves_se": float(apart[k]),
            }
            for k, (name, (_, opened)) in enumerate(shown.items())
        ]

    def shown(self) -> dict[str, tuple[Floats, Ints]]:
        """Return what rows and pictures show, by name: totals and boxes opened, (T,) each."""
        named = {n: (self.of(n), self.opened[:, self.names.index(n)]) for n in self.simple}
        if self.recorded is not None and self.recorded_opened is not None:
            named["recorded"] = (self.recorded, self.recorded_opened)
        for name in (*self.others, self.main):
            named[name] = (self.of(name), self.opened[:, self.names.index(name)])
        named["hindsight"] = (self.hindsight, self.hindsight_opened.astype(np.int64))
        return named

    def of(self, name: str) -> Floats:
        """Return the totals of one policy, (T,)."""
        if name not in self.names:
            raise InvalidInputError("The policy", f"be one of {self.names}", name)
        return self.totals[:, self.names.index(name)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Play:
    """One replay, before it is played: its parts, and what they come to together.

    ``others`` are the policies of the line-up that were asked for beside the first.
    """

    log: Log
    lineup: Lineup
    feedback: Feedback = "full"
    cost_scale: float = 1.0
    others: Sequence[str] = ()

    def _rounds(self) -> LogRounds:
        return LogRounds(self.log, self.cost_scale)

    def parts(self) -> list[Part]:
        """Return what may be played side by side (:mod:`weitzman.replays.runs`)."""
        if not len(self._rounds()):
            rule = "have a round in which a value is known"
            raise InvalidInputError("The log", rule, self.log)
        return parts_of(self.lineup, self.feedback, paid=self.log.paid is not None)

    def play(self, part: Part, tick: Tick | None = None) -> Piece:
        """Play a part."""
        return play_part(self.lineup, part, self._rounds(), self.feedback, tick)

    def whole(self, pieces: Sequence[Piece]) -> Replay:
        """Return what the parts, in their order, come to together."""
        log, rounds = self.log, self._rounds()
        least, outside = rounds.least, rounds.outside
        present = ~np.isnan(log.costs)
        actual = rounds.happened()
        return Replay(
            **put_together(self.lineup, self.feedback, pieces, paid=log.paid is not None)._asdict(),
            others=list(self.others),
            hindsight=np.minimum(outside, least),
            hindsight_opened=least < outside,
            has_outside=bool((outside < np.inf).all()),
            recorded=None if actual is None else actual[0],
            recorded_opened=None if actual is None else actual[1],
            unknown=int((present & np.isnan(log.values)).sum()),
            empty=len(log) - len(rounds),
            feedback=self.feedback,
            cost_scale=float(self.cost_scale),
            sense=log.sense,
            unit=log.unit,
            ratios=log.has_ratios,
            simpler=simpler_than(next(iter(self.lineup.values()))),
            gaps=int(gaps_of(log).sum()),
        )


def replay(
    log: Log,
    policies: Policy | str | Sequence[Policy | str] = ("default",),
    *,
    feedback: Feedback = "full",
    cost_scale: float = 1.0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Replay:
    """Play a log by policies, and by the simple rules beside them.

    Parameters
    ----------
    log
        The recorded rounds.
    policies
        What plays, each a policy or the name of one: ``"default"``, ``"mean"``, ``"Ridge"``,
        ``"trees index 1"``, … The first is what the replay is about.
    feedback
        What a round reveals: ``"full"`` or ``"opened"``.
    cost_scale
        By what the costs are multiplied.
    workers
        The number of processes; with more than one the caller needs ``if __name__ == "__main__":``.
    progress
        Called now and then with the rounds done and all rounds, summed over the parts of the replay.
    """
    if not isinstance(log, Log):
        raise InvalidInputError("The log", "be a Log, as read_log(…) returns it", type(log))
    if isinstance(policies, str) or not isinstance(policies, Sequence):
        policies = [policies]
    workers = whole_number(workers, "The number of workers", least=1)
    if progress is not None and not callable(progress):
        raise InvalidInputError("The progress", "be a function of two numbers, or None", progress)
    lineup = lineup_of(policies, shared=log.shared, sense=log.sense)
    play = Play(
        log=log,
        lineup=lineup,
        feedback=feedback,
        cost_scale=cost_scale,
        others=list(lineup)[1 : len(policies)],
    )
    parts, done = play.parts(), 0
    count = len(parts) * len(LogRounds(log, cost_scale))

    def tick(rounds: int) -> None:
        nonlocal done
        done += rounds
        if progress is not None:
            progress(done, count)

    pieces = dict(in_processes(play.play, parts, workers, tick))
    return play.whole([pieces[part] for part in parts])
