"""``weitzman replay``: what policies would have come to on a log of past decisions."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from weitzman.lab.replay import Replay

__all__ = ["REPLAY_EXAMPLE", "replay_command"]

REPLAY_EXAMPLE = "Example: weitzman replay decisions.parquet --cost seconds --value error"


def replay_command(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="The log, as Parquet or CSV.")],
    round_column: Annotated[
        str, typer.Option("--round", metavar="COLUMN", help="The column of the round.")
    ] = "round",
    box: Annotated[str, typer.Option(metavar="COLUMN", help="The column of the box.")] = "box",
    cost: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column of what a look costs.")
    ] = "cost",
    value: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column of what was found; smaller is better.")
    ] = "value",
    outside: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="The column of what is to be had without a look."),
    ] = "outside",
    shared: Annotated[
        bool | None,
        typer.Option(
            "--shared/--named",
            help="One model for all boxes, or one for each; found out if not given.",
        ),
    ] = None,
    cost_scale: Annotated[
        float, typer.Option(metavar="FACTOR", help="By what the costs are multiplied.")
    ] = 1.0,
    trees: Annotated[
        bool, typer.Option("--trees/--no-trees", help="Whether candidates with trees take part.")
    ] = True,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that break a rule, and count them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON rows.")] = False,
) -> None:
    """Play every policy over a log, online and in its order, with all values revealed."""
    from weitzman.lab.progress import bar
    from weitzman.lab.recorded import read_log
    from weitzman.lab.replay import replay
    from weitzman.learn.portfolio import default

    past = read_log(
        log,
        round=round_column,
        box=box,
        cost=cost,
        value=value,
        outside=outside,
        shared="auto" if shared is None else shared,
        skip_bad=skip_bad,
    )
    policy = default(shared=past.shared, trees=trees, standardise=False)
    with bar(True, runs=1, done=0, rounds=len(past)) as (advance, _):
        played = replay(past, policy, cost_scale=cost_scale, progress=lambda *_: advance(1))
    rows = played.rows()
    if as_json:
        typer.echo(json.dumps(rows, indent=2, allow_nan=False))
        return
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        # In a file nothing needs to be folded
        console.width = 120
    console.print(_shown(rows))
    for line in _said(played, past.skipped):
        console.print(line, soft_wrap=True, markup=False)


def _shown(rows: list[dict[str, Any]]) -> "Table":
    """Return the mean totals ± s.e. and the boxes opened per round."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("policy")
    for heading in ("total per round", "± s.e.", "opened", "default saves", "± s.e."):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [f"{row['mean_total']:.4g}", f"{row['se']:.2g}", f"{row['boxes_opened']:.2f}"]
        if row["policy"] != "default":
            cells += [f"{row['default_saves']:.3g}", f"{row['default_saves_se']:.2g}"]
        table.add_row(*(Text(cell) for cell in (row["policy"], *cells)))
    return table


def _said(played: "Replay", skipped: int) -> list[str]:
    """Return what is to be said beside the table."""
    share, error = played.share()
    lines = [
        f"Between the best simple rule, {played.best_simple}, and hindsight, default closes "
        f"{share:+.3f} ± {error:.3f} of the gap."
    ]
    if skipped:
        lines.append(f"{skipped:,} bad rows are left out.")
    if played.unknown:
        lines.append(f"{played.unknown:,} boxes without a value are left out of their rounds.")
    if played.empty:
        lines.append(f"{played.empty:,} rounds without a value are left out.")
    return lines
