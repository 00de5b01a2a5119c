"""``weitzman judge`` prints a table for people, rows for machines, and writes a report."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import weitzman as wz
from weitzman.cli.main import app

BASE = ["--cost", "price", "--policy", "all", "--policy", "single", "--workers", "1"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    lines = ["round,box,price,value,opened,chance"]
    for t in range(120):
        first, second = rng.exponential(size=2)
        drawn = rng.random() < 0.25
        lines.append(f"{t},a,0.2,{first:.4f},true,1")
        lines.append(f"{t},b,0.1,{second:.4f},true,0.25" if drawn else f"{t},b,0.1,,false,0.25")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_rows_are_those_of_python(log: Path) -> None:
    result = CliRunner().invoke(app, ["judge", str(log), *BASE, "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert rows == wz.judge(wz.read_log(log, cost="price"), ["all", "single"]).rows()
    assert rows[0]["rounds_explored"] > 10
    assert rows[0]["unidentified"] == 0.0


def test_the_table_and_the_price_of_more(log: Path) -> None:
    planned = [*BASE, "--plan-exploration", "0.05"]
    result = CliRunner().invoke(app, ["judge", str(log), *planned])
    assert result.exit_code == 0, result.output
    assert "120 rounds, compared with recorded." in result.stdout
    assert "share drawn" in result.stdout
    rows = json.loads(CliRunner().invoke(app, ["judge", str(log), *planned, "--json"]).stdout)
    by_name = {row["policy"]: row for row in rows}
    every = by_name["all"]
    assert every["explore_measured"] and 0.0 < every["explore_share"] < 1.0
    # Only box b is ever closed, and all needs it
    assert every["explore_whole"] == pytest.approx(0.1 * every["explore_rounds"])
    assert every["explore_prefix"] == pytest.approx(every["explore_whole"], rel=0.4)


def test_a_report_has_a_page_pictures_and_rows(log: Path, tmp_path: Path) -> None:
    place = tmp_path / "report"
    given = ["judge", str(log), *BASE, "--plan-exploration", "0.05", "--output", str(place)]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    pictures = {file.name for file in (place / "figures").iterdir()}
    assert pictures == {"estimates.png", "coverage.png", "weights.png"}
    assert len(json.loads((place / "rows.json").read_text())) == 2
    page = (place / "index.html").read_text(encoding="utf-8")
    for text in ("What the log knows", "Which rounds decide", "What exploration would cost"):
        assert text in page


def test_a_log_that_says_no_chances_has_bounds(log: Path, tmp_path: Path) -> None:
    place = tmp_path / "bounded"
    text = log.read_text().replace("chance", "x_other")
    bare = tmp_path / "bare.csv"
    bare.write_text(text)
    given = ["judge", str(bare), *BASE, "--features", "price", "--output", str(place), "--json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    every = json.loads(result.stdout)[0]
    assert every["ips"] is None and every["naive"] is not None
    assert every["low"] < every["high"]
    assert {file.name for file in (place / "figures").iterdir()} == {"coverage.png"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--policy", "nobody"], "The name of a policy must be"),
        (
            ["--policy", "all", "--against", "single"],
            "What others are compared with must be one of",
        ),
        (["--policy", "all", "--learn", "2"], "The share of rounds to learn from must be"),
        (
            ["--policy", "all", "--plan-exploration", "0"],
            "The half-width must be a finite number > 0",
        ),
        (["--policy", "all", "--chance", "odds"], "the column of the chance must be one of"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_one_line(
    log: Path, options: list[str], text: str
) -> None:
    given = ["judge", str(log), "--cost", "price", "--workers", "1", *options]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 2
    assert text in result.output


def turned(log: Path) -> Path:
    """The same log, of a user for whom larger values are better."""
    head, *rows = log.read_text("utf-8").splitlines()
    cells = [row.split(",") for row in rows]
    turned = [[*c[:3], f"{-float(c[3])}" if c[3] else "", *c[4:]] for c in cells]
    path = log.with_name("turned.csv")
    path.write_text("\n".join([head, *map(",".join, turned)]), encoding="utf-8")
    return path


def test_where_larger_is_better_totals_are_those_of_the_user(log: Path, tmp_path: Path) -> None:
    given = [*BASE, "--independent", "--json"]
    rows = json.loads(CliRunner().invoke(app, ["judge", str(log), *given]).stdout)
    same = ["judge", str(turned(log)), *BASE, "--sense", "max"]
    other = json.loads(CliRunner().invoke(app, [*same, "--independent", "--json"]).stdout)
    assert rows[0]["doubly_robust"] > 0.0
    ends = {"low": "high", "difference_low": "difference_high"}
    ends |= {high: low for low, high in ends.items()}
    same_sign = ("certain", "explored", "unidentified", "rounds_explored", "largest_weight")
    for mine, theirs in zip(rows, other, strict=True):
        for name, value in mine.items():
            keeps = name in same_sign or name.endswith("_se") or not isinstance(value, float)
            keeps = keeps or name == "correlation"
            assert theirs[ends.get(name, name)] == (value if keeps else -value), name
    place = tmp_path / "report"
    told = CliRunner().invoke(app, [*same, "--unit", "€", "--output", str(place)])
    assert told.exit_code == 0, told.output
    recorded = float(np.mean(_recorded(log)))
    assert f"Recorded: −€{recorded:.4g} per round" in told.stdout
    assert "a total is the value that is kept less the costs, and more is better" in " ".join(
        told.stdout.split()
    )
    assert "Per round, in €" in (place / "index.html").read_text("utf-8")
    refused = CliRunner().invoke(app, [*same, "--least", "0"])
    assert refused.exit_code == 2
    assert "most= is the best possible value" in refused.stderr


def _recorded(log: Path) -> list[float]:
    """What was done without draws: box a was opened, and kept."""
    rows = [row.split(",") for row in log.read_text("utf-8").splitlines()[1:]]
    return [float(row[3]) + 0.2 for row in rows if row[1] == "a"]
