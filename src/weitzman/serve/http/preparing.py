"""What is done off the event loop before a command: reading, writing, compiling."""

import asyncio
import contextlib
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.serve.commands import exchange, points
from weitzman.serve.http.route import Call

__all__ = ["export", "newest", "parse_log", "warm"]


async def warm(call: Call) -> Any:
    """Compile what a new problem needs, before it is there."""
    ask, warmth = call.body, call.desk.warmth
    if not warmth.is_warm(ask):
        # What cannot be warmed up is refused by the command, which tells why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(warmth.warm, ask)
    return ask


async def parse_log(call: Call) -> Any:
    """Read a log."""
    return await asyncio.to_thread(exchange.parse_log, call.problem, call.body)


async def export(call: Call) -> Any:
    """Write a log of what is stored."""
    problem, desk = call.problem, call.desk
    pending = desk.pending()
    if pending is not None:
        await asyncio.wait([pending])
    events = desk.journal.read(problem=problem.name, until=desk.head.seq)
    return await asyncio.to_thread(exchange.export_log, problem, events)


async def newest(call: Call) -> Any:
    """Read the newest rounds."""
    return await points.read_newest(call.desk, call.problem)
