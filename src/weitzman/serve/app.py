"""The app: requests in, answers out, as ASGI.

The way of a request: its route, whether it may pass, its body within the limit, its struct, the command, the
wait until everything that the answer rests on is stored, the answer. The route table is compiled into a
tree once; nothing else stands between the server and a command.
"""

import hashlib
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

import msgspec

from weitzman.errors import LedgerError
from weitzman.ledger.fold import SERVICE
from weitzman.serve.body import read_body
from weitzman.serve.desk import Desk
from weitzman.serve.guard import Guard
from weitzman.serve.logs import log
from weitzman.serve.metrics import sample
from weitzman.serve.office import Office
from weitzman.serve.openapi import document
from weitzman.serve.refusal import Refusal, unreadable
from weitzman.serve.route import JSON, Call, Route
from weitzman.serve.routes import ROUTES
from weitzman.serve.schema import Health

__all__ = ["App", "Message", "Receive", "Send"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_encode = msgspec.json.Encoder().encode
_SAFE = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]
_PROBLEM: Headers = [(b"content-type", b"application/problem+json"), *_SAFE]


class _Node:
    """A place in the tree of paths."""

    __slots__ = ("any", "name", "parts", "routes")

    def __init__(self) -> None:
        self.parts: dict[str, _Node] = {}
        self.any: _Node | None = None
        self.name = ""
        self.routes: dict[str, _Ready] = {}


class _Ready:
    """A route with what each of its requests needs."""

    __slots__ = ("decode", "headers", "label", "route")

    def __init__(self, route: Route) -> None:
        self.route = route
        self.label = f"{route.method} {route.path}"
        self.decode = None if route.takes is None else msgspec.json.Decoder(route.takes).decode
        self.headers: Headers = [(b"content-type", route.gives_type.encode()), *_SAFE]


class App:
    """The ASGI application.

    Parameters
    ----------
    office
        Holds the desk.
    guard
        Decides who may pass.
    routes
        The route table.
    """

    def __init__(self, *, office: Office, guard: Guard, routes: tuple[Route, ...] = ROUTES) -> None:
        self.office = office
        self._guard = guard
        self._settings = office.settings
        self._root = _Node()
        for route in routes:
            self._plant(_Ready(route))
        self._own: dict[str, Callable[[], tuple[int, bytes]]] = {
            "/healthz": self._health,
            "/readyz": self._readiness,
            "/metrics": self._metrics,
            "/openapi.json": lambda: (200, self._document),
        }
        self._document = _encode(document(routes))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            return
        began = perf_counter()
        label, extra = "none", []
        try:
            ready, args = self._match(scope["method"], scope["path"])
            label = ready.label
            if ready.route.file is not None:
                status, content, headers = await ready.route.file(args, dict(scope["headers"]))
            else:
                status, content = await self._answer(ready, args, scope, receive)
                headers = ready.headers if status < 400 else _PROBLEM
                extra = _extra(status)
        except Refusal as refusal:
            status, content, headers = refusal.status, refusal.to_bytes(), _PROBLEM
            extra = _extra(status)
            if refusal.allow is not None:
                extra = [*extra, (b"allow", refusal.allow.encode())]
        except LedgerError as error:
            away = Refusal("unavailable", str(error))
            status, content, headers = 503, away.to_bytes(), _PROBLEM
            extra = _extra(status)
        except _GoneError:
            return
        except Exception as error:
            log("fault", route=label, error=repr(error))
            status, headers = 500, _PROBLEM
            content = Refusal("broken", "The fault is in the log of the service.").to_bytes()
        length = (b"content-length", str(len(content)).encode())
        await send(
            {"type": "http.response.start", "status": status, "headers": [*headers, length, *extra]}
        )
        await send({"type": "http.response.body", "body": content})
        seconds = perf_counter() - began
        self.office.metrics.observe(label, status, seconds)
        if self._settings.log_requests:
            log(
                "request", route=label, path=scope["path"], status=status, seconds=round(seconds, 6)
            )

    async def _answer(
        self, ready: _Ready, args: dict[str, str], scope: MutableMapping[str, Any], receive: Receive
    ) -> tuple[int, bytes]:
        route = ready.route
        headers: dict[bytes, bytes] = dict(scope["headers"])
        desk = self.office.desk
        client = scope["client"][0] if scope.get("client") else ""
        self._guard.check(route.access, None if desk is None else desk.state, headers, client)
        if route.run is None:
            return self._own[route.path]()
        if desk is None:
            raise Refusal("unavailable", "The service is not ready yet.")
        content = b""
        if route.takes_type is not None:
            limit = self._settings
            most = limit.body_limit if route.takes_type == JSON else limit.upload_limit
            found = await read_body(headers, receive, route, most)
            if found is None:
                raise _GoneError
            content = found
        body: Any = content
        if ready.decode is not None:
            try:
                body = ready.decode(content or b"{}")
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise unreadable(error, content) from None
        call = Call(desk, args, body)
        if self.office.colleagues is not None and route.method != "GET":
            handed = await self.office.colleagues.hand_on(
                _home(route, call), route.method, scope["raw_path"].decode(), headers, content
            )
            if handed is not None:
                return handed
        return await self._carry_out(ready, call, headers, scope["path"], content)

    async def _carry_out(
        self, ready: _Ready, call: Call, headers: dict[bytes, bytes], path: str, content: bytes
    ) -> tuple[int, bytes]:
        route = ready.route
        if route.prepare is not None:
            call.body = await route.prepare(call)
        key = headers.get(b"idempotency-key") if route.method != "GET" else None
        try:
            if key is not None and route.repeatable:
                answer = self._once(key, ready, call, path, content)
            else:
                answer = _run(ready, call)
        finally:
            # A refusal, too, may rest on what is not stored yet
            pending = call.desk.pending()
            if pending is not None:
                await pending
        return answer

    def _once(
        self, key: bytes, ready: _Ready, call: Call, path: str, content: bytes
    ) -> tuple[int, bytes]:
        text = key.decode("latin-1")
        if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
            raise Refusal("invalid", "Expected 1 to 200 characters of ASCII.", "Idempotency-Key")
        asked = f"{ready.route.method} {path}\n".encode() + content
        problem = call.args.get("problem") or str(getattr(call.body, "name", ""))
        request = hashlib.sha256(asked).hexdigest()
        return call.desk.answer_once(problem, text, request, lambda: _run(ready, call))

    def _match(self, method: str, path: str) -> tuple[_Ready, dict[str, str]]:
        node, args = self._root, {}
        for part in path.split("/")[1:]:
            following = node.parts.get(part)
            if following is None:
                following = node.any
                if following is None or not part:
                    raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
                args[following.name] = part
            node = following
        ready = node.routes.get("GET" if method == "HEAD" else method)
        if ready is None:
            if not node.routes:
                raise Refusal("unknown", f"There is no path {path[:200]!r}.", "path")
            known = ", ".join(sorted(node.routes))
            raise Refusal("method", f"Use one of {known}.", "method", allow=known)
        return ready, args

    def _plant(self, ready: _Ready) -> None:
        node = self._root
        for part in ready.route.path.split("/")[1:]:
            if part.startswith("{"):
                if node.any is None:
                    node.any = _Node()
                    node.any.name = part[1:-1]
                node = node.any
            else:
                node = node.parts.setdefault(part, _Node())
        node.routes[ready.route.method] = ready

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.office.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.office.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _health(self) -> tuple[int, bytes]:
        return 200, _encode(Health(status="alive"))

    def _readiness(self) -> tuple[int, bytes]:
        desk = self.office.desk
        if desk is None:
            raise Refusal("unavailable", "The service is not ready yet.")
        return 200, _encode(Health(status="ready", events=desk.head.seq))

    def _metrics(self) -> tuple[int, bytes]:
        desk = self.office.desk
        return 200, self.office.metrics.text([] if desk is None else _gauges(desk)).encode()


class _GoneError(Exception):
    """The caller has gone away."""


def _run(ready: _Ready, call: Call) -> tuple[int, bytes]:
    assert ready.route.run is not None
    answer = ready.route.run(call)
    return ready.route.status, answer if isinstance(answer, bytes) else _encode(answer)


def _home(route: Route, call: Call) -> str:
    """Return the problem whose leader carries out a command."""
    return (
        str(call.body.name) if route.path == "/v1/problems" else call.args.get("problem", SERVICE)
    )


def _extra(status: int) -> Headers:
    extra = {
        401: [(b"www-authenticate", b"Bearer")],
        413: [(b"connection", b"close")],
        429: [(b"retry-after", b"1")],
        503: [(b"retry-after", b"1")],
    }
    return extra.get(status, [])


def _gauges(desk: Desk) -> list[str]:
    state = desk.state
    told = {
        "problems": len(state.problems),
        "rounds_open": sum(len(p.rounds) for p in state.problems.values()),
        "journal_seq": desk.head.seq,
    }
    lines = []
    for name, number in told.items():
        lines += [f"# TYPE weitzman_{name} gauge", sample(f"weitzman_{name}", number)]
    return lines
