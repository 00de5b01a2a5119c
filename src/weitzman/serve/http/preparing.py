"""What is done off the event loop before a command: reading, writing, compiling."""

import asyncio
import contextlib
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.serve.commands import exchange, feature_points
from weitzman.serve.http.route import Call

__all__ = ["export", "newest", "parse_log", "warm"]


async def warm(call: Call) -> Any:
    """Compile what a new problem needs, before it is there."""
    ask, warm_up = call.body, call.engine.warm_up
    if not warm_up.is_done(ask):
        # What cannot be warmed up is refused by the command, which tells why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(warm_up.run, ask)
    return ask


async def parse_log(call: Call) -> Any:
    """Read a log."""
    return await asyncio.to_thread(exchange.parse_log, call.problem, call.body)


async def export(call: Call) -> Any:
    """Write a log of what is stored."""
    problem, engine = call.problem, call.engine
    pending = engine.pending()
    if pending is not None:
        await asyncio.wait([pending])
    events = engine.journal.read(problem=problem.name, until=engine.head.seq)
    return await asyncio.to_thread(exchange.export_log, problem, events)


async def newest(call: Call) -> Any:
    """Read the newest rounds."""
    return await feature_points.read_newest(call.engine, call.problem)
