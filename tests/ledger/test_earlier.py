"""What the release before this one wrote: a snapshot of its policies is passed over, and the journal is read.

The journals and the snapshot of all events of the first are files of that release. They hold two problems
with the policy ``default``, whose arrays were others then, one with a rule of a panel, and one with a
learner. In the second, what both problems with ``default`` had learned was uploaded to them.
"""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from tests.ledger.happenings import Happenings
from weitzman.ledger.snapshots import FileSnapshots, Snapshot, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import digest, replay
from weitzman.ledger.state.problem import Problem

EARLIER = Path(__file__).parent / "earlier"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for file in EARLIER.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path / "journal.db"


def test_an_earlier_snapshot_is_passed_over_and_the_journal_is_read(place: Path) -> None:
    journal, snapshots = SqliteJournal(place), FileSnapshots(place)
    (file,) = snapshots.files()
    assert file.read_bytes().startswith(b"weitzman.snapshot 3\n")
    assert Snapshot.from_bytes(file.read_bytes()) is None
    resumed = resume(journal, snapshots)
    assert (resumed.snapshot, resumed.replayed) == (0, journal.head().seq)
    assert digest(resumed.state) == digest(replay(journal.read()))
    # The next start takes one of this release
    snapshots.write(take(resumed.state, journal.head()))
    again = resume(journal, snapshots)
    assert (again.snapshot, again.replayed) == (journal.head().seq, 0)
    assert digest(again.state) == digest(resumed.state)
    journal.close()


def test_problems_of_an_earlier_journal_go_on(place: Path) -> None:
    journal = SqliteJournal(place)
    state = replay(journal.read())
    journal.close()
    policies = {name: wz.load(problem.saved()).policy for name, problem in state.problems.items()}
    assert policies == {
        "usual": wz.default_policy(prepare="contexts"),
        "opened": wz.default_policy(prepare="contexts"),
        "one": wz.Joint("past", "index", caution=1.0, prepare="contexts"),
        "paper": wz.Weitzman(wz.FTRL(intercept=False, explore="between")),
    }
    for problem in state.problems.values():
        assert problem.tally.closed > 0
        # Rounds that were open then are open still, and go on to an end
        for opened in problem.rounds.values():
            while (row := opened.next()) is not None:
                opened.see(row, 1.0)
            assert math.isfinite(opened.state.total)


def test_a_default_of_then_that_was_uploaded_goes_on_as_it_was(place: Path) -> None:
    journal = SqliteJournal(place.with_name("uploads.db"))
    state = replay(journal.read())
    journal.close()
    for name in ("usual", "opened"):
        problem = state.problems[name]
        searcher = wz.load(problem.saved())
        assert isinstance(searcher.policy, wz.Portfolio)
        # Both rules of the paper were candidates, and the one on contexts as they are was the incumbent
        assert searcher.policy.incumbent == "paper"
        names = [getattr(one, "name", "") for one in searcher.policy.candidates]
        assert {"paper", "paper standardised"} <= set(names)
        same = Problem.from_record(problem.record())
        assert same.record() == problem.record()
        assert same.saved() == problem.saved()
        contexts = np.array([[0.5], [-1.0]])
        shown = problem.propose(None, contexts, [0.1, 0.2], 0.0)
        assert shown == same.propose(None, contexts, [0.1, 0.2], 0.0)


@pytest.mark.parametrize("learner", ["Index", "Aware"])
@pytest.mark.parametrize("standardise", [False, True])
def test_a_rule_over_a_learner_comes_back_from_a_record(learner: str, standardise: bool) -> None:
    """Its arrays had other names: those of this release are taken as they are."""
    world = Happenings(3)
    panel = {"class": learner, "learner": {"class": "FTRL"}, "standardise": standardise}
    rule = {"Index": "paper", "Aware": "aware"}[learner]
    parameters = {"panel": panel, "rule": rule, "shared": False, "standardise": True, "seed": 4}
    world.create("p", boxes=2, dimension=1, policy="Chosen", parameters=parameters)
    world.go_on(60)
    problem = world.state.problems["p"]
    again = Problem.from_record(problem.record())
    assert again.record() == problem.record()
    assert wz.load(problem.saved()).rng == 4
    again.replace_learned(problem.saved())
    assert again.record() == problem.record()
