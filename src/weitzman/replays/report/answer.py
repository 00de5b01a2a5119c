"""The answer of a replay: what to check first, when to stop, what that saves, and whether to switch it on.

It is about one policy, the one that the verdict advises (:mod:`weitzman.replays.verdict`), under the feedback
that asks least. What is checked and when the search stops is said of the policy as it is after the log, which
is the one that is saved (:mod:`weitzman.replays.now`); totals, and the shares of options, are those of all
rounds, learning included.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from weitzman.amounts import amount, number_text
from weitzman.arrays import Ints
from weitzman.learn.searcher import Searcher
from weitzman.logs.log import Log
from weitzman.logs.options import Option
from weitzman.replays.behaviour import behaviour_of
from weitzman.replays.course import Course, typical_courses, whatever_is_found
from weitzman.replays.lineup import Lineup
from weitzman.replays.now import LAST, LastRound, cut_between, last_rounds, next_after
from weitzman.replays.replay import Replay
from weitzman.replays.verdict import FEW, Verdict, verdict
from weitzman.search.numbers import json_ready

_MOSTLY = 0.5
_DONE = 0.9
_RARELY = 0.02
_NAMED = 3
_FEW_CHECKS = 6
_LISTED = 12
_WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """What to do, in sentences, and what they are made of.

    Attributes
    ----------
    course, numbers
        What is checked now and when the search stops, and what the policy paid beside others.
    verdict
        Whether to switch it on.
    options, courses
        What was done with each option, and the courses of typical rounds.
    total
        The mean total of the advised policy, in the user's sense.
    best
        The best value in the log.
    searcher
        The advised policy, having lived through the whole log.
    """

    course: str
    numbers: str
    verdict: Verdict
    options: list[Option]
    courses: tuple[Course, ...]
    total: float
    best: float
    unit: str
    searcher: Searcher

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, a paragraph each."""
        said = self.verdict.sentence
        said = f"{said[0].upper()}{said[1:]}"
        if self.verdict.saving.rounds < FEW:
            return f"{said} This is what {self.verdict.advised} did.", self.course, self.numbers
        return self.course, self.numbers, said

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON has it; null for what is not known."""
        found, best = self.verdict.saving, self.verdict.best
        ready: dict[str, Any] = json_ready(
            {
                "sentences": list(self.sentences),
                "verdict": self.verdict.kind,
                "policy": self.verdict.advised,
                "total": self.total,
                "unit": self.unit,
                "saves": _saved(found),
                "policy_saves": {"policy": best.policy, **_saved(best)},
                "options": [asdict(option) for option in self.options],
                "typical_rounds": [asdict(course) for course in self.courses],
            }
        )
        return ready


def _saved(found: Any) -> dict[str, Any]:
    low, high = found.interval
    return {
        "against": found.against,
        "per_round": found.saved,
        "se": found.error,
        "from": low,
        "to": high,
        "share": found.share,
        "share_se": found.share_error,
    }


def answer(log: Log, replay: Replay, lineup: Lineup) -> Answer:
    """Return the answer of a replay of a log; the advised policy lives through the log for it."""
    found = verdict(replay)
    behaviour, searcher = behaviour_of(
        log, lineup[found.advised], replay.feedback, cost_scale=replay.cost_scale
    )
    last = last_rounds(behaviour.log, searcher)
    return Answer(
        course=course_words(behaviour.log, last, behaviour.counts),
        numbers=number_words(replay, found),
        verdict=found,
        options=[] if log.shared else behaviour.options(),
        courses=typical_courses(behaviour.log, last),
        total=float(replay.sign * replay.shown()[found.advised][0].mean()),
        best=float(behaviour.sign * np.nanmin(log.values)),
        unit=log.unit,
        searcher=searcher,
    )


def number_words(replay: Replay, found: Verdict) -> str:
    """Return what the advised policy pays per round, instead of what."""
    means = {name: float(replay.sign * t.mean()) for name, (t, _) in replay.shown().items()}
    saving, name = found.saving, found.advised

    def said(policy: str) -> str:
        return amount(means[policy], replay.unit, number_text(means[policy], saving.error))

    rival = found.best.against
    others = []
    if saving.against == "recorded":
        others.append(f"{said('recorded')} as it was done")
    if rival != name:
        others.append(f"{said(rival)} with the best other rule ({rival})")
    elif replay.main != name:
        others.append(f"{said(replay.main)} with {replay.main}")
    if "all" in means and "all" not in (rival, name):
        others.append(f"{said('all')} if every option is checked")
    mine = f"{said(name)} per round with {name} over the log (learning included)"
    if name != replay.main and found.best.kind == "same":
        return f"{mine}, {_listed(others)}."
    words = f"{mine}, instead of {_listed(others)}"
    if saving.rounds < FEW or (saving.saved == 0.0 and saving.error == 0.0):
        return f"{words}."
    more = {"min": ("less", "more"), "max": ("more", "less")}[replay.sense][saving.saved < 0.0]
    instead = "" if len(others) == 1 else f" than {_plain(saving.against)}"
    return f"{words}: {saving.amount} {more}{instead}."


def _plain(against: str) -> str:
    return "what was done" if against == "recorded" else against


def course_words(log: Log, last: Sequence[LastRound], checks: Ints) -> str:
    """Return what is checked first, what then, and when the search stops, over the last rounds.

    ``checks`` are how many there were in each round of the log, while the policy learned.
    """
    counts = np.array([len(one.looks) for one in last], dtype=np.int64)
    means = f"({counts.mean():.1f} on average now; {checks.mean():.1f} over the log)"
    always = whatever_is_found(log, last)
    if always is not None and len(always) > 1:
        return _always_words(log, last, always, means)
    rounds = f"the last {LAST} rounds" if len(last) == LAST else "rounds"
    stays = float((counts == 0).mean())
    lines = []
    if stays >= _MOSTLY:
        lines.append(f"Check nothing in {percent(stays)} of {rounds}: no look is worth its cost.")
        rounds = "rounds"
    if stays == 1.0:
        return lines[0]
    if log.shared:
        lines.append("Options are new in every round: the features say which to check first.")
    else:
        lines += _first_words(log, last, rounds)
        rounds = "them" if len(last) == LAST else "rounds"
    return " ".join([*lines, _count_words(counts, rounds, means)])


def _always_words(log: Log, last: Sequence[LastRound], always: list[str], means: str) -> str:
    """Return what is checked if findings change nothing."""
    if all(len(one.looks) == len(one.values) for one in last):
        return f"Check every option, whatever it shows, and keep the best {means}."
    named = named_in_words(always)
    return f"Check these {_count(len(always))}, whatever they show: {named}; keep the best {means}."


def _first_words(log: Log, last: Sequence[LastRound], rounds: str) -> list[str]:
    firsts = Counter(one.looks[0] for one in last if one.looks)
    # Those that are first as often stand in the order of the log
    ranked = sorted(firsts, key=lambda place: (-firsts[place], place))
    top = ranked[0]
    if firsts[top] < _MOSTLY * firsts.total():
        each = [f"{log.boxes[k]} in {percent(firsts[k] / len(last))}" for k in ranked[:_NAMED]]
        return [f"Which option to check first depends on the round: {_listed(each)} of {rounds}."]
    lines = [f"Check {log.boxes[top]} first ({percent(firsts[top] / len(last))} of {rounds})."]
    found, following = next_after(top, last)
    goes_on = following >= 0
    share = float(goes_on.mean()) if goes_on.size else 0.0
    if share <= _RARELY:
        return (
            [*lines, "Then stop: a second look is hardly ever worth it."] if goes_on.size else lines
        )
    most = int(np.bincount(following[goes_on]).argmax())
    often = float((following[goes_on] == most).mean())
    next_one = f"{log.boxes[most]} next"
    if often < _DONE:
        next_one += f" ({percent(often)} of the time)"
    cut = cut_between(found, goes_on)
    if goes_on.all():
        return [*lines, f"Whatever it finds, check {next_one}."]
    if cut is None:
        return [*lines, f"In {percent(share)} of these rounds check {next_one}."]
    given = cut if log.sense == "min" else -cut
    better = "less" if log.sense == "min" else "more"
    # The best of all values is not said to be beaten
    enough = amount(given, log.unit) + ("" if cut == float(np.min(found)) else f" or {better}")
    return [*lines, f"If it finds {enough}, stop; if not, check {next_one}."]


def _count_words(counts: Ints, rounds: str, means: str) -> str:
    """Return after how many checks most rounds have stopped, and half of them where most take many."""
    half, most = (_least(counts, share) for share in (_MOSTLY, _DONE))
    share = float((counts <= most).mean())
    part = f"{percent(share)} of {rounds}"
    if share == 1.0:
        part = "all rounds" if rounds == "rounds" else f"all of {rounds}"
    if half == most or most <= _FEW_CHECKS:
        return f"Stop after {_checks(most)} at most in {part} {means}."
    part = part.removesuffix(f" of {rounds}")
    often = percent(float((counts <= half).mean()))
    return (
        f"Stop after {_checks(half)} at most in {often} of {rounds}, after {_count(most)} at most in "
        f"{part} {means}."
    )


def _least(counts: Ints, share: float) -> int:
    """Return the least number of checks, at least one, after which that share of the rounds has stopped."""
    return max(1, int(np.quantile(counts, share, method="inverted_cdf")))


def _count(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else f"{number:,}"


def _checks(number: int) -> str:
    return f"{_count(number)} check{'' if number == 1 else 's'}"


def named_in_words(names: Sequence[str]) -> str:
    """Return names with commas between them; of very many the first.

    >>> named_in_words(["a", "b", "c"]), named_in_words([str(k) for k in range(20)])[-20:]
    ('a, b and c', '9, 10, 11 and 8 more')
    """
    shown = (
        list(names) if len(names) <= _LISTED else [*names[:_LISTED], f"{len(names) - _LISTED} more"]
    )
    return _listed(shown)


def percent(share: float) -> str:
    """Return a share; one that is not quite all, or not quite nothing, does not say so.

    >>> percent(0.714), percent(0.9999), percent(0.0001), percent(0.0)
    ('71 %', 'more than 99 %', 'less than 1 %', '0 %')
    """
    text = f"{100.0 * share:.0f}"
    if text == "100" and share < 1.0:
        return "more than 99 %"
    return f"{text} %" if text != "0" or share == 0.0 else "less than 1 %"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"
