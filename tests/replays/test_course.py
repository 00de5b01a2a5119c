"""Courses of rounds: what is said of a rule is what it does."""

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import anonymous_log, named_log, two_valued_log
from tests.replays.logs import log_of
from weitzman.learn.policy import Round, walk
from weitzman.logs.log import Log
from weitzman.replays.course import (
    course_steps,
    opened_whatever,
    typical_courses,
    whatever_is_found,
)
from weitzman.replays.now import last_rounds
from weitzman.search.rule import WeitzmanRule


def a_round(costs: list[float], outside: float = np.inf) -> Round:
    n = len(costs)
    return Round(np.ones((n, 1)), np.array(costs), outside, np.arange(n))


def test_a_search_stops_at_the_reservation_value_of_the_next_box() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        sigma = rng.normal(size=4)
        # Most of what is not good enough is far from it
        known = [np.append(rng.normal(scale=3.0, size=60), np.full(100, 50.0)) for _ in range(4)]
        findings = {k: np.sort(values) for k, values in enumerate(known)}
        steps, cut, _ = course_steps(
            WeitzmanRule(sigma), a_round([1.0] * 4), findings, list("abcd")
        )
        order = np.argsort(sigma)
        assert [step.box for step in steps] == ["abcd"[k] for k in order]
        # The best in hand counts, and what was found before was not good enough
        for step, following in zip(steps, order[1:], strict=False):
            assert step.enough == pytest.approx(sigma[following], abs=1e-9)
            assert step.otherwise > step.enough
        assert steps[-1].enough == np.inf
        assert np.isnan(steps[-1].otherwise)
        assert not cut


def test_an_outside_option_may_be_enough() -> None:
    findings = {k: np.array([0.0, 1.0, 2.0]) for k in range(2)}
    rule = WeitzmanRule(np.array([1.0, 1.5]))
    assert course_steps(rule, a_round([1.0, 1.0], 0.5), findings, ["a", "b"]) == ((), False, ())
    steps, *_ = course_steps(rule, a_round([1.0, 1.0], 1.2), findings, ["a", "b"])
    # With 1.2 in hand the second is never worth it
    assert [(s.box, s.enough) for s in steps] == [("a", np.inf)]


def test_few_levels_are_said_as_they_are_and_a_long_course_is_cut() -> None:
    findings = {k: np.array([0.0, 0.0, 20.0]) for k in range(6)}
    rule = WeitzmanRule(np.arange(1.0, 7.0))
    steps, cut, beyond = course_steps(rule, a_round([1.0] * 6), findings, list("abcdef"))
    assert [(s.enough, s.otherwise) for s in steps] == [(0.0, 20.0)] * 4
    assert cut and beyond == ()


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", ["default", "aware", "linear index 1", "single"])
@pytest.mark.parametrize("make", [named_log, two_valued_log, anonymous_log])
def test_the_searcher_does_what_is_said(make: object, policy: str, feedback: str) -> None:
    """Findings a little better than is enough end the search there, worse ones go on, live."""
    log: Log = make()  # type: ignore[operator]
    searcher = wz.Searcher.from_log(log, policy, feedback=feedback)  # type: ignore[arg-type]
    before = searcher.digest()
    courses = typical_courses(log, last_rounds(log, searcher))
    assert searcher.digest() == before
    assert 0.0 < sum(c.share for c in courses) <= 1.0 + 1e-12
    rounds = {str(label): r for label, (r, _) in zip(known_labels(log), log.past(), strict=True)}
    for course in courses:
        shown = rounds[course.round]
        names = [log.boxes[k] for k in shown.places]
        for depth in range(len(course.steps)):
            step = course.steps[depth]
            opened = live(searcher, shown, names, course.steps[:depth], step.otherwise)
            assert opened[: depth + 1] == [s.box for s in course.steps[: depth + 1]]
            if not np.isnan(step.otherwise):
                assert len(opened) > depth + 1
            if np.isfinite(step.enough):
                ended = live(searcher, shown, names, course.steps[:depth], step.enough)
                assert len(ended) == depth + 1


def known_labels(log: Log) -> list[object]:
    return list(log.rounds[~np.isnan(log.values).all(axis=1)])


def live(
    searcher: wz.Searcher, shown: Round, names: list[str], steps: object, last: float
) -> list[str]:
    """The boxes of a live search that finds what the steps go on with, then the last, then nothing."""
    outside = None if np.isinf(shown.outside) else shown.outside
    copy = wz.load(searcher.to_bytes())
    player = copy._player
    if hasattr(player, "explores"):
        player.explores = lambda _: False
        player.rule = player.favourite
    search = copy.open(shown.contexts, shown.costs, outside=outside, boxes=names)
    findings = [*(step.otherwise for step in steps), last]  # type: ignore[attr-defined]
    opened = []
    for box in search:
        opened.append(str(box))
        if len(opened) <= len(findings) and not np.isnan(findings[len(opened) - 1]):
            search.see(findings[len(opened) - 1])
        else:
            search.miss()
    return opened


def test_walk_and_course_agree_on_nothing_to_check() -> None:
    known = a_round([1.0], outside=0.0)
    assert walk(WeitzmanRule(np.array([5.0])), known, np.array([np.nan])).opened == []


def test_a_rule_that_never_stops_early_is_said_to_check_all_its_boxes() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((60, 8))
    log = log_of(values, np.full(values.shape, 0.01))
    for policy in ("all", "fixed-set"):
        searcher = wz.Searcher.from_log(log, policy, feedback="full")
        last = last_rounds(log, searcher)
        opened = [log.boxes[k] for k in last[-1].looks]
        assert len(opened) > 4
        assert all([log.boxes[k] for k in one.looks] == opened for one in last)
        assert whatever_is_found(log, last) == opened
        (course,) = typical_courses(log, last)
        assert course.cut
        assert [*(step.box for step in course.steps), *course.beyond] == opened
        assert all(step.enough == -np.inf for step in course.steps)


def test_a_rule_that_may_stop_depends_on_what_is_found() -> None:
    findings = {k: np.array([0.0, 1.0, 20.0]) for k in range(6)}
    nothing = np.full(6, np.nan)
    shown = a_round([1.0] * 6)
    assert opened_whatever(WeitzmanRule(np.arange(6.0)), shown, findings, nothing) is None
    sure = np.array([-np.inf, np.inf, -5.0, np.inf, -np.inf, -1.0])
    assert opened_whatever(WeitzmanRule(sure), shown, findings, nothing) == [0, 4, 2, 5]
    log = named_log()
    assert whatever_is_found(log, last_rounds(log, wz.Searcher.from_log(log, "FTRL"))) is None
