"""Ten million rounds in one run: bounded memory, and a round at the end costs what one at the start does."""

import json
import subprocess
import sys

import pytest

ROUNDS = 10_000_000

RUN = f"""
import json, resource, time
import weitzman as wz
from weitzman.lab.study.evaluate import PIECE

world = wz.WORLDS["signed"]()
searcher = wz.Searcher(boxes=10, dimension=5, learner=wz.FTRL(window=1000, intercept=False))
times = []
for start in range(0, {ROUNDS}, PIECE):
    piece = world.draw(min(PIECE, {ROUNDS} - start), 0, start=start)
    begin = time.process_time()
    searcher.play(piece.contexts, piece.costs, piece.values)
    times.append((time.process_time() - begin) / len(piece))
first = 100_000 // PIECE
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{
    "rounds": searcher.rounds,
    "early": sorted(times[first : first + 21])[10],
    "late": sorted(times[-21:])[10],
    "gigabytes": peak / 2**20,
}}))
"""


@pytest.mark.slow
def test_ten_million_rounds() -> None:
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["rounds"] == ROUNDS
    assert found["late"] <= 2.0 * found["early"]
    assert found["gigabytes"] <= 4.0
