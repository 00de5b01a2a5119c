"""The first decision on a machine that has compiled nothing: `make bench-cold`.

It makes an environment of its own with ``pip install '.[serve]'``. Every measurement is a new process that
finds no machine code, once as it is and once with ``WEITZMAN_COMPILE=first``, where all is compiled before it
is called. In seconds from the start of the process:

- *decision*: the first box of the first round is known, and the seconds of CPU that this took;
- *round*: that round is learned;
- *longest*: the longest call or request after the first round, from one after the other for ``SECONDS``;
- *of*: how many rounds that were.

Promised are 3 s for the first decision by Python, 4 s by HTTP, and no later call above 1 s. Times are worth
something on a machine that does nothing else, CPU on others too; the load is printed.
"""

import argparse
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parents[1]
_SIZES = ((3, 2), (12, 20), (15, 64))

PROGRAM = """
import json, sys, time
begin, boxes, features, seconds = float(sys.argv[1]), *map(int, sys.argv[2:5])
import weitzman as wz
import numpy as np
rng, longest, count = np.random.default_rng(0), 0.0, 0
searcher = wz.Searcher(boxes=boxes, dimension=features, feedback=sys.argv[5])
decision = learned = None
while learned is None or time.time() < begin + seconds:
    contexts = rng.normal(size=(boxes, features))
    values = contexts[:, :2].sum(axis=1) + rng.normal(size=boxes)
    started = time.time()
    search = searcher.open(contexts, rng.uniform(0.1, 0.5, size=boxes))
    steps = [started]
    for box in search:
        steps.append(time.time())
        decision = decision or (time.time() - begin, time.process_time())
        search.see(values[box])
    steps.append(time.time())
    search.close(values if sys.argv[5] == "full" else None)
    steps.append(time.time())
    if learned is not None:
        longest = max(longest, *np.diff(steps))
    learned = learned or steps[-1] - begin
    count += 1
print(json.dumps([*decision, learned, longest, count]))
"""

PLAY = """
import json, sys, time
begin = float(sys.argv[1])
import weitzman as wz
import numpy as np
rng = np.random.default_rng(0)
contexts = rng.normal(size=(int(sys.argv[2]), 10, 5))
searcher = wz.Searcher(boxes=10, dimension=5, learner=wz.FTRL())
searcher.play(contexts, 0.2, contexts[:, :, 0] + rng.normal(size=contexts.shape[:2]))
print(json.dumps([time.time() - begin, time.process_time()]))
"""


def surroundings(folder: Path, *, first: bool) -> dict[str, str]:
    """Return an environment without machine code."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WEITZMAN"))}
    cache = tempfile.mkdtemp(dir=folder)
    return kept | {"NUMBA_CACHE_DIR": cache} | ({"WEITZMAN_COMPILE": "first"} if first else {})


def by_python(python: Path, folder: Path, program: str, *given: object, first: bool) -> Any:
    """Return what a program prints."""
    environment = surroundings(folder, first=first)
    command = [str(python), "-c", program, str(time.time()), *map(str, given)]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    end_compiling(folder)
    return json.loads(done.stdout)


def by_http(python: Path, folder: Path, seconds: float, *, first: bool) -> list[float]:
    """Return the figures of a service: ready, first decision and its CPU, round, longest, rounds."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = Path(tempfile.mkdtemp(dir=folder)) / "journal.db"
    begin = time.time()
    service = subprocess.Popen(
        [python.with_name("weitzman"), "serve", "--data", data, "--port", str(port)],
        env=surroundings(folder, first=first),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return list(_asked(port, begin, seconds, service.pid))
    finally:
        service.terminate()
        service.wait()
        end_compiling(folder)


def _asked(port: int, begin: float, seconds: float, process: int) -> Iterator[float]:
    def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=300.0)
        try:
            line.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
            answer = line.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except OSError:
            return 0, None
        finally:
            line.close()

    while ask("GET", "/readyz")[0] != 200:
        time.sleep(0.02)
    yield time.time() - begin
    problem = {"name": "p", "boxes": ["a", "b", "c"], "features": ["x", "y"], "cost": 0.5}
    assert ask("POST", "/v1/problems", problem)[0] == 201
    longest, count, learned = 0.0, 0, False
    while not learned or time.time() < begin + seconds:
        place, steps = "/v1/problems/p/rounds", [time.time()]
        contexts = [[1.0, 0.1 * count], [0.5, 1.0], [0.2 * (count % 7), 1.0]]
        status, opened = ask("POST", place, {"id": f"r{count}", "contexts": contexts})
        assert status == 201, opened
        steps.append(time.time())
        if not learned:
            yield steps[-1] - begin
            yield running(process)
        ask("POST", f"{place}/r{count}/values", {"values": {opened["next"]: 1.0}})
        steps.append(time.time())
        assert ask("POST", f"{place}/r{count}/close", {})[0] == 200
        steps.append(time.time())
        if learned:
            longest = max(longest, *(b - a for a, b in pairwise(steps)))
        else:
            yield steps[-1] - begin
        count, learned = count + 1, True
        time.sleep(0.02)
    yield longest
    yield count


def end_compiling(folder: Path) -> None:
    """End the processes that still compile for a measurement that is over."""
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if os.fsencode(f"NUMBA_CACHE_DIR={folder}") in place.read_bytes():
                os.kill(int(place.parent.name), signal.SIGKILL)


def running(process: int) -> float:
    """Return the seconds of CPU that a process has had."""
    text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    spent = text.rpartition(")")[2].split()[11:13]
    return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--python", type=Path, help="an environment that is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        python = options.python
        if python is None:
            venv.create(folder / "venv", with_pip=True)
            python = folder / "venv" / "bin" / "python"
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run(
                [*pip, "-c", str(_HERE / "constraints.txt"), f"{_HERE}[serve]"],
                check=True,
                env=os.environ,
            )
        print(
            f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"
        )
        print(
            "| what | compiled | ready | decision | its CPU | round | longest | of |\n|"
            + 8 * "---|"
        )
        for first in (False, True):
            how = "first" if first else "beside"
            seconds = int(options.seconds)
            for boxes, features in _SIZES:
                for feedback in ("opened", "full"):
                    given = (boxes, features, 1 if first else seconds, feedback)
                    found = by_python(python, folder, PROGRAM, *given, first=first)
                    row("default", f"{boxes} × {features}, {feedback}", how, None, *found)
            for rounds in (20, 20_000):
                played = by_python(python, folder, PLAY, rounds, first=first)
                row(f"FTRL, play {rounds:,} rounds", "10 × 5", how, None, None, None, *played[:1])
            row("service, default", "3 × 2", how, *by_http(python, folder, seconds, first=first))


def row(what: str, size: str, how: str, *figures: float | None) -> None:
    cells = [
        "" if x is None else f"{x:,.0f}" if k == 5 else f"{x:.2f}" for k, x in enumerate(figures)
    ]
    cells += (6 - len(cells)) * [""]
    print(f"| {what}, {size} | {how} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
