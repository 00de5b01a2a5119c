"""Who may do what: keys, scopes, rates, and the host name.

A key is ``wz_<id>_<secret>``, with 256 random bits in the secret; only its SHA-256 is kept. A scope holds the
ones before it: read, write, admin. A key may be for one problem only. Where no keys are needed, which is on
loopback only, a page from elsewhere in this machine's browser must not pass for a local program. So a request
names the loopback as its host, has no ``Origin`` but this service's own, and if it is a POST, a type that
browsers do not send to other sites without asking them first: they ask, and get no permission.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, Literal

import msgspec

from weitzman.ledger.bodies import KeyCreated, KeyRevoked, Scope
from weitzman.ledger.state.fold import SERVICE, Key, State
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.keys import CreatedKey, KeyList, KeyView, NewKey
from weitzman.serve.messages.refusal import Refusal

Access = Literal["open", "read", "write", "admin"]
_RANK: Final[dict[str, int]] = {"open": 0, "read": 1, "write": 2, "admin": 3}
_LOCAL: Final = frozenset({b"127.0.0.1", b"localhost", b"[::1]"})
_FROM_ANY_PAGE: Final = frozenset(
    {b"", b"text/plain", b"multipart/form-data", b"application/x-www-form-urlencoded"}
)
"""The types of a body that a page may send to another site without asking it."""


NO_ARGS: Final[Mapping[str, str]] = {}


def new_key() -> tuple[str, str]:
    """Return the id and the text of a new key."""
    key_id = secrets.token_hex(6)
    return key_id, f"wz_{key_id}_{secrets.token_urlsafe(32)}"


def key_sha256(key: str) -> str:
    """Return what is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


class Guard:
    """Decides whether a request may pass; ``first_key`` has the scope admin and is not in the journal."""

    def __init__(self, *, needs_keys: bool, first_key: str | None, rate: float) -> None:
        self._needs_keys = needs_keys
        self._first = None if first_key is None else key_sha256(first_key)
        self._rate = Rate(rate) if rate > 0.0 else None

    def check(
        self,
        access: Access,
        state: State | None,
        *,
        method: str,
        headers: dict[bytes, bytes],
        client: str,
        args: Mapping[str, str] = NO_ARGS,
        lists: bool = False,
        strange_keys: bool = False,
    ) -> str | None:
        """Refuse a request that may not pass; return the one problem that its key is for, if there is one.

        ``args`` are the names in the path. A key for one problem passes where the path has that problem, or
        if the route ``lists`` what the key may see. ``strange_keys``: programs that cannot do without a key
        show one of their own, which counts for nothing where none is needed.
        """
        if access == "open":
            return None
        who, only = client, None
        shown = headers.get(b"authorization")
        if strange_keys and not self._needs_keys and not (shown or b"").startswith(b"Bearer wz_"):
            shown = None
        if shown is not None:
            who, scope, only = self._holder(shown, state)
            if _RANK[scope] < _RANK[access]:
                text = f"This needs the scope {access!r}; the key has {scope!r}."
                raise Refusal("forbidden", text, "Authorization")
            if only is not None and args.get("problem") != only and not lists:
                text = f"The key is for the problem {only!r} only."
                raise Refusal("forbidden", text, "Authorization")
        elif self._needs_keys:
            raise Refusal("unauthenticated", "Send 'Authorization: Bearer KEY'.", "Authorization")
        else:
            get = headers.get
            _check_local(method, get(b"host", b""), get(b"origin"), get(b"content-type", b""))
        if self._rate is not None and not self._rate.take(who):
            raise Refusal("too-many", f"More than {self._rate.rate:g} requests a second.")
        return only

    def _holder(self, shown: bytes, state: State | None) -> tuple[str, Scope, str | None]:
        """Return who shows a key, its scope, and the one problem that it is for."""
        kind, _, text = shown.decode("latin-1").partition(" ")
        text = text.strip()
        found = hashlib.sha256(text.encode()).hexdigest()
        if kind.lower() == "bearer":
            if self._first is not None and hmac.compare_digest(found, self._first):
                return "first", "admin", None
            parts = text.split("_", 2)
            key = None
            if state is not None and len(parts) == 3:
                key = state.service.keys.get(parts[1])
            if key is not None and key.revoked is None and hmac.compare_digest(found, key.sha256):
                return parts[1], key.scope, _only(key)
        raise Refusal("unauthenticated", "The key is not valid.", "Authorization")


class Rate:
    """A bucket of requests for everybody, that fills at a rate up to ten seconds' worth."""

    def __init__(
        self, rate: float, burst: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate = rate
        self._most = max(1.0, rate * burst)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        self._tidy_at = 10_000

    def take(self, who: str) -> bool:
        """Take one request out; return whether there was one."""
        now = self._clock()
        if len(self._left) > self._tidy_at:
            # Those whose bucket is full again need no memory
            full = self._most / self.rate
            self._left = {w: b for w, b in self._left.items() if now - b[1] < full}
            self._tidy_at = max(10_000, 2 * len(self._left))
        left, then = self._left.get(who, (self._most, now))
        left = min(self._most, left + (now - then) * self.rate)
        if left < 1.0:
            self._left[who] = (left, now)
            return False
        self._left[who] = (left - 1.0, now)
        return True


def create_key(engine: Engine, ask: NewKey) -> CreatedKey:
    """Make a key; its text is shown here and never again."""
    if ask.problem is not None:
        engine.problem(ask.problem)
    key_id, text = new_key()
    engine.happen(SERVICE, KeyCreated(ask.name, ask.scope, key_sha256(text), ask.problem), key_id)
    shown = _view(key_id, engine.state.service.keys[key_id])
    return CreatedKey(**msgspec.structs.asdict(shown), key=text)


def list_keys(engine: Engine) -> KeyList:
    """Return all keys, without their secrets."""
    return KeyList(keys=[_view(key_id, key) for key_id, key in engine.state.service.keys.items()])


def revoke_key(engine: Engine, key_id: str) -> KeyView:
    """Make a key invalid, for ever."""
    key = engine.state.service.keys.get(key_id)
    if key is None:
        raise Refusal("unknown", f"There is no key {key_id!r}.", "key")
    if key.revoked is None:
        engine.happen(SERVICE, KeyRevoked(), key_id)
    return _view(key_id, key)


def _view(key_id: str, key: Key) -> KeyView:
    return KeyView(
        id=key_id,
        name=key.name,
        scope=key.scope,
        created=key.at * 1e-6,
        revoked=None if key.revoked is None else key.revoked * 1e-6,
        problem=_only(key),
    )


def _only(key: Key) -> str | None:
    """Return the one problem that a key is for; None if it is for all."""
    return None if key.problem is msgspec.UNSET else key.problem


@lru_cache(maxsize=256)  # a connection says the same with every request
def _check_local(method: str, host: bytes, origin: bytes | None, announced: bytes) -> None:
    """Refuse what a page from elsewhere could have sent."""
    if _host(host) not in _LOCAL:
        text = "Without a key, the host must be localhost, 127.0.0.1 or [::1]."
        raise Refusal("misdirected", text, "Host")
    if origin is not None and origin.partition(b"://")[2] != host:
        shown = origin[:100].decode("latin-1")
        text = f"Without a key, the origin must be the service's own page, not {shown!r}."
        raise Refusal("foreign", text, "Origin")
    if method == "POST" and media_type(announced) in _FROM_ANY_PAGE:
        text = "Without a key, a POST must say its type, also without a body: application/json."
        raise Refusal("media-type", text, "Content-Type")


@lru_cache(maxsize=256)
def media_type(announced: bytes) -> bytes:
    """Return the type of a body of a Content-Type header."""
    return announced.partition(b";")[0].strip().lower()


def _host(host: bytes) -> bytes:
    """Return a Host header without its port."""
    name, colon, port = host.rpartition(b":")
    return name if colon and port.isdigit() else host
