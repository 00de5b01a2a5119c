"""What the service counts, as Prometheus reads it."""

import heapq
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from weitzman.ledger.state.problem import Problem

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""The upper bounds of the classes of durations, in seconds."""


OF_PROBLEM: Final[dict[str, tuple[str, str, Callable[[Problem], float]]]] = {
    "rounds_open": ("gauge", "Rounds that are open.", lambda p: len(p.rounds)),
    "rounds_closed_total": ("counter", "Rounds that have ended.", lambda p: p.tally.closed),
    "rounds_waited_total": (
        "counter",
        "Rounds that ended because their waiting time was over.",
        lambda p: p.tally.waited,
    ),
    "looks_total": ("counter", "Boxes opened.", lambda p: sum(p.tally.looks)),
    "values_missing_total": (
        "counter",
        "Boxes opened whose value never came.",
        lambda p: p.tally.missing,
    ),
    "values_late_total": (
        "counter",
        "Values that came after the end of their round.",
        lambda p: p.tally.late,
    ),
    "paid_total": ("counter", "Costs paid, in the unit of the problem.", lambda p: p.tally.paid),
    "value_sum": (
        "gauge",
        "The sum of the values kept, in the unit of the problem.",
        lambda p: p.sign * p.tally.value,
    ),
}
"""The metrics of each problem: type, meaning and number."""
PROBLEMS: Final = 1_000
"""The most problems that have metrics of their own: those with most rounds."""


class Metrics:
    """Counts of requests by route and status, and their durations by route."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._classes: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self._seconds: dict[str, float] = defaultdict(float)
        self.commits = 0
        self.events = 0
        self.failures = 0

    def observe(self, route: str, status: int, seconds: float) -> None:
        self._requests[route, status] += 1
        self._classes[route][bisect_left(BOUNDS, seconds)] += 1
        self._seconds[route] += seconds

    def text(
        self,
        gauges: Iterable[tuple[str, float, str]],
        problems: Iterable[Problem] = (),
    ) -> str:
        """Return everything in Prometheus' text format; a gauge has a name, a number and a meaning."""
        lines = _about("weitzman_requests_total", "counter", "Requests answered.")
        for (route, status), count in sorted(self._requests.items()):
            lines.append(sample("weitzman_requests_total", count, route=route, status=str(status)))
        what = "Time from a request to its answer, the commit included."
        lines += _about("weitzman_request_seconds", "histogram", what)
        for route, classes in sorted(self._classes.items()):
            below = 0
            for bound, count in zip((*BOUNDS, "+Inf"), classes, strict=True):
                below += count
                name = "weitzman_request_seconds_bucket"
                lines.append(sample(name, below, route=route, le=str(bound)))
            lines.append(sample("weitzman_request_seconds_count", below, route=route))
            total = self._seconds[route]
            lines.append(sample("weitzman_request_seconds_sum", total, route=route))
        counters = (
            ("commits_total", self.commits, "Batches of events stored."),
            ("events_stored_total", self.events, "Events stored."),
            ("commit_failures_total", self.failures, "Batches that could not be stored."),
        )
        for kind, numbers in (("counter", counters), ("gauge", gauges)):
            for name, number, what in numbers:
                lines += _about(f"weitzman_{name}", kind, what)
                lines.append(sample(f"weitzman_{name}", number))
        busiest = heapq.nlargest(PROBLEMS, problems, key=lambda problem: problem.tally.closed)
        for name, (kind, what, number_of) in OF_PROBLEM.items():
            metric = f"weitzman_problem_{name}"
            lines += _about(metric, kind, what)
            lines += [sample(metric, number_of(p), problem=p.name) for p in busiest]
        return "\n".join([*lines, ""])


def _about(metric: str, kind: str, what: str) -> list[str]:
    """Return the lines that say what a metric is."""
    return [f"# HELP {metric} {what}", f"# TYPE {metric} {kind}"]


def sample(metric: str, number: float, **labels: str) -> str:
    r"""Return one line of the format.

    >>> sample("rounds", 3, problem='a "b"')
    'rounds{problem="a \\"b\\""} 3'
    """
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    inside = ",".join(f'{k}="{v.translate(escapes)}"' for k, v in labels.items())
    return f"{metric}{{{inside}}} {number}" if inside else f"{metric} {number}"
