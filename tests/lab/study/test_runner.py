"""Running studies: the same bytes from any number of workers, and after any kind of end."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from tests.lab.small import Moody, digest, parts, small_study, wait_for
from weitzman.lab.study.contender import Contender
from weitzman.lab.study.evaluate import evaluate
from weitzman.lab.study.rows import table_of
from weitzman.lab.study.runner import Task, claimed, play_task, run
from weitzman.lab.study.study import Study


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, run in this process without a stop."""
    directory = tmp_path_factory.mktemp("whole")
    run(small_study(), directory, workers=1)
    return directory


def test_rows_are_those_of_evaluate_in_the_order_of_the_study(whole: Path) -> None:
    study = small_study()
    rows = [
        row
        for r in study.runs()
        for row in evaluate({r.name: r.contender}, r.world, r.rounds, r.seed)
    ]
    table = run(study, whole, workers=1)
    for name, column in table_of(rows).items():
        np.testing.assert_array_equal(table[name], column)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_workers_changes_no_byte(whole: Path, tmp_path: Path, workers: int) -> None:
    run(small_study(), tmp_path, workers=workers)
    assert digest(tmp_path) == digest(whole)
    assert set(parts(tmp_path)) == set(parts(whole))


def test_the_directory_tells_what_it_holds(whole: Path) -> None:
    content = json.loads((whole / "study.json").read_text(encoding="utf-8"))
    assert content["study"] == small_study().description()
    assert content["versions"]["numpy"] == np.__version__
    assert content["machine"]["cores"] == os.cpu_count()


def test_only_what_is_missing_is_played(tmp_path: Path) -> None:
    study = small_study(rounds=60, seeds=2)
    run(study, tmp_path, workers=1)
    before, rows = parts(tmp_path), digest(tmp_path)
    gone = sorted(before)[::3]
    for name in gone:
        (tmp_path / "runs" / name).unlink()
    (tmp_path / "rows.parquet").unlink()
    (tmp_path / "runs" / ".begun.parquet.1.tmp").write_bytes(b"half")
    run(study, tmp_path, workers=1)
    after = parts(tmp_path)
    assert digest(tmp_path) == rows
    assert {name for name in after if after[name] != before[name]} == set(gone)
    assert not list((tmp_path / "runs").glob(".*"))


def test_a_damaged_part_is_told_by_name(tmp_path: Path) -> None:
    study = small_study(rounds=60, seeds=1)
    run(study, tmp_path, workers=1)
    part = tmp_path / "runs" / sorted(parts(tmp_path))[0]
    part.write_bytes(part.read_bytes()[:200])
    with pytest.raises(wz.InvalidFileError, match=part.name):
        run(study, tmp_path, workers=1)


def test_the_directory_of_another_study_is_refused(whole: Path) -> None:
    before = digest(whole)
    with pytest.raises(wz.InvalidInputError, match=r"belong to this study.*Got \['seeds'\]"):
        run(replace(small_study(), seeds=(0,)), whole, workers=1)
    assert digest(whole) == before


def test_a_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(wz.InvalidInputError, match="must be writable"):
        run(small_study(), tmp_path / "file", workers=1)


def test_one_process_at_a_time(whole: Path) -> None:
    study = small_study()
    with claimed(whole, study), pytest.raises(wz.WeitzmanError, match="Another process runs"):
        run(study, whole, workers=1)
    run(study, whole, workers=1)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_fails_is_told_and_finished_ones_are_kept(tmp_path: Path, workers: int) -> None:
    study = Study(
        worlds={"moody": Moody()}, contenders={"x": Contender()}, seeds=range(6), rounds=(60,)
    )
    with pytest.raises(wz.InvalidInputError, match=r"moody world must be another\. Got 2"):
        run(study, tmp_path, workers=workers)
    kept = parts(tmp_path)
    assert 0 < len(kept) <= 10
    table = run(replace(study, seeds=(0, 1)), tmp_path / "good", workers=1)
    assert set(table["seed"].tolist()) == {0, 1}


def test_a_worker_of_another_version_refuses() -> None:
    first = small_study().runs()[0]
    with pytest.raises(wz.WeitzmanError, match="another version of weitzman"):
        play_task(Task((first,), ("the key that another version gives",)))


def test_a_killed_worker_is_replaced(whole: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run, small_study(), tmp_path, workers=2)
        wait_for(lambda: running.done() or len(parts(tmp_path)) >= 4)
        assert not running.done(), "it was over before a worker could be killed"
        victim = multiprocessing.active_children()[0].pid
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
        running.result(timeout=120)
    assert digest(tmp_path) == digest(whole)


def test_after_kill_9_it_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    code = (
        "from tests.lab.small import small_study\n"
        "from weitzman.lab.study.runner import run\n"
        f"if __name__ == '__main__': run(small_study(), {str(tmp_path)!r}, workers=2)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    root = Path(__file__).parents[3]
    # The package of this tree, wherever another one is installed from
    path = os.pathsep.join((str(root), str(root / "src")))
    process = subprocess.Popen(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": path}
    )
    wait_for(lambda: process.poll() is not None or len(parts(tmp_path)) >= 6)
    children = _children(process.pid)
    process.kill()
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it was over before it could be killed"
    assert len(children) >= 2
    wait_for(lambda: not any(_alive(pid) for pid in children), 30.0)
    before = parts(tmp_path)
    assert 0 < len(before) < len(parts(whole))
    run(small_study(), tmp_path, workers=2)
    after = parts(tmp_path)
    assert digest(tmp_path) == digest(whole)
    assert {name: after[name] for name in before} == before


def _children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
