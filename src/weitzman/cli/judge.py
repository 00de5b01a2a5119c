"""``weitzman judge``: what other rules would have cost on a log that holds only what was opened."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from weitzman.cli.log_options import (
    BoxColumn,
    ChanceColumn,
    CostColumn,
    Features,
    Least,
    LogFile,
    LogSense,
    LogUnit,
    Most,
    OpenedColumn,
    OutsideColumn,
    PaidColumn,
    RoundColumn,
    SkipBad,
    ValueColumn,
    feature_names,
)
from weitzman.cli.options import Workers, console

_PLANNED = ("half_width", "share", "rounds", "whole", "prefix", "measured")


def judge_command(
    log: LogFile,
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="What to judge, again for more: default, a simple rule, paper, aware, a learner such as "
            "Ridge, or a law such as 'linear fixed'.",
        ),
    ],
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What the others are compared with: one of the policies; if not given, what was recorded.",
        ),
    ] = None,
    explored_for: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A policy for which draws opened all that it would have needed, again for more.",
        ),
    ] = None,
    learn: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Let policies learn from this share of the rounds, the first ones, and judge what they have "
            "learned on the others. If not given, they learn as they go.",
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Take the boxes of a round to be independent: one more estimate, with smaller errors, and "
            "the correlation that says whether they are.",
        ),
    ] = False,
    draws: Annotated[
        Literal["round", "box", "one"],
        typer.Option(
            help="What a draw decides: for all boxes of a round, for one box, or which one is opened."
        ),
    ] = "round",
    round_column: RoundColumn = "round",
    box: BoxColumn = "box",
    cost: CostColumn = "cost",
    value: ValueColumn = "value",
    outside: OutsideColumn = "outside",
    opened: OpenedColumn = "opened",
    chance: ChanceColumn = "chance",
    paid: PaidColumn = "paid",
    features: Features = None,
    sense: LogSense = "min",
    unit: LogUnit = "",
    least: Least = None,
    most: Most = None,
    cost_scale: Annotated[
        float, typer.Option(metavar="FACTOR", help="By what costs are multiplied.")
    ] = 1.0,
    plan_exploration: Annotated[
        float | None,
        typer.Option(
            metavar="HALF-WIDTH",
            help="Say how many draws it takes to know mean totals to plus or minus so much, and their price.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where a report goes: page, pictures and rows."),
    ] = None,
    skip_bad: SkipBad = False,
    workers: Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON rows.")] = False,
) -> None:
    """Say what other rules would have cost on a log that holds only what was opened.

    Estimates are weighted by the chances that the log says, with intervals, and bounds where it says none.
    """
    from weitzman.jobs.processes import cores
    from weitzman.jobs.progress import told_of_compiling
    from weitzman.logs.log import read_log
    from weitzman.replays.judgement.design import exploration_for
    from weitzman.replays.judgement.judge import judge
    from weitzman.replays.report.judged import write_judgement_report
    from weitzman.replays.report.report import check_place

    past = read_log(
        log,
        round=round_column,
        box=box,
        cost=cost,
        value=value,
        outside=outside,
        opened=opened,
        chance=chance,
        paid=paid,
        draws=draws,
        features=feature_names(features),
        sense=sense,
        least=least,
        most=most,
        unit=unit,
        skip_bad=skip_bad,
    )
    if output is not None:
        check_place(output)
    with told_of_compiling():
        found = judge(
            past,
            policy,
            against=against,
            explored_for=explored_for or (),
            learn=learn,
            independent=independent,
            cost_scale=cost_scale,
            workers=cores() if workers is None else workers,
        )
    plans = {}
    if plan_exploration is not None:
        plans = {name: exploration_for(found, name, plan_exploration) for name in found.rules}
    if output is not None:
        write_judgement_report(output, found, str(log), plans)
    if as_json:
        rows = found.rows()
        for row in rows:
            if plans:
                plan = plans[str(row["policy"])]
                row |= {f"explore_{k}": getattr(plan, k) for k in _PLANNED}
        typer.echo(json.dumps(rows, indent=2, allow_nan=False))
        return
    terminal = console()
    terminal.print(found)
    if plans:
        from weitzman.figures.table import table_of
        from weitzman.replays.report.judged import PLAN_HEADINGS, plan_cells

        shown = (plan_cells(name, plan) for name, plan in plans.items())
        terminal.print(table_of(PLAN_HEADINGS[:1], PLAN_HEADINGS[1:], shown))
    if output is not None:
        typer.echo(f"Report: {output / 'index.html'}")
