"""Judge: what other rules would have cost on a log that holds only what was opened.

Estimates are those of :mod:`weitzman.replays.judgement.estimate`, verdicts those of
:mod:`weitzman.replays.judgement.verdict`.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.figures.table import as_text
from weitzman.jobs.processes import Tick, in_processes
from weitzman.learn.policies.portfolio.portfolio import turned
from weitzman.learn.policy import Policy, as_policy
from weitzman.learn.storage.registry import named_policy
from weitzman.logs.log import Log
from weitzman.replays.judgement.independent import INDEPENDENT, Correlation, Independent
from weitzman.replays.judgement.judged import Judged, Part, judged
from weitzman.replays.judgement.seen import Seen, seen_of
from weitzman.replays.judgement.trace import Trace, groups_of, traces
from weitzman.replays.judgement.verdict import Side
from weitzman.replays.lineup import distinct_names
from weitzman.search.numbers import finite_number, whole_number
from weitzman.search.reservation import Sense

if TYPE_CHECKING:
    from rich.console import Group

Progress = Callable[[int, int], None]

RECORDED = "recorded"
"""The name of what was done, without what draws opened."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Judgement:
    """What a log of T rounds says of rules.

    Attributes
    ----------
    rules
        By name, in the order asked for.
    against
        What they are compared with: the name of a rule, or ``recorded``.
    recorded
        The totals of what was done, without what draws opened, (T,); None if the log does not say.
    rounds, cost_scale
        How many rounds are judged, and by what costs were multiplied.
    floor, ceiling
        What bounds take for the smallest and the largest value.
    closed
        What the boxes cost that are not plain, (T,): the price of a draw that opens them all.
    correlation
        The residual correlation of two boxes of a round, where they are taken to be independent.
    sense
        Whether smaller or larger values are better in the log. Here smaller is better, whatever the log says;
        rows, tables and reports are in its own sense.
    unit
        What values and costs are counted in.
    """

    rules: Mapping[str, Judged]
    against: str
    recorded: Floats | None
    rounds: int
    cost_scale: float
    floor: float
    ceiling: float
    closed: Floats
    correlation: Correlation | None = None
    sense: Sense = "min"
    unit: str = ""

    @property
    def sign(self) -> float:
        """What turns a total into one of the user."""
        return 1.0 if self.sense == "min" else -1.0

    @property
    def shown(self) -> Mapping[str, Judged]:
        """The rules as rows, tables and pictures have them: in the sense of the user."""
        if self.sense == "min":
            return self.rules
        return {name: one.turned() for name, one in self.rules.items()}

    def of(self, name: str) -> Judged:
        """Return what is said of one rule."""
        if name not in self.rules:
            raise InvalidInputError("The rule", f"be one of {list(self.rules)}", name)
        return self.rules[name]

    def rows(self) -> list[dict[str, str | float | None]]:
        """Return a row for each rule; None for what cannot be said."""
        from weitzman.replays.judgement.table import judgement_rows

        return judgement_rows(self)

    def __rich__(self) -> "Group":
        """Return the judgement as a table for rich."""
        from weitzman.replays.judgement.table import judgement_table

        return judgement_table(self)

    def __repr__(self) -> str:
        return as_text(self)


def judge(
    log: Log,
    policies: Policy | str | Sequence[Policy | str] = ("default",),
    *,
    against: str | None = None,
    explored_for: str | Sequence[str] = (),
    learn: float | None = None,
    independent: bool = False,
    cost_scale: float = 1.0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Judgement:
    """Say what rules would have cost on a log that holds only what was opened.

    Parameters
    ----------
    log
        The recorded rounds; with chances (``docs/reference/logs.md``), if boxes were opened by chance.
    policies
        What is judged, each a policy or the name of one, as for :func:`weitzman.replay`.
    against
        What the others are compared with, the name of a policy. None: what was recorded, without
        what draws opened, or the first policy if the log does not say.
    explored_for
        The policies for which draws opened all that they would have needed, as in prefix exploration: no
        round of theirs is out of reach.
    learn
        From what share of the rounds, the first ones, policies learn; they are judged on the others. None:
        they learn as they go, and each round is judged by the rule of that round.
    independent
        Whether boxes are taken to be independent given their contexts: then there is one more estimate, and
        the correlation that says whether they are (:mod:`weitzman.replays.judgement.independent`). Verdicts
        do not rest on it.
    cost_scale
        By what the costs are multiplied.
    workers
        The number of processes. One judges in this process; with more, what calls this must be importable
        without being run (``if __name__ == "__main__":``).
    progress
        Called now and then with the rounds done and all rounds, summed over policies that go together.
    """
    if not isinstance(log, Log):
        raise InvalidInputError("The log", "be a Log, as read_log(…) returns it", type(log))
    if isinstance(policies, str) or not isinstance(policies, Sequence):
        policies = [policies]
    named = _named(policies, shared=log.shared, sense=log.sense)
    reached = [explored_for] if isinstance(explored_for, str) else list(explored_for)
    for name in reached:
        if name not in named:
            rule = f"be some of those that are judged, {list(named)}"
            raise InvalidInputError("The policies that draws were made for", rule, name)
    seen = seen_of(log, cost_scale)
    learned = _learned(learn, len(seen))
    found = _played(named, seen, learned, workers, progress, sigmas=independent)
    first, recorded = learned or 0, seen.recorded(learned or 0)
    if against is None:
        against = next(iter(named)) if recorded is None else RECORDED
    if against not in named and (against != RECORDED or recorded is None):
        rule = f"be one of {[*named, *([] if recorded is None else [RECORDED])]}"
        raise InvalidInputError("What others are compared with", rule, against)
    parts = {
        name: Part.of(Trace(*c), seen, name in reached, first) for name, (c, _) in found.items()
    }
    for name, part in parts.items():
        if name in reached and part.contradicts(seen, first):
            rule = "open all that the policy would have needed in every round with a draw"
            raise InvalidInputError("The draws", rule, name)
    known = None if recorded is None else Side(low=recorded, high=recorded)
    base = parts[against].side if against in parts else known
    alone = Independent.of(seen, first, shared=log.shared) if independent else None
    more = {
        name: {} if alone is None or s is None else {INDEPENDENT: alone.estimate(s)}
        for name, (_, s) in found.items()
    }
    return Judgement(
        rules={
            name: judged(part, None if name == against else base, more[name])
            for name, part in parts.items()
        },
        against=against,
        recorded=recorded,
        rounds=len(seen) - first,
        cost_scale=float(cost_scale),
        floor=seen.floor,
        ceiling=seen.ceiling,
        closed=seen.closed(first),
        correlation=None if alone is None else alone.correlation(),
        sense=log.sense,
        unit=log.unit,
    )


def _named(policies: Sequence[Policy | str], *, shared: bool, sense: Sense) -> dict[str, Policy]:
    """Return policies by their names."""
    given = [named_policy(one, shared=shared) if isinstance(one, str) else one for one in policies]
    if sense == "max":
        given = [turned(one) for one in given]
    names = distinct_names([as_policy(one, "A policy to judge") for one in given])
    if not names:
        raise InvalidInputError("The policies", "be at least one", policies)
    return dict(zip(names, given, strict=True))


def _learned(learn: float | None, rounds: int) -> int | None:
    """Return how many rounds policies learn from; None if they go on."""
    if learn is None:
        return None
    rule = "be a number from 0 to 1 that leaves rounds to be judged, or None"
    share = finite_number(learn, "The share of rounds to learn from", rule)
    count = int(share * rounds)
    if not 0.0 <= share <= 1.0 or count >= rounds:
        raise InvalidInputError("The share of rounds to learn from", rule, learn)
    return count


def _played(
    named: Mapping[str, Policy],
    seen: Seen,
    learned: int | None,
    workers: int,
    progress: Progress | None,
    *,
    sigmas: bool,
) -> dict[str, tuple[Floats, Floats | None]]:
    """Return what the log shows of each policy (:data:`weitzman.replays.judgement.walk.COLUMNS`); and σ."""
    names = list(named)
    workers = whole_number(workers, "The number of workers", least=1)
    # Simple rules share their history: apart they would take longer
    parts = sorted(groups_of(list(named.values())), key=len, reverse=True)
    groups = [tuple(names[k] for k in part) for part in parts]
    done, count = 0, len(groups) * len(seen)

    def tick(rounds: int) -> None:
        nonlocal done
        done += rounds
        if progress is not None:
            progress(done, count)

    work = functools.partial(_group, dict(named), seen, learned, sigmas)
    results = dict(in_processes(work, groups, workers, tick))
    found = {n: shown for g in groups for n, shown in zip(g, results[g], strict=True)}
    return {name: found[name] for name in names}


def _group(
    named: Mapping[str, Policy],
    seen: Seen,
    learned: int | None,
    sigmas: bool,
    names: tuple[str, ...],
    tick: Tick,
) -> list[tuple[Floats, Floats | None]]:
    columns, kept = traces(
        [named[name] for name in names], seen, learned=learned, tick=tick, sigmas=sigmas
    )
    return [(c, None if kept is None else kept[k]) for k, c in enumerate(columns)]
