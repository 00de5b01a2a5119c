"""The course of a round: what is checked, at which finding the search stops, and what is checked otherwise.

Rules may change their mind after every look, so an order and cut-offs said beforehand need not be what is
done. A course asks the rule itself: at every step the finding is moved until the rule stops, and the course
goes on with a finding that is not good enough, the median of those of that box in the log. Nor does it claim
a stop that the rule does not make: what is opened whatever is found is said so.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weitzman.arrays import Floats
from weitzman.learn.policy import Round, walk
from weitzman.logs.log import Log
from weitzman.replays.now import LastRound
from weitzman.search.rule import Rule

_STEPS = 4
_SHOWN = 3
_SHARE = 0.05  # of the rounds must begin in the same way
_LEVELS = 20  # values are said as they are if there are no more
_HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class CourseStep:
    """One look of a course.

    Attributes
    ----------
    box, cost
        What is checked, and what it is expected to cost.
    enough
        The worst finding with which the search stops; the infinity that is best if none is enough, the
        other one if any is.
    otherwise
        The finding with which the course goes on; NaN where it ends.
    """

    box: str
    cost: float
    enough: float
    otherwise: float


@dataclass(frozen=True, kw_only=True)
class Course:
    """The course of a round, and of which share of the last rounds it is typical.

    Without steps nothing is checked. One that is ``cut`` goes on beyond its last step: with the boxes
    ``beyond`` if these are checked whatever is found, and else, if there are none, as findings have it.
    """

    round: str
    share: float
    steps: tuple[CourseStep, ...]
    cut: bool
    beyond: tuple[str, ...]


def course_steps(
    rule: Rule, shown: Round, findings: Mapping[int, Floats], names: Sequence[str]
) -> tuple[tuple[CourseStep, ...], bool, tuple[str, ...]]:
    """Return the steps of a round, smaller values better, whether there are more, and those that are sure.

    ``findings`` are the values that are known of each place, in increasing order.
    """
    assumed = np.full(len(shown.costs), np.nan)
    steps: list[CourseStep] = []
    opened = walk(rule, shown, assumed).opened
    while len(steps) < min(len(opened), _STEPS):
        row, count = opened[len(steps)], len(steps) + 1
        place = int(shown.places[row])

        def goes_on(value: float, row: int = row, count: int = count) -> bool:
            tried = assumed.copy()
            tried[row] = value
            return len(walk(rule, shown, tried).opened) > count

        known = findings[place]
        enough = _enough(goes_on, known)
        worse = known[known > enough]
        otherwise = float(np.median(worse)) if worse.size else float("nan")
        steps.append(
            CourseStep(
                box=names[place],
                cost=float(shown.costs[row]),
                enough=enough,
                otherwise=otherwise,
            )
        )
        if not worse.size:
            return tuple(steps), False, ()
        assumed[row] = otherwise
        opened = walk(rule, shown, assumed).opened
    sure = opened_whatever(rule, shown, findings, assumed) or []
    beyond = tuple(names[int(shown.places[row])] for row in sure[len(steps) :])
    return tuple(steps), len(opened) > len(steps), beyond


def opened_whatever(
    rule: Rule, shown: Round, findings: Mapping[int, Floats], assumed: Floats
) -> list[int] | None:
    """Return the rows that a rule opens in a round, in order; None if that depends on what is found.

    Rows without an ``assumed`` finding, NaN, hold nothing, the best that is known of their box, or the worst.
    """
    opened = walk(rule, shown, assumed).opened
    for end in (0, -1):
        known = [findings[int(place)] for place in shown.places]
        ends = np.array([values[end] if values.size else np.nan for values in known])
        if walk(rule, shown, np.where(np.isnan(assumed), ends, assumed)).opened != opened:
            return None
    return opened


def _enough(goes_on: Callable[[float], bool], known: Floats) -> float:
    """Return the largest value at which a search stops, of those that are known or between two of them."""
    levels = np.unique(known)
    if not goes_on(float(levels[-1])):
        return np.inf
    if goes_on(float(levels[0])):
        return -np.inf
    low, high = 0, len(levels) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if goes_on(float(levels[middle])) else (middle, high)
    stop, go = float(levels[low]), float(levels[high])
    for _ in range(_HALVINGS if len(levels) > _LEVELS else 0):
        half = (stop + go) / 2.0
        stop, go = (stop, half) if goes_on(half) else (half, go)
    return stop


def findings_of(log: Log) -> dict[int, Floats]:
    """Return the values that are known of each place, in increasing order; of all, if names mean nothing."""
    if log.shared:
        known = np.sort(log.values[~np.isnan(log.values)])
        return dict.fromkeys(range(len(log.boxes)), known)
    return {k: np.sort(v[~np.isnan(v)]) for k, v in enumerate(log.values.T)}


def whatever_is_found(log: Log, last: Sequence[LastRound]) -> list[str] | None:
    """Return the boxes that are opened in all of some rounds whatever is found; None if that depends.

    A box that is not in a round is not missed there. Names that mean nothing are no answer, unless all are.
    """
    if log.shared and any(len(one.looks) < len(one.values) for one in last):
        return None
    findings = findings_of(log)
    for one in last:
        nothing = np.full(len(one.values), np.nan)
        if opened_whatever(one.rule, one.shown, findings, nothing) is None:
            return None
    opened = {place for one in last for place in one.looks}
    if any(opened.intersection(one.shown.places.tolist()) != set(one.looks) for one in last):
        return None
    # In the order of the last round that has most of them
    longest = max(reversed(last), key=lambda one: len(one.looks)).looks if last else []
    return [log.boxes[k] for k in [*longest, *sorted(opened.difference(longest))]]


def typical_courses(log: Log, last: Sequence[LastRound]) -> tuple[Course, ...]:
    """Return the courses of rounds that begin as many of the last ones do, the most frequent first."""
    findings = findings_of(log)
    begins: dict[int, LastRound] = {}
    firsts: Counter[int] = Counter()
    for one in last:
        # Names that mean nothing part nothing
        first = -1 if not one.looks else 0 if log.shared else one.looks[0]
        firsts[first] += 1
        begins[first] = one
    found: list[Course] = []
    for first, count in firsts.most_common(_SHOWN):
        one = begins[first]
        share = count / len(last)
        if found and share < _SHARE:
            break
        steps, cut, beyond = course_steps(one.rule, one.shown, findings, log.boxes)
        steps = _as_given(log, steps)
        found.append(Course(round=one.label, share=share, steps=steps, cut=cut, beyond=beyond))
    return tuple(found)


def _as_given(log: Log, steps: tuple[CourseStep, ...]) -> tuple[CourseStep, ...]:
    sign = 1.0 if log.sense == "min" else -1.0
    return tuple(replace(s, enough=sign * s.enough, otherwise=sign * s.otherwise) for s in steps)
