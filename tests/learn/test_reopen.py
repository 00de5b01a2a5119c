"""Searches that were open when the process ended go on in another, bit for bit."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.test_policies import POLICIES, both_feedbacks, every_policy
from tests.learn.test_policies import make as make_policy
from tests.learn.test_searcher import LEARNERS, every_feedback, make, record
from weitzman.learn.policies.joint import Way
from weitzman.learn.policy import Policy

NAMES = ["a", "b", "c", "d"]
Step = tuple[str, Any]


def steps_of(search: wz.LiveSearch[Any], values: Any, missed: int | None = None) -> list[Step]:
    """Go on to the end: the boxes handed out, then the outcome."""
    told: list[Step] = []
    for box in search:
        place = NAMES.index(box)
        told.append(("box", box))
        search.miss() if place == missed else search.see(values[place])
    return told


def check_goes_on(searcher: wz.Searcher, looks: int, *, full: bool, missed: int | None = 1) -> None:
    """Open a round, take some looks, stop everything, and go on twice: there and here."""
    contexts, costs, values = record(31, gaps=False, seed=1)
    sign = 1.0 if searcher.sense == "min" else -1.0
    found, outside = sign * values[30], sign * 4.0
    search = searcher.open(contexts[30], costs[30], outside=outside)
    rest = iter(search)
    for _ in range(looks):
        box = next(rest, None)
        if box is None:
            break
        place = NAMES.index(str(box))
        search.miss() if place == missed else search.see(found[place])
    kept, saved = search.to_bytes(), searcher.to_bytes()
    elsewhere = wz.load(saved)
    again = elsewhere.reopen(kept)
    assert elsewhere.rounds == searcher.rounds
    assert again.to_bytes() == kept
    # Another round is learned in between, in both places
    for one in (searcher, elsewhere):
        one.play(contexts[:1], costs[:1], sign * values[:1], outside=outside)
    assert steps_of(again, found, missed) == steps_of(search, found, missed)
    outcomes = [s.close(found) if full else s.close() for s in (search, again)]
    assert outcomes[0] == outcomes[1]
    assert elsewhere.digest() == searcher.digest()


@every_feedback
@pytest.mark.parametrize(
    "learner", [LEARNERS["FTRL"], LEARNERS["Residual, shared"]], ids=["a", "b"]
)
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("looks", [0, 1, 2, 4])
def test_a_search_by_a_learner_goes_on(
    learner: wz.Learner, feedback: str, sense: str, looks: int
) -> None:
    searcher = make(feedback, boxes=NAMES, learner=learner, sense=sense, rng=3)
    contexts, costs, values = record(30)
    searcher.play(contexts, costs, values if sense == "min" else -values, outside=0.5)
    check_goes_on(searcher, looks, full=feedback == "full")


@every_policy
@both_feedbacks
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("looks", [0, 1, 2, 4])
def test_a_search_by_a_policy_goes_on(
    policy: Policy, feedback: str, sense: str, looks: int
) -> None:
    searcher = make_policy(policy, feedback, boxes=NAMES, sense=sense)
    contexts, costs, values = record(30)
    searcher.play(contexts, costs, values if sense == "min" else -values, outside=0.5)
    check_goes_on(searcher, looks, full=feedback == "full")


@pytest.mark.parametrize("way", ["index", "greedy"])
def test_a_search_on_a_law_goes_on_after_every_look(way: Way) -> None:
    policy = wz.Joint("linear", way, caution=0.0, prepare="contexts")
    contexts, costs, values = record(61, gaps=False, seed=2)
    searcher = make_policy(policy, boxes=NAMES)
    searcher.play(contexts[:60], costs[:60], values[:60])
    search = searcher.open(contexts[60], 0.01 * costs[60], outside=50.0)
    looks = 0
    for box in search:
        search.see(values[60][NAMES.index(str(box))])
        looks += 1
        search = wz.load(searcher.to_bytes()).reopen(search.state())
        whole = searcher.open(contexts[60], 0.01 * costs[60], outside=50.0)
        for _, seen in zip(range(looks), whole, strict=False):
            whole.see(values[60][NAMES.index(str(seen))])
        assert next(iter(search), None) == next(iter(whole), None)
        break
    assert looks == 1


def test_a_search_that_waits_for_a_value_goes_on_waiting() -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make("full", boxes=NAMES)
    search = searcher.open(contexts[0], costs[0])
    box = next(search)
    again = wz.load(searcher.to_bytes()).reopen(search.to_bytes())
    with pytest.raises(wz.SearchStateError, match=f"waits for the value of box {box!r}"):
        next(again)
    again.see(values[0][NAMES.index(str(box))], box=box)
    assert again.close(values[0]).chosen == box


def test_a_closed_search_stays_closed_and_takes_late_values() -> None:
    contexts, costs, _ = record(1, gaps=False)
    searcher = make("full", boxes=NAMES)
    search = searcher.open(contexts[0], costs[0], outside=-9.0)
    search.close({"a": 1.0})
    elsewhere = wz.load(searcher.to_bytes())
    again = elsewhere.reopen(search.to_bytes())
    with pytest.raises(wz.SearchStateError, match="closed"):
        next(again)
    with pytest.raises(wz.SearchStateError, match="learned already"):
        again.late("a", 2.0)
    for one in (search, again):
        one.late("b", 2.0)
    assert elsewhere.digest() == searcher.digest()


def test_a_state_holds_arrays_of_its_own() -> None:
    contexts, costs, values = record(10, gaps=False)
    for policy in POLICIES.values():
        searcher = make_policy(policy, boxes=NAMES)
        searcher.play(contexts, costs, values)
        search = searcher.open(contexts[0], costs[0])
        kept, before = search.state(), search.to_bytes()
        for array in kept.values():
            array[...] = 0
        assert search.to_bytes() == before


def test_names_need_not_be_plain() -> None:
    names = [(1, 2), None]
    searcher = wz.Searcher(boxes=names, dimension=1)
    search = searcher.open([[1.0], [2.0]], 0.1)
    box = next(search)
    again = searcher.reopen(search.to_bytes())
    again.see(1.0, box=box)
    assert again.close().chosen == box


@pytest.mark.parametrize("wrong", [b"", b"hello", {}, {"places": np.zeros(1)}])
def test_what_is_no_state_is_refused(wrong: Any) -> None:
    with pytest.raises(wz.InvalidFileError):
        make("full").reopen(wrong)


def test_a_state_of_another_searcher_is_refused() -> None:
    contexts, costs, _ = record(1, gaps=False)
    search = make("full").open(contexts[0], costs[0])
    for other in (wz.Searcher(boxes=2, dimension=3), wz.Searcher(boxes=4, dimension=2)):
        with pytest.raises(wz.InvalidFileError, match="be that of a search of this searcher"):
            other.reopen(search.to_bytes())
    with pytest.raises(wz.InvalidFileError, match="a saved searcher"):
        wz.load(search.to_bytes())
    cut = search.to_bytes()[:-3]
    with pytest.raises(wz.InvalidFileError, match="as it was saved"):
        make("full").reopen(cut)
    state = search.state()
    del state["course.index.sigma"]
    with pytest.raises(wz.InvalidFileError, match="this searcher"):
        make("full").reopen(state)
    assert math.isinf(search.state()["hand"][0])


ELSEWHERE = """
import sys, pathlib, numpy as np, weitzman as wz
here = pathlib.Path(sys.argv[1])
given = np.load(here / "round.npz")
searcher = wz.load(here / "searcher.wz")
search = searcher.reopen((here / "search.wz").read_bytes())
for box in search:
    search.see(given["values"][-1][searcher.names.index(box)])
outcome = search.close(given["values"][-1] if searcher.feedback == "full" else None)
searcher.play(given["contexts"], given["costs"], given["values"])
print(outcome, searcher.digest())
"""


@both_feedbacks
def test_default_goes_on_in_another_process(feedback: str, tmp_path: Path) -> None:
    contexts, costs, values = record(40, gaps=False)
    searcher = make_policy("default", feedback, boxes=NAMES)
    searcher.play(contexts, costs, values)
    search = searcher.open(contexts[-1], costs[-1], outside=4.0)
    searcher.save(tmp_path / "searcher.wz")
    (tmp_path / "search.wz").write_bytes(search.to_bytes())
    np.savez(tmp_path / "round.npz", contexts=contexts, costs=costs, values=values)
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    there = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    steps_of(search, values[-1])
    outcome = search.close(values[-1] if feedback == "full" else None)
    searcher.play(contexts, costs, values)
    assert there == f"{outcome} {searcher.digest()}"
