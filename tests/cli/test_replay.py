"""``weitzman replay`` prints a table for people and rows for machines."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from weitzman.cli.main import app


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["turn,box,seconds,value,x_a"]
    for t in range(25):
        for name in ("a", "b"):
            x = rng.normal()
            lines.append(f"{t},{name},0.2,{5 + x + rng.normal():.4f},{x:.4f}")
    lines.append("25,a,0.2,,0.5")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_rows_are_json(log: Path) -> None:
    command = ["replay", str(log), "--round", "turn", "--cost", "seconds", "--no-trees", "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    wanted = {
        "policy",
        "feedback",
        "cost_scale",
        "mean_total",
        "se",
        "boxes_opened",
        "default_saves",
        "default_saves_se",
    }
    assert all(set(row) == wanted for row in rows)
    assert {"default", "paper", "hindsight"} <= {row["policy"] for row in rows}


def test_the_table_says_what_default_comes_to_and_what_is_left_out(log: Path) -> None:
    command = ["replay", str(log), "--round", "turn", "--cost", "seconds", "--no-trees", "--named"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "default closes" in result.stdout
    assert "1 boxes without a value are left out of their rounds." in result.stdout
    assert "1 rounds without a value are left out." in result.stdout


def test_a_missing_column_is_told_in_one_line(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log)])
    assert result.exit_code == 2
    assert "the column of the round" in result.stderr
