"""``weitzman replay`` on a log with gaps: rules are judged, not replayed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from weitzman.cli.options import console, saved_words

if TYPE_CHECKING:
    from weitzman.logs.log import Log
    from weitzman.replays.judgement.judge import Judgement


def answer_gaps(
    past: "Log",
    hidden: int,
    *,
    source: Path,
    policies: list[str],
    scales: list[float],
    workers: int | None,
    output: Path | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """Print what a log with gaps says of policies and the simple rules, at each cost scale."""
    from weitzman.jobs.processes import cores
    from weitzman.jobs.progress import told_of_compiling
    from weitzman.learn.searcher import Searcher
    from weitzman.replays.judgement.judge import judge
    from weitzman.replays.lineup import SIMPLE
    from weitzman.replays.report.judged import write_judgement_report
    from weitzman.replays.report.report import check_place

    if output is not None:
        check_place(output)
    named = list(dict.fromkeys([*policies, *SIMPLE]))
    with told_of_compiling():
        found = [
            judge(past, named, cost_scale=scale, workers=cores() if workers is None else workers)
            for scale in scales
        ]
    said = [gap_words(past, hidden), best_words(found[0])]
    if output is not None:
        write_judgement_report(output, found[0], str(source), {})
    if save is not None:
        Searcher.from_log(past, policies[0]).save(save)
    if as_json:
        rows = [{**row, "cost_scale": one.cost_scale} for one in found for row in one.rows()]
        shown = {"answer": {"sentences": said, "judged": True}, "policies": rows}
        typer.echo(json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False))
        return
    terminal = console()
    for line in said:
        terminal.print(line, soft_wrap=True, markup=False)
    for one in found:
        terminal.print("")
        terminal.print(one)
    if output is not None:
        typer.echo(f"Report: {output / 'index.html'}")
    if save is not None:
        typer.echo(saved_words(policies[0], source, save, "to try it"))


def gap_words(past: "Log", hidden: int) -> str:
    """Return why nothing is replayed."""
    import numpy as np

    rows = int((~np.isnan(past.costs)).sum())
    chances = "" if past.chances is not None else " It says no chances, so the rest is bounded."
    return (
        f"Nobody looked for {hidden:,} of the {rows:,} values of this log, so policies are judged by what it "
        f"shows, and not replayed.{chances}"
    )


def best_words(found: "Judgement") -> str:
    """Return which rule is surely cheaper than what it is compared with, and by how much."""
    better = [
        (one.verdict.high, one.verdict.low, name)
        for name, one in found.rules.items()
        if one.verdict is not None and one.verdict.word == "better"
    ]
    if not better:
        return (
            f"Of no policy does the log say for sure that it is better than {found.against}. What more "
            "exploration would cost: weitzman judge LOG --policy NAME --plan-exploration HALF-WIDTH."
        )
    high, low, name = min(better)
    return f"{name} is better than {found.against}: it saves {-high:.3g} to {-low:.3g} per round."
