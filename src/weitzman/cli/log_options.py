"""Options of commands that read a log: the file, its columns, what is known before a look."""

from pathlib import Path
from typing import Annotated, Any

import typer

from weitzman.search.reservation import Sense


def _column(text: str, *names: str) -> Any:
    return typer.Option(*names, metavar="COLUMN", help=text)


LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="The log, as Parquet or CSV.")]
RoundColumn = Annotated[str, _column("The column of the round.", "--round")]
BoxColumn = Annotated[str, _column("The column of the box.")]
CostColumn = Annotated[str, _column("The column of what a look costs.")]
ValueColumn = Annotated[str, _column("The column of what was found.")]
OutsideColumn = Annotated[str, _column("The column of what is there without a look.")]
OpenedColumn = Annotated[str, _column("The column that says what was opened at the time.")]
ChanceColumn = Annotated[
    str, _column("The column that says with what chance it was opened.", "--chance")
]
PaidColumn = Annotated[str, _column("The column of what a look really cost, if it says.")]
Features = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMNS",
        help="What is known before a look, such as words,task. If not given: all columns x_…, and if "
        "there is none, all columns without another role.",
    ),
]
LogSense = Annotated[Sense, typer.Option(help="Whether smaller or larger values are better.")]
LogUnit = Annotated[
    str,
    typer.Option(metavar="TEXT", help="What values and costs are counted in, such as $ or s."),
]
Least = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="The best value that a box can hold, such as 0 for no error: nothing is looked at once it "
        "is found. If not given, default finds one where values pile up.",
    ),
]
Most = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="The same where larger values are better."),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out rows that break a rule, and count them.")
]


def feature_names(features: str | None) -> list[str] | None:
    """Return the names that were given, one after the other with commas between."""
    return None if features is None else [name.strip() for name in features.split(",")]
