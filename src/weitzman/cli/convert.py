"""``weitzman convert``: logs of single looks as others write them, to and from ours."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from weitzman.cli.log_options import feature_names
from weitzman.errors import InvalidInputError


def convert_command(
    source: Annotated[Path, typer.Argument(metavar="FROM", help="The file to read.")],
    target: Annotated[Path, typer.Argument(metavar="TO", help="The file to write.")],
    given: Annotated[
        Literal["log", "dsjson", "open-bandit", "single"],
        typer.Option("--from", help="The format of the file to read."),
    ] = "log",
    wanted: Annotated[
        Literal["log", "dsjson", "open-bandit"],
        typer.Option("--to", help="The format of the file to write."),
    ] = "log",
    cost: Annotated[
        float,
        typer.Option(metavar="NUMBER", help="What a look costs, which these formats do not say."),
    ] = 0.0,
    action: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of single: the column of what was opened.")
    ] = "action",
    value: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of single: the column of what was found.")
    ] = "value",
    chance: Annotated[
        str, typer.Option(metavar="COLUMN", help="Of single: the column of its chance.")
    ] = "chance",
    reward: Annotated[
        bool, typer.Option("--reward", help="Of single: larger values are better.")
    ] = False,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="Of single: what was known before, with commas between. If not given: all other columns.",
        ),
    ] = None,
) -> None:
    """Turn a log of single looks into another format: one box opened in each round, with a known chance.

    Judge what comes out: weitzman judge LOG --draws one --policy single.
    """
    from weitzman.logs.formats.dsjson import read_dsjson, write_dsjson
    from weitzman.logs.formats.open_bandit import read_open_bandit, write_open_bandit
    from weitzman.logs.formats.single import read_single
    from weitzman.logs.log import read_log

    if wanted == "log" and target.suffix.lower() not in (".parquet", ".csv"):
        rule = "end in .parquet or .csv"
        raise InvalidInputError("The name of the file to write", rule, target.name)
    table: Any = source
    if given == "dsjson":
        table = read_dsjson(source, cost=cost)
    elif given == "open-bandit":
        table = read_open_bandit(source, cost=cost)
    elif given == "single":
        table = read_single(
            source, action=action, value=value, chance=chance, reward=reward, cost=cost,
            features=feature_names(features),
        )  # fmt: skip
    log = read_log(table, draws="one")
    if wanted == "dsjson":
        write_dsjson(log, target)
    elif wanted == "open-bandit":
        write_open_bandit(log, target)
    elif given == "log":
        raise InvalidInputError("The formats", "be two", "log and log")
    else:
        _write(table, target)
    typer.echo(f"{len(log):,} rounds of {len(log.boxes)} boxes: {target}")


def _write(table: Any, target: Path) -> None:
    from pyarrow import csv, parquet

    if target.suffix.lower() == ".csv":
        csv.write_csv(table, target)
    else:
        parquet.write_table(table, target)
