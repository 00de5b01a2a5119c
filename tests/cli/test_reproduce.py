"""``weitzman reproduce``."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weitzman.cli.main import app
from weitzman.lab.paper.reproduce import Extent
from weitzman.lab.study.runner import run

KEYS = {"world", "feedback", "searcher", "rounds", "regret_mean", "regret_se"}


def test_quick(tmp_path: Path) -> None:
    arguments = ["reproduce", "--quick", "--output", str(tmp_path), "--workers", "1"]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == f"Report: {tmp_path / 'index.html'}"
    parts = sorted((tmp_path / "studies").rglob("runs/*.parquet"))
    assert len(parts) == 3 * (3 * 4 * 4 + 2 * 2 * 2 + 3 * 3 * 2)
    before = [part.stat().st_mtime_ns for part in parts]
    rows = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    # Nothing is run twice
    assert [part.stat().st_mtime_ns for part in parts] == before
    assert len(rows) == 36
    assert all(set(row) >= KEYS for row in rows)
    assert {row["searcher"] for row in rows} == {
        "cpb", "cpb-theorem", "cpb-tuned", "linear-regression",
    }  # fmt: skip
    assert {row["rounds"] for row in rows} == {100}


def test_a_place_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("", encoding="utf-8")
    result = CliRunner().invoke(app, ["reproduce", "--output", str(tmp_path / "report")])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "must be writable. Got" in result.stderr


def test_the_directory_of_another_extent_is_refused(tmp_path: Path) -> None:
    tiny = Extent(rounds=5, seeds=2).studies()["experiment"]
    run(tiny, tmp_path / "studies" / "experiment", workers=1, progress=False)
    result = CliRunner().invoke(app, ["reproduce", "--quick", "--output", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "and not to one that differs in these. Got ['rounds', 'seeds']" in result.stderr


@pytest.mark.slow
def test_the_whole_takes_less_than_a_minute(tmp_path: Path) -> None:
    """On two idle cores, after set-up: the machine code is on disk."""
    command = [str(Path(sys.executable).with_name("weitzman")), "reproduce"]
    warm = [*command, "--quick", "--output", str(tmp_path / "warm")]
    subprocess.run(warm, check=True, capture_output=True)
    begun = time.perf_counter()
    whole = [*command, "--json", "--output", str(tmp_path / "report")]
    done = subprocess.run(whole, check=True, capture_output=True)
    assert time.perf_counter() - begun < 60.0
    assert len(json.loads(done.stdout)) == 36
