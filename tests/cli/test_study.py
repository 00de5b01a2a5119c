"""``weitzman study``: the table of a study's rows, kept and gone on with; refusals in one line."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from weitzman.cli.main import app
from weitzman.lab.study.rows import read_rows
from weitzman.lab.study.study import Study

ROOT = Path(__file__).parents[2]
TEXT = """
rounds = 60
seeds = 3
feedbacks = ["opened"]
world = [{name = "signed"}, {name = "dear", world = "signed", cost = 3.0}]
searcher = [{name = "cpb"}, {name = "linear-regression"}]
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["study", *arguments], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_json_is_the_final_table(file: Path, tmp_path: Path) -> None:
    result = run(str(file), "--output", str(tmp_path / "out"), "--workers", "1", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    table = json.loads(result.stdout)
    assert [(r["world"], r["feedback"], r["searcher"], r["rounds"]) for r in table] == [
        (world, "opened", searcher, 60)
        for world in ("signed", "dear")
        for searcher in ("cpb", "linear-regression")
    ]
    rows = read_rows(tmp_path / "out")
    for row in table:
        ends = (rows["world"] == row["world"]) & (rows["searcher"] == row["searcher"])
        ends &= rows["round"] == 60
        regrets = rows["regret"][ends]
        assert regrets.size == row["seeds"] == 3
        assert row["regret_mean"] == pytest.approx(regrets.mean())
        assert row["regret_se"] == pytest.approx(np.std(regrets, ddof=1) / np.sqrt(3))
        assert row["opened"] == pytest.approx(rows["opened"][ends].mean() / 60)


def test_a_single_seed_has_no_error(file: Path, tmp_path: Path) -> None:
    file.write_text(TEXT.replace("seeds = 3", "seeds = [7]\nexpected = false"), encoding="utf-8")
    arguments = (str(file), "--output", str(tmp_path / "out"), "--workers", "1")
    (row, *_) = json.loads(run(*arguments, "--json").stdout)
    assert row["regret_se"] is row["expected_regret_mean"] is None
    assert " –" in run(*arguments).stdout


def test_the_table_is_for_people(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(str(file), "--workers", "1")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "world", "feedback", "searcher", "rounds", "regret", "expected", "opened"
    ]  # fmt: skip
    assert re.search(r"^signed +opened +cpb +60 +-?[\d.]+ ± [\d.]+ ", lines[1])
    # Without --output the directory has the name of the file
    assert lines[-1] == "All rows: mine/rows.parquet"
    assert (tmp_path / "mine" / "rows.parquet").exists()


def test_started_again_it_plays_nothing(file: Path, tmp_path: Path) -> None:
    arguments = (str(file), "--output", str(tmp_path / "out"), "--workers", "1")
    first = run(*arguments)
    written = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "runs").iterdir()}
    assert run(*arguments).stdout == first.stdout
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "runs").iterdir()} == written


def test_refusals_are_one_line_and_exit_2(file: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    assert run(str(file), "--output", out, "--workers", "1").exit_code == 0
    file.write_text(TEXT.replace("rounds = 60", "rounds = 61"), encoding="utf-8")
    other = run(str(file), "--output", out)
    assert (other.exit_code, other.stdout) == (2, "")
    assert other.stderr.strip().endswith("differs in these. Got ['rounds'].")
    file.write_text(TEXT + "round = 3", encoding="utf-8")
    slip = run(str(file), "--output", out)
    assert slip.exit_code == 2
    assert len(slip.stderr.strip().splitlines()) == 1
    assert "mine.toml: The keys of a study must be among" in slip.stderr
    assert run(str(tmp_path / "none.toml")).exit_code == 2
    assert run(str(file), "--workers", "0").exit_code == 2


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.name
)
def test_examples_can_be_run(example: Path) -> None:
    assert Study.from_toml(example).runs()
