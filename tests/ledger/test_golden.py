"""Journals of every format that was ever written are read, and give the state that they gave.

``python -m tests.ledger.test_golden`` writes the digests anew, after a change of what a state holds; the
journals themselves never change.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.ledger.happenings import three_problems
from weitzman.ledger.fold import digest, replay
from weitzman.ledger.sqlite import SqliteJournal

GOLDEN = Path(__file__).parent / "golden"
DIGESTS = GOLDEN / "digests.json"


@pytest.mark.parametrize("journal", sorted(GOLDEN.glob("*.db")), ids=lambda p: p.stem)
def test_a_golden_journal_gives_its_state(journal: Path, tmp_path: Path) -> None:
    wanted = json.loads(DIGESTS.read_text(encoding="utf-8"))[journal.name]
    assert _state(journal, tmp_path) == wanted


def test_there_is_a_golden_journal() -> None:
    assert (GOLDEN / "journal-v1.db").exists()


def _state(journal: Path, folder: Path) -> dict[str, object]:
    copy = folder / journal.name
    shutil.copy(journal, copy)
    opened = SqliteJournal(copy)
    state = replay(opened.read())
    head = opened.head()
    opened.close()
    return {"events": head.seq, "chain": head.chain.hex(), "digest": digest(state)}


def _write() -> None:
    import tempfile

    first = GOLDEN / "journal-v1.db"
    if not first.exists():
        made = SqliteJournal(first)
        made.append(three_problems(seed=0, events=120).drafts)
        made.close()
        first.with_name(f"{first.name}-witness").unlink()
    with tempfile.TemporaryDirectory() as folder:
        told = {p.name: _state(p, Path(folder)) for p in sorted(GOLDEN.glob("*.db"))}
    DIGESTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
