"""How fast a log is read and replayed: `make bench-replay`. Each part runs in a process of its own.

- A CSV of 1,000,000 rows with 8 features is read and validated: at most 10 s.
- 100,000 rounds of 12 boxes with 20 features are replayed under full information, with linear candidates: at
  most 60 s, and about 10 KB of memory a round beyond the log.

Values are linear in the features with correlated noise; compilation is not counted. Times are worth something
on a machine that does nothing else.
"""

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

from weitzman.lab.recorded import Log, read_log
from weitzman.lab.replay import replay
from weitzman.learn.portfolio import default

ROUNDS, BOXES, FEATURES = 100_000, 12, 20
ROWS, COLUMNS = 1_000_000, 8
REPLAY_LIMIT, READ_LIMIT, MEMORY_LIMIT = 60.0, 10.0, 10.5


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


def peak() -> float:
    """Return the most memory that the process has had, in KB."""
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def timed(what: str, work: Callable[[], object], limit: float) -> bool:
    """Print what some work takes; return whether it keeps its limit."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{what}: {wall:.1f} s wall (at most {limit:.0f}), {cpu:.1f} s CPU", flush=True)
    return wall <= limit


def bench_replay() -> bool:
    """Replay a log of the size that is promised."""

    def run(log: Log) -> None:
        replay(log, default(trees=False, standardise=False))

    def made(rounds: int) -> Log:
        return read_log(table(rounds, BOXES, FEATURES), shared=False)

    run(made(700))
    log = made(ROUNDS)
    before = 4.096 * int(Path("/proc/self/statm").read_text().split()[1])
    kept = timed(f"replay of {ROUNDS:,} rounds", lambda: run(log), REPLAY_LIMIT)
    each = (peak() - before) / ROUNDS
    print(f"peak memory {peak() / 1e6:.2f} GB, {each:.1f} KB a round (at most {MEMORY_LIMIT})")
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


PARTS = {"read": bench_read, "replay": bench_replay}


def main() -> int:
    """Run one part, or each in a process of its own; 1 if a limit is not kept."""
    if len(sys.argv) > 1:
        return int(not PARTS[sys.argv[1]]())
    codes = [subprocess.run([sys.executable, __file__, part], check=False) for part in PARTS]
    return max(code.returncode for code in codes)


if __name__ == "__main__":
    sys.exit(main())
