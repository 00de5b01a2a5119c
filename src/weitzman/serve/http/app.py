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
from weitzman.serve.engine.aside import carry_out_aside
from weitzman.serve.engine.desk import Desk
from weitzman.serve.engine.office import Office
from weitzman.serve.http.body import check_type, read_body
from weitzman.serve.http.direct import Direct
from weitzman.serve.http.guard import Guard
from weitzman.serve.http.openapi import VERSION, document
from weitzman.serve.http.paths import Paths, Ready
from weitzman.serve.http.route import JSON, Call, Route
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.logs import log
from weitzman.serve.messages.answer import Answer, answer_to, refused
from weitzman.serve.messages.refusal import Refusal, unreadable
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
        self._paths = Paths(routes)
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
        label, path = "none", scope["path"]
        try:
            ready, args = self._paths.match(scope["method"], path)
            label = ready.label
            if ready.route.file is not None:
                answer = await ready.route.file(args, dict(scope["headers"]))
            else:
                answer = _told(ready, *await self._answer(ready, args, scope, receive))
        except _GoneError:
            return
        except Exception as error:
            answer = answer_to(error, label)
        status, content, headers = answer
        length = (b"content-length", str(len(content)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": content})
        self.count(label, path, status, began)

    def direct(
        self, method: str, path: str, headers: dict[bytes, bytes], client: str, content: bytes
    ) -> Direct | None:
        """Carry out a request that is here as a whole, but for the wait; None if it needs more than that."""
        office = self.office
        desk = office.desk
        if desk is None or office.colleagues is not None:
            return None
        try:
            ready, args = self._paths.match(method, path)
        except Refusal:
            return None
        if not ready.is_direct or len(content) > self._settings.body_limit:
            return None
        if desk.holds or ready.route.may_take_long(desk, args):
            return None
        began = perf_counter()
        try:
            self._guard.check(ready.route.access, desk.state, headers, client)
            if ready.route.takes_type is not None:
                check_type(headers, ready.route, content)
            call = Call(desk, args, _struct(ready, content))
        except Exception as error:
            return Direct(self.count, ready.label, path, began, answer_to(error, ready.label))
        try:
            answer = _told(ready, *self._command(ready, call, headers, path, content))
        except Exception as error:
            answer = answer_to(error, ready.label)
        return Direct(self.count, ready.label, path, began, answer, desk)

    def count(self, label: str, path: str, status: int, began: float) -> None:
        """Count a request that was answered, and log it if requests are logged."""
        seconds = perf_counter() - began
        self.office.metrics.observe(label, status, seconds)
        if self._settings.log_requests:
            log("request", route=label, path=path, status=status, seconds=round(seconds, 6))

    async def _answer(
        self, ready: Ready, args: dict[str, str], scope: MutableMapping[str, Any], receive: Receive
    ) -> tuple[int, bytes]:
        route = ready.route
        headers: dict[bytes, bytes] = dict(scope["headers"])
        desk = self.office.desk
        client = scope["client"][0] if scope.get("client") else ""
        self._guard.check(route.access, None if desk is None else desk.state, headers, client)
        if route.run is None:
            return self._own[route.path]()
        if desk is None:
            raise self.office.why_closed()
        content = b""
        if route.takes_type is not None:
            limit = self._settings
            most = limit.body_limit if route.takes_type == JSON else limit.upload_limit
            found = await read_body(headers, receive, route, most)
            if found is None:
                raise _GoneError
            content = found
        call = Call(desk, args, _struct(ready, content))
        if self.office.colleagues is not None and route.method != "GET":
            handed = await self.office.colleagues.hand_on(
                _home(route, call), route.method, scope["raw_path"].decode(), headers, content
            )
            if handed is not None:
                return handed
        if route.prepare is not None:
            call.body = await route.prepare(call)
        try:
            return await self._carry_out(
                ready, call, lambda: self._command(ready, call, headers, scope["path"], content)
            )
        finally:
            # A refusal, too, may rest on what is not stored yet
            pending = desk.pending()
            if pending is not None:
                await pending

    async def _carry_out(
        self, ready: Ready, call: Call, command: Callable[[], tuple[int, bytes]]
    ) -> tuple[int, bytes]:
        """Carry out a command when its problem is free, on a thread if it may take long."""
        problem = call.args.get("problem")
        if problem is not None or ready.route.needs_all:
            await call.desk.holds.free(problem)
        if problem is not None and ready.route.may_take_long(call.desk, call.args):
            return await carry_out_aside(call.desk, problem, command)
        return await call.desk.look_ups.carry_out(command)

    def _command(
        self, ready: Ready, call: Call, headers: dict[bytes, bytes], path: str, content: bytes
    ) -> tuple[int, bytes]:
        """Carry out a command, once if it has a key."""
        key = headers.get(b"idempotency-key")
        if key is None or not ready.route.repeatable or ready.route.method == "GET":
            return _run(ready, call)
        text = key.decode("latin-1")
        if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
            raise Refusal("invalid", "Expected 1 to 200 characters of ASCII.", "Idempotency-Key")
        asked = f"{ready.route.method} {path}\n".encode() + content
        problem = call.args.get("problem") or str(getattr(call.body, "name", ""))
        request = hashlib.sha256(asked).hexdigest()
        return call.desk.answer_once(problem, text, request, lambda: _run(ready, call))

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
        return 200, _encode(Health(status="alive", version=VERSION))

    def _readiness(self) -> tuple[int, bytes]:
        desk = self.office.desk
        if desk is None:
            raise self.office.why_closed()
        return 200, _encode(Health(status="ready", events=desk.head.seq, version=VERSION))

    def _metrics(self) -> tuple[int, bytes]:
        desk = self.office.desk
        return 200, self.office.metrics.text([] if desk is None else _gauges(desk)).encode()


class _GoneError(Exception):
    """The caller has gone away."""


def _struct(ready: Ready, content: bytes) -> Any:
    """Return the body of a request as its struct, or as it is."""
    if ready.decode is None:
        return content
    try:
        return ready.decode(content or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unreadable(error, content, ready.route.takes) from None


def _told(ready: Ready, status: int, content: bytes) -> Answer:
    if status >= 400:
        return refused(status, content)
    return Answer(status, content, ready.headers)


def _run(ready: Ready, call: Call) -> tuple[int, bytes]:
    assert ready.route.run is not None
    answer = ready.route.run(call)
    return ready.route.status, answer if isinstance(answer, bytes) else _encode(answer)


def _home(route: Route, call: Call) -> str:
    """Return the problem whose leader carries out a command."""
    return (
        str(call.body.name) if route.path == "/v1/problems" else call.args.get("problem", SERVICE)
    )


def _gauges(desk: Desk) -> list[str]:
    state = desk.state
    told = {
        "problems": (len(state.problems), "Problems."),
        "rounds_open": (sum(len(p.rounds) for p in state.problems.values()), "Rounds open now."),
        "journal_seq": (desk.head.seq, "The number of the last event stored."),
    }
    lines = []
    for name, (number, what) in told.items():
        lines += about(f"weitzman_{name}", "gauge", what)
        lines.append(sample(f"weitzman_{name}", number))
    return lines
