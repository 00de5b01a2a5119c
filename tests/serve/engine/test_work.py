"""Commands that come for a problem while a thread works on it are carried out by that thread, in order."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from weitzman.errors import LedgerError
from weitzman.ledger.journal import EMPTY
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import State, replay
from weitzman.ledger.state.open_round import OpenRound
from weitzman.serve.commands.problems import create_problem
from weitzman.serve.commands.rounds import close_round, open_round, see_values
from weitzman.serve.engine.background import run_in_background, run_when_free
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.warmup import WarmUp
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.schema import CloseRequest, NewProblem, NewRound, SeeRequest
from weitzman.serve.settings import Settings

ASK = NewProblem(
    name="p",
    boxes=["a", "b"],
    features=["x"],
    policy="Simple",
    parameters={"rule": "cheapest"},
    feedback="opened",
)
Play = Callable[[Engine], Awaitable[None]]


@contextlib.asynccontextmanager
async def engine_at(path: Path) -> AsyncIterator[Engine]:
    """Start an engine over a new journal that has one problem."""
    journal = SqliteJournal(path)
    made = Engine(
        state=State(),
        head=EMPTY,
        journal=journal,
        settings=Settings(),
        warm_up=WarmUp(),
        on_stored=lambda events: None,
        on_failed=lambda error: None,
        leads=lambda problem: True,
    )
    create_problem(made, ASK)
    try:
        yield made
    finally:
        await made.close()
        journal.close()


def played(path: Path, play: Play) -> None:
    async def run() -> None:
        async with engine_at(path) as made:
            await play(made)

    asyncio.run(run())


def open_one(engine: Engine, name: str) -> str:
    ask = NewRound(id=name, contexts=[[0.5], [1.5]], costs=[1.0, 2.0], outside=5.0)
    return open_round(engine, engine.problem("p"), ask).round


def test_those_who_come_meanwhile_are_served_by_one_thread_in_their_order(tmp_path: Path) -> None:
    had, threads, began, go_on = [], set(), threading.Event(), threading.Event()

    def command(engine: Engine, number: int) -> str:
        if number == 0:
            began.set()
            assert go_on.wait(10.0)
        assert "p" in engine.locks
        had.append(number)
        threads.add(threading.get_ident())
        return open_one(engine, f"r{number}")

    async def play(engine: Engine) -> None:
        first = asyncio.ensure_future(run_in_background(engine, "p", partial(command, engine, 0)))
        await asyncio.to_thread(began.wait)
        others = [
            asyncio.ensure_future(
                run_when_free(engine, "p", partial(command, engine, number), lambda: True)
            )
            for number in range(1, 30)
        ]
        await asyncio.sleep(0.0)
        others[4].cancel()  # whoever gives up has asked all the same
        go_on.set()
        found = await asyncio.gather(first, *others, return_exceptions=True)
        names = [f"r{number}" for number in range(30)]
        assert [name for name in found if isinstance(name, str)] == names[:5] + names[6:]
        await engine.locks.wait_until_free("p")
        assert list(engine.state.problems["p"].rounds) == names
        assert not engine.locks.work

    played(tmp_path / "a.db", play)
    assert had == list(range(30))
    assert len(threads) == 1
    with contextlib.closing(SqliteJournal(tmp_path / "a.db")) as journal:
        assert len(replay(journal.read()).problems["p"].rounds) == 30


def test_one_that_is_refused_leaves_the_others_alone(tmp_path: Path) -> None:
    async def play(engine: Engine) -> None:
        def command(number: int) -> str:
            if number % 3 == 1:
                raise Refusal("invalid", "No.")
            return open_one(engine, f"r{number}")

        work = [run_in_background(engine, "p", partial(command, number)) for number in range(9)]
        found = await asyncio.gather(*work, return_exceptions=True)
        assert [isinstance(x, Refusal) for x in found] == [n % 3 == 1 for n in range(9)]
        assert engine.failed is None
        assert len(engine.state.problems["p"].rounds) == 6

    played(tmp_path / "a.db", play)


def test_after_a_fault_nothing_more_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is half of what it should be then: it has to be made again from the journal."""
    see = OpenRound.see

    def fails(self: OpenRound, row: int, value: float | None) -> None:
        see(self, row, value)
        if value == 3.0:
            raise ZeroDivisionError("a fault")

    monkeypatch.setattr(OpenRound, "see", fails)

    async def play(engine: Engine) -> None:
        def command(number: int) -> str:
            name = open_one(engine, f"r{number}")
            see_values(engine, engine.problem("p"), name, SeeRequest({"a": float(number)}))
            close_round(engine, engine.problem("p"), name, CloseRequest())
            return name

        work = [run_in_background(engine, "p", partial(command, number)) for number in range(6)]
        found = await asyncio.gather(*work, return_exceptions=True)
        assert found[:3] == ["r0", "r1", "r2"]
        assert isinstance(found[3], RuntimeError)
        assert all(isinstance(error, LedgerError) for error in found[4:])
        assert engine.failed is not None
        assert engine.lost == {"p"}

    played(tmp_path / "a.db", play)
    # What was answered before may be stored; of what failed there is nothing
    with contextlib.closing(SqliteJournal(tmp_path / "a.db")) as journal:
        keys = {event.key for event in journal.read(problem="p")} - {""}
    assert keys <= {"r0", "r1", "r2"}


def test_a_thread_does_not_take_on_more_for_ever(tmp_path: Path) -> None:
    """Somebody who waits for the lock to end has it within a while, however many come."""

    async def play(engine: Engine) -> None:
        over = asyncio.Event()

        async def ask(number: int) -> None:
            count = 0
            while not over.is_set():
                await run_in_background(
                    engine, "p", partial(open_one, engine, f"r{number}-{count}")
                )
                count += 1

        callers = [asyncio.ensure_future(ask(number)) for number in range(8)]
        await asyncio.sleep(0.05)
        async with asyncio.timeout(5.0):
            for _ in range(5):
                await engine.locks.wait_until_free("p")
                assert "p" not in engine.locks
                await asyncio.sleep(0.0)
        over.set()
        await asyncio.gather(*callers)

    played(tmp_path / "a.db", play)
