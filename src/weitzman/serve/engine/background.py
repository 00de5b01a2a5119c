"""Commands that take long: in the background, on a thread, with their problem locked.

Growing a policy's trees or learning a long log takes longer than others may be kept waiting. Meanwhile
the event loop answers for all other problems; whoever asks for the locked one waits, so that the order of its
events stays the order in which they were applied.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, TypeVar

from weitzman.errors import LedgerError
from weitzman.ledger.event import Draft
from weitzman.serve.messages.refusal import Refusal

if TYPE_CHECKING:
    from weitzman.serve.engine.engine import Engine

T = TypeVar("T")
_UNDER_WAY: Final[set[asyncio.Task[Any]]] = set()

BACKGROUND_DRAFTS: Final[ContextVar[list[Draft] | None]] = ContextVar(
    "background_drafts", default=None
)
"""Where a command on a thread of its own puts what happens; None on the event loop."""


class ProblemLocks(dict[str, asyncio.Event]):
    """Which problems are locked, each with the end of its lock. Used on the event loop only.

    Who waits for a problem is woken one after the other, in the order of coming: woken together, all but one
    would find it locked again.
    """

    def __init__(self) -> None:
        super().__init__()
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
    """Run a command when its problem is not locked; in the background if it takes long then."""
    await engine.locks.wait_until_free(problem)
    if takes_long():
        return await run_in_background(engine, problem, command)
    return await engine.look_ups.carry_out(command)


async def run_in_background(engine: "Engine", problem: str, command: Callable[[], T]) -> T:
    """Run a command; what happens goes to the writer in the end, all of it together."""
    # To its end, whatever becomes of the caller: a thread cannot be stopped
    task = asyncio.get_running_loop().create_task(_run(engine, problem, command))
    _UNDER_WAY.add(task)
    task.add_done_callback(_UNDER_WAY.discard)
    return await asyncio.shield(task)


async def _run(engine: "Engine", problem: str, command: Callable[[], T]) -> T:
    async with engine.locks.lock(problem):
        pending = engine.pending()
        if pending is not None:
            await asyncio.wait([pending])
        gathered: list[Draft] = []
        try:
            return await asyncio.to_thread(_gathering, gathered, command)
        except (Refusal, LedgerError):
            raise
        except Exception as error:
            engine.lose(LedgerError(str(error)), {problem})
            raise
        finally:
            engine.add(gathered)


def _gathering(drafts: list[Draft], command: Callable[[], T]) -> T:
    BACKGROUND_DRAFTS.set(drafts)
    return command()
