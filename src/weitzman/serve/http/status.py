"""What the service says of itself: that it is alive, whether it is ready, and its metrics."""

import msgspec

from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.openapi import VERSION
from weitzman.serve.messages.schema import Health
from weitzman.serve.metrics import about, sample

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
    lines: list[str] = []
    if supervisor.engine is not None:
        problems = supervisor.engine.state.problems
        opened = sum(len(problem.rounds) for problem in problems.values())
        for name, number, what in (
            ("problems", len(problems), "Problems."),
            ("rounds_open", opened, "Rounds open now."),
            ("journal_seq", supervisor.engine.head.seq, "The number of the last event stored."),
        ):
            lines += about(f"weitzman_{name}", "gauge", what)
            lines.append(sample(f"weitzman_{name}", number))
    return supervisor.metrics.text(lines).encode()
