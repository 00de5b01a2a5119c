"""How the compiled loops are loaded: from disk in a second process, and without what they do not need."""

import subprocess
import sys

FIRST_PREDICTION = """
import sys
import weitzman as wz

searcher = wz.Searcher(boxes=2, dimension=1, learner=wz.FTRL(intercept=False))
searcher.reservation_values([[1.0], [2.0]], 1.0)
print("scipy.linalg" in sys.modules)

from weitzman.learn.learners.parts.kernels import predict_rows
print(sum(predict_rows.stats.cache_misses.values()))
"""

OTHER_CODE = """
import numba
import numpy as np
import weitzman as wz

wz.Searcher(boxes=1, dimension=1, learner=wz.FTRL(intercept=False)).reservation_values([[1.0]], 1.0)
half = numba.njit(lambda a: np.linalg.inv(np.dot(a, a)))(2.0 * np.eye(2))
print(half.tolist() == [[0.25, 0.0], [0.0, 0.25]])
"""


def lines(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_second_process_neither_compiles_nor_loads_a_linear_algebra_library() -> None:
    lines(FIRST_PREDICTION)
    assert lines(FIRST_PREDICTION) == ["False", "0"]


def test_linear_algebra_in_numba_still_works_for_others() -> None:
    assert lines(OTHER_CODE) == ["True"]
