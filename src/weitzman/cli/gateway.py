"""``weitzman gateway``: a gateway that asks language models in the learned order."""

import gc
from pathlib import Path
from typing import Annotated

import typer

from weitzman.cli.options import Data


def gateway_command(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="A TOML file: models, grades, limits.")
    ],
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; needs keys if not loopback.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8080,
    data: Data = "weitzman.db",
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file that begins with an admin key.")
    ] = None,
    require_keys: Annotated[
        bool, typer.Option("--require-keys", help="Ask for keys on loopback too.")
    ] = False,
    body_limit: Annotated[
        int, typer.Option(min=1, metavar="BYTES", help="The largest body of a request.")
    ] = 4_194_304,
    rate: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="N", help="Requests a second of one key or address; 0: no limit."
        ),
    ] = 0.0,
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log every request.")
    ] = False,
) -> None:
    """Answer as OpenAI's interface does, from the models that are worth asking."""
    given = {**locals(), "key_file": None if key_file is None else str(key_file)}
    del given["config"]
    gc.disable()  # as in the service
    from weitzman.integrations.gateway.run import run_gateway
    from weitzman.serve.settings import Settings

    run_gateway(config, Settings(**given))
