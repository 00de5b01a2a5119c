"""Cut and changed files of a journal: an exact prefix, or a refusal that says what is lost.

A truncation or a flipped bit hits the database, its write-ahead log, the witness or a snapshot. A start then
either gives the very state that was stored, or is refused. What ``recover`` makes of a refused journal is
the state after its first events, exactly, and it says which are lost; only a file without its header has
nothing to go by, and that is said too. Each suite begins from journals in several moments of their life.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.ledger.happenings import three_problems
from tests.reliability.scale import scaled
from weitzman.errors import JournalDamagedError, LedgerError
from weitzman.ledger.snapshots import FileSnapshots, resume, take
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.recover import recover
from weitzman.ledger.state.fold import digest, replay

EVENTS = 300


@dataclass(frozen=True)
class Kept:
    """The files of a journal as they were at some moment, and the digest after each of its events."""

    folder: Path
    digests: list[str]

    @property
    def files(self) -> list[str]:
        # SQLite makes the index of its log anew
        return sorted(p.name for p in self.folder.iterdir() if not p.name.endswith("-shm"))


def _keep(folder: Path, seed: int, checkpoint: int | None) -> Kept:
    """Return a journal in use whose log went into the database after that many events, if ever."""
    live = folder / "live"
    live.mkdir(parents=True)
    journal = SqliteJournal(live / "events.db")
    snapshots = FileSnapshots(live / "events.db")
    state, drafts = replay([]), three_problems(seed=seed, events=EVENTS).drafts
    digests = [digest(state)]
    for begin in range(0, len(drafts), 10):
        for event in journal.append(drafts[begin : begin + 10]):
            replay([event], state)
            digests.append(digest(state))
        if begin % 90 == 80:
            snapshots.write(take(state, journal.head()))
        if checkpoint is not None and begin == checkpoint:
            journal._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copytree(live, folder / "kept")
    journal.close()
    if checkpoint is None:
        shutil.rmtree(folder / "kept")
        shutil.copytree(live, folder / "kept")  # as a service leaves it that was stopped
    return Kept(folder / "kept", digests)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> list[Kept]:
    folder = tmp_path_factory.mktemp("damage")
    moments = (None, 100, 200, 290)
    return [_keep(folder / str(seed), seed, moment) for seed, moment in enumerate(moments)]


def _start(path: Path) -> tuple[str, int]:
    journal = SqliteJournal(path)
    try:
        resumed = resume(journal, FileSnapshots(path))
        return digest(resumed.state), resumed.head.seq
    finally:
        journal.close()


def _judge(path: Path, whole: Kept) -> str:
    """Return what came of a damaged journal; a wrong state fails."""
    last = len(whole.digests) - 1
    try:
        assert _start(path) == (whole.digests[last], last)
        return "unchanged"
    except LedgerError as error:
        refusal = error
    text = str(refusal)
    assert str(path) in text
    try:
        told = recover(path)
    except LedgerError as error:
        assert "header" in str(error) or "no journal" in str(error) or "version" in str(error)
        return "refused: no header"
    assert _start(path) == (whole.digests[told.kept], told.kept)
    assert isinstance(refusal, JournalDamagedError)
    assert told.kept < last or told.aside is not None
    assert told.kept <= told.stored <= last
    assert all(told.kept < seq for seq, *_ in told.lost)
    # What is lost is known from the witness, or from the head that the database still has
    return "prefix, all of the loss told" if told.stored == last else "prefix, loss told in part"


def _run(
    kept: list[Kept],
    folder: Path,
    count: int,
    rng: np.random.Generator,
    damage: Callable[[bytearray, np.random.Generator], None],
) -> Counter[str]:
    found: Counter[str] = Counter()
    for number in range(count):
        whole = kept[number % len(kept)]
        target = folder / "copy"
        shutil.copytree(whole.folder, target)
        name = whole.files[int(rng.integers(len(whole.files)))]
        content = bytearray((target / name).read_bytes())
        if content:
            damage(content, rng)
        (target / name).write_bytes(bytes(content))
        found[_judge(target / "events.db", whole)] += 1
        shutil.rmtree(target)
    return found


def _cut(content: bytearray, rng: np.random.Generator) -> None:
    del content[int(rng.integers(len(content))) :]


def _flip(content: bytearray, rng: np.random.Generator) -> None:
    content[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))


@scaled(100, 2_000)
def test_truncations_leave_an_exact_prefix(
    count: int, kept: list[Kept], tmp_path: Path, figure: Callable[[str], None]
) -> None:
    found = _run(kept, tmp_path, count, np.random.default_rng(count), _cut)
    figure(f"{count} truncations: {dict(found)}; wrong states: 0")
    assert found.total() == count
    assert {"unchanged", "prefix, all of the loss told"} <= found.keys()


@scaled(50, 1_000)
def test_flipped_bits_are_found_or_change_nothing(
    count: int, kept: list[Kept], tmp_path: Path, figure: Callable[[str], None]
) -> None:
    found = _run(kept, tmp_path, count, np.random.default_rng(count), _flip)
    figure(f"{count} single-bit flips: {dict(found)}; wrong states: 0")
    assert found.total() == count
    assert {"unchanged", "prefix, all of the loss told"} <= found.keys()
