"""Tables, JSON and the picture."""

import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.table import Table

from peers.regret import Regret
from peers.rounds import FEEDBACKS, WORLDS
from peers.timing import Cell

PACKAGES = (
    "weitzman",
    "numpy",
    "scipy",
    "numba",
    "river",
    "vowpalwabbit",
    "mabwiser",
    "scikit-learn",
    "contextualbandits",
    "bayesianbandits",
    "padasip",
)
COLOURS = {"ours": "tab:red", "library": "tab:blue", "reference": "tab:gray"}


def circumstances() -> dict[str, Any]:
    """Date, machine and versions."""
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "load": [round(x, 2) for x in os.getloadavg()],
        "versions": versions,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def columns(cells: list[Cell]) -> list[tuple[int, int, str]]:
    """The (n, d, feedback) of a run, in order."""
    return list(dict.fromkeys((c.boxes, c.dimension, str(c.feedback)) for c in cells))


def speed_table(cells: list[Cell]) -> Table:
    """Median rounds per second, one row per peer and input format."""
    made = Table(title="rounds per second (median); * stopped by the time budget")
    for heading in ("", "order", "input"):
        made.add_column(heading)
    keys = columns(cells)
    for n, d, feedback in keys:
        made.add_column(f"({n}, {d})\n{feedback}", justify="right")
    full = max(cell.played for cell in cells)
    by_label: dict[str, dict[tuple[int, int, str], Cell]] = {}
    for cell in cells:
        key = (cell.boxes, cell.dimension, str(cell.feedback))
        by_label.setdefault(cell.peer.label, {})[key] = cell
    for row in by_label.values():
        peer = next(iter(row.values())).peer
        rates = [f"{row[k].rate:,.0f}" + ("*" if row[k].played < full else "") for k in keys]
        made.add_row(peer.name, peer.order, peer.inputs, *rates)
    return made


def fastest_table(cells: list[Cell]) -> Table:
    """Per cell and order: the fastest library from rows, from any input, and plain numpy."""
    made = Table(title="the fastest of each order; ours as a multiple of each")
    for heading in ("(n, d)", "feedback", "order", "library, from rows", "library, any input"):
        made.add_column(heading)
    made.add_column("plain numpy")
    for key in columns(cells):
        here = [c for c in cells if (c.boxes, c.dimension, str(c.feedback)) == key]
        for order in ("first", "second"):
            same = [c for c in here if c.peer.order == order]
            ours = [c for c in same if c.peer.kind == "ours"]
            library = [c for c in same if c.peer.kind == "library"]
            rows = [c for c in library if c.peer.inputs == "rows"]
            plain = [c for c in same if c.peer.kind == "reference"]
            shown = [_fastest(group, ours) for group in (rows, library, plain)]
            made.add_row(f"({key[0]}, {key[1]})", key[2], order, *shown)
    return made


def _fastest(group: list[Cell], ours: list[Cell]) -> str:
    if not group:
        return "–"
    best = max(group, key=lambda c: c.rate)
    lines = [f"{best.rate:,.0f} {best.peer.name}"]
    lines += [f"  {c.rate / best.rate:.2f} × {c.peer.name}" for c in ours]
    return "\n".join(lines)


def write_speed(cells: list[Cell], missing: dict[str, str], path: Path) -> None:
    """All measurements as JSON."""
    rows = [
        {
            "peer": c.peer.name,
            "order": c.peer.order,
            "input": c.peer.inputs,
            "kind": c.peer.kind,
            "boxes": c.boxes,
            "dimension": c.dimension,
            "feedback": c.feedback,
            "rounds_per_second": c.rate,
            "repetitions": c.rates,
            "rounds_played": c.played,
        }
        for c in cells
    ]
    body = circumstances() | {"clock": "process CPU time", "missing": missing, "cells": rows}
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def draw_speed(cells: list[Cell], path: Path) -> None:
    """Bars, one panel per cell, logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    keys = columns(cells)
    sizes = list(dict.fromkeys(key[:2] for key in keys))
    kinds = list(dict.fromkeys(key[2] for key in keys))
    height = 1 + 0.24 * len({c.peer.label for c in cells})
    figure, axes = plt.subplots(
        len(kinds), len(sizes), figsize=(5 * len(sizes) + 3, height * len(kinds)),
        squeeze=False, sharey=True, sharex="col", layout="constrained",
    )  # fmt: skip
    for n, d, feedback in keys:
        axis = axes[kinds.index(feedback), sizes.index((n, d))]
        here = [c for c in cells if (c.boxes, c.dimension, str(c.feedback)) == (n, d, feedback)]
        labels, rates = [c.peer.label for c in here], [c.rate for c in here]
        bars = axis.barh(labels, rates, color=[COLOURS[c.peer.kind] for c in here])
        axis.bar_label(bars, [f"{rate:,.0f}" for rate in rates], padding=2, fontsize=7)
        axis.set(xscale="log", title=f"n = {n}, d = {d}, {feedback}")
        column = [c.rate for c in cells if (c.boxes, c.dimension) == (n, d)]
        axis.set_xlim(min(column) / 2, max(column) * 6)
        axis.tick_params(labelsize=8)
        if not axis.yaxis_inverted():
            axis.invert_yaxis()
    figure.supxlabel("rounds per second (red: weitzman, blue: libraries, grey: plain numpy)")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def shown(rows: list[Regret]) -> list[tuple[str, list[Regret]]]:
    """Per learner: its default setting, and the best of its grid in each world by itself."""
    made: list[tuple[str, list[Regret]]] = []
    for learner in dict.fromkeys(row.learner for row in rows):
        mine = [row for row in rows if row.learner == learner]
        where = [(world, feedback) for world in WORLDS for feedback in FEEDBACKS]
        cells = [[row for row in mine if (row.world, row.feedback) == key] for key in where]
        grid = len(cells[0]) > 1
        made.append((f"{learner}, default" if grid else learner, [_default(c) for c in cells]))
        if grid:
            settings = list(dict.fromkeys(row.setting for row in mine))
            best = min(settings, key=lambda s: sum(r.mean for r in mine if r.setting == s))
            one = [next(r for r in cell if r.setting == best) for cell in cells]
            made.append((f"{learner}, best single ({best})", one))
            each = [min(cell, key=lambda r: r.mean) for cell in cells]
            made.append((f"{learner}, best per world", each))
    return made


def _default(cell: list[Regret]) -> Regret:
    return next(row for row in cell if row.default)


def regret_table(rows: list[Regret]) -> Table:
    """Mean realised regret ± standard error; the clairvoyant is 0 by definition."""
    made = Table(title="realised regret against the clairvoyant (mean ± s.e.)")
    made.add_column("")
    for world in WORLDS:
        for feedback in FEEDBACKS:
            made.add_column(f"{world}\n{feedback}", justify="right")
    for name, cells in shown(rows):
        per_world = name.endswith("per world")
        made.add_row(
            name,
            *(
                f"{c.mean:.0f} ± {c.error:.0f}" + (f"\n{c.setting}" if per_world else "")
                for c in cells
            ),
        )
    return made


def write_regret(rows: list[Regret], path: Path) -> None:
    """Every setting of every grid as JSON."""
    body = circumstances() | {
        "rows": [
            {
                "learner": r.learner,
                "setting": r.setting,
                "default": r.default,
                "world": r.world,
                "feedback": r.feedback,
                "mean": r.mean,
                "standard_error": r.error,
                "regrets": r.regrets,
            }
            for r in rows
        ]
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n")
