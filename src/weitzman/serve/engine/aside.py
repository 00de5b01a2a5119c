"""Carrying out a command aside: on a thread, with its problem held, so that it may take its time."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

from weitzman.errors import LedgerError
from weitzman.ledger.event import Draft
from weitzman.serve.engine.desk import Desk
from weitzman.serve.engine.hold import ASIDE
from weitzman.serve.messages.refusal import Refusal

__all__ = ["carry_out_aside"]

T = TypeVar("T")
_UNDER_WAY: Final[set[asyncio.Task[Any]]] = set()


async def carry_out_aside(desk: Desk, problem: str, command: Callable[[], T]) -> T:
    """Carry out a command; what happens is handed to the writer in the end, all of it together."""
    # To its end, whatever becomes of the caller: a thread cannot be stopped
    task = asyncio.get_running_loop().create_task(_carried(desk, problem, command))
    _UNDER_WAY.add(task)
    task.add_done_callback(_UNDER_WAY.discard)
    return await asyncio.shield(task)


async def _carried(desk: Desk, problem: str, command: Callable[[], T]) -> T:
    async with desk.holds.hold(problem):
        pending = desk.pending()
        if pending is not None:
            await asyncio.wait([pending])
        gathered: list[Draft] = []
        try:
            return await asyncio.to_thread(_gathering, gathered, command)
        except (Refusal, LedgerError):
            raise
        except Exception as error:
            desk.lose(LedgerError(str(error)), {problem})
            raise
        finally:
            desk.add(gathered)


def _gathering(drafts: list[Draft], command: Callable[[], T]) -> T:
    ASIDE.set(drafts)
    return command()
