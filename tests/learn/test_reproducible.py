"""The same bits in other processes, on other CPU kernels and thread counts; a cache that holds."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.learn.learners.test_contract import LEARNERS
from tests.learn.test_searcher import bank_of
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.searcher import Searcher

PROGRAM = """
import numpy as np
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.parts.loop import play_rounds
from weitzman.learn.searcher import Searcher
rng = np.random.default_rng(0)
contexts, noise = rng.normal(size=(ROUNDS, 3, 5)), rng.exponential(size=(ROUNDS, 3))
searcher = Searcher(boxes=3, dimension=5, learner=FTRL(intercept=False), feedback="full")
searcher.play(contexts, [1.0, 0.5, 0.1], contexts.sum(axis=2) + noise)
print(searcher.digest(), sum(play_rounds.stats.cache_misses.values()))
"""


def digest(rounds: int, **settings: str) -> tuple[str, int]:
    program = PROGRAM.replace("ROUNDS", str(rounds))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    found, misses = done.stdout.split()
    return found, int(misses)


def compare(rounds: int) -> None:
    first, _ = digest(rounds)
    for settings in (
        {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        {"OPENBLAS_CORETYPE": "Prescott"},
        {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
    ):
        again, misses = digest(rounds, **settings)
        assert again == first
        assert misses == 0, "a second process compiles nothing"


def test_the_digest_does_not_depend_on_the_machine() -> None:
    compare(2_000)


@pytest.mark.slow
def test_the_digest_does_not_depend_on_the_machine_after_many_rounds() -> None:
    compare(100_000)


@pytest.mark.slow
def test_the_digest_does_not_depend_on_the_instructions_of_the_cpu(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cache = str(tmp_path_factory.mktemp("cache"))
    plain, _ = digest(20_000, NUMBA_CPU_NAME="generic", NUMBA_CACHE_DIR=cache)
    assert plain == digest(20_000)[0]


@pytest.mark.slow
@pytest.mark.parametrize("spec", LEARNERS.values(), ids=LEARNERS)
def test_many_rounds_with_features_of_all_sizes_stay_finite(spec: Learner) -> None:
    rng = np.random.default_rng(7)
    searcher = Searcher(boxes=1, dimension=5, learner=spec, feedback="full")
    bank = bank_of(searcher)
    assert isinstance(bank, Bank)
    sizes = 10.0 ** np.array([-6, -3, 0, 3, 6])
    # Only compiled learners are made for a million rounds
    rounds = 100_000 if isinstance(bank, CompiledBank) else 500
    for _ in range(10):
        contexts = rng.normal(size=(rounds, 1, 5)) * sizes
        values = (contexts / sizes).sum(axis=2) + rng.exponential(size=(rounds, 1))
        searcher.play(contexts, np.ones(1), values)
        assert np.isfinite(bank.predict(contexts[0], 1.0)).all()


@pytest.mark.slow
def test_a_window_has_constant_memory() -> None:
    rng = np.random.default_rng(7)
    searcher = Searcher(
        boxes=1, dimension=2, learner=FTRL(window=100, intercept=False), feedback="full"
    )
    sizes = []
    for _ in range(10):
        contexts = rng.normal(size=(1_000_000, 1, 2))
        values = contexts.sum(axis=2) + rng.exponential(size=(1_000_000, 1))
        searcher.play(contexts, np.ones(1), values)
        sizes.append(sum(array.nbytes for array in bank_of(searcher).state().values()))
    assert max(sizes) <= 1.2 * min(sizes)
