"""Journals of every format that was ever written are read, and give the state that they gave.

``python -m tests.ledger.test_golden`` writes the digests anew, after a change of what a state holds; the
journals themselves never change.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.ledger.happenings import three_problems
from tests.postgres import Server, running_server
from weitzman.ledger.journal import Journal
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.sqlite.layout import LAYOUT
from weitzman.ledger.state.fold import digest, replay

GOLDEN = Path(__file__).parent / "golden"
DIGESTS = GOLDEN / "digests.json"


@pytest.mark.parametrize("journal", sorted(GOLDEN.glob("*.db")), ids=lambda p: p.stem)
def test_a_golden_journal_gives_its_state(journal: Path, tmp_path: Path) -> None:
    wanted = json.loads(DIGESTS.read_text(encoding="utf-8"))[journal.name]
    assert _state(journal, tmp_path) == wanted


@pytest.mark.parametrize("dump", sorted(GOLDEN.glob("*.sql")), ids=lambda p: p.stem)
def test_a_golden_database_gives_its_state(dump: Path, postgres: Server, place: str) -> None:
    postgres.run(place, dump.read_text(encoding="utf-8"))
    wanted = json.loads(DIGESTS.read_text(encoding="utf-8"))[dump.name]
    assert _told(PostgresJournal(place)) == wanted


def test_there_are_golden_journals() -> None:
    for version in range(1, LAYOUT + 1):
        assert (GOLDEN / f"journal-v{version}.db").exists()
    assert (GOLDEN / "journal-v1.sql").exists()


def _state(journal: Path, folder: Path) -> dict[str, object]:
    copy = folder / journal.name
    shutil.copy(journal, copy)
    return _told(SqliteJournal(copy))


def _told(opened: Journal) -> dict[str, object]:
    state = replay(opened.read())
    head = opened.head()
    opened.close()
    return {"events": head.seq, "chain": head.chain.hex(), "digest": digest(state)}


def _write() -> None:
    import tempfile

    first = GOLDEN / f"journal-v{LAYOUT}.db"
    if not first.exists():
        made = SqliteJournal(first)
        made.append(three_problems(seed=0, events=120).drafts)
        made.close()
        first.with_name(f"{first.name}-witness").unlink()
    with running_server() as server, tempfile.TemporaryDirectory() as folder:
        second = GOLDEN / "journal-v1.sql"
        if not second.exists():
            place = server.new_database()
            shared = PostgresJournal(place)
            shared.append(three_problems(seed=0, events=120).drafts)
            shared.close()
            second.write_text(server.dump(place), encoding="utf-8")
        told = {p.name: _state(p, Path(folder)) for p in sorted(GOLDEN.glob("*.db"))}
        for dump in sorted(GOLDEN.glob("*.sql")):
            place = server.new_database()
            server.run(place, dump.read_text(encoding="utf-8"))
            told[dump.name] = _told(PostgresJournal(place))
    DIGESTS.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
