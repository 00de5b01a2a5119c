"""``weitzman keys``: the keys of a service that is not running."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from weitzman.cli.options import Data

if TYPE_CHECKING:
    from weitzman.ledger.bodies import Body
    from weitzman.ledger.state.fold import State

keys_app = typer.Typer(no_args_is_help=True, add_completion=False)


@keys_app.command("create")
def create(
    data: Data = "weitzman.db",
    name: Annotated[str, typer.Option(help="Whose key it is.")] = "first",
    scope: Annotated[
        Literal["read", "write", "admin"], typer.Option(help="What it may do.")
    ] = "admin",
) -> None:
    """Make a key and print it; it is shown this once."""
    from weitzman.ledger.bodies import KeyCreated
    from weitzman.serve.http.guard import key_sha256, new_key

    key_id, text = new_key()
    _happen(data, KeyCreated(name, scope, key_sha256(text)), key_id)
    typer.echo(text)


@keys_app.command("list")
def list_all(data: Data = "weitzman.db") -> None:
    """Print the keys: id, name, scope, whether revoked."""
    for key_id, key in _happen(data, None, "").service.keys.items():
        revoked = "" if key.revoked is None else "  revoked"
        typer.echo(f"{key_id}  {key.name}  {key.scope}{revoked}")


@keys_app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key.")],
    data: Data = "weitzman.db",
) -> None:
    """Make a key invalid, for ever."""
    from weitzman.errors import InvalidInputError
    from weitzman.ledger.bodies import KeyRevoked

    keys = _happen(data, None, "").service.keys
    if key_id not in keys:
        raise InvalidInputError("The id of the key", f"be one of {list(keys)}", key_id)
    if keys[key_id].revoked is None:
        _happen(data, KeyRevoked(), key_id)
    typer.echo(f"{key_id}  revoked")


def _happen(data: str, body: "Body | None", key: str) -> "State":
    """Append an event of the service, if there is one, and return the state of the service."""
    import time

    from weitzman.ledger.bodies import encode
    from weitzman.ledger.event import Draft
    from weitzman.ledger.state.fold import SERVICE, replay
    from weitzman.serve.run import open_ledger

    journal, _ = open_ledger(data)
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
