"""What is done off the event loop before a command: reading, writing, compiling."""

import asyncio
import contextlib
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.ledger.bodies import Created
from weitzman.serve import exchange, points
from weitzman.serve.route import Call

__all__ = ["export", "newest", "parse_log", "warm"]


async def warm(call: Call) -> Any:
    """Compile what a new problem needs, before it is there."""
    ask = call.body
    small = Created(
        boxes=["a"],
        features=["x"],
        sense=ask.sense,
        feedback=ask.feedback,
        waiting=1,
        learner=ask.learner,
        parameters=ask.parameters,
        policy=ask.policy,
        optimism=ask.optimism,
    )
    if not call.desk.warmth.is_warm(small):
        # What cannot be warmed up is refused by the command, which tells why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(call.desk.warmth.warm, small)
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
