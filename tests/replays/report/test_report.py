"""The report of a replay: its files, its words, its pictures."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import weitzman as wz
from tests.replays.logs import log_of, normal_log
from weitzman.logs.log import Log
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.report.charts import calibration_charts
from weitzman.replays.report.findings import Findings, find
from weitzman.replays.report.report import (
    PARTS,
    check_place,
    placed,
    replay_page,
    write_replay_report,
)
from weitzman.replays.report.words import (
    calibration_table,
    calibration_words,
    correlation_words,
    cost_words,
    scale_table,
    telling_words,
)

CASES = [Case(feedback=f) for f in ("full", "opened")] + [Case(twin="together"), Case(twin="apart")]


def findings_of(log: Log) -> Findings:
    return find(log, play_cases(log, CASES, promises=1.0, trees=False, workers=1, progress=False))


@pytest.fixture(scope="module")
def found() -> Findings:
    log = normal_log(0.6, rounds=150, boxes=4)
    opened = np.zeros(log.values.shape, dtype=np.bool_)
    opened[:, :2] = True
    own = log_of(log.values, log.costs, {"x_a": log.contexts[:, :, 0]}, opened=opened)
    return findings_of(own)


def test_files(found: Findings, tmp_path: Path) -> None:
    write_replay_report(tmp_path / "report", found)
    names = {str(p.relative_to(tmp_path / "report")) for p in (tmp_path / "report").rglob("*.*")}
    assert names == {
        "index.html", "rows.json", "rows.parquet", "rounds.parquet", "findings.json",
        *(f"figures/{name}.png" for name in (
            "totals", "saved", "opened", "savings-full", "savings-opened", "followed-full",
            "followed-opened", "calibration", "calibration-boxes", "correlation", "twins",
            "cost-shares", "features",
        )),
    }  # fmt: skip
    rows = json.loads((tmp_path / "report/rows.json").read_text("utf-8"))
    assert pyarrow.parquet.read_table(tmp_path / "report/rows.parquet").to_pylist() == rows
    rounds = pyarrow.parquet.read_table(tmp_path / "report/rounds.parquet").to_pandas()
    means = rounds.groupby(["policy", "feedback"], observed=True)["total"].mean()
    for row in rows:
        assert means[(row["policy"], row["feedback"])] == pytest.approx(row["mean_total"])
    told = json.loads((tmp_path / "report/findings.json").read_text("utf-8"))
    assert told["answer"] == found.answer.as_json()
    assert told["recommendation"]["lines"] == list(found.advice.lines)
    assert told["correlation"]["moves_together"] is True
    # Written over by the same command, and not by another
    check_place(tmp_path / "report")
    with pytest.raises(wz.InvalidInputError, match="be empty or hold an earlier report"):
        check_place(tmp_path)


def test_work_that_is_interrupted_leaves_no_directory(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), placed(tmp_path / "report"):
        assert (tmp_path / "report/figures").is_dir()
        raise KeyboardInterrupt
    assert not (tmp_path / "report").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(KeyboardInterrupt), placed(tmp_path / "mine"):
        raise KeyboardInterrupt
    assert (tmp_path / "mine").is_dir()


def test_finished_parts_stay_until_the_report_is_written(found: Findings, tmp_path: Path) -> None:
    place = tmp_path / "report"
    with pytest.raises(KeyboardInterrupt), placed(place):
        assert (place / PARTS).is_dir()
        (place / PARTS / "a.npz").touch()
        raise KeyboardInterrupt
    with placed(place):
        assert (place / PARTS / "a.npz").exists()
    write_replay_report(place, found)
    assert not (place / PARTS).exists()


def test_the_page_stands_alone_and_says_it_all(found: Findings) -> None:
    page = replay_page(found)
    for sentence in found.answer.sentences:
        assert sentence.replace("'", "&#39;") in page
    assert all(f"<b>check {step.box}</b>" in page for c in found.answer.courses for step in c.steps)
    assert "Warning: the boxes of a round are not independent." in page
    assert "recorded" in page
    before, _, _ = page.partition("<script>/**")
    assert "http://" not in before.replace("http://www.w3.org", "")
    assert "src=" not in before


def test_independent_boxes_are_not_warned_of() -> None:
    words = " ".join(correlation_words(findings_of(normal_log(0.0, rounds=150, boxes=4))))
    assert "No sign against the paper" in words
    assert "with residuals moved apart" in words
    assert "Do not compare that with a twin" in words


def test_words_about_costs_and_features(found: Findings) -> None:
    # Costs are 0.2, spreads 1, 1.25, 1.5 and 1.75: 15 % in the middle
    assert cost_words(found)[0].startswith("A look costs 1")
    assert "promises nothing for this log" in cost_words(found)[0]
    assert "a linear regression explains" in telling_words(found)[0]


def test_boxes_without_history_and_a_log_without_features() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 3))
    log = log_of(values, np.full(values.shape, 0.1), shared=True)
    found = findings_of(log)
    assert found.telling is None
    page = replay_page(found)
    assert "The log has no features" in page
    assert "one model for all of them" in page


def test_a_promise_is_shown_with_the_range_it_is_judged_by(found: Findings) -> None:
    table = calibration_table(found)
    for one, row in zip(found.calibrations, table.rows, strict=True):
        low, high = (float(x) for x in row["± three s.e."].split(" to "))
        assert low == pytest.approx(one.ratio - 3.0 * one.error, abs=0.006)
        assert high == pytest.approx(one.ratio + 3.0 * one.error, abs=0.006)
        assert row["has 1"] == ("yes" if one.holds else "no")


def test_several_scales_have_a_table(found: Findings) -> None:
    assert scale_table(found) is None
    cases = [Case(cost_scale=x) for x in (1.0, 0.25, 4.0)]
    log = normal_log(0.0, rounds=30, boxes=2)
    several = find(log, play_cases(log, cases, trees=False, workers=1, progress=False))
    table = scale_table(several)
    assert table is not None
    assert [row["costs"] for row in table.rows] == ["× 0.25", "× 1", "× 4"]
    assert several.scale == 1.0
    assert "Cheaper and more expensive looks" in replay_page(several)


@pytest.mark.parametrize(("rounds", "boxes"), [(1, 1), (1, 3), (3, 2)])
def test_the_smallest_logs_and_free_looks(rounds: int, boxes: int, tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(rounds, boxes))
    log = log_of(values, np.zeros(values.shape), {"x_a": values[::-1]})
    write_replay_report(tmp_path / "report", findings_of(log))
    assert (tmp_path / "report/index.html").stat().st_size > 10_000


def test_where_larger_is_better_everything_is_in_the_sense_of_the_user(
    found: Findings, tmp_path: Path
) -> None:
    log = replace(found.log, sense="max")
    turned = findings_of(log)
    assert "the mean of (v − σ)⁺" in calibration_words(turned)[0]
    assert "σ is too high and the box is opened too early" in calibration_words(turned)[0]
    for mine, theirs in zip(
        calibration_table(found).rows, calibration_table(turned).rows, strict=True
    ):
        assert theirs["found / promised"] == mine["found / promised"]
        shift, turned_shift = (
            float(str(row["σ too high by"]).replace("−", "-")) for row in (mine, theirs)
        )
        assert turned_shift == -shift
    before, after = (calibration_charts(f)[0].series for f in (found, turned))
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one.x, -other.x)
    write_replay_report(tmp_path / "report", turned)
    rounds = pyarrow.parquet.read_table(tmp_path / "report/rounds.parquet").to_pandas()
    means = rounds.groupby(["policy", "feedback"], observed=True)["total"].mean()
    for row in turned.rows:
        assert means[(row["policy"], row["feedback"])] == pytest.approx(row["mean_total"])
