"""Work apart: long computations that change nothing, in a process of their own, one after the other.

The process has a low priority, is given what it needs, and knows nothing of the service; no problem is locked
for it. Whoever asks waits a few seconds at most: if the work is not done by then, the question is to be
asked again. A result is told once; the next question of the kind begins the work again.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress

from weitzman.serve.messages.refusal import Refusal

_PATIENCE = 5.0  # seconds that a question waits
_MOST = 8  # kinds of work that wait or are not fetched


class Apart:
    """The works that are under way or done, by what was asked."""

    def __init__(self) -> None:
        self._works: dict[Hashable, asyncio.Task[bytes]] = {}
        self._one = asyncio.Lock()

    async def ask(
        self, question: Hashable, module: str, given: Callable[[], Awaitable[bytes]]
    ) -> bytes | None:
        """Return what ``python -m module`` says to what it is given; None if it is not done yet."""
        work = self._works.get(question)
        if work is None:
            for key in [k for k, one in self._works.items() if one.done()][: -_MOST + 1]:
                # Nobody came back for it
                del self._works[key]
            if len(self._works) >= _MOST:
                raise Refusal("too-many", f"{_MOST} computations are waiting: ask again later.")
            work = asyncio.get_running_loop().create_task(self._run(module, given))
            self._works[question] = work
        await asyncio.wait([work], timeout=_PATIENCE)
        if not work.done():
            return None
        self._works.pop(question, None)
        return work.result()

    async def close(self) -> None:
        """End what is under way."""
        for work in list(self._works.values()):
            work.cancel()
            with suppress(asyncio.CancelledError, Refusal):
                await work
        self._works.clear()

    async def _run(self, module: str, given: Callable[[], Awaitable[bytes]]) -> bytes:
        async with self._one:
            content = await given()
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", module, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
            )  # fmt: skip
            try:
                told, _ = await process.communicate(content)
            except asyncio.CancelledError:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
                raise
            if process.returncode != 0:
                raise Refusal("unavailable", "The computation was ended from outside.")
            return told
