"""What draws add to the CPU of a request: ``python -m serve.drawing`` in ``benchmarks``.

Services without sockets (:mod:`serve.inside`), some of which explore in a share of the rounds and some of
which do not, each in a process of its own, answer the same requests in turn. Their order is drawn for each
pass, and a figure is the median over passes of the ratio of what both kinds take on average: two processes of
the same code differ by a few per cent, by where their objects happen to lie in memory.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .client import BOXES, DIMENSION, OPERATIONS
from .inside import CONNECTIONS, Inside

_BATCHES = 30


def work(folder: str, explore: float | None) -> None:
    """Answer requests of each kind whenever a line comes, and print the CPU of one of each in µs."""
    problem: dict[str, object] = {
        "name": "p0",
        "boxes": [f"b{k}" for k in range(BOXES)],
        "dimension": DIMENSION,
        "cost": 0.1,
        "learner": "FTRL",
        "parameters": {"intercept": False},
        "explore": explore,
    }
    service = Inside(Path(tempfile.mkdtemp(dir=folder)), problem)
    for _ in sys.stdin:
        seconds = [service.seconds(operation, _BATCHES) for operation in OPERATIONS]
        print(*(1e6 * s / (_BATCHES * CONNECTIONS) for s in seconds), flush=True)


def measure(shares: list[float | None], passes: int) -> list[list[list[float]]]:
    """Return what a request of each kind takes, by pass and by process."""
    with tempfile.TemporaryDirectory() as folder:
        players = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "serve.drawing",
                    "--work",
                    folder,
                    "--explore",
                    f"{share or 0}",
                ],
                env={**os.environ, "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for share in shares
        ]
        found = []
        for number in range(passes + 1):
            row: list[list[float]] = [[] for _ in players]
            for k in random.Random(number).sample(range(len(players)), len(players)):
                into, out = players[k].stdin, players[k].stdout
                assert into is not None
                assert out is not None
                print(file=into, flush=True)
                row[k] = [float(number) for number in out.readline().split()]
            found.append(row)
        for player in players:
            player.communicate()
    # The first pass compiles
    return found[1:]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="drawing", description="What draws add to a request.")
    parser.add_argument("--explore", type=float, default=0.05, help="the share of rounds")
    parser.add_argument("--processes", type=int, default=3, help="of each kind")
    parser.add_argument("--passes", type=int, default=20)
    parser.add_argument("--work", metavar="FOLDER", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.work:
        work(asked.work, asked.explore or None)
        return
    shares = [asked.explore, None] * asked.processes
    found = np.array(measure(shares, asked.passes))
    drawing, plain = found[:, 0::2].mean(axis=1), found[:, 1::2].mean(axis=1)
    for k, operation in enumerate(OPERATIONS):
        low, middle, high = np.percentile(100 * (drawing[:, k] / plain[:, k] - 1), [25, 50, 75])
        took = np.median(plain[:, k])
        print(f"{operation}: {took:.1f} µs; {middle:+.1f} % ({low:+.1f} to {high:+.1f}) with draws")


if __name__ == "__main__":
    main()
