"""Many commands in one request, carried out in order and stored in one commit.

Each has a result of its own: one that is refused changes nothing and does not hold up the others.
"""

from weitzman.ledger.state.problem import Problem
from weitzman.serve.commands.rounds import close_round, open_round, see_values
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.schema import BatchItem, BatchReply, BatchRequest, BatchResult


def run_batch(engine: Engine, problem: Problem, ask: BatchRequest) -> BatchReply:
    """Carry out commands in order."""
    if len(ask.commands) > engine.settings.batch_limit:
        raise Refusal("invalid", f"Expected at most {engine.settings.batch_limit}.", "commands")
    for place, item in enumerate(ask.commands):
        if sum(part is not None for part in (item.open, item.see, item.close)) != 1:
            text = "Expected exactly one of open, see and close."
            raise Refusal("invalid", text, f"commands[{place}]")
    _look_up(engine, problem, ask.commands)
    return BatchReply(results=[_run(engine, problem, item) for item in ask.commands])


def _look_up(engine: Engine, problem: Problem, items: list[BatchItem]) -> None:
    """Ask for the past of rounds before anything happens: a batch that has begun cannot break off."""
    if not engine.journal.is_far:
        return
    closed: set[str] = set()
    for item in items:
        if item.open is not None:
            name = item.open.id
        else:
            part = item.see or item.close
            assert part is not None
            name = part.round
        if name is None:
            continue
        if item.open is not None or name not in problem.rounds or name in closed:
            engine.find(problem.name, name)
        if item.close is not None:
            closed.add(name)


def _run(engine: Engine, problem: Problem, item: BatchItem) -> BatchResult:
    try:
        if item.open is not None:
            return BatchResult(status=201, opened=open_round(engine, problem, item.open))
        if item.see is not None:
            seen = see_values(engine, problem, item.see.round, item.see)
            return BatchResult(status=200, seen=seen)
        assert item.close is not None
        closed = close_round(engine, problem, item.close.round, item.close)
        return BatchResult(status=200, closed=closed)
    except Refusal as refusal:
        return BatchResult(status=refusal.status, error=refusal.details())
