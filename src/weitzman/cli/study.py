"""``weitzman study``: run what a file says, and print what came out."""

from pathlib import Path
from typing import Annotated

import typer

from weitzman.cli.options import AsJson, Workers, print_finals


def study_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The study, as TOML.")],
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where rows are kept; the name of FILE without its suffix."
        ),
    ] = None,
    workers: Workers = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Play on the cluster of this Dask scheduler instead."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a study: searchers × feedbacks × worlds × seeds × horizons.

    Started again, it goes on where it was stopped. Rows are in DIR/rows.parquet.
    """
    from weitzman.lab.study.runner import run
    from weitzman.lab.study.study import Study
    from weitzman.lab.study.summary import finals

    study = Study.from_toml(file)
    directory = Path(file.stem) if output is None else output
    table = finals(run(study, directory, workers=workers, scheduler=scheduler))
    print_finals(table, as_json=as_json, place=f"All rows: {directory / 'rows.parquet'}")
