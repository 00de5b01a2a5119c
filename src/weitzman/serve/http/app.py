"""The app: requests in, responses out.

Every request goes one way, :meth:`App.respond`: its route, whether it may pass, its body within the limit,
its struct, the command, the reply as bytes; a refusal is a response like any other. It is sent when all that
it rests on is stored. The route table is compiled into a tree once; nothing else stands between the
server and a command.

As an ASGI application the app reads the body piece by piece and waits where a request needs it. A request
that is here as a whole and needs nothing but a command is taken by :meth:`App.direct`: it goes the same way
without a task of its own, as nothing in it waits.
"""

import hashlib
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from time import perf_counter
from typing import Any

import msgspec

from weitzman.errors import LedgerError
from weitzman.ledger.state.fold import SERVICE, State
from weitzman.ledger.state.problem import Problem
from weitzman.serve.engine.background import run_when_free
from weitzman.serve.engine.engine import Engine, checked_key
from weitzman.serve.engine.supervisor import Supervisor
from weitzman.serve.http.guard import Guard
from weitzman.serve.http.openapi import VERSION, document
from weitzman.serve.http.request import (
    ClientGoneError,
    Message,
    Receive,
    Request,
    check_type,
    read_body,
)
from weitzman.serve.http.route import BINARY, JSON, PARQUET, Call, Route, Router
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.response import Response, error_response, refusal_response
from weitzman.serve.messages.schema import Health

Send = Callable[[Message], Awaitable[None]]

_encode = msgspec.json.Encoder().encode


class App:
    """The ASGI application: the supervisor has the engine, the guard decides who may pass.

    ``more`` are routes beside those of the service.
    """

    def __init__(
        self, *, supervisor: Supervisor, guard: Guard, more: tuple[Route, ...] = ()
    ) -> None:
        self.supervisor = supervisor
        self._guard = guard
        self._settings = supervisor.settings
        upload = self._settings.upload_limit
        self._limits = {JSON: self._settings.body_limit, PARQUET: upload, BINARY: upload}
        self._router = Router((*ROUTES, *more))
        described = _encode(document(ROUTES))
        self._own: dict[str, Callable[[], bytes]] = {
            "/healthz": _health,
            "/readyz": partial(_readiness, supervisor),
            "/metrics": partial(_metrics, supervisor),
            "/openapi.json": lambda: described,
        }

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request, or take part in the life of the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if scope["type"] != "http":
            return
        request = Request(
            method=scope["method"],
            path=scope["path"],
            headers=dict(scope["headers"]),
            client=scope["client"][0] if scope.get("client") else "",
            raw_path=scope["raw_path"].decode(),
            query=scope["query_string"],
            receive=receive,
        )
        error = None
        try:
            request.response = await self.respond(request)
            pending = None if request.engine is None else request.engine.pending()
            if pending is not None:
                await pending
        except ClientGoneError:
            return
        except LedgerError as caught:
            error = caught
        code, content, headers = self.settle(request, error)
        length = (b"content-length", str(len(content)).encode())
        await send({"type": "http.response.start", "status": code, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": content})

    def direct(self, request: Request) -> bool:
        """Respond to a request that is here as a whole; False, and nothing done, if it has to wait."""
        engine = self.supervisor.engine
        if engine is None or engine.locks or self.supervisor.peers is not None:
            return False
        try:
            request.match = route, args = self._router.match(request.method, request.path)
        except Refusal:
            return False
        if not route.is_direct or len(request.content or b"") > self._settings.body_limit:
            return False
        if route.may_take_long(engine, args):
            return False
        request.label = route.label
        try:
            only = self._admit(request, route, args, engine.state)
            call = _call_of(request, engine, only)
            request.engine = engine
            request.response = _response(route, *_run_once(request, route, call))
        except Exception as error:
            request.response = error_response(error, request.label)
        return True

    async def respond(self, request: Request) -> Response:
        """Take a request through route, guard, body, command and encoding; return the response."""
        try:
            if request.match is None:
                request.match = self._router.match(request.method, request.path)
            route, args = request.match
            request.label = route.label
            if route.file is not None:
                return await route.file(args, request.headers)
            engine = self.supervisor.engine
            only = self._admit(request, route, args, None if engine is None else engine.state)
            if route.run is None and route.answer is None:
                return Response(route.status, self._own[route.path](), route.headers)
            if engine is None:
                raise self.supervisor.why_closed()
            if request.content is None:
                kind = route.takes_type
                request.content = await read_body(request, self._limits[kind]) if kind else b""
            call = _call_of(request, engine, only)
            if route.answer is not None:
                request.engine = engine
                return await route.answer(request, call)
            return _response(route, *await self._run_when_free(request, route, call))
        except ClientGoneError:
            raise
        except Exception as error:
            return error_response(error, request.label)

    def _admit(
        self, request: Request, route: Route, args: dict[str, str], state: State | None
    ) -> str | None:
        """Refuse a request that may not pass; return the one problem that its key is for."""
        return self._guard.check(
            route.access,
            state,
            method=request.method,
            headers=request.headers,
            client=request.client,
            args=args if route.problem is None else {"problem": route.problem},
            lists=route.lists,
            strange_keys=route.strange_keys,
        )

    async def _run_when_free(self, request: Request, route: Route, call: Call) -> tuple[int, bytes]:
        """Let the leader run a command, or run it here when its problem is free; return the reply."""
        engine, peers, problem = call.engine, self.supervisor.peers, call.args.get("problem")
        if peers is not None and route.method != "GET":
            forwarded = await peers.forward(
                _home(route, call),
                method=route.method,
                path=request.raw_path,
                headers=request.headers,
                content=request.content or b"",
            )
            if forwarded is not None:
                return forwarded
        if route.prepare is not None:
            call.body = await route.prepare(call)
        # A refusal, too, may rest on what is not stored yet
        request.engine = engine
        command = partial(_run_once, request, route, call)
        if problem is not None:
            takes_long = partial(route.may_take_long, engine, call.args)
            return await run_when_free(engine, problem, command, takes_long)
        if route.needs_all:
            await engine.locks.wait_until_free()
        return await engine.look_ups.carry_out(command)

    def settle(self, request: Request, error: LedgerError | None) -> Response:
        """Return what is sent, now that all it rests on is stored or cannot be; count it, and log it."""
        response = request.response if error is None else error_response(error, request.label)
        assert response is not None
        seconds = perf_counter() - request.began
        self.supervisor.metrics.observe(request.label, response.status, seconds)
        if self._settings.log_requests:
            log(
                "request",
                route=request.label,
                path=request.path,
                status=response.status,
                seconds=round(seconds, 6),
            )
        return response

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


def _call_of(request: Request, engine: Engine, only: str | None) -> Call:
    """Return what a request asks of its command, from the body that is here."""
    assert request.match is not None
    route, args = request.match
    check_type(request, route)
    body = route.struct(request.content or b"")
    return Call(engine, args, body, only, route.question(request.query))


def _response(route: Route, code: int, content: bytes) -> Response:
    """Return what is sent for what a command came to."""
    if code >= 400:
        return refusal_response(code, content)
    return Response(code, content, route.headers)


def _run_once(request: Request, route: Route, call: Call) -> tuple[int, bytes]:
    """Run a command, once if it has a key."""
    key = request.headers.get(b"idempotency-key")
    if key is None or not route.repeatable or route.method == "GET":
        return _run(route, call)
    text = checked_key(key)
    asked = f"{route.method} {request.path}\n".encode() + (request.content or b"")
    return call.engine.run_once(
        _home(route, call),
        key=text,
        request=hashlib.sha256(asked).hexdigest(),
        command=partial(_run, route, call),
    )


def _run(route: Route, call: Call) -> tuple[int, bytes]:
    assert route.run is not None
    reply = route.run(call)
    return route.status, reply if isinstance(reply, bytes) else _encode(reply)


def _home(route: Route, call: Call) -> str:
    """Return the problem that a command belongs to, and whose leader carries it out."""
    if route.path == "/v1/problems":
        return str(call.body.name)
    return call.args.get("problem", SERVICE)


def _health() -> bytes:
    return _encode(Health(status="alive", version=VERSION))


def _readiness(supervisor: Supervisor) -> bytes:
    """Return how many events are stored; a refusal while there is no engine."""
    if supervisor.engine is None:
        raise supervisor.why_closed()
    seq = supervisor.engine.head.seq
    return _encode(Health(status="ready", events=seq, version=VERSION))


def _metrics(supervisor: Supervisor) -> bytes:
    """Return counts, durations and gauges in Prometheus' text format."""
    engine, gauges, problems = supervisor.engine, [], list[Problem]()
    if engine is not None:
        problems = engine.state.present()
        opened = sum(len(problem.rounds) for problem in problems)
        gauges = [
            ("problems", len(problems), "Problems."),
            ("rounds_open", opened, "Rounds open now."),
            ("journal_seq", engine.head.seq, "The number of the last event stored."),
        ]
    return supervisor.metrics.text(gauges, problems).encode()
