"""What a live round of ``default`` takes, and what it leaves in memory: `make bench-live`.

A round is ``open``, ``see`` for every box that is opened, and ``close``, in one process that compiles
nothing any more. Promised are a median under 1 ms and no round above 50 ms, under ``full`` and ``opened``,
for 15 boxes with 64 features (56 of them the same for all boxes) and for 12 with 20; and a state that stops
growing. Each part runs in a process of its own.

Values are linear in the features with correlated noise. ``bench_live.py LOG [full|opened]`` plays a log
instead, in any format that :func:`weitzman.read_log` reads. Times are worth something on a machine that
does nothing else.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.policy import Floats

ROUNDS = 2840
SIZES = {"15x64": (15, 64, 56), "12x20": (12, 20, 0)}
MEDIAN_LIMIT, STALL_LIMIT = 1.0, 50.0

Played = tuple[Floats, Floats, Floats, float | None, list[int]]


def made(boxes: int, features: int, common: int, rounds: int) -> Iterator[Played]:
    """Return contexts, costs, values, outside option and places of made rounds."""
    rng = np.random.default_rng(0)
    slopes = rng.normal(size=(boxes, features)) / np.sqrt(features)
    for _ in range(rounds):
        contexts = rng.normal(size=(boxes, features))
        contexts[:, :common] = contexts[0, :common]
        noise = 0.7 * rng.normal(size=boxes) + 0.5 * rng.normal()
        values = 5.0 + (contexts * slopes).sum(axis=1) + noise
        yield contexts, rng.uniform(0.05, 0.3, size=boxes), values, 6.0, list(range(boxes))


def logged(path: Path) -> tuple[int, int, bool, list[Played]]:
    """Return the sizes of a log, whether its boxes share a model, and its rounds."""
    from weitzman.logs.rounds import LogRounds

    log = wz.read_log(path)
    rounds = LogRounds(log)
    played: list[Played] = [
        (
            shown.contexts,
            shown.costs,
            values,
            None if np.isinf(shown.outside) else shown.outside,
            shown.places.tolist(),
        )
        for shown, values in rounds
    ]
    return rounds.boxes, rounds.dimension, log.shared, played


def play(searcher: wz.Searcher, rounds: Iterator[Played], feedback: Feedback) -> Floats:
    """Return what each round takes, in ms, and how much of that the process was running."""
    times = []
    for contexts, costs, values, outside, places in rounds:
        row: dict[Any, int] = {place: k for k, place in enumerate(places)}
        begin, running = time.perf_counter(), time.process_time()
        search = searcher.open(contexts, costs, outside=outside, boxes=places)
        for box in search:
            search.see(float(values[row[box]]))
        search.close(values=values if feedback == "full" else None)
        times.append((time.perf_counter() - begin, time.process_time() - running))
    return 1e3 * np.array(times)


def size_of(searcher: wz.Searcher) -> float:
    """Return the size of everything that is saved, in MB."""
    return sum(int(array.nbytes) for array in searcher._player.state().values()) / 1e6


def bench(name: str, feedback: Feedback) -> bool:
    """Print what rounds take; return whether the limits are kept."""
    shared = False
    if name in SIZES:
        boxes, dimension, common = SIZES[name]
        rounds = list(made(boxes, dimension, common, ROUNDS))
    else:
        boxes, dimension, shared, rounds = logged(Path(name))

    def fresh() -> wz.Searcher:
        policy = wz.default_policy(shared=shared)
        return wz.Searcher(boxes=boxes, dimension=dimension, policy=policy, feedback=feedback)

    play(fresh(), iter(rounds[:60]), feedback)  # compiles everything
    searcher, sizes, times = fresh(), [], []
    for part in np.array_split(np.arange(len(rounds)), 4):
        times.append(play(searcher, (rounds[t] for t in part), feedback))
        sizes.append(size_of(searcher))
    every = np.concatenate(times)
    print(f"{Path(name).stem} {feedback}, {len(every):,} rounds, load {os.getloadavg()[0]:.1f}")
    for clock, taken in zip(("wall", "CPU"), every.T, strict=True):
        median, high, most = (float(np.quantile(taken, q)) for q in (0.5, 0.99, 1.0))
        print(
            f"  {clock}: median {median:.2f} ms, 99 % {high:.1f} ms, most {most:.1f} ms in round "
            f"{int(taken.argmax())}, {int((taken > STALL_LIMIT).sum())} above {STALL_LIMIT:.0f} ms, "
            f"together {taken.sum() / 1e3:.1f} s"
        )
    print(
        f"  state after each quarter: {', '.join(f'{size:.1f}' for size in sizes)} MB", flush=True
    )
    return bool(np.median(every[:, 0]) <= MEDIAN_LIMIT and every[:, 0].max() <= STALL_LIMIT)


def main() -> int:
    """Run one part, or each in a process of its own; 1 if a limit is not kept."""
    arguments = sys.argv[1:]
    if len(arguments) == 2:
        return int(not bench(arguments[0], arguments[1]))  # type: ignore[arg-type]
    names = arguments or list(SIZES)
    parts = [(name, feedback) for name in names for feedback in ("full", "opened")]
    codes = [subprocess.run([sys.executable, __file__, *part], check=False) for part in parts]
    return max(code.returncode for code in codes)


if __name__ == "__main__":
    sys.exit(main())
