"""Looking back at a long problem, beside others: ``python -m serve.looking_back`` in ``benchmarks``.

A journal with one problem of many rounds is written, a service is started on it, and a window is asked for
until everything is read. Meanwhile another connection asks about another problem, one request after the other
with a pause of 5 ms. Then windows and pages are asked for again.
"""

import argparse
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from weitzman.ledger.bodies import Body, Closed, Created, Opened, Seen, encode
from weitzman.ledger.event import Draft
from weitzman.ledger.sqlite.journal import SqliteJournal

from .server import Server

_BOXES, _FEATURES = 5, 4
_QUESTIONS = (
    "window",
    "window?seconds=3600",
    "window?rounds=1000",
    "closed",
    "closed?opened=b2&contains=ab",
)


def write_journal(data: Path, rounds: int) -> None:
    """Write a problem whose rounds were one a second, with one to three looks each."""
    rng = np.random.default_rng(0)
    names = [f"b{k}" for k in range(_BOXES)], [f"x{k}" for k in range(_FEATURES)]
    journal, drafts, number = SqliteJournal(data), list[Draft](), 0
    at = time.time_ns() // 1_000 - rounds * 1_000_000

    def happen(body: Body, key: str = "") -> None:
        nonlocal number
        number += 1
        kind, content = encode(body)
        drafts.append(Draft("long", number, kind, at, key, content))

    happen(Created(*names, "min", "opened", 10**12, learner="Ridge", defaults=3))
    for played in range(rounds):
        at, key = at + 1_000_000, f"{played:013x}abcdef"
        contexts = rng.normal(size=(_BOXES, _FEATURES)).tolist()
        sigma = rng.normal(size=_BOXES).tolist()
        happen(Opened(contexts, [0.5] * _BOXES, sigma, 3.0), key)
        for row in range(int(rng.integers(1, 4))):
            happen(Seen([(row, float(rng.normal()))]), key)
        happen(Closed(), key)
        if len(drafts) > 20_000:
            journal.append(drafts)
            drafts.clear()
    journal.append(drafts)
    journal.close()


def _get(connection: http.client.HTTPConnection, path: str) -> tuple[Any, float]:
    begin = time.perf_counter()
    connection.request("GET", f"/v1/problems/{path}")
    reply = json.loads(connection.getresponse().read())
    return reply, 1e3 * (time.perf_counter() - begin)


def _wait(waits: list[float], port: int, ended: threading.Event) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)
    while not ended.wait(0.005):
        waits.append(_get(connection, "other")[1])
    connection.close()


def _quantiles(waits: list[float]) -> str:
    p50, p99, most = np.quantile(waits, [0.5, 0.99, 1.0])
    return f"p50 {p50:.2f} ms, p99 {p99:.1f} ms, longest {most:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "long.db"
        write_journal(data, options.rounds)
        print(f"journal: {data.stat().st_size / 1e6:.0f} MB")
        server = Server(data=data, snapshot_every=10**9)
        try:
            _measure(server)
        finally:
            server.close()


def _measure(server: Server) -> None:
    server.create({"name": "other", "boxes": ["a", "b"], "dimension": 1, "learner": "Ridge"})
    waits: list[float] = []
    ended = threading.Event()
    others = threading.Thread(target=_wait, args=(waits, server.port, ended))
    others.start()
    time.sleep(3.0)
    print(f"others, before: {_quantiles(waits)}")
    waits.clear()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60.0)
    memory, begin, longest, read = server.memory(), time.perf_counter(), 0.0, 0.0
    while read < 1.0:
        reply, took = _get(connection, "long/window?rounds=1000")
        longest, read = max(longest, took), reply["share_read"]
    print(f"read in {time.perf_counter() - begin:.1f} s; answers took {longest:.0f} ms at most")
    ended.set()
    others.join()
    print(f"others, meanwhile: {_quantiles(waits)}")
    print(f"memory for it: {server.memory() - memory:.0f} MB")
    for question in _QUESTIONS:
        times = [_get(connection, f"long/{question}")[1] for _ in range(9)]
        print(f"{question}: {np.median(times):.1f} ms")
    connection.close()


if __name__ == "__main__":
    main()
