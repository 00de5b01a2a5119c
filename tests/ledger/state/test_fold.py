"""The state is a fold: live, replayed and resumed states are the same, and learn as a Searcher does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.ledger.happenings import Happenings, three_problems
from weitzman.errors import JournalFormatError
from weitzman.learn.bank_input import hash_of
from weitzman.learn.policies.joint import Joint
from weitzman.learn.storage.registry import described_policy
from weitzman.ledger.bodies import LARGEST, Closed, Opened, Seen, decode, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.snapshots import FileSnapshots, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import State, apply, digest, replay
from weitzman.ledger.state.problem import Problem


def test_live_replayed_and_resumed_states_are_the_same(tmp_path: Path) -> None:
    world = three_problems(seed=1, events=1_500)
    live = digest(world.state)
    assert digest(replay(world.drafts)) == live
    journal = SqliteJournal(tmp_path / "events.db")
    snapshots = FileSnapshots(tmp_path / "events.db")
    state = State()
    for begin in range(0, len(world.drafts), 400):
        events = journal.append(world.drafts[begin : begin + 400])
        replay(events, state)
        snapshots.write(take(state, journal.head()))
    resumed = resume(journal, snapshots)
    assert (resumed.snapshot, resumed.replayed) == (journal.head().seq, 0)
    assert digest(resumed.state) == digest(resume(journal).state) == live
    snapshots.files()[0].unlink()
    older = resume(journal, snapshots)
    assert 0 < older.replayed <= 400
    assert digest(older.state) == live
    journal.close()


def test_a_digest_tells_states_apart() -> None:
    world = three_problems(seed=2, events=200)
    seen = {digest(replay(world.drafts[:k])) for k in range(150, 200)}
    assert len(seen) == 50


def test_records_taken_while_events_go_on_are_not_applied_twice(tmp_path: Path) -> None:
    world = three_problems(seed=3, events=600)
    journal = SqliteJournal(tmp_path / "events.db")
    journal.append(world.drafts)
    early, late = replay(journal.read(until=300)), replay(journal.read(until=500))
    head = list(journal.read(until=300))[-1]
    fuzzy = take(early, type(journal.head())(head.seq, head.chain))
    names = list(early.problems)
    records = [(late if n == "wins" else early).problems[n].record() for n in names]
    snapshots = FileSnapshots(tmp_path / "events.db")
    snapshots.write(type(fuzzy)(fuzzy.head, 500, fuzzy.service, records))
    resumed = resume(journal, snapshots)
    assert resumed.snapshot == 300
    assert digest(resumed.state) == digest(world.state)
    journal.close()


@pytest.mark.parametrize("feedback", ["opened", "full"])
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_problem_decides_and_learns_as_a_searcher(feedback: str, sense: str) -> None:
    world = Happenings(4)
    world.create("p", boxes=4, dimension=3, feedback=feedback, sense=sense)
    problem = world.state.problems["p"]
    searcher = wz.Searcher(boxes=4, dimension=3, feedback=feedback, sense=sense)  # type: ignore[arg-type]
    rng = np.random.default_rng(5)
    for number in range(60):
        contexts, costs = rng.normal(size=(4, 3)), rng.uniform(0.1, 1.0, size=4)
        values, outside = rng.normal(size=4), float(rng.normal())
        search = searcher.open(contexts, costs, outside=outside)
        sigma = problem.propose(None, contexts, costs.tolist(), outside)
        known = searcher.reservation_values(contexts, costs, outside=outside)
        assert sigma == np.clip(known, -LARGEST, LARGEST).tolist()
        key = str(number)
        world.happen("p", Opened(contexts.tolist(), costs.tolist(), sigma, outside), key=key)
        for box in search:
            assert problem.rounds[key].next() == box
            value = float(values[int(str(box))])
            search.see(value)
            world.happen("p", Seen([(int(str(box)), value)]), key=key)
        assert problem.rounds[key].next() is None
        state = problem.rounds[key].state
        shown = []
        if feedback == "full":
            shown = [(r, float(v)) for r, v in enumerate(values) if r not in state.opened]
        outcome = search.close(values=values if feedback == "full" else None)
        assert tuple(state.opened) == outcome.opened
        assert state.kept == outcome.chosen
        assert problem.sign * state.total == pytest.approx(outcome.total, abs=1e-12)
        world.happen("p", Closed(shown), key=key)
    learned = searcher._player.state()
    assert all(np.array_equal(a, learned[n], equal_nan=True) for n, a in problem.learned().items())


@pytest.mark.parametrize("feedback", ["opened", "full"])
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("name", ["default", "Joint", "Chosen"])
def test_a_policy_decides_and_learns_as_in_a_searcher(name: str, feedback: str, sense: str) -> None:
    world = Happenings(9)
    policy: Any = "default"
    told: dict[str, Any] = {}
    if name != "default":
        policy = Joint("past", "index", caution=1.0, prepare="contexts")
        told = {k: v for k, v in described_policy(policy).items() if k != "class"}
    if name == "Chosen":
        # The same policy as earlier versions described it
        law = {"class": "Law", "kind": "past", "cautions": [0.0, 1.0, 2.0], "plain": []}
        told = {"panel": law, "rule": "past index 1", "shared": False, "standardise": True}
    world.create(
        "p", boxes=3, dimension=2, feedback=feedback, sense=sense, policy=name, parameters=told
    )
    problem = world.state.problems["p"]
    names = ["b0", "b1", "b2"]
    searcher = wz.Searcher(
        boxes=names,
        dimension=2,
        feedback=feedback,  # type: ignore[arg-type]
        sense=sense,  # type: ignore[arg-type]
        policy=policy,
    )
    rng = np.random.default_rng(10)
    anew = 0
    for number in range(60):
        contexts, costs = rng.normal(size=(3, 2)), rng.uniform(0.1, 1.0, size=3)
        # One mood for all boxes of a round: a law of the whole round sees it, the paper's rule does not
        values = 2.0 * rng.normal() + np.array([0.0, 0.5, 1.0]) + 0.05 * rng.normal(size=3)
        outside = 3.0 if sense == "min" else -3.0
        search = searcher.open(contexts, costs, outside=outside)
        sigma = problem.propose(None, contexts, costs.tolist(), outside)
        anew += not sigma
        key = str(number)
        world.happen("p", Opened(contexts.tolist(), costs.tolist(), sigma, outside), key=key)
        for box in search:
            row = names.index(str(box))
            assert problem.rounds[key].next() == row
            search.see(float(values[row]))
            world.happen("p", Seen([(row, float(values[row]))]), key=key)
            if number % 20 == 0:
                world.state.problems["p"] = problem = Problem.from_record(problem.record())
        assert problem.rounds[key].next() is None
        opened = problem.rounds[key].state.opened
        shown = []
        if feedback == "full":
            shown = [(r, float(v)) for r, v in enumerate(values) if r not in opened]
        search.close(values=values if feedback == "full" else None)
        world.happen("p", Closed(shown), key=key)
    assert anew > 0 or (name, feedback) not in {("Joint", "full"), ("Chosen", "full")}
    assert searcher.digest() == f"60-{hash_of(problem.learned())}"
    assert digest(replay(world.drafts)) == digest(world.state)
    again = wz.load(problem.saved())
    assert again.digest() == searcher.digest()


def test_what_a_body_says_comes_back() -> None:
    world = three_problems(seed=6, events=300)
    for draft in world.drafts:
        assert encode(decode(draft.kind, draft.body)) == (draft.kind, draft.body)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(JournalFormatError, match="kind 'sung'"):
        apply(State(), Draft("p", 1, "sung", 0, "", b"{}"))


def test_a_gap_in_the_numbers_is_refused() -> None:
    world = three_problems(seed=7, events=50)
    with pytest.raises(JournalFormatError, match="comes after event"):
        replay(d for i, d in enumerate(world.drafts) if i != 20)
