"""``weitzman replay`` prints a table for people, rows for machines, and writes a report."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import weitzman as wz
from weitzman.cli.main import app

MAPPED = ["--round", "turn", "--cost", "seconds", "--no-trees", "--workers", "1"]
KEYS = {
    "policy",
    "feedback",
    "cost_scale",
    "mean_total",
    "se",
    "boxes_opened",
    "default_saves",
    "default_saves_se",
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["turn,box,seconds,value,x_a,seen"]
    for t in range(25):
        for name in ("a", "b"):
            x = rng.normal()
            lines.append(f"{t},{name},0.2,{5 + x + rng.normal():.4f},{x:.4f},1")
    lines.append("25,a,0.2,,0.5,0")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rows_of(output: str) -> Any:
    return json.loads(output)["policies"]


def test_rows_are_json(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--json"])
    assert result.exit_code == 0, result.output
    rows = rows_of(result.stdout)
    assert all(set(row) == KEYS for row in rows)
    assert all(isinstance(row[k], float) for row in rows for k in KEYS - {"policy", "feedback"})
    for feedback in ("full", "opened"):
        shown = [row["policy"] for row in rows if row["feedback"] == feedback]
        assert shown == [
            "all", "cheapest", "single", "fixed-set", "one-shot", "mean", "mean+cost", "no-context",
            "FTRL", "default", "hindsight",
        ]  # fmt: skip
    by_name = {row["policy"]: row for row in rows if row["feedback"] == "full"}
    saved = by_name["all"]["mean_total"] - by_name["default"]["mean_total"]
    assert by_name["all"]["default_saves"] == pytest.approx(saved)


def test_scales_and_what_was_recorded(log: Path) -> None:
    command = ["replay", str(log), *MAPPED, "--feedback", "full", "--cost-scale", "0.25,1,4"]
    result = CliRunner().invoke(app, [*command, "--opened", "seen", "--json"])
    rows = rows_of(result.stdout)
    assert {row["feedback"] for row in rows} == {"full"}
    assert list(dict.fromkeys(row["cost_scale"] for row in rows)) == [1.0, 0.25, 4.0]
    recorded = [row for row in rows if row["policy"] == "recorded"]
    everything = [row for row in rows if row["policy"] == "all"]
    tables = CliRunner().invoke(app, command).stdout.splitlines()
    shown = [line for line in tables if line.startswith("full")]
    assert shown == ["full, costs × 0.25", "full", "full, costs × 4"]
    # Everything was opened at the time
    assert [r["mean_total"] for r in recorded] == [r["mean_total"] for r in everything]


def test_the_table_says_what_to_do_and_what_is_left_out(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--named"])
    assert result.exit_code == 0, result.output
    assert "default closes" in result.stdout
    assert result.stdout.startswith("Too few rounds to say: 25 rounds, and 30 are the least.")
    assert "of 9 other rules" in result.stdout
    assert "1 of 51 values are missing (2 %)" in result.stdout
    assert "26 rounds of 1 to 2 boxes (a model for each), 50 of 51 values known" in result.stderr
    assert result.stderr.splitlines()[0].endswith("features: x_a")
    assert "1 rounds without a value are left out." in result.stdout


def test_a_report_is_written_and_other_directories_are_left_alone(
    log: Path, tmp_path: Path
) -> None:
    place = tmp_path / "report"
    command = ["replay", str(log), *MAPPED, "--output", str(place)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-2] == f"Report: {place / 'index.html'}"
    assert {"index.html", "rows.json", "rows.parquet", "rounds.parquet", "findings.json"} <= {
        entry.name for entry in place.iterdir()
    }
    again = CliRunner().invoke(app, [*command, "--json"])
    told = json.loads(again.stdout)
    assert told["policies"] == json.loads((place / "rows.json").read_text("utf-8"))
    assert told["answer"] == json.loads((place / "findings.json").read_text("utf-8"))["answer"]
    other = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--output", str(tmp_path)])
    assert other.exit_code == 2
    assert "be empty or hold an earlier report" in other.stderr


def test_a_missing_column_names_the_option_that_maps_it(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log)])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert f"{log}: the column of the round" in result.stderr
    assert "--round COLUMN" in result.stderr


def test_a_bad_row_is_named_or_left_out(log: Path) -> None:
    log.write_text(log.read_text("utf-8") + "\n26,a,-1,3,0.5,0\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED])
    assert result.exit_code == 2
    assert f"{log}, row 52, column 'seconds': the cost must be" in result.stderr
    assert "--skip-bad" in result.stderr
    kept = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--skip-bad"])
    assert kept.exit_code == 0
    assert "1 bad rows are left out." in kept.stdout


@pytest.mark.parametrize("scales", ["0", "1,1", "x", "1,-2", "inf", ""])
def test_scales_that_are_none(log: Path, scales: str) -> None:
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--cost-scale", scales])
    assert result.exit_code == 2
    assert "The cost scales must be numbers > 0" in result.stderr


def test_features_that_nobody_chose_are_told(tmp_path: Path) -> None:
    lines = ["round,box,cost,value,weight", *(f"{t},a,0.1,{t % 3},{t % 5}" for t in range(8))]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    command = ["replay", str(path), "--no-trees", "--workers", "1", "--feedback", "full"]
    told = CliRunner().invoke(app, command).stderr.splitlines()[0]
    assert "features: weight (all columns without another role" in told
    chosen = CliRunner().invoke(app, [*command, "--features", "weight"]).stderr.splitlines()[0]
    assert chosen.endswith("features: weight")


def test_features_are_chosen(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--features", "nothing"])
    assert result.exit_code == 2
    assert "the column of a feature" in result.stderr
    assert "--features" in result.stderr
    assert "--skip-bad" not in result.stderr


def test_a_pipe_hears_that_something_is_compiled(log: Path, tmp_path: Path) -> None:
    """In a fresh process that finds no machine code on disk, of a small kernel alone."""
    code = (
        "import numba\n"
        "from weitzman.jobs.progress import told_of_compiling\n"
        "with told_of_compiling():\n"
        "    f = numba.njit(lambda x: x + 1)\n"
        "    f(1), f(1.0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stderr == "Compiling, once: about a minute.\n"


def test_policies_by_name(log: Path, tmp_path: Path) -> None:
    asked = ["Ridge", "linear fixed", "mean"]
    options = [word for name in asked for word in ("--policy", name)]
    command = ["replay", str(log), *MAPPED, *options]
    result = CliRunner().invoke(app, [*command, "--json"])
    assert result.exit_code == 0, result.output
    rows = rows_of(result.stdout)
    mine = {"Ridge_saves", "Ridge_saves_se"}
    assert all(set(row) == {k for k in KEYS if not k.startswith("default")} | mine for row in rows)
    for feedback in ("full", "opened"):
        shown = [row["policy"] for row in rows if row["feedback"] == feedback]
        assert set(asked) < set(shown)
        assert "default" not in shown
    place = tmp_path / "report"
    result = CliRunner().invoke(app, [*command, "--output", str(place)])
    assert result.exit_code == 0, result.output
    assert "\nRidge closes " in result.stdout
    assert "per round with Ridge over the log (learning included), instead of" in result.stdout
    page = (place / "index.html").read_text("utf-8")
    assert "What Ridge saves against each" in page
    assert "What Ridge followed" not in page
    assert "default" not in re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)


def test_a_policy_beside_the_default(log: Path) -> None:
    command = ["replay", str(log), *MAPPED, "--feedback", "full", "--json"]
    both = CliRunner().invoke(app, [*command, "--policy", "default", "--policy", "paper"])
    alone = CliRunner().invoke(app, command)
    rows, before = rows_of(both.stdout), rows_of(alone.stdout)
    assert [row for row in rows if row["policy"] != "paper"] == before
    assert sum(row["policy"] == "paper" for row in rows) == 1


def test_a_policy_that_is_none(log: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(log), *MAPPED, "--policy", "other"])
    assert result.exit_code == 2
    assert "The name of a policy must be 'default'; one of" in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_a_best_possible_value(log: Path) -> None:
    asked = ["replay", str(log), *MAPPED, "--feedback", "full", "--policy", "mean", "--json"]
    told = CliRunner().invoke(app, [*asked, "--least", "0"])
    assert told.exit_code == 0, told.output
    assert "no value below 0" in told.stderr
    wrong = CliRunner().invoke(app, [*asked, "--least", "7"])
    assert wrong.exit_code != 0


@pytest.fixture
def longer(tmp_path: Path) -> Path:
    """Two suppliers: one is right in most rounds and cheap, the other one always and expensive."""
    rng = np.random.default_rng(1)
    lines = ["round,box,cost,value,outside"]
    for t in range(60):
        right = rng.random() < 0.7
        lines += [f"{t},quick,0.5,{0 if right else 20},20", f"{t},sure,3,0,20"]
    path = tmp_path / "longer.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_answer_comes_first(longer: Path) -> None:
    command = ["replay", str(longer), "--feedback", "opened", "--no-trees", "--workers", "1"]
    result = CliRunner().invoke(app, [*command, "--unit", "$"])
    assert result.exit_code == 0, result.output
    first, numbers, verdict, empty, over, heading, *_ = result.stdout.splitlines()
    assert first.startswith("Check quick first (")
    assert " If it finds $0, stop; if not, check sure next. Stop after two checks" in first
    assert numbers.startswith("$") and " if every option is checked" in numbers
    assert verdict.endswith(".")
    assert empty == ""
    assert over.startswith("What was done with each option over the whole log, learning included.")
    assert over.endswith("in which it was checked, from 10 such rounds on:")
    assert heading.split("  ")[0] == "option"
    assert "\nHow it decides now, after the whole log:\n" in result.stdout
    assert "└─ check sure: costs $3.00; stop, whatever is found" in result.stdout
    told = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["answer"]
    assert told["options"][0]["name"] == "quick"
    assert told["typical_rounds"][0]["steps"][0]["enough"] == 0.0


def test_where_larger_values_are_better_nothing_is_turned_by_the_user(
    longer: Path, tmp_path: Path
) -> None:
    head, *rows = longer.read_text("utf-8").splitlines()
    cells = [row.split(",") for row in rows]
    turned = [
        ",".join([t, b, c, str(100 - float(v)), str(100 - float(o))]) for t, b, c, v, o in cells
    ]
    path = tmp_path / "turned.csv"
    path.write_text("\n".join([head, *turned]), encoding="utf-8")
    command = ["--feedback", "opened", "--no-trees", "--workers", "1", "--json"]
    less = json.loads(CliRunner().invoke(app, ["replay", str(longer), *command]).stdout)
    most = ["replay", str(path), *command, "--sense", "max", "--most", "100"]
    more = json.loads(CliRunner().invoke(app, most).stdout)
    for before, after in zip(less["policies"], more["policies"], strict=True):
        assert after["policy"] == before["policy"]
    assert more["answer"]["total"] > 90.0 > less["answer"]["total"]
    words = CliRunner().invoke(app, [*most[:-3], "--sense", "max"])
    assert "no value above" not in words.stderr
    assert " $" not in words.stdout
    refused = CliRunner().invoke(app, ["replay", str(path), "--sense", "max", "--least", "0"])
    assert refused.exit_code == 2
    assert "The setting 'least' must be left out where larger values are better" in refused.stderr


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_a_log_of_a_few_rounds_with_totals_below_zero(
    rounds: int, sense: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(rounds)
    rows = [f"{t},{b},0.1,{rng.normal():.3f}" for t in range(rounds) for b in "ab"]
    path, saved = tmp_path / "log.csv", tmp_path / "it.wz"
    path.write_text("\n".join(["round,box,cost,value", *rows]), encoding="utf-8")
    command = ["replay", str(path), "--no-trees", "--workers", "1", "--sense", sense]
    told = CliRunner().invoke(app, [*command, "--save", str(saved)])
    assert told.exit_code == 0, told.output
    said = "one round" if rounds == 1 else f"{rounds} rounds"
    lines = told.stdout.splitlines()
    assert lines[0].startswith(f"Too few rounds to say: {said}, and 30 are the least.")
    # No share of a total that may be 0 or less
    numbers = next(line for line in lines if " per round with " in line)
    assert "%" not in numbers
    assert ". To try it, as it is not settled whether it is better: weitzman serve" in lines[-1]
    assert wz.load(saved).rounds == rounds
