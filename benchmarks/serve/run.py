"""The decision service under load, beside a bare echo and Optuna: `make bench-serve`.

Client and servers share the machine's cores, each in its own process. n = 10 boxes, d = 5 features, 32
keep-alive connections, a SQLite journal; every reply of the service is sent after the commit that holds it.
Three requests are measured, each by itself: `POST rounds` (a decision), `POST values` and `POST close`; the
echo gets the same bodies. *fresh* is a service with one problem and nothing behind it, *full* one with 1,000
problems, over all of which the load is spread, and 10⁶ events. With ``--postgres``, a fresh service on an
empty database is measured beside them, with ``--explore`` one whose problem explores in a share of rounds.
Two processes of the same code differ by a few per cent, by where their objects happen to lie in memory: with
``--processes`` all servers are started so many times.
"""

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from .client import OPERATIONS
from .history import settings, write_past
from .measure import measure
from .report import show
from .server import Server

_HERE = Path(__file__).parent
_OPTUNA = _HERE.parent.parent / ".venv-serve" / "bin" / "python"


def machine(folder: Path) -> dict[str, Any]:
    """Return what the figures depend on: the processor, how busy it is, and how slow the disk."""
    cpus = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in cpus if line.startswith("model name")]
    times = []
    with (folder / "sync").open("wb") as file:
        for _ in range(100):
            file.write(bytes(4096))
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    return {
        "cpu": names[0] if names else platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "fsync_ms": float(np.median(times)) * 1e3,
    }


def history(folder: Path, problems: int, events: int) -> Path:
    """Return a journal with a past; it is written if it is not there."""
    place = folder / f"past-{problems}-{events}"
    path, whole = place / "past.db", place / "whole"
    if not whole.exists():
        place.mkdir(parents=True, exist_ok=True)
        for left in place.iterdir():
            left.unlink()
        began = time.perf_counter()
        write_past(path, problems=problems, events=events)
        whole.touch()
        size = path.stat().st_size / 1e6
        seconds = time.perf_counter() - began
        print(f"{events:,} events written: {seconds:.0f} s, {size:.0f} MB", file=sys.stderr)
    return path


def services(
    folder: Path, asked: argparse.Namespace, stack: contextlib.ExitStack
) -> dict[str, Server]:
    """Start the echo, a fresh service, and one with a past."""
    servers = {"echo": Server(data=None)}
    stack.callback(servers["echo"].close)
    write_past(folder / "fresh.db", problems=1, events=1)
    servers["fresh"] = Server(data=folder / "fresh.db", snapshot_every=asked.snapshot_every)
    stack.callback(servers["fresh"].close)
    if asked.explore:
        path = folder / "exploring.db"
        write_past(path, problems=1, events=1, explore=asked.explore)
        servers["exploring"] = Server(data=path, snapshot_every=asked.snapshot_every)
        stack.callback(servers["exploring"].close)
    if asked.events:
        path = history(asked.folder or folder, asked.problems, asked.events)
        servers["full"] = Server(
            data=path, problems=asked.problems, snapshot_every=asked.snapshot_every
        )
        stack.callback(servers["full"].close)
    if asked.postgres:
        servers["postgres"] = Server(data=asked.postgres, snapshot_every=asked.snapshot_every)
        stack.callback(servers["postgres"].close)
        told = settings()
        problem = {"boxes": told.boxes, "features": told.features, "cost": told.cost}
        servers["postgres"].create({"name": "p0", "waiting_time": told.waiting * 1e-6, **problem})
    return servers


def optuna(folder: Path, python: Path, seconds: float) -> list[dict[str, Any]]:
    """Return what Optuna's studies come to; nothing if it is not installed."""
    found = []
    for sampler in ("random", "tpe") if python.exists() else ():
        what = [python, _HERE / "optuna_study.py", folder / f"{sampler}.db", sampler, str(seconds)]
        run = subprocess.run(what, stdout=subprocess.PIPE, check=True)
        told = json.loads(run.stdout)
        for operation, latencies in told.pop("latencies").items():
            p50, p99 = np.percentile(latencies, [50, 99]) * 1e3
            rate = len(latencies) / sum(latencies)
            row = {"operation": operation, "rate": rate, "p50_ms": p50, "p99_ms": p99}
            found.append({**told, **row})
    return found


def run(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name), None
        before = machine(folder)
        for number in range(asked.processes):
            place = folder / f"{number}"
            place.mkdir()
            with contextlib.ExitStack() as stack:
                servers = services(place, asked, stack)
                table = measure(
                    servers,
                    seconds=asked.seconds,
                    passes=asked.passes,
                    connections=asked.connections,
                    table=table,
                )
        assert table is not None
        return {
            "machine": {**before, "load_after": os.getloadavg()[0]},
            "connections": asked.connections,
            "problems": asked.problems,
            "events": asked.events,
            "explore": asked.explore,
            "snapshot_every": asked.snapshot_every,
            "start_seconds": {name: server.start_seconds for name, server in servers.items()},
            "operations": {
                op: {name: rows[op].figures() for name, rows in table.items()} for op in OPERATIONS
            },
            "beside_fresh": {
                op: {name: rows[op].beside(table["fresh"][op]) for name, rows in table.items()}
                for op in OPERATIONS
            },
            "optuna": optuna(folder, asked.optuna, asked.seconds * asked.passes),
        }


def main() -> None:
    """Read the options, measure, and print."""
    parser = argparse.ArgumentParser(prog="bench-serve", description="The service under load.")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the past; 0: without")
    parser.add_argument("--problems", type=int, default=1_000, help="of the past")
    parser.add_argument("--seconds", type=float, default=0.75, help="of one pass of one request")
    parser.add_argument("--passes", type=int, default=16)
    parser.add_argument(
        "--processes", type=int, default=1, help="of each server, one after another"
    )
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--snapshot-every", type=int, default=10_000, help="as of weitzman serve")
    parser.add_argument("--folder", type=Path, help="where the journal with a past is kept")
    parser.add_argument("--optuna", type=Path, default=_OPTUNA, help="a Python that has Optuna")
    parser.add_argument("--postgres", metavar="PLACE", help="a fresh service on this database too")
    parser.add_argument(
        "--explore", type=float, metavar="SHARE", help="also a fresh service that explores"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    asked = parser.parse_args()
    found = run(asked)
    if asked.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


if __name__ == "__main__":
    main()
