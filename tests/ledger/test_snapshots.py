"""Snapshots in files: all or nothing, the newest few, and nothing else left behind."""

from pathlib import Path

from tests.ledger.happenings import three_problems
from weitzman.ledger.snapshots import FileSnapshots, take
from weitzman.ledger.sqlite.journal import SqliteJournal


def test_the_rest_of_a_snapshot_that_was_cut_short_goes_with_the_next(tmp_path: Path) -> None:
    world = three_problems(seed=9, events=60)
    journal = SqliteJournal(tmp_path / "events.db")
    journal.append(world.drafts)
    left = tmp_path / f"events.db-snapshot-{7:016d}.part"
    left.write_bytes(b"half")
    other = tmp_path / "others.db-snapshot-1.part"
    other.write_bytes(b"half")
    snapshots = FileSnapshots(tmp_path / "events.db")
    assert list(snapshots.newest_first()) == []
    snapshots.write(take(world.state, journal.head()))
    journal.close()
    assert not left.exists()
    assert other.exists()
    assert len(list(snapshots.newest_first())) == 1
