"""The load: one process with many keep-alive connections, each of which asks again when it is answered.

`python -m serve.client LOAD`, with the load as JSON, prints what came out as JSON. Requests are built from
bytes and replies only looked at for their status and length, so that the client takes little of the cores
that it shares with the server.
"""

import asyncio
import random
import sys
import time
from typing import Literal, cast

import msgspec
import uvloop

BOXES, DIMENSION = 10, 5
Operation = Literal["rounds", "values", "close"]
OPERATIONS: tuple[Operation, ...] = ("rounds", "values", "close")

_HEAD = (
    b"POST %b HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n%b"
)


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask: an operation on the rounds ``first``, ``first`` + 1, … before ``end``.

    Round i belongs to problem i modulo ``problems``; an echo is asked with the same bodies. With a ``path``
    it is asked for the same ``body`` every time instead.
    """

    port: int
    operation: Operation
    first: int
    end: int | None = None
    echo: bool = False
    problems: int = 1
    seconds: float = 2.0
    connections: int = 32
    path: str = ""
    body: str = ""


class Came(msgspec.Struct, frozen=True, kw_only=True):
    """What came out: seconds on the clock, seconds of the client's CPU, and the latency of each reply."""

    seconds: float
    cpu: float
    latencies: list[float]


def _texts() -> list[bytes]:
    rng = random.Random(1)
    rows = [[round(rng.gauss(0, 1), 6) for _ in range(DIMENSION)] for _ in range(100 * BOXES)]
    return [msgspec.json.encode(rows[k : k + BOXES]) for k in range(0, len(rows), BOXES)]


_CONTEXTS = _texts()


def request(load: Load, i: int) -> bytes:
    """Return the request about round i."""
    if load.path:
        return _HEAD % (load.path.encode(), len(load.body), load.body.encode())
    path = b"/v1/problems/p%d/rounds" % (i % load.problems)
    if load.operation == "rounds":
        body = b'{"id":"r%08d","contexts":%b,"outside":3.0}' % (i, _CONTEXTS[i % len(_CONTEXTS)])
    else:
        path += b"/r%08d/%b" % (i, load.operation.encode())
        body = b"{}"
        if load.operation == "values":
            box = i // load.problems % BOXES  # every problem sees all its boxes
            body = b'{"values":{"b%d":%.3f}}' % (box, 0.001 * (i * 7919 % 4000))
    return _HEAD % (b"/echo" if load.echo else path, len(body), body)


class Run:
    """What the connections share: the next round, the end, and what came back."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.latencies: list[float] = []
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._round = load.first
        self._until = time.perf_counter() + load.seconds
        self._busy = load.connections

    def take(self) -> int | None:
        """Return the next round; None at the end."""
        if self._round == self.load.end or time.perf_counter() >= self._until:
            self._busy -= 1
            if not self._busy and not self.over.done():
                self.over.set_result(None)
            return None
        self._round += 1
        return self._round - 1

    def fail(self, what: str) -> None:
        """End with an error."""
        if not self.over.done():
            self.over.set_exception(RuntimeError(what))


class Connection(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self._buffer = b""
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass

    def connection_lost(self, exc: Exception | None) -> None:
        if self.run is not None:
            self.run.fail(f"a connection was lost: {exc!r}")

    def start(self, run: Run) -> None:
        """Begin to ask."""
        self.run = run
        self._ask(run)

    def data_received(self, data: bytes) -> None:
        assert self.run is not None
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        begin = self._buffer.index(b"content-length: ", 0, end) + 16
        length = int(self._buffer[begin:].split(b"\r\n", 1)[0])
        if len(self._buffer) < end + 4 + length:
            return
        self.run.latencies.append(time.perf_counter() - self._sent)
        if self._buffer[9:10] != b"2":
            self.run.fail(self._buffer.decode())
        self._buffer = b""
        self._ask(self.run)

    def _ask(self, run: Run) -> None:
        i = run.take()
        if i is not None:
            asked = request(run.load, i)
            self._sent = time.perf_counter()
            self._transport.write(asked)


async def play(load: Load) -> Came:
    """Connect, ask until the end, and return what came out."""
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(Connection, "127.0.0.1", load.port))[1]
        for _ in range(load.connections)
    ]
    run = Run(load)
    began, cpu = time.perf_counter(), time.process_time()
    for connection in connections:
        connection.start(run)
    await run.over
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Came(seconds=seconds, cpu=cpu, latencies=run.latencies)


if __name__ == "__main__":
    came = uvloop.run(play(msgspec.json.decode(sys.argv[1], type=Load)))
    sys.stdout.buffer.write(msgspec.json.encode(came))
    sys.stdout.flush()
