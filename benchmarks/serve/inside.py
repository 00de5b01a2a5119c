"""A service in this process, without sockets: the CPU of requests, from bytes to the bytes of answers.

Behind a socket a commit holds as many requests as happen to be there, and the CPU of a request goes with
that. Here every commit holds one request of each of 32 connections. A tree before the rooms has other names.
"""

import asyncio
import itertools
import time
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
import uvloop
from uvicorn.server import ServerState

from .client import Load, Operation, request

CONNECTIONS = 32
_CREATE = (
    b"POST /v1/problems HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n%b"
)


class _Transport:
    """The other end of a connection: counts the answers that are still to come."""

    def __init__(self, service: "Inside") -> None:
        self._service = service

    def write(self, content: bytes) -> None:
        if content.startswith(b"HTTP"):
            assert content[9:10] == b"2", content.decode()
            self._service.left -= 1
        if self._service.left == 0 and not self._service.answered.done():
            self._service.answered.set_result(None)

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, name: str) -> Any:
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else None


class Inside:
    """A service with one problem; its journal is in a folder."""

    left: int
    answered: "asyncio.Future[None]"

    def __init__(self, folder: Path, problem: dict[str, object]) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._places: dict[Operation, Any] = {
            name: itertools.count() for name in ("rounds", "values", "close")
        }
        self._runner.run(self._start(folder, msgspec.json.encode(problem)))

    def seconds(self, operation: Operation, batches: int) -> float:
        """Return the CPU of requests, so many times one of each connection."""
        load = Load(port=0, operation=operation, first=0)
        rounds = itertools.islice(self._places[operation], batches * CONNECTIONS)
        asked = [request(load, i) for i in rounds]
        return self._runner.run(self._ask_all(asked))

    async def _start(self, folder: Path, problem: bytes) -> None:
        from weitzman.serve.settings import Settings

        settings = Settings(data=str(folder / "inside.db"), snapshot_every=10**9)
        protocol: Any
        try:
            from weitzman.serve.http.protocol import Protocol
            from weitzman.serve.run import make_app, make_guard, open_ledger
        except ImportError:
            from weitzman.serve import run, wire  # type: ignore[attr-defined]

            before: Any = run
            app = before.make_app(settings, *before.open_ledger(settings.data))
            protocol, supervisor, name = wire.Protocol, app.office, "desk"
        else:
            app = make_app(settings, make_guard(settings), *open_ledger(settings.data))
            protocol, supervisor, name = Protocol, app.supervisor, "engine"
        supervisor.start()
        while getattr(supervisor, name) is None:
            await asyncio.sleep(0.05)
        config = uvicorn.Config(
            app, http=protocol, ws="none", lifespan="on", log_config=None, timeout_keep_alive=86_400
        )
        config.load()
        state, loop = ServerState(), asyncio.get_running_loop()
        self._connections = [protocol(config, state, {}, loop) for _ in range(CONNECTIONS)]
        for connection in self._connections:
            connection.connection_made(_Transport(self))
        await self._ask([_CREATE % (len(problem), problem)])
        while state.tasks:  # the long way, by a task
            await asyncio.sleep(0.05)

    async def _ask(self, asked: list[bytes]) -> None:
        self.left, self.answered = len(asked), asyncio.get_running_loop().create_future()
        for connection, content in zip(self._connections, asked, strict=False):
            connection.data_received(content)
        await self.answered

    async def _ask_all(self, asked: list[bytes]) -> float:
        begin = time.process_time()
        for k in range(0, len(asked), CONNECTIONS):
            await self._ask(asked[k : k + CONNECTIONS])
        return time.process_time() - begin
