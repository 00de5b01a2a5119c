"""Commands that take long: in the background, on a thread, with their problem locked.

Growing a policy's trees or learning a long log takes longer than others may be kept waiting. Meanwhile
the event loop answers for all other problems; whoever asks for the locked one waits, so that the order of its
events stays the order in which they were applied. Commands that take long and come for the same problem
meanwhile are carried out by the same thread, before the lock ends.
"""

import asyncio
import math
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from weitzman.errors import LedgerError
from weitzman.ledger.event import Draft
from weitzman.serve.messages.refusal import Refusal

if TYPE_CHECKING:
    from weitzman.serve.engine.engine import Engine

T = TypeVar("T")
_UNDER_WAY: Final[set[asyncio.Task[Any]]] = set()
_LONGEST: Final = 0.02
"""For how many seconds a thread takes on more commands."""

BACKGROUND_DRAFTS: Final[ContextVar[list[Draft] | None]] = ContextVar(
    "background_drafts", default=None
)
"""Where a command on a thread of its own puts what happens; None on the event loop."""


class ProblemLocks(dict[str, asyncio.Event]):
    """Which problems are locked, each with the end of its lock. Used on the event loop only.

    Who waits for a problem is woken one after the other, in the order of coming: woken together, all but one
    would find it locked again. ``work`` is what a thread does on a problem, or will do when it has the lock.
    """

    def __init__(self) -> None:
        super().__init__()
        self.work: dict[str, Work] = {}
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    async def wait_until_free(self, problem: str | None = None) -> None:
        """Wait until a problem is not locked; until none is, without a name."""
        if problem is None:
            while self:
                await next(iter(self.values())).wait()
        elif problem in self or problem in self._queues:
            await self._wait_in_line(problem)

    async def _wait_in_line(self, problem: str) -> None:
        loop, is_first = asyncio.get_running_loop(), False
        while True:
            queue, waiter = self._queues.setdefault(problem, deque()), loop.create_future()
            if is_first:
                queue.appendleft(waiter)
            else:
                queue.append(waiter)
            await waiter
            if problem not in self:
                return
            is_first = True

    def _wake_next(self, problem: str) -> None:
        """Wake who is first in line; the next one when that one has gone on, if it is still free then."""
        queue = self._queues.get(problem)
        if problem in self or queue is None:
            return  # the end of the lock wakes the others
        while queue:
            waiter = queue.popleft()
            if not waiter.done():
                waiter.set_result(None)
                break
        if queue:
            asyncio.get_running_loop().call_soon(self._wake_next, problem)
        else:
            del self._queues[problem]

    @asynccontextmanager
    async def lock(self, problem: str) -> AsyncIterator[None]:
        """Have a problem to oneself."""
        await self.wait_until_free(problem)
        end = self[problem] = asyncio.Event()
        try:
            yield
        finally:
            del self[problem]
            end.set()
            self._wake_next(problem)


async def run_when_free(
    engine: "Engine", problem: str, command: Callable[[], T], takes_long: Callable[[], bool]
) -> T:
    """Run a command when its problem is not locked; in the background if it takes long."""
    if not takes_long():
        await engine.locks.wait_until_free(problem)
        if not takes_long():
            return await engine.look_ups.carry_out(command)
    return await run_in_background(engine, problem, command)


async def run_in_background(engine: "Engine", problem: str, command: Callable[[], T]) -> T:
    """Run a command on a thread, with others that come for its problem meanwhile.

    What happens goes to the writer as soon as the command has ended.
    """
    work = engine.locks.work.get(problem)
    job = None if work is None else work.add(command)
    if job is None:
        work = engine.locks.work[problem] = Work(engine, problem)
        job = work.add(command)
        # To its end, whatever becomes of the caller: a thread cannot be stopped
        task = asyncio.get_running_loop().create_task(work.carry_out())
        _UNDER_WAY.add(task)
        task.add_done_callback(_UNDER_WAY.discard)
    assert job is not None
    found: T = await job.done
    return found


class _Job(NamedTuple):
    """A command, and the future of what it returns."""

    command: Callable[[], Any]
    done: "asyncio.Future[Any]"


class Work:
    """Commands on a problem that one thread carries out, one after the other, while the problem is locked.

    A lock for each would cost a commit and two turns of threads for each. After some milliseconds no more
    come in: others, who wait for the end of the lock, have their turn.
    """

    def __init__(self, engine: "Engine", problem: str) -> None:
        self._engine, self._problem = engine, problem
        self._loop = asyncio.get_running_loop()
        self._jobs: deque[_Job] = deque()
        self._guard = threading.Lock()
        self._is_over = False
        self._until = math.inf

    def add(self, command: Callable[[], Any]) -> _Job | None:
        """Take in a command; None if it is too late for that."""
        with self._guard:
            if self._is_over or perf_counter() > self._until:
                return None
            job = _Job(command, self._loop.create_future())
            self._jobs.append(job)
            return job

    async def carry_out(self) -> None:
        """Lock the problem, and carry out all commands."""
        engine, name = self._engine, self._problem
        try:
            async with engine.locks.lock(name):
                pending = engine.pending()
                if pending is not None:
                    await asyncio.wait([pending])
                await asyncio.to_thread(self._carry_out_all)
        except LedgerError as error:
            while (job := self._next()) is not None:
                _end(job, error=error)
        finally:
            if engine.locks.work.get(name) is self:
                del engine.locks.work[name]

    def _next(self) -> _Job | None:
        with self._guard:
            self._is_over = not self._jobs
            return None if self._is_over else self._jobs.popleft()

    def _carry_out_all(self) -> None:
        self._until = perf_counter() + _LONGEST
        gathered: list[Draft] = []
        BACKGROUND_DRAFTS.set(gathered)
        fault: LedgerError | None = None
        while (job := self._next()) is not None:
            before, found = len(gathered), None
            error: Exception | None = None
            try:
                if fault is not None:
                    raise fault
                found = job.command()
            except (Refusal, LedgerError) as caught:
                error = caught
            except Exception as caught:
                error, fault = caught, LedgerError(str(caught))
            happened = gathered[before:]
            self._loop.call_soon_threadsafe(self._ended, job, happened, found, error)

    def _ended(self, job: _Job, happened: list[Draft], found: Any, error: Exception | None) -> None:
        self._engine.add(happened)
        if error is not None and not isinstance(error, Refusal | LedgerError):
            self._engine.lose(LedgerError(str(error)), {self._problem})
        _end(job, found, error)


def _end(job: _Job, found: Any = None, error: Exception | None = None) -> None:
    if job.done.done():
        return  # the caller has gone away
    if error is None:
        job.done.set_result(found)
    else:
        job.done.set_exception(error)
