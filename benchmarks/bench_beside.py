"""Two trees beside each other, by CPU time: `make bench-beside TREE=…`, a clone at another commit.

One process of each tree plays the same rounds in turn, so that a machine that drifts does so for both; two
services answer the same requests in turn. A figure is the speed of this tree over that of the other: the
median over pairs of passes, and the middle half of them. Both trees run with the packages of this one.

- ``FTRL(intercept=False)``, 10 boxes and 5 features: ``play``, and ``open``, ``see``, ``close``.
- The default policy, 15 boxes and 64 features as in ``bench_live.py``: 300 rounds from the first one on,
  trees included. The two trees may have other defaults.
- A log of 1,500 rounds, 12 boxes and 20 features is read and replayed with 22 candidates without trees on
  contexts that are standardised, as the default policy did before the four laws; under ``opened`` the
  portfolio and its rules each play a run of their own.
- A CSV of 200,000 rows with 8 features is read.
- The service without sockets (``serve/inside.py``): a decision, values and a close, commits included.
- ``weitzman serve`` with 32 connections: all CPU of the server. How many requests a commit holds varies.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet

import weitzman as wz

_HERE = Path(__file__).parent
_BOXES, _DIMENSION = 10, 5
PROBLEM: dict[str, Any] = {
    "name": "p0",
    "boxes": [f"b{k}" for k in range(_BOXES)],
    "dimension": _DIMENSION,
    "cost": 0.1,
    "learner": "FTRL",
    "parameters": {"intercept": False},
}
"""The problem of the service."""


def spent(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that some work takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def rounds(count: int) -> tuple[Any, Any]:
    """Return contexts and values of rounds; a round opens about three boxes."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(count, _BOXES, _DIMENSION)) / np.sqrt(_DIMENSION)
    weights = rng.normal(size=(_BOXES, _DIMENSION))
    noise = rng.uniform(-1.0, 1.0, size=(count, _BOXES))
    return contexts, np.einsum("tid,id->ti", contexts, weights) + noise


def searcher(feedback: Any) -> wz.Searcher:
    learner = wz.FTRL(intercept=False)
    return wz.Searcher(boxes=_BOXES, dimension=_DIMENSION, learner=learner, feedback=feedback)


def play(feedback: str) -> float:
    """Play recorded rounds in one call."""
    contexts, values = rounds(20_000)
    player = searcher(feedback)
    return spent(lambda: player.play(contexts, 0.1, values))


def live(feedback: str) -> float:
    """Play rounds one by one."""
    contexts, values = rounds(3_000)
    costs = np.full(_BOXES, 0.1)
    player = searcher(feedback)

    def run() -> None:
        for x, v in zip(contexts, values, strict=True):
            search = player.open(x, costs)
            for box in search:
                search.see(float(v[box]))
            search.close(v if feedback == "full" else None)

    return spent(run)


def default(feedback: Any) -> float:
    """Play rounds of the default policy one by one."""
    import bench_live

    boxes, dimension, common = bench_live.SIZES["15x64"]
    made = list(bench_live.made(boxes, dimension, common, 300))
    player = wz.Searcher(boxes=boxes, dimension=dimension, policy="default", feedback=feedback)
    return spent(lambda: bench_live.play(player, iter(made), feedback))


def replayed(folder: str, feedback: Any) -> float:
    """Read a log and replay it."""
    return spent(lambda: _replay(wz.read_log(f"{folder}/log.parquet", shared=False), feedback))


def _replay(log: wz.Log, feedback: Any) -> None:
    try:
        from weitzman.replays.replay import Play
    except ImportError:
        # A tree before the four laws, where a log is standardised as it is read
        before: Any = wz
        policy = before.default_policy(trees=False, standardise=False)
        before.replay(log, policy, feedback=feedback)
        return
    policy = wz.default_policy(trees=False, prepare="contexts")
    rules = {p.name: p for p in policy.candidates if isinstance(p, wz.Simple | wz.Weitzman)}
    again = Play(log=log, lineup={"default": policy, **rules}, feedback=feedback)
    again.whole([again.play(part) for part in again.parts()])


@cache
def service(folder: str) -> Any:
    """Return a service of this process."""
    from serve.inside import Inside

    return Inside(Path(tempfile.mkdtemp(dir=folder)), PROBLEM)


def asked(folder: str, operation: Any) -> float:
    """Ask 960 requests of a kind; those that come before them are there then."""
    steps = ("rounds", "values", "close")
    found = [service(folder).seconds(step, 30) for step in steps]
    return float(found[steps.index(operation)])


def read(folder: str) -> float:
    """Read a CSV."""
    return spent(lambda: wz.read_log(f"{folder}/log.csv"))


WORKS: dict[str, Callable[[str], float]] = {
    "play full": lambda _: play("full"),
    "play opened": lambda _: play("opened"),
    "live full": lambda _: live("full"),
    "live opened": lambda _: live("opened"),
    "default full": lambda _: default("full"),
    "default opened": lambda _: default("opened"),
    "replay full": lambda folder: replayed(folder, "full"),
    "replay opened": lambda folder: replayed(folder, "opened"),
    "read": read,
    "inside rounds": lambda folder: asked(folder, "rounds"),
    "inside values": lambda folder: asked(folder, "values"),
    "inside close": lambda folder: asked(folder, "close"),
}


def environment(tree: Path) -> dict[str, str]:
    """Return the environment of a process that runs a tree."""
    one = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {**os.environ, **one, "PYTHONPATH": str(tree.resolve() / "src")}


class Player:
    """A process of a tree that does works, one at a time."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(tree), "--works", str(folder)],
            env=environment(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, work: str) -> float:
        """Return what a pass takes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(work, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def works(folder: str) -> None:
    """Do the works that are named line by line, and print what each takes."""
    for line in sys.stdin:
        print(WORKS[line.strip()](folder), flush=True)


def show(work: str, ratios: list[float]) -> None:
    """Print a figure."""
    low, middle, high = np.percentile(ratios, [25, 50, 75])
    print(f"{work}: {middle:.3f} ({low:.3f} to {high:.3f}, {len(ratios)} pairs)", flush=True)


def compare_works(trees: list[Path], names: list[str], passes: int, processes: int) -> None:
    """Print the figures of what is done in one process."""
    from bench_replay import table

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pyarrow.csv.write_csv(table(20_000, 10, 8), folder / "log.csv")
        pyarrow.parquet.write_table(table(1_500, 12, 20), folder / "log.parquet")
        for work in names:
            ratios = []
            for _ in range(processes):
                players = [Player(tree, folder) for tree in trees]
                pairs = [[player.seconds(work) for player in players] for _ in range(passes + 1)]
                # The first pass compiles
                ratios += [other / mine for mine, other in pairs[1:]]
                for player in players:
                    player.close()
            show(work, ratios)


def compare_services(trees: list[Path], passes: int) -> None:
    """Print the figures of two services."""
    from serve.measure import measure
    from serve.server import Server

    with tempfile.TemporaryDirectory() as folder:
        servers = {
            f"{k}": Server(data=Path(folder) / f"{k}.db", environment=environment(tree))
            for k, tree in enumerate(trees)
        }
        for server in servers.values():
            server.create(PROBLEM)
        ratios: dict[str, list[float]] = {}
        os.chdir(_HERE)
        for _ in range(passes):
            found = measure(servers, seconds=0.75, passes=1, connections=32)
            for operation in found["0"]:
                mine, other = (
                    found[name][operation].figures()["server_cpu_us"] for name in servers
                )
                ratios.setdefault(operation, []).append(other / mine)
        for server in servers.values():
            server.close()
    for asked, each in ratios.items():
        show(f"service, {asked}", each)


def main() -> None:
    """Compare two trees, or do works in a process of one."""
    parser = argparse.ArgumentParser(prog="bench-beside", description="Two trees, by CPU time.")
    parser.add_argument("tree", type=Path, help="a clone of the other tree")
    parser.add_argument("--work", nargs="*", default=[*WORKS, "service"])
    parser.add_argument("--passes", type=int, default=8, help="pairs of each pair of processes")
    parser.add_argument("--processes", type=int, default=3, help="pairs of processes")
    parser.add_argument("--works", metavar="FOLDER", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.works:
        works(asked.works)
        return
    trees = [_HERE.parent, asked.tree]
    names = [name for name in asked.work if name != "service"]
    compare_works(trees, names, asked.passes, asked.processes)
    if "service" in asked.work:
        compare_services(trees, asked.passes * asked.processes)


if __name__ == "__main__":
    main()
