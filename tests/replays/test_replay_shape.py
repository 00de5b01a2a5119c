"""A replay of a long log: a late round takes about as long as an early one, and memory follows the log."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from weitzman.learn.policies.portfolio.portfolio import default_policy
from weitzman.logs.log import Log, read_log
from weitzman.replays.lineup import lineup_of
from weitzman.replays.replay import Play, replay

EARLY, LATE = 2_000, 20_000
STATUS = Path("/proc/self/statm")


def a_long_log(rounds: int, boxes: int = 4, features: int = 5) -> Log:
    rng = np.random.default_rng(0)
    t, box = (place.ravel() for place in np.indices((rounds, boxes)))
    x = rng.normal(size=(t.size, features))
    columns = {"round": t, "box": box.astype(str), "cost": rng.uniform(0.05, 0.3, t.size)}
    columns |= {"value": x[:, 0] * (box + 1) + rng.normal(size=t.size)}
    columns |= {f"x_{k}": x[:, k] for k in range(features)}
    return read_log(pa.table(columns), shared=False)


def resident() -> float:
    """Return the memory of the process, in bytes."""
    return 4096.0 * int(STATUS.read_text().split()[1])


def measured() -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    """Return the number of parts of a replay, and time and memory after each of their rounds."""
    log = a_long_log(LATE)
    policies = [default_policy(trees=False)]
    parts = len(Play(log=log, lineup=lineup_of(policies, shared=False)).parts())
    times, memory = np.empty(parts * LATE + 1), np.empty(parts * LATE + 1)
    # What is compiled and loaded stays in memory, and has nothing to do with the log
    replay(a_long_log(EARLY // 10), policies)

    def progress(done: int, _: int) -> None:
        times[done] = time.process_time()
        if done % 1000 == 0:
            memory[done] = resident()

    replay(log, policies, progress=progress)
    return parts, times, memory


@pytest.mark.skipif(not STATUS.exists(), reason="memory is read as Linux tells it")
def test_a_late_round_takes_as_long_as_an_early_one_and_memory_follows_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEITZMAN_COMPILE", "first")
    # In a process of its own: what other tests have left to the allocator is no part of it
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        parts, times, memory = alone.submit(measured).result()
    log = a_long_log(1)
    row = log.contexts[0].nbytes + log.costs[0].nbytes + log.values[0].nbytes
    for begin in range(0, parts * LATE, LATE):
        each = np.diff(times[begin : begin + LATE + 1])
        # Medians: refits and longer arrays come seldom
        early, late = np.median(each[EARLY - 1000 : EARLY]), np.median(each[LATE - 1000 : LATE])
        assert late <= 2.5 * early
        # Beside the contexts a round leaves the totals of all candidates
        grown = memory[begin + LATE] - memory[begin + EARLY]
        assert grown / (LATE - EARLY) <= 8.0 * row + 1000.0
