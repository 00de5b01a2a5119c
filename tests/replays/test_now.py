"""What a searcher does now, beside a searcher that is asked live."""

from dataclasses import replace

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import anonymous_log, named_log, two_valued_log
from tests.replays.logs import log_of
from weitzman.feedback import Feedback
from weitzman.logs.log import Log
from weitzman.replays.now import LAST, cut_between, last_rounds, next_after
from weitzman.replays.report.answer import _count_words, course_words

LOGS = {"named": named_log, "two values": two_valued_log, "anonymous": anonymous_log}


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", ["FTRL", "no-context", "aware"])
@pytest.mark.parametrize("name", LOGS)
def test_the_saved_searcher_looks_where_it_is_said_to(
    name: str, policy: str, feedback: Feedback
) -> None:
    for log in (LOGS[name](), replace(LOGS[name](), sense="max")):
        sign = 1.0 if log.sense == "min" else -1.0
        searcher = wz.Searcher.from_log(log, policy, feedback=feedback)
        before = searcher.digest()
        last = last_rounds(log, searcher)
        assert searcher.digest() == before
        rounds = list(log.past())[-LAST:]
        assert [one.label for one in last] == [str(x) for x in log.rounds[-len(last) :]]
        for one, (shown, values) in zip(last, rounds, strict=True):
            names = [log.boxes[k] for k in shown.places]
            found = dict(zip(names, sign * values, strict=True))
            live = wz.load(searcher.to_bytes()).open(
                shown.contexts,
                shown.costs,
                outside=None if np.isinf(shown.outside) else sign * shown.outside,
                boxes=names,
            )
            for box in live:
                live.see(found[str(box)])
            outcome = live.close(found if feedback == "full" else None)
            assert [log.boxes[k] for k in one.looks] == list(outcome.opened)


def a_log_that_turns(rounds: int) -> Log:
    """Box b0 is good in the first half and b1 in the second, so what was done is not what is done now."""
    rng = np.random.default_rng(0)
    late = np.arange(rounds) >= rounds // 2
    bad = np.column_stack([late, ~late]) + 0.1 * rng.random((rounds, 2))
    return log_of(bad, np.full(bad.shape, 0.05))


def test_what_is_said_is_of_the_policy_as_it_is_after_the_log() -> None:
    log = a_log_that_turns(600)
    policy = wz.Weitzman(wz.FTRL(window=50))
    firsts: list[str] = []
    searcher = wz.Searcher.from_log(
        log, policy, feedback="full", watch=lambda _, outcome: firsts.append(str(outcome.opened[0]))
    )
    assert firsts.count("b0") > 0.4 * len(firsts)
    words = course_words(log, last_rounds(log, searcher), np.array([1, 2]))
    assert words.startswith("Check b1 first (100 % of the last 100 rounds).")
    assert words.endswith(
        "Stop after one check at most in all of them (1.0 on average now; 1.5 over the log)."
    )
    short = a_log_that_turns(20)
    last = last_rounds(short, wz.Searcher.from_log(short, policy, feedback="full"))
    assert " of rounds)." in course_words(short, last, np.ones(20, dtype=np.int64))
    assert len(last) == 20


def test_what_is_found_first_and_opened_next_is_a_plain_account() -> None:
    log = named_log()
    last = last_rounds(log, wz.Searcher.from_log(log, "FTRL"))
    for place in range(len(log.boxes)):
        found, following = next_after(place, last)
        plain = [
            (one.values[list(one.shown.places).index(place)], (*one.looks, -1)[1])
            for one in last
            if one.looks and one.looks[0] == place and len(one.shown.places) > 1
        ]
        assert list(zip(found, following, strict=True)) == plain


def test_a_value_parts_most_rounds_or_none_does() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        found = rng.integers(0, 4, size=12).astype(float)
        goes = (found > rng.integers(0, 3)) ^ (rng.random(12) < 0.1)
        right = {c: int(((found > c) == goes).sum()) for c in found}
        cut = cut_between(found, goes)
        if goes.all() or not goes.any():
            assert cut is None
        elif cut is None:
            assert max(right.values()) < 0.9 * 12
        else:
            assert right[cut] == max(right.values()) >= 0.9 * 12


def made_log() -> Log:
    rng = np.random.default_rng(0)
    values = rng.random((150, 8))
    values[:, 6:] += 2.0
    return log_of(values, np.full(values.shape, 0.002))


def test_what_is_checked_whatever_is_found_is_said_so() -> None:
    log = made_log()
    last = last_rounds(log, wz.Searcher.from_log(log, "fixed-set", feedback="full"))
    opened = [log.boxes[k] for k in last[-1].looks]
    checks = np.array([4, 4, 4, 4, 5])
    assert 1 < len(opened) < 8
    number = ["two", "three", "four", "five", "six", "seven"][len(opened) - 2]
    assert course_words(log, last, checks) == (
        f"Check these {number}, whatever they show: {', '.join(opened[:-1])} and {opened[-1]}; keep the "
        f"best ({len(opened):.1f} on average now; 4.2 over the log)."
    )
    every = last_rounds(log, wz.Searcher.from_log(log, "all"))
    assert course_words(log, every, checks) == (
        "Check every option, whatever it shows, and keep the best (8.0 on average now; 4.2 over the log)."
    )


def test_the_counts_that_are_said_are_reached_by_half_and_by_most() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        counts = rng.integers(0, rng.integers(2, 15), size=40)
        said = _count_words(counts, "rounds", "(few)")
        assert " 0 %" not in said
        half, most = (
            next(k for k in range(1, 20) if (counts <= k).mean() >= share) for share in (0.5, 0.9)
        )
        numbers = [str(k) for k in range(20)]
        numbers[1:7] = ["one", "two", "three", "four", "five", "six"]
        numbers[7:13] = ["seven", "eight", "nine", "ten", "eleven", "twelve"]
        assert f"after {numbers[most]} " in said
        if most > 6 and half < most:
            assert said.startswith(f"Stop after {numbers[half]} check")
