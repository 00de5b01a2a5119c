"""Damage to the files of a journal: what is found, what is kept, what is said to be lost."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.ledger.happenings import three_problems
from weitzman.errors import LedgerError
from weitzman.ledger.bodies import KINDS
from weitzman.ledger.snapshots import FileSnapshots, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.recover import Recovery, recover
from weitzman.ledger.state.fold import digest, replay


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder with a journal in use, its log and snapshots; and the digest after each event."""
    folder = tmp_path_factory.mktemp("whole")
    live = folder / "live"
    live.mkdir()
    world = three_problems(seed=8, events=400)
    journal = SqliteJournal(live / "events.db")
    snapshots = FileSnapshots(live / "events.db")
    drafts = world.drafts
    state = replay([])
    digests = [digest(state)]
    for begin in range(0, len(drafts), 20):
        for event in journal.append(drafts[begin : begin + 20]):
            replay([event], state)
            digests.append(digest(state))
        if begin in (100, 200, 300):
            snapshots.write(take(state, journal.head()))
        if begin == 200:
            journal._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = folder / "kept"
    shutil.copytree(live, kept)
    journal.close()
    return kept, digests


def _start(path: Path) -> tuple[str, int]:
    journal = SqliteJournal(path)
    try:
        resumed = resume(journal, FileSnapshots(path))
        return digest(resumed.state), resumed.head.seq
    finally:
        journal.close()


def _damage(whole: Path, target: Path, name: str, seed: int, *, cut: bool) -> Path:
    shutil.copytree(whole, target)
    file = target / name
    content = bytearray(file.read_bytes())
    rng = np.random.default_rng(seed)
    place = int(rng.integers(len(content)))
    if cut:
        del content[place:]
    else:
        content[place] ^= 1 << int(rng.integers(8))
    file.write_bytes(bytes(content))
    return target / "events.db"


def _names(whole: Path) -> list[str]:
    return sorted(p.name for p in whole.iterdir() if not p.name.endswith("-shm"))


@pytest.mark.parametrize("cut", [True, False], ids=["cut", "flip"])
def test_damage_is_found_or_changes_nothing_and_a_prefix_is_kept(
    whole: tuple[Path, list[str]], tmp_path: Path, cut: bool
) -> None:
    kept, digests = whole
    found = 0
    for seed, name in enumerate(_names(kept) * 12):
        path = _damage(kept, tmp_path / f"{cut}-{seed}", name, seed, cut=cut)
        try:
            after, seq = _start(path)
        except LedgerError:
            found += 1
        else:
            assert (after, seq) == (digests[-1], len(digests) - 1), name
            continue
        try:
            told = recover(path)
        except LedgerError:
            assert name == "events.db"  # its header: nothing to go by
            continue
        assert told.stored == len(digests) - 1 or name == "events.db"
        after, seq = _start(path)
        assert seq == told.kept
        assert after == digests[told.kept]
        if told.aside is not None:
            assert all(entry[0] > told.kept for entry in told.lost)
        shutil.rmtree(path.parent)
    assert found > 0


def test_a_whole_journal_is_left_as_it_is(whole: tuple[Path, list[str]], tmp_path: Path) -> None:
    kept, digests = whole
    shutil.copytree(kept, tmp_path / "copy")
    path = tmp_path / "copy" / "events.db"
    before = path.read_bytes()
    told = recover(path)
    assert told == Recovery(kept=len(digests) - 1, stored=len(digests) - 1, is_whole=True)
    assert path.read_bytes() == before
    assert _start(path)[0] == digests[-1]


def test_rows_that_lost_their_bytes_are_not_told_as_events(
    whole: tuple[Path, list[str]], tmp_path: Path
) -> None:
    kept, digests = whole
    size = (kept / "events.db").stat().st_size
    for place in range(size // 4, size, 4_096 + 512):
        target = tmp_path / str(place)
        shutil.copytree(kept, target)
        file = target / "events.db"
        file.write_bytes(file.read_bytes()[:place])
        told = recover(file)
        assert told.stored == len(digests) - 1
        assert all(told.kept < seq <= told.stored for seq, *_ in told.lost)
        assert {kind for _, _, kind, _ in told.lost} <= KINDS.keys()
