"""The wire format of keys."""

from weitzman.ledger.bodies import Scope
from weitzman.serve.messages.schema import Label, Name, Wire


class NewKey(Wire):
    """A key to be made, for one ``problem`` or for all."""

    name: Label
    scope: Scope
    problem: Name | None = None


class KeyView(Wire):
    """A key, without its secret."""

    id: str
    name: str
    scope: Scope
    created: float
    revoked: float | None
    problem: str | None


class CreatedKey(KeyView):
    """A new key: ``key`` is shown this once."""

    key: str


class KeyList(Wire):
    """All keys."""

    keys: list[KeyView]
