"""Running a command in the background: on a thread, with its problem locked, so that it may take its time."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from weitzman.errors import LedgerError
from weitzman.ledger.event import Draft
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.locks import BACKGROUND_DRAFTS
from weitzman.serve.messages.refusal import Refusal

__all__ = ["run_in_background"]

T = TypeVar("T")
_UNDER_WAY: Final[set[asyncio.Task[Any]]] = set()


async def run_in_background(engine: Engine, problem: str, command: Callable[[], T]) -> T:
    """Run a command; what happens goes to the writer in the end, all of it together."""
    # To its end, whatever becomes of the caller: a thread cannot be stopped
    task = asyncio.get_running_loop().create_task(_run(engine, problem, command))
    _UNDER_WAY.add(task)
    task.add_done_callback(_UNDER_WAY.discard)
    return await asyncio.shield(task)


async def _run(engine: Engine, problem: str, command: Callable[[], T]) -> T:
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
