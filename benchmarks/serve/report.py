"""The table of the service under load."""

from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from .measure import COMPARED

RATIO, P99 = 0.40, 30.0
"""The least share of the echo's rate, and the largest p99 in ms."""
CHANGES = {"full": 20.0, "exploring": 5.0}
"""The largest change by a past, and by exploring, in per cent."""


def _mark(text: str, kept: bool) -> str:
    return text if kept else f"[red]{text} ✗[/]"


def _change(ratios: list[float], worst: float | None) -> str:
    """Return a change in per cent, from quartiles of ratios; ``worst`` is the most, or below 0 the least."""
    low, change, high = (100.0 * (ratio - 1.0) for ratio in ratios)
    text = f"{change:+.1f} ({low:+.0f} to {high:+.0f})"
    return (
        text if worst is None else _mark(text, change <= worst if worst > 0.0 else change >= worst)
    )


def show(found: dict[str, Any]) -> None:
    """Print what was measured; a limit that is not kept is marked."""
    console = Console(width=max(Console().width, 110))
    table = Table(title=f"{found['connections']} connections, n = 10, d = 5")
    for head in ("request", "server", "per second", "of echo", "p50 ms", "p99 ms"):
        side: Literal["left", "right"] = "left" if head in ("request", "server") else "right"
        table.add_column(head, justify=side, no_wrap=True)
    for head in ("CPU µs", "echo ÷ CPU", "client µs"):
        table.add_column(head, justify="right", no_wrap=True)
    for operation, servers in found["operations"].items():
        echo = servers["echo"]
        for name, row in servers.items():
            share = row["rate"] / echo["rate"]
            table.add_row(
                operation,
                name,
                f"{row['rate']:,.0f}",
                "" if name == "echo" else _mark(f"{share:.2f}", share >= RATIO),
                f"{row['p50_ms']:.1f}",
                _mark(f"{row['p99_ms']:.1f}", row["p99_ms"] <= P99),
                f"{row['server_cpu_us']:.0f}",
                f"{echo['server_cpu_us'] / row['server_cpu_us']:.2f}",
                f"{row['client_cpu_us']:.0f}",
            )
        table.add_section()
    for row in found["optuna"]:
        name = f"Optuna {row['version']}, {row['sampler']}"
        rate, p50, p99 = f"{row['rate']:,.0f}", f"{row['p50_ms']:.1f}", f"{row['p99_ms']:.1f}"
        table.add_row(row["operation"], name, rate, "", p50, p99)
    console.print(table)
    if found["events"]:
        title = f"{found['problems']:,} problems and {found['events']:,} events, beside a fresh one"
        _show_beside(console, found, "full", title)
    if found["explore"]:
        title = f"exploring in {found['explore']:.0%} of the rounds, beside a fresh one"
        _show_beside(console, found, "exploring", title)
    machine = found["machine"]
    console.print(
        f"{machine['cpu']}, {machine['cores']} cores, load average {machine['load']:.1f} before and "
        f"{machine['load_after']:.1f} after, Python {machine['python']}, fsync {machine['fsync_ms']:.2f} ms"
    )


def _show_beside(console: Console, found: dict[str, Any], name: str, title: str) -> None:
    """Print how a service differs from a fresh one: the median over passes, and their middle half."""
    table = Table(title=f"{title}: per cent of change, median of passes (middle half)")
    for head in ("request", "requests/s", "p50", "p99", "CPU"):
        table.add_column(head, justify="left" if head == "request" else "right")
    most = CHANGES[name]
    worst = {"rate": -most, "p99_ms": most}
    for operation, servers in found["beside_fresh"].items():
        cells = [_change(servers[name][figure], worst.get(figure)) for figure in COMPARED]
        table.add_row(operation, *cells)
    console.print(table)
