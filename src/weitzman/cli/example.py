"""``weitzman example``: a log to try the other commands with."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from weitzman.cli.options import problem_name
from weitzman.errors import InvalidInputError

_SUFFIXES = (".csv", ".parquet")
_SETTINGS = {"llm": '--unit "m$"', "models": "--unit points"}
_AMOUNTS = {
    "llm": "Amounts are milli-dollars, m$: cost is the price of an answer, value 0 if it is right and 20 if "
    "it is wrong, and outside, giving up, is 20 as well.",
    "models": "Amounts are points: value is the percents of wrong predictions, cost what the training is "
    "expected to take and paid what it took, 40 points a second; outside is the error without any training.",
}


def example_command(
    name: Annotated[
        Literal["llm", "models"],
        typer.Argument(
            metavar="NAME",
            help="llm: simulated language models that answer questions; models: scikit-learn models that are "
            "trained here and now.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where the log goes, .csv or .parquet; NAME.csv if not given."
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="How many rounds; 1,500 of llm and 100 of models if not given."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="The seed of what is drawn.")] = 0,
) -> None:
    """Make a log to try the other commands with: a real one in a minute, or a simulated one at once."""
    place = Path(f"{name}.csv") if output is None else output
    if place.suffix not in _SUFFIXES:
        raise InvalidInputError("The name of the log", "end in .csv or .parquet", str(place))
    if not place.parent.is_dir():
        raise InvalidInputError("The log", "be in a directory that is there", str(place))
    from weitzman.search.extras import need

    pa = need("Logs need pyarrow", "lab", "pyarrow")
    from weitzman.jobs.progress import bar
    from weitzman.lab.examples.llm import llm_columns
    from weitzman.lab.examples.models import models_columns

    if name == "llm":
        columns = llm_columns(rounds or 1500, seed=seed)
        typer.echo("Simulated: no model was asked. weitzman.lab.examples.llm says how.", err=True)
    else:
        count = rounds or 100
        with bar(True, runs=1, done=0, rounds=count) as (tick, _):
            columns = models_columns(count, seed=seed, tick=tick)
    table = pa.table(columns)
    if place.suffix == ".csv":
        need("Logs need pyarrow", "lab", "pyarrow.csv").write_csv(table, place)
    else:
        need("Logs need pyarrow", "lab", "pyarrow.parquet").write_table(table, place)
    typer.echo(
        f"{place}: {len(set(columns['round'])):,} rounds of {len(set(columns['box']))} boxes."
    )
    typer.echo(_AMOUNTS[name])
    save = f"--save {problem_name(place)}.wz"
    typer.echo(f"Next: weitzman replay {shlex.quote(str(place))} {_SETTINGS[name]} {save}")
