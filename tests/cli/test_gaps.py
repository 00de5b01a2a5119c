"""``weitzman replay`` on a log with gaps judges by what the log shows, and says so."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import weitzman as wz
from weitzman.cli.main import app
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.report.findings import find


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three boxes: ``near`` is always opened, ``web`` if it is above 10, and all in a third of the rounds."""
    rng = np.random.default_rng(0)
    lines = ["round,box,cost,value,outside,opened,chance"]
    for t in range(300):
        market = rng.exponential(4.0)
        values = {"near": 6.0, "web": 6.0, "far": 1.0}
        values = {name: base + market + rng.exponential(2.0) for name, base in values.items()}
        plain = {"near"} | ({"web"} if values["near"] > 10.0 else set())
        drawn = rng.random() < 0.3
        for name, cost in (("near", 0.2), ("web", 0.3), ("far", 0.4)):
            opened = name in plain or drawn
            value = f"{values[name]:.4f}" if opened else ""
            chance = 1.0 if name in plain else 0.3
            lines.append(f"{t},{name},{cost},{value},40,{int(opened)},{chance}")
    path = tmp_path / "offers.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_policies_are_judged_and_not_replayed(log: Path, tmp_path: Path) -> None:
    command = ["replay", str(log), "--policy", "single", "--workers", "1"]
    said = CliRunner().invoke(app, command)
    assert said.exit_code == 0, said.output
    assert said.stdout.startswith("Nobody looked for ")
    assert "better than recorded: it saves" in said.stdout
    place, saved = tmp_path / "report", tmp_path / "single.wz"
    shown = CliRunner().invoke(
        app, [*command, "--json", "--output", str(place), "--save", str(saved)]
    )
    assert shown.exit_code == 0, shown.output
    found = json.loads(shown.stdout)
    assert found["answer"]["judged"] is True
    past = wz.read_log(log)
    names = list(dict.fromkeys(row["policy"] for row in found["policies"]))
    assert names[0] == "single" and "FTRL" in names
    for row in wz.judge(past, names).rows():
        assert {**row, "cost_scale": 1.0} in found["policies"]
    assert (place / "index.html").exists()
    assert isinstance(wz.load(saved), wz.Searcher)
    told = CliRunner().invoke(app, [*command, "--save", str(saved)]).stdout.splitlines()[-1]
    assert told.startswith("Saved: ")
    assert told.endswith(f"={saved}")
    size = f"{saved.stat().st_size / 1000:.0f} kB"
    assert f"({size}). To try it: weitzman serve --problem offers=" in told


def test_python_says_that_totals_of_a_log_with_gaps_are_no_answer(log: Path) -> None:
    past = wz.read_log(log)
    played = wz.replay(past, ["single"])
    hidden = int(np.isnan(past.values).sum())
    assert played.gaps == hidden > 0
    assert repr(played).startswith(f"Nobody looked for {hidden:,} values")
    cases = play_cases(past, [Case()], policies=["single"], workers=1, progress=False)
    with pytest.raises(wz.InvalidInputError, match=r"wz\.judge is for logs with gaps"):
        find(past, cases)


def test_a_value_that_did_not_come_and_a_round_without_values_are_no_gaps(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = ["round,box,cost,value,opened", "0,a,1,,1", "0,b,1,4,1", "1,a,1,3,1", "1,b,1,5,1"]
    path.write_text("\n".join([*rows, "2,a,1,,0", "2,b,1,,0"]), encoding="utf-8")
    played = wz.replay(wz.read_log(path), ["all"])
    assert played.unknown == 3 and played.gaps == 0
    assert "no answer" not in repr(played) and not repr(played).startswith("Nobody")


@pytest.mark.parametrize(("missing", "gaps"), [(2, 0), (3, 3)])
def test_where_nobody_says_what_was_opened_a_few_missing_values_did_not_come(
    tmp_path: Path, missing: int, gaps: int
) -> None:
    rows = [
        f"{t},{name},1,{'' if t < missing and name == 'b' else t}"
        for t in range(20)
        for name in "ab"
    ]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["round,box,cost,value", *rows]), encoding="utf-8")
    assert wz.replay(wz.read_log(path), ["all"]).gaps == gaps


def test_where_larger_is_better_rules_are_judged_by_turned_signs(log: Path) -> None:
    small = wz.read_log(log)
    text = log.read_text(encoding="utf-8").splitlines()
    turned = [text[0]]
    for line in text[1:]:
        cells = line.split(",")
        cells[3], cells[4] = (f"-{x}" if x else "" for x in cells[3:5])
        turned.append(",".join(cells))
    path = log.with_name("large.csv")
    path.write_text("\n".join(turned), encoding="utf-8")
    large = wz.judge(wz.read_log(path, sense="max"), ["single", "no-context"])
    least = wz.judge(small, ["single", "no-context"])
    for name in ("single", "no-context"):
        np.testing.assert_array_equal(large.of(name).trace.totals, least.of(name).trace.totals)
    assert "more is better" in repr(large)
    for mine, theirs in zip(large.rows(), least.rows(), strict=True):
        assert mine["low"] == -float(theirs["high"] or 0.0)
