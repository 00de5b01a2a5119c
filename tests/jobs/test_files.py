"""Finished work is whole or not there, held by one process at a time, and cleared when all is done."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from weitzman.errors import WeitzmanError
from weitzman.jobs.files import Finished, whole_file

HOLD = """
import sys
from pathlib import Path
from weitzman.jobs.files import Finished
with Finished(Path(sys.argv[1]), suffix=".npz"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def kept(tmp_path: Path) -> Finished:
    return Finished(tmp_path / "parts", suffix=".npz")


def test_arrays_come_back_and_what_is_damaged_does_not(kept: Finished) -> None:
    kept.save_arrays("a", {"x": np.arange(3.0), "names": np.array(["b", "c"])})
    kept.save_arrays("b", {"x": np.arange(3.0)})
    found = kept.load_arrays("a")
    assert found is not None
    assert found["x"].tolist() == [0.0, 1.0, 2.0]
    assert found["names"].tolist() == ["b", "c"]
    kept.file("b").write_bytes(kept.file("b").read_bytes()[:-30])
    assert kept.load_arrays("b") is None
    assert kept.load_arrays("c") is None
    assert kept.keys() == {"a", "b"}


def test_a_file_whose_writing_fails_is_not_there_and_is_cleared_away(kept: Finished) -> None:
    kept.save_arrays("a", {"x": np.zeros(1)})
    before = kept.file("a").read_bytes()
    with pytest.raises(KeyboardInterrupt), whole_file(kept.file("a")) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert kept.file("a").read_bytes() == before
    assert len(list(kept.directory.iterdir())) == 2
    with kept:
        assert {file.name for file in kept.directory.iterdir()} == {"a.npz", "lock"}


def test_another_process_is_refused_until_the_first_has_ended_however_it_ends(
    kept: Finished,
) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(kept.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert first.stdout is not None
    assert first.stdin is not None
    assert first.stdout.readline() == b"held\n"
    with pytest.raises(WeitzmanError, match="Another process runs in"), kept:
        pass
    first.kill()
    first.wait()
    first.stdout.close()
    first.stdin.close()
    with kept:
        pass


def test_a_lock_that_was_cleared_away_meanwhile_holds_nothing(
    kept: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    samestat = os.path.samestat

    def cleared(one: os.stat_result, two: os.stat_result) -> bool:
        kept.lock.unlink()
        kept.lock.touch()
        return samestat(one, kept.lock.stat())

    monkeypatch.setattr("os.path.samestat", cleared)
    with pytest.raises(WeitzmanError, match="Another process runs in"), kept:
        pass


def test_clearing_takes_away_what_is_kept_and_nothing_else(kept: Finished) -> None:
    kept.clear()
    kept.save_arrays("a", {"x": np.zeros(1)})
    with kept:
        pass
    (kept.directory / "mine.txt").touch()
    kept.clear()
    assert [file.name for file in kept.directory.iterdir()] == ["mine.txt"]
    (kept.directory / "mine.txt").unlink()
    kept.clear()
    assert not kept.directory.exists()
