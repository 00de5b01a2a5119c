"""How fast a log is read and replayed: `make bench-replay`. Each part runs in a process of its own.

- A CSV of 1,000,000 rows with 8 features is read and validated: at most 10 s.
- 100,000 rounds of 12 boxes with 20 features are replayed with linear candidates by ``weitzman replay``'s
  own function, under ``full``, under ``opened`` and under both: at most 60 s on two cores each, and about
  20 KB of memory a round, the log itself included.

Values are linear in the features with correlated noise; compilation is not counted. Times are worth something
on a machine that does nothing else.
"""

import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from weitzman.feedback import Feedback
from weitzman.logs.log import Log, read_log
from weitzman.replays.cases import Case, play_cases

ROUNDS, BOXES, FEATURES = 100_000, 12, 20
ROWS, COLUMNS = 1_000_000, 8
REPLAY_LIMIT, READ_LIMIT, MEMORY_LIMIT = 60.0, 10.0, 20.0


def table(rounds: int, boxes: int, features: int) -> pa.Table:
    """Return a made log, one row per round and box."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rounds, boxes, features))
    slopes = rng.normal(size=(boxes, features)) / np.sqrt(features)
    noise = 0.7 * rng.normal(size=(rounds, boxes)) + 0.5 * rng.normal(size=(rounds, 1))
    values = 5.0 + np.einsum("tid,id->ti", x, slopes) + noise
    t, box = (place.ravel() for place in np.indices((rounds, boxes)))
    columns = {
        "round": pa.array(t),
        "box": pa.DictionaryArray.from_arrays(box, [f"b{k}" for k in range(boxes)]),
        "cost": pa.array(rng.uniform(0.05, 0.3, size=t.size)),
        "value": pa.array(values.ravel()),
    }
    columns |= {f"x_{k}": pa.array(x[:, :, k].ravel()) for k in range(features)}
    return pa.table(columns)


def spent(what: int) -> float:
    """Return the seconds of CPU that this process, or those it started, have had."""
    usage = resource.getrusage(what)
    return usage.ru_utime + usage.ru_stime


def peaks() -> tuple[float, float]:
    """Return the most memory that this process, and one it started, have had, in KB."""
    mine, theirs = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return float(resource.getrusage(mine).ru_maxrss), float(resource.getrusage(theirs).ru_maxrss)


def timed(what: str, work: Callable[[], object], limit: float) -> bool:
    """Print what some work takes; return whether it keeps its limit."""
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    wall, cpu = time.perf_counter(), sum(map(spent, both))
    work()
    for child in multiprocessing.active_children():
        child.join()
    wall, cpu = time.perf_counter() - wall, sum(map(spent, both)) - cpu
    print(f"{what}: {wall:.1f} s wall (at most {limit:.0f}), {cpu:.1f} s CPU", flush=True)
    return wall <= limit


def bench_replay(*feedbacks: Feedback) -> bool:
    """Replay a log of the size that is promised."""
    cases = [Case(feedback=feedback) for feedback in feedbacks]

    def run(log: Log) -> None:
        play_cases(log, cases, trees=False, progress=False)

    def made(rounds: int) -> Log:
        return read_log(table(rounds, BOXES, FEATURES), shared=False)

    run(made(700))
    before = max(peaks())
    log = made(ROUNDS)
    kept = timed(f"{ROUNDS:,} rounds, {' and '.join(feedbacks)}", lambda: run(log), REPLAY_LIMIT)
    mine, theirs = peaks()
    each = (max(mine, theirs) - before) / ROUNDS
    print(f"peak {mine / 1e6:.2f} GB, of a worker {theirs / 1e6:.2f} GB: {each:.1f} KB a round")
    return kept and each <= MEMORY_LIMIT


def bench_read() -> bool:
    """Read a CSV of the size that is promised."""
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.csv", Path(folder) / "large.csv"
        pyarrow.csv.write_csv(table(50, 10, COLUMNS), small)
        pyarrow.csv.write_csv(table(ROWS // 10, 10, COLUMNS), large)
        read_log(small)
        print(f"{large.stat().st_size / 1e6:.0f} MB of CSV, {ROWS:,} rows", flush=True)
        return timed("reading and validating", lambda: read_log(large), READ_LIMIT)


PARTS: dict[str, Callable[[], bool]] = {
    "read": bench_read,
    "full": lambda: bench_replay("full"),
    "opened": lambda: bench_replay("opened"),
    "both": lambda: bench_replay("full", "opened"),
}


def main() -> int:
    """Run one part, or each in a process of its own; 1 if a limit is not kept."""
    if len(sys.argv) > 1:
        return int(not PARTS[sys.argv[1]]())
    codes = [subprocess.run([sys.executable, __file__, part], check=False) for part in PARTS]
    return max(code.returncode for code in codes)


if __name__ == "__main__":
    sys.exit(main())
