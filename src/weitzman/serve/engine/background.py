"""Commands that take long: in the background, on a thread, with their problem locked.

Growing a policy's trees or learning a long log takes longer than others may be kept waiting. Meanwhile
the event loop answers for all other problems; whoever asks for the locked one waits, so that the order of its
events stays the order in which they were applied.
"""

import asyncio
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
    """Which problems are locked, each with the end of its lock. Used on the event loop only."""

    async def wait_until_free(self, problem: str | None = None) -> None:
        """Wait until a problem is not locked; until none is, without a name."""
        while self:
            if problem is None:
                end = next(iter(self.values()))
            elif problem in self:
                end = self[problem]
            else:
                return
            await end.wait()

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
