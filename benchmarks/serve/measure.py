"""Measuring: passes over echo and services in turn, so that a machine that drifts does so for all.

Their order is drawn for each pass: who is measured after itself has its memory at hand. Two servers are
compared pass by pass: the median of the ratios does not go by the few passes in which something else ran.
"""

import random
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
    """What one operation came to on one server, pass by pass: what came out, and the server's CPU."""

    passes: list[tuple[Came, float]] = field(default_factory=list)

    def add(self, came: Came, server_cpu: float) -> None:
        """Take in a pass."""
        self.passes.append((came, server_cpu))

    def figures(self) -> dict[str, float]:
        """Return requests a second, latencies in ms and CPU per request in µs, over all passes."""
        return _figures(self.passes)

    def beside(self, other: "Measured") -> dict[str, list[float]]:
        """Return the quartiles of the ratios of figures to those of another server, pass by pass."""
        pairs = [
            (_figures([mine]), _figures([theirs]))
            for mine, theirs in zip(self.passes, other.passes, strict=True)
        ]
        ratios = {name: [mine[name] / theirs[name] for mine, theirs in pairs] for name in COMPARED}
        return {name: np.percentile(r, [25, 50, 75]).tolist() for name, r in ratios.items()}


COMPARED = ("rate", "p50_ms", "p99_ms", "server_cpu_us")
Table = dict[str, dict[Operation, Measured]]


def _figures(passes: list[tuple[Came, float]]) -> dict[str, float]:
    latencies = [latency for came, _ in passes for latency in came.latencies]
    count = len(latencies)
    p50, p99 = np.percentile(latencies, [50, 99]) * 1e3
    return {
        "requests": count,
        "rate": count / sum(came.seconds for came, _ in passes),
        "p50_ms": float(p50),
        "p99_ms": float(p99),
        "server_cpu_us": 1e6 * sum(cpu for _, cpu in passes) / count,
        "client_cpu_us": 1e6 * sum(came.cpu for came, _ in passes) / count,
    }


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
    servers: Mapping[str, Server],
    *,
    seconds: float,
    passes: int,
    connections: int,
    table: Table | None = None,
) -> Table:
    """Return what each operation comes to on each server; a first short pass is not counted.

    Passes are added to a ``table`` that other processes of these servers have begun.

    Values are told of the rounds that were opened, and those that have values are closed; passes are short,
    so that not more rounds are open at a time than a busy service has.
    """
    if table is None:
        table = {name: {op: Measured() for op in OPERATIONS} for name in servers}
    begin = time.time_ns() // 1_000_000_000 * 10_000_000  # ids that no earlier run has used
    places = {name: dict.fromkeys(OPERATIONS, begin) for name in servers}
    for number in range(passes + 1):
        order = random.Random(number).sample(list(servers.items()), len(servers))
        for before, operation in zip((None, *OPERATIONS), OPERATIONS, strict=False):
            for name, server in order:
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
