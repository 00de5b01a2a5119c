"""``weitzman keys``: the keys of a service, in its journal or, while it runs, through it."""

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from weitzman.cli.options import Data

if TYPE_CHECKING:
    from weitzman.ledger.bodies import Body
    from weitzman.ledger.state.fold import Key, State
    from weitzman.serve.client import Client
    from weitzman.serve.messages.keys import KeyView

keys_app = typer.Typer(no_args_is_help=True, add_completion=False)
KEY = "WEITZMAN_KEY"

Url = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help=f"Ask the service that runs here, with the admin key in {KEY}."
    ),
]


@keys_app.command("create")
def create(
    data: Data = "weitzman.db",
    name: Annotated[str, typer.Option(help="Whose key it is.")] = "first",
    scope: Annotated[
        Literal["read", "write", "admin"], typer.Option(help="What it may do.")
    ] = "admin",
    problem: Annotated[
        str | None, typer.Option(metavar="NAME", help="The one problem that it is for, if not all.")
    ] = None,
    url: Url = None,
) -> None:
    """Make a key and print it; it is shown this once."""
    from weitzman.ledger.bodies import KeyCreated
    from weitzman.serve.http.guard import key_sha256, new_key

    if url is not None:
        with _client(url) as client:
            typer.echo(client.create_key(name, scope, problem=problem).key)
        return
    key_id, text = new_key()
    _happen(data, KeyCreated(name, scope, key_sha256(text), problem), key_id, new=True)
    typer.echo(text)


@keys_app.command("list")
def list_all(data: Data = "weitzman.db", url: Url = None) -> None:
    """Print the keys: id, name, scope, what it is for if not all, whether revoked."""
    if url is not None:
        with _client(url) as client:
            shown = client.keys()
        rows: list[tuple[str, Key | KeyView]] = [(key.id, key) for key in shown]
    else:
        rows = list(_happen(data, None, "").service.keys.items())
    for key_id, key in rows:
        marks = [f"for {key.problem}"] if key.problem else []
        marks += [] if key.revoked is None else ["revoked"]
        typer.echo("  ".join([key_id, key.name, key.scope, *marks]))


@keys_app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key.")],
    data: Data = "weitzman.db",
    url: Url = None,
) -> None:
    """Make a key invalid, for ever."""
    from weitzman.errors import InvalidInputError
    from weitzman.ledger.bodies import KeyRevoked

    if url is not None:
        with _client(url) as client:
            client.revoke_key(key_id)
    else:
        keys = _happen(data, None, "").service.keys
        if key_id not in keys:
            raise InvalidInputError("The id of the key", f"be one of {list(keys)}", key_id)
        if keys[key_id].revoked is None:
            _happen(data, KeyRevoked(), key_id)
    typer.echo(f"{key_id}  revoked")


def _client(url: str) -> "Client":
    """Return a client that soon says so if nobody answers."""
    from weitzman.serve.client import Client

    return Client(url, key=os.environ.get(KEY) or None, retries=2)


def _happen(data: str, body: "Body | None", key: str, *, new: bool = False) -> "State":
    """Append an event of the service, if there is one, and return the state of the service."""
    import time

    from weitzman.errors import JournalHeldError
    from weitzman.ledger.bodies import encode
    from weitzman.ledger.event import Draft
    from weitzman.ledger.state.fold import SERVICE, replay
    from weitzman.serve.run import open_ledger

    try:
        journal, _ = open_ledger(data, new=new)
    except JournalHeldError as error:
        raise JournalHeldError(
            f"{error} If that is the service, ask it: add --url, such as --url http://127.0.0.1:8080."
        ) from None
    try:
        state = replay(journal.read(problem=SERVICE))
        if body is not None:
            kind, content = encode(body)
            number = state.events(SERVICE) + 1
            at = time.time_ns() // 1_000
            replay(journal.append([Draft(SERVICE, number, kind, at, key, content)]), state)
    finally:
        journal.close()
    return state
