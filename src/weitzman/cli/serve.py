"""``weitzman serve``: the decision service."""

import gc
from pathlib import Path
from typing import Annotated, Any

import typer

from weitzman.cli.options import Data


def _least_one(metavar: str, text: str) -> Any:
    return typer.Option(min=1, metavar=metavar, help=text)


def serve_command(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; needs keys if not loopback.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8080,
    data: Data = "weitzman.db",
    problem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="A problem to begin with, from a saved searcher; again for more. One that is there already "
            "goes on from itself.",
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where others that share a PostgreSQL journal reach it."),
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file that begins with an admin key.")
    ] = None,
    require_keys: Annotated[
        bool, typer.Option("--require-keys", help="Ask for keys on loopback too.")
    ] = False,
    body_limit: Annotated[int, _least_one("BYTES", "The largest body of a request.")] = 1_048_576,
    upload_limit: Annotated[
        int, _least_one("BYTES", "The largest log or saved state.")
    ] = 268_435_456,
    boxes_limit: Annotated[int, _least_one("N", "The most boxes of a problem.")] = 1_000,
    dimension_limit: Annotated[int, _least_one("D", "The longest context.")] = 1_000,
    problems_limit: Annotated[int, _least_one("N", "The most problems.")] = 10_000,
    rounds_limit: Annotated[int, _least_one("N", "The most open rounds of a problem.")] = 100_000,
    batch_limit: Annotated[int, _least_one("N", "The most commands of a batch.")] = 1_000,
    rate: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="N", help="Requests a second of one key or address; 0: no limit."
        ),
    ] = 0.0,
    snapshot_every: Annotated[
        int, _least_one("N", "The fewest events between two snapshots.")
    ] = 10_000,
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log every request.")
    ] = False,
) -> None:
    """Answer over HTTP which box to open next, and keep everything that happens."""
    # The options bear the names of the settings
    given = {**locals(), "key_file": None if key_file is None else str(key_file)}
    del given["problem"]
    # Nearly all that a start makes stays: looking for garbage in it takes a sixth of the time
    gc.disable()
    from weitzman.serve.run import serve
    from weitzman.serve.settings import Settings

    serve(Settings(**given), problem or ())
