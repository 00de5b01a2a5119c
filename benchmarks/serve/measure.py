"""Measuring: passes over echo and services in turn, so that a machine that drifts does so for all."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
import numpy as np

from .client import OPERATIONS, Came, Load, Operation
from .server import Server


@dataclass(kw_only=True)
class Measured:
    """What one operation came to on one server, over all passes."""

    seconds: float = 0.0
    server_cpu: float = 0.0
    client_cpu: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def add(self, came: Came, server_cpu: float) -> None:
        """Take in a pass."""
        self.seconds += came.seconds
        self.client_cpu += came.cpu
        self.server_cpu += server_cpu
        self.latencies += came.latencies

    def figures(self) -> dict[str, float]:
        """Return requests a second, latencies in ms and CPU per request in µs."""
        count = len(self.latencies)
        p50, p99 = np.percentile(self.latencies, [50, 99]) * 1e3
        return {
            "requests": count,
            "rate": count / self.seconds,
            "p50_ms": float(p50),
            "p99_ms": float(p99),
            "server_cpu_us": 1e6 * self.server_cpu / count,
            "client_cpu_us": 1e6 * self.client_cpu / count,
        }


Table = dict[str, dict[Operation, Measured]]


def ask(server: Server, load: Load) -> tuple[Came, float]:
    """Run the client against a server; return what came out, and the server's seconds of CPU."""
    before = server.cpu()
    # A file, not a pipe: it holds everything once the client has ended, however much that is
    with tempfile.TemporaryFile() as told:
        what = [sys.executable, "-m", "serve.client", msgspec.json.encode(load).decode()]
        subprocess.run(what, stdout=told, check=True)
        cpu = server.cpu() - before
        told.seek(0)
        content = told.read()
    try:
        return msgspec.json.decode(content, type=Came), cpu
    except msgspec.DecodeError as error:
        size, end = len(content), content[-80:]
        raise RuntimeError(f"the client told {size} bytes that end with {end!r}: {error}") from None


def measure(
    servers: Mapping[str, Server], *, seconds: float, passes: int, connections: int
) -> Table:
    """Return what each operation comes to on each server; a first short pass is not counted.

    Values are told of the rounds that were opened, and those that have values are closed; passes are short,
    so that not more rounds are open at a time than a busy service has.
    """
    table: Table = {name: {op: Measured() for op in OPERATIONS} for name in servers}
    begin = time.time_ns() // 1_000_000_000 * 10_000_000  # ids that no earlier run has used
    places = {name: dict.fromkeys(OPERATIONS, begin) for name in servers}
    for number in range(passes + 1):
        for before, operation in zip((None, *OPERATIONS), OPERATIONS, strict=False):
            for name, server in servers.items():
                place = places[name]
                load = Load(
                    port=server.port,
                    operation=operation,
                    first=place[operation],
                    end=None if before is None or server.is_echo else place[before],
                    echo=server.is_echo,
                    problems=server.problems,
                    seconds=seconds if number else min(seconds, 1.0),
                    connections=connections,
                )
                came, cpu = ask(server, load)
                place[operation] += len(came.latencies)
                if number:
                    table[name][operation].add(came, cpu)
    return table
