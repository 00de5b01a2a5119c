"""What the service says of itself: that it is alive, whether it is ready, and its metrics."""

import msgspec

from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.openapi import VERSION
from weitzman.serve.messages.schema import Health

__all__ = ["health", "metrics", "readiness"]

_encode = msgspec.json.Encoder().encode


def health() -> bytes:
    """Return that the process is there."""
    return _encode(Health(status="alive", version=VERSION))


def readiness(supervisor: Supervisor) -> bytes:
    """Return how many events are stored; a refusal while there is no engine."""
    if supervisor.engine is None:
        raise supervisor.why_closed()
    seq = supervisor.engine.head.seq
    return _encode(Health(status="ready", events=seq, version=VERSION))


def metrics(supervisor: Supervisor) -> bytes:
    """Return counts, durations and gauges in Prometheus' text format."""
    engine, gauges = supervisor.engine, []
    if engine is not None:
        problems = engine.state.problems
        opened = sum(len(problem.rounds) for problem in problems.values())
        gauges = [
            ("problems", len(problems), "Problems."),
            ("rounds_open", opened, "Rounds open now."),
            ("journal_seq", engine.head.seq, "The number of the last event stored."),
        ]
    return supervisor.metrics.text(gauges).encode()
