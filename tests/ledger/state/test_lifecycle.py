"""A problem is changed, archived, taken up again, deleted, and begun anew under its name."""

from pathlib import Path

import msgspec
import pytest

from tests.ledger.happenings import Happenings
from weitzman.ledger.bodies import Archived, Changed, Deleted, Unarchived, decode, encode
from weitzman.ledger.journal import Head
from weitzman.ledger.snapshots import FileSnapshots, repair, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import digest, replay


def _lived(seed: int) -> Happenings:
    """Return two problems, of which one was deleted, begun again and deleted again."""
    world = Happenings(seed)
    for name in ("kept", "gone"):
        world.create(name)
    world.go_on(60)
    assert world.state.problems["gone"].rounds
    world.happen("gone", Changed(waiting=7, cost=0.25, least=-50.0))
    world.go_on(30)
    world.happen("kept", Archived())
    world.happen("kept", Unarchived())
    world.happen("gone", Deleted())
    world.create("gone", boxes=4)
    for _ in range(30):
        world.step()
    world.happen("kept", Changed(description="another", cost=None))
    return world


@pytest.mark.parametrize("seed", range(3))
def test_live_replayed_resumed_and_repaired_are_one(tmp_path: Path, seed: int) -> None:
    world = _lived(seed)
    live = digest(world.state)
    assert digest(replay(world.drafts)) == live
    for cut in range(0, len(world.drafts), 13):
        journal = SqliteJournal(tmp_path / f"{cut}.db")
        snapshots = FileSnapshots(journal.path)
        journal.append(world.drafts[:cut])
        snapshots.write(take(replay(world.drafts[:cut]), journal.head()))
        before = journal.head()
        journal.append(world.drafts[cut:])
        assert digest(resume(journal, snapshots).state) == live
        for lost in ({"gone"}, {"kept"}):
            found = repair(journal, snapshots, replay(world.drafts), Head(*journal.head()), lost)
            assert digest(found.state) == live
        assert before.seq == cut
        journal.close()


def test_what_is_left_of_a_deleted_problem_is_its_count() -> None:
    world = Happenings(5)
    world.create("gone", description="whose it was")
    world.go_on(200)
    problem = world.state.problems["gone"]
    assert problem.rounds
    assert problem.tally.closed > 0
    world.happen("gone", Deleted())
    left = world.state.problems["gone"]
    assert left.deleted
    assert left.events == sum(draft.problem == "gone" for draft in world.drafts)
    assert not left.rounds
    assert left.tally.closed == 0
    assert world.state.problem("gone") is None
    assert world.state.present() == []


def test_a_problem_begun_again_has_learned_nothing() -> None:
    """It is the one that another name would have had, but for the number of its first event."""
    first, second = Happenings(2), Happenings(2)
    for world, name in ((first, "again"), (second, "other")):
        world.create("again")
        world.go_on(50)
        if name == "again":
            world.happen("again", Deleted())
        world.create(name)
    again, other = first.state.problems["again"], second.state.problems["other"]
    assert again.first == len(first.drafts)
    assert again.tally == other.tally
    assert {k: v.tobytes() for k, v in again.learned().items()} == {
        k: v.tobytes() for k, v in other.learned().items()
    }


def test_settings_that_are_left_out_of_a_change_stay() -> None:
    body = Changed(cost=None, least=-1.0)
    kind, content = encode(body)
    assert msgspec.json.decode(content) == {"cost": None, "least": -1.0}
    assert decode(kind, content) == body
    world = Happenings(1)
    world.create("p", cost=0.5, description="d")
    world.happen("p", body)
    settings = world.state.problems["p"].settings
    assert (settings.cost, settings.least, settings.description) == (None, -1.0, "d")
    assert world.state.problems["p"].bound == -1.0


def test_open_rounds_keep_what_they_began_with() -> None:
    world = Happenings(3)
    world.create("p", waiting=1_000)
    while not world.state.problems["p"].rounds:
        world.step()
    (opened,) = world.state.problems["p"].rounds.values()
    until = opened.until
    world.happen("p", Changed(waiting=5_000))
    assert next(iter(world.state.problems["p"].rounds.values())).until == until
