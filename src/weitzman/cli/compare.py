"""``weitzman compare``: all linear learners in all worlds."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from weitzman.cli.options import AsJson, Workers, print_finals


def compare_command(
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Where page, pictures and rows go.")
    ] = Path("compare"),
    feedback: Annotated[
        Literal["full", "opened"], typer.Option(help="What is seen after a round.")
    ] = "opened",
    rounds: Annotated[int, typer.Option(min=1, metavar="T", help="How many rounds.")] = 1000,
    seeds: Annotated[int, typer.Option(min=1, metavar="S", help="How many seeds, from 0.")] = 10,
    workers: Workers = None,
    default: Annotated[
        bool,
        typer.Option("--default", help="Play the policy default too, which takes minutes."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run all linear learners in all worlds; write a table and small multiples."""
    from weitzman.lab.paper.compare import compare, comparison

    study = comparison(feedback=feedback, rounds=rounds, seeds=seeds, default=default)
    rows = compare(output, study=study, workers=workers)
    print_finals(rows, as_json=as_json, place=f"Page: {output / 'index.html'}")
