"""Snapshots in a database: a start from one gives the state of the whole journal."""

from tests.ledger.happenings import three_problems
from tests.postgres import Server
from weitzman.ledger.journal import Head
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.postgres.snapshots import TableSnapshots
from weitzman.ledger.snapshots import resume, take
from weitzman.ledger.state.fold import digest


def test_a_start_from_a_snapshot_is_the_same(postgres: Server, place: str) -> None:
    journal, snapshots = PostgresJournal(place), TableSnapshots(place)
    assert list(snapshots.newest_first()) == []
    world = three_problems(seed=1, events=60)
    journal.append(world.drafts)
    first = resume(journal, snapshots)
    assert (first.snapshot, first.replayed) == (0, len(world.drafts))
    snapshots.write(take(first.state, first.head))
    before = len(world.drafts)
    world.go_on(40)
    journal.append(world.drafts[before:])
    again = resume(journal, snapshots)
    assert (again.snapshot, again.replayed) == (before, len(world.drafts) - before)
    assert digest(again.state) == digest(world.state) == digest(resume(journal).state)
    journal.close()


def test_the_newest_are_kept_and_a_damaged_one_is_left_out(postgres: Server, place: str) -> None:
    journal, snapshots = PostgresJournal(place), TableSnapshots(place)
    world = three_problems(seed=2, events=30)
    events = journal.append(world.drafts)
    for k in (10, 20, 30, 30):
        state = resume(journal).state
        snapshots.write(take(state, Head(k, events[k - 1].chain)))
    assert [s.head.seq for s in snapshots.newest_first()] == [30, 20]
    postgres.run(
        place, "UPDATE weitzman.snapshot SET content = set_byte(content, 90, 7) WHERE seq = 30"
    )
    assert [s.head.seq for s in snapshots.newest_first()] == [20]
    postgres.run(place, "UPDATE weitzman.snapshot SET content = substr(content, 1, 200)")
    assert list(snapshots.newest_first()) == []
    journal.close()
