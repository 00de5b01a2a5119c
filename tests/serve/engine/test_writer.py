"""The writer: what comes together is stored together, and everybody hears of it once."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from weitzman.errors import JournalUnavailableError, LedgerError
from weitzman.ledger.event import Draft, Event
from weitzman.serve.engine.writer import Writer


def draft(number: int, problem: str = "p", key: str = "") -> Draft:
    return Draft(problem=problem, number=number, kind="seen", at=0, key=key, body=b"{}")


class Paper:
    """A journal that keeps the batches that it was given, and stores none of them until it may."""

    def __init__(self) -> None:
        self.batches: list[list[Draft]] = []
        self.may = threading.Event()
        self.may.set()
        self.error: Exception | None = None

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        self.may.wait()
        if self.error is not None:
            raise self.error
        self.batches.append(list(drafts))
        return [Event(**_parts(one), seq=n, chain=b"") for n, one in enumerate(drafts)]


def _parts(one: Draft) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__struct_fields__}


class Heard:
    def __init__(self) -> None:
        self.stored: list[list[Event]] = []
        self.failed: list[tuple[LedgerError, set[str]]] = []


def writer_of(paper: Any, heard: Heard) -> Writer:
    return Writer(
        paper,
        stored=heard.stored.append,
        failed=lambda error, problems: heard.failed.append((error, problems)),
    )


def test_what_is_added_in_turns_that_follow_each_other_is_stored_together() -> None:
    paper, heard = Paper(), Heard()

    async def run() -> None:
        writer = writer_of(paper, heard)
        writer.add(draft(1))
        writer.add(draft(2))
        for number in (3, 4, 5):
            await asyncio.sleep(0)
            writer.add(draft(number))
        await writer.close()

    asyncio.run(run())
    assert [[one.number for one in batch] for batch in paper.batches] == [[1, 2, 3, 4, 5]]
    assert [len(events) for events in heard.stored] == [5]
    assert heard.failed == []


def test_what_comes_while_the_disk_works_is_the_next_batch_and_is_found_by_its_key() -> None:
    called: list[Any] = []
    paper, heard = Paper(), Heard()

    async def run() -> None:
        writer = writer_of(paper, heard)
        assert writer.pending() is None
        assert not writer.after(called.append)
        paper.may.clear()
        writer.add(draft(1, key="k"))
        assert writer.after(lambda error: called.append((1, error)))
        for _ in range(5):
            await asyncio.sleep(0)
        # The first is with the journal by now
        writer.add(draft(2, key="k"))
        assert writer.after(lambda error: called.append((2, error)))
        assert [one.number for one in writer.find("p", "k")] == [1, 2]
        assert writer.find("p", "other") == writer.find("q", "k") == []
        paper.may.set()
        await writer.close()
        assert (writer.pending(), writer.find("p", "k")) == (None, [])

    asyncio.run(run())
    assert [[one.number for one in batch] for batch in paper.batches] == [[1], [2]]
    assert called == [(1, None), (2, None)]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (JournalUnavailableError("The disk is full."), "The disk is full."),
        (OSError("gone"), "gone"),
    ],
)
def test_a_batch_that_fails_takes_what_waits_behind_it_along(error: Exception, words: str) -> None:
    called: list[Any] = []
    paper, heard = Paper(), Heard()

    async def run() -> None:
        writer = writer_of(paper, heard)
        paper.error = error
        paper.may.clear()
        writer.add(draft(1, "p"))
        writer.after(lambda error: called.append(("p", error)))
        for _ in range(5):
            await asyncio.sleep(0)
        writer.add(draft(1, "q"))
        writer.after(lambda error: called.append(("q", error)))
        paper.may.set()
        while not heard.failed:
            await asyncio.sleep(0.001)
        assert writer.pending() is None
        # The next is stored as if nothing had been
        paper.error = None
        writer.add(draft(1, "r"))
        await writer.close()

    asyncio.run(run())
    ((failure, problems),) = heard.failed
    assert words in str(failure)
    assert problems == {"p", "q"}
    assert [(name, error is failure) for name, error in called] == [("p", True), ("q", True)]
    assert [[one.problem for one in batch] for batch in paper.batches] == [["r"]]


def test_one_caller_that_fails_keeps_the_news_from_nobody() -> None:
    called: list[Any] = []
    faults: list[Any] = []
    paper, heard = Paper(), Heard()

    def breaks(_: LedgerError | None) -> None:
        raise ZeroDivisionError

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: faults.append(what))
        writer = writer_of(paper, heard)
        writer.add(draft(1))
        writer.after(breaks)
        writer.after(called.append)
        await writer.close()

    asyncio.run(run())
    assert called == [None]
    assert [type(what["exception"]) for what in faults] == [ZeroDivisionError]
