"""``weitzman reproduce``: the paper's experiment, run again and reported."""

from pathlib import Path
from typing import Annotated

import typer

from weitzman.cli.options import AsJson, Workers, print_finals


def reproduce_command(
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path(
        "report"
    ),
    workers: Workers = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="4 seeds, 100 rounds, growth up to 400: a look, no evidence."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the experiment of the paper's appendix and write a report.

    20 seeds of 300 rounds, and growth up to 10,000. Started again, it goes on where it was stopped.
    """
    from weitzman.lab.paper.reproduce import QUICK, Extent, reproduce

    rows = reproduce(output, extent=QUICK if quick else Extent(), workers=workers)
    print_finals(rows, as_json=as_json, place=f"Report: {output / 'index.html'}")
