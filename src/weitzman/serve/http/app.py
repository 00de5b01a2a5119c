"""The app: requests in, answers out, as ASGI; and directly, where nothing is to be awaited but the disk.

The way of a request: its route, whether it may pass, its body within the limit, its struct, the command, the
wait until everything that the answer rests on is stored, the answer. The route table is compiled into a
tree once; nothing else stands between the server and a command.

A request that is here as a whole and needs nothing but a command takes the same way without a task of its
own: :meth:`App.direct` carries it out, and the answer is sent when the commit has landed.
"""

import hashlib
from collections.abc import Awaitable, Callable, MutableMapping
from time import perf_counter
from typing import Any

import msgspec

from weitzman.ledger.state.fold import SERVICE
from weitzman.serve.engine.background import run_in_background
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.body import check_type, read_body
from weitzman.serve.http.direct import Direct
from weitzman.serve.http.guard import Guard
from weitzman.serve.http.openapi import VERSION, document
from weitzman.serve.http.route import JSON, Call, Route
from weitzman.serve.http.router import Endpoint, Router
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal, unreadable
from weitzman.serve.messages.response import Response, error_response, refusal_response
from weitzman.serve.messages.schema import Health
from weitzman.serve.metrics import about, sample

__all__ = ["App", "Message", "Receive", "Send"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_encode = msgspec.json.Encoder().encode


class App:
    """The ASGI application.

    Parameters
    ----------
    supervisor
        Has the engine.
    guard
        Decides who may pass.
    routes
        The route table.
    """

    def __init__(
        self, *, supervisor: Supervisor, guard: Guard, routes: tuple[Route, ...] = ROUTES
    ) -> None:
        self.supervisor = supervisor
        self._guard = guard
        self._settings = supervisor.settings
        self._router = Router(routes)
        self._own: dict[str, Callable[[], tuple[int, bytes]]] = {
            "/healthz": self._health,
            "/readyz": self._readiness,
            "/metrics": self._metrics,
            "/openapi.json": lambda: (200, self._document),
        }
        self._document = _encode(document(routes))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Response one request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            return
        began = perf_counter()
        label, path = "none", scope["path"]
        try:
            endpoint, args = self._router.match(scope["method"], path)
            label = endpoint.label
            if endpoint.route.file is not None:
                answer = await endpoint.route.file(args, dict(scope["headers"]))
            else:
                answer = _told(endpoint, *await self._answer(endpoint, args, scope, receive))
        except _GoneError:
            return
        except Exception as error:
            answer = error_response(error, label)
        status, content, headers = answer
        length = (b"content-length", str(len(content)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": content})
        self.count(label, path, status, began)

    def direct(
        self, method: str, path: str, headers: dict[bytes, bytes], client: str, content: bytes
    ) -> Direct | None:
        """Carry out a request that is here as a whole, but for the wait; None if it needs more than that."""
        supervisor = self.supervisor
        engine = supervisor.engine
        if engine is None or supervisor.peers is not None:
            return None
        try:
            endpoint, args = self._router.match(method, path)
        except Refusal:
            return None
        if not endpoint.is_direct or len(content) > self._settings.body_limit:
            return None
        if engine.locks or endpoint.route.may_take_long(engine, args):
            return None
        began = perf_counter()
        try:
            self._guard.check(endpoint.route.access, engine.state, headers, client)
            if endpoint.route.takes_type is not None:
                check_type(headers, endpoint.route, content)
            call = Call(engine, args, _struct(endpoint, content))
        except Exception as error:
            return Direct(
                self.count, endpoint.label, path, began, error_response(error, endpoint.label)
            )
        try:
            answer = _told(endpoint, *self._command(endpoint, call, headers, path, content))
        except Exception as error:
            answer = error_response(error, endpoint.label)
        return Direct(self.count, endpoint.label, path, began, answer, engine)

    def count(self, label: str, path: str, status: int, began: float) -> None:
        """Count a request that was answered, and log it if requests are logged."""
        seconds = perf_counter() - began
        self.supervisor.metrics.observe(label, status, seconds)
        if self._settings.log_requests:
            log("request", route=label, path=path, status=status, seconds=round(seconds, 6))

    async def _answer(
        self,
        endpoint: Endpoint,
        args: dict[str, str],
        scope: MutableMapping[str, Any],
        receive: Receive,
    ) -> tuple[int, bytes]:
        route = endpoint.route
        headers: dict[bytes, bytes] = dict(scope["headers"])
        engine = self.supervisor.engine
        client = scope["client"][0] if scope.get("client") else ""
        self._guard.check(route.access, None if engine is None else engine.state, headers, client)
        if route.run is None:
            return self._own[route.path]()
        if engine is None:
            raise self.supervisor.why_closed()
        content = b""
        if route.takes_type is not None:
            limit = self._settings
            most = limit.body_limit if route.takes_type == JSON else limit.upload_limit
            found = await read_body(headers, receive, route, most)
            if found is None:
                raise _GoneError
            content = found
        call = Call(engine, args, _struct(endpoint, content))
        if self.supervisor.peers is not None and route.method != "GET":
            handed = await self.supervisor.peers.forward(
                _home(route, call), route.method, scope["raw_path"].decode(), headers, content
            )
            if handed is not None:
                return handed
        if route.prepare is not None:
            call.body = await route.prepare(call)
        try:
            return await self._carry_out(
                endpoint,
                call,
                lambda: self._command(endpoint, call, headers, scope["path"], content),
            )
        finally:
            # A refusal, too, may rest on what is not stored yet
            pending = engine.pending()
            if pending is not None:
                await pending

    async def _carry_out(
        self, endpoint: Endpoint, call: Call, command: Callable[[], tuple[int, bytes]]
    ) -> tuple[int, bytes]:
        """Carry out a command when its problem is free, on a thread if it may take long."""
        problem = call.args.get("problem")
        if problem is not None or endpoint.route.needs_all:
            await call.engine.locks.wait_until_free(problem)
        if problem is not None and endpoint.route.may_take_long(call.engine, call.args):
            return await run_in_background(call.engine, problem, command)
        return await call.engine.look_ups.carry_out(command)

    def _command(
        self, endpoint: Endpoint, call: Call, headers: dict[bytes, bytes], path: str, content: bytes
    ) -> tuple[int, bytes]:
        """Carry out a command, once if it has a key."""
        key = headers.get(b"idempotency-key")
        if key is None or not endpoint.route.repeatable or endpoint.route.method == "GET":
            return _run(endpoint, call)
        text = key.decode("latin-1")
        if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
            raise Refusal("invalid", "Expected 1 to 200 characters of ASCII.", "Idempotency-Key")
        asked = f"{endpoint.route.method} {path}\n".encode() + content
        problem = call.args.get("problem") or str(getattr(call.body, "name", ""))
        request = hashlib.sha256(asked).hexdigest()
        return call.engine.run_once(problem, text, request, lambda: _run(endpoint, call))

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.supervisor.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.supervisor.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _health(self) -> tuple[int, bytes]:
        return 200, _encode(Health(status="alive", version=VERSION))

    def _readiness(self) -> tuple[int, bytes]:
        engine = self.supervisor.engine
        if engine is None:
            raise self.supervisor.why_closed()
        return 200, _encode(Health(status="endpoint", events=engine.head.seq, version=VERSION))

    def _metrics(self) -> tuple[int, bytes]:
        engine = self.supervisor.engine
        return 200, self.supervisor.metrics.text([] if engine is None else _gauges(engine)).encode()


class _GoneError(Exception):
    """The caller has gone away."""


def _struct(endpoint: Endpoint, content: bytes) -> Any:
    """Return the body of a request as its struct, or as it is."""
    if endpoint.decode is None:
        return content
    try:
        return endpoint.decode(content or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error, content, endpoint.route.takes) from None


def _told(endpoint: Endpoint, status: int, content: bytes) -> Response:
    if status >= 400:
        return refusal_response(status, content)
    return Response(status, content, endpoint.headers)


def _run(endpoint: Endpoint, call: Call) -> tuple[int, bytes]:
    assert endpoint.route.run is not None
    answer = endpoint.route.run(call)
    return endpoint.route.status, answer if isinstance(answer, bytes) else _encode(answer)


def _home(route: Route, call: Call) -> str:
    """Return the problem whose leader carries out a command."""
    return (
        str(call.body.name) if route.path == "/v1/problems" else call.args.get("problem", SERVICE)
    )


def _gauges(engine: Engine) -> list[str]:
    state = engine.state
    told = {
        "problems": (len(state.problems), "Problems."),
        "rounds_open": (sum(len(p.rounds) for p in state.problems.values()), "Rounds open now."),
        "journal_seq": (engine.head.seq, "The number of the last event stored."),
    }
    lines = []
    for name, (number, what) in told.items():
        lines += about(f"weitzman_{name}", "gauge", what)
        lines.append(sample(f"weitzman_{name}", number))
    return lines
