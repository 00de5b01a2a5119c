"""The table of the service under load."""

from typing import Any, Literal

from rich.console import Console
from rich.table import Table

RATIO, P99, CHANGE = 0.40, 30.0, 20.0
"""The least share of the echo's rate, the largest p99 in ms, and the largest change by a past in per cent."""


def _mark(text: str, kept: bool) -> str:
    return text if kept else f"[red]{text} ✗[/]"


def _change(now: float, before: float, worse: float) -> str:
    """Return a change in per cent; ``worse`` is the sign of a change for the worse."""
    change = 100.0 * (now / before - 1.0)
    return _mark(f"{change:+.0f} %", worse * change <= CHANGE)


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
        title = f"{found['problems']:,} problems and {found['events']:,} events in the journal, beside none"
        _show_beside(console, found, "full", title)
    if found["explore"]:
        title = f"exploring in {found['explore']:.0%} of the rounds, beside none"
        _show_beside(console, found, "exploring", title)
    machine = found["machine"]
    console.print(
        f"{machine['cpu']}, {machine['cores']} cores, load average {machine['load']:.1f} before and "
        f"{machine['load_after']:.1f} after, Python {machine['python']}, fsync {machine['fsync_ms']:.2f} ms"
    )


def _show_beside(console: Console, found: dict[str, Any], name: str, title: str) -> None:
    """Print how a service differs from a fresh one."""
    table = Table(title=title)
    for head in ("request", "requests/s", "p50", "p99", "CPU"):
        table.add_column(head, justify="left" if head == "request" else "right")
    for operation, servers in found["operations"].items():
        now, before = servers[name], servers["fresh"]
        cells = [_change(now["rate"], before["rate"], -1.0)]
        cells += [_change(now[k], before[k], 1.0) for k in ("p50_ms", "p99_ms", "server_cpu_us")]
        table.add_row(operation, *cells)
    console.print(table)
