"""A study on a real Dask cluster of worker processes: the same bytes, though one is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import pytest

import weitzman as wz
from tests.lab.small import Moody, digest, parts, small_study, wait_for
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.runner import run
from weitzman.lab.study.study import Study

ROOT = str(Path(__file__).parents[2])
# Of the tree that is tested, whichever tree is installed
PATHS = os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])
DASK: Any = distributed


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with DASK.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        worker_dashboard_address=None,
        # Test worlds are imported by the workers
        env={"PYTHONPATH": PATHS},
    ) as local:
        yield local


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole")
    run(small_study(), directory, workers=1)
    return directory


def test_a_cluster_gives_the_same_rows(cluster: Any, whole: Path, tmp_path: Path) -> None:
    run(small_study(), tmp_path, scheduler=cluster.scheduler_address)
    assert digest(tmp_path) == digest(whole)


def test_a_killed_worker_loses_nothing(cluster: Any, whole: Path, tmp_path: Path) -> None:
    with DASK.Client(cluster.scheduler_address, set_as_default=False) as client:
        pids = client.run(os.getpid)
    assert len(set(pids.values())) == 2
    assert os.getpid() not in pids.values()
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run, small_study(), tmp_path, scheduler=cluster.scheduler_address)
        wait_for(lambda: running.done() or len(parts(tmp_path)) >= 4)
        assert not running.done(), "it was over before a worker could be killed"
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        running.result(timeout=120)
    assert digest(tmp_path) == digest(whole)


def test_what_a_cluster_began_one_machine_finishes(
    cluster: Any, whole: Path, tmp_path: Path
) -> None:
    study = small_study()
    run(study, tmp_path, scheduler=cluster.scheduler_address)
    before = parts(tmp_path)
    gone = sorted(before)[::2]
    for name in gone:
        (tmp_path / "runs" / name).unlink()
    run(study, tmp_path, workers=1)
    after = parts(tmp_path)
    assert digest(tmp_path) == digest(whole)
    assert {name for name in after if after[name] != before[name]} == set(gone)


def test_a_run_that_fails_is_told(cluster: Any, tmp_path: Path) -> None:
    study = Study(worlds={"moody": Moody()}, contenders={"x": Contender()}, rounds=(60,))
    with pytest.raises(wz.InvalidInputError, match=r"moody world must be another\. Got 2"):
        run(replace(study, seeds=(1, 2)), tmp_path, scheduler=cluster.scheduler_address)


def test_a_scheduler_that_does_not_answer_is_told(tmp_path: Path) -> None:
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(wz.InvalidInputError, match="scheduler must be the address of a Dask"):
            run(small_study(), tmp_path, scheduler=address)


def test_without_dask_the_extra_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from tests.lab.small import small_study\n"
        "from weitzman.lab.study.runner import run\n"
        f"try: run(small_study(), {str(tmp_path)!r}, scheduler='tcp://127.0.0.1:1')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": PATHS},
    )
    assert done.stdout.startswith("WeitzmanError A cluster needs Dask.")
    assert "pip install 'weitzman[cluster]'" in done.stdout
