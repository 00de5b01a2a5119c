"""Locks of problems: a command that takes long has its problem to itself, on a thread of its own.

Growing a policy's trees or learning a long log takes longer than others may be kept waiting. Meanwhile
the event loop answers for all other problems; whoever asks for the locked one waits, so that the order of its
events stays the order in which they were applied.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from weitzman.ledger.event import Draft

__all__ = ["BACKGROUND_DRAFTS", "ProblemLocks"]

BACKGROUND_DRAFTS: Final[ContextVar[list[Draft] | None]] = ContextVar(
    "background_drafts", default=None
)
"""Where a command on a thread of its own puts what happens; None on the event loop."""


class ProblemLocks:
    """Which problems are locked. Used on the event loop only."""

    def __init__(self) -> None:
        self._ends: dict[str, asyncio.Event] = {}

    def __bool__(self) -> bool:
        return bool(self._ends)

    def __contains__(self, problem: str) -> bool:
        return problem in self._ends

    def names(self) -> set[str]:
        """Return the problems that are locked."""
        return set(self._ends)

    async def wait_until_free(self, problem: str | None = None) -> None:
        """Wait until a problem is not locked; until none is, without a name."""
        while self._ends:
            if problem is None:
                end = next(iter(self._ends.values()))
            elif problem in self._ends:
                end = self._ends[problem]
            else:
                return
            await end.wait()

    @asynccontextmanager
    async def lock(self, problem: str) -> AsyncIterator[None]:
        """Have a problem to oneself."""
        await self.wait_until_free(problem)
        end = self._ends[problem] = asyncio.Event()
        try:
            yield
        finally:
            del self._ends[problem]
            end.set()
