"""Logs as others write them: there and back, read by Vowpal Wabbit where it is installed, and judged."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import weitzman as wz
from tests.replays.judgement.worlds import Fixed
from weitzman.cli.main import app
from weitzman.logs.formats.dsjson import read_dsjson, write_dsjson
from weitzman.logs.formats.open_bandit import read_open_bandit, write_open_bandit
from weitzman.logs.formats.single import read_single
from weitzman.logs.log import Log
from weitzman.search.rule import WeitzmanRule

NAMES = ["near", "web", "far"]
CHANCES = np.array([0.5, 0.3, 0.2])


def _table(rounds: int = 200, *, cost: float = 0.25, clicks: bool = False) -> Any:
    """Return single looks: a box drawn by its chance, a feature of the round and one of each box."""
    rng = np.random.default_rng(1)
    chosen = rng.choice(3, size=rounds, p=CHANCES)
    words, near = rng.normal(size=(rounds, 1)), rng.normal(size=(rounds, 3)).round(3)
    values = np.array([3.0, 2.0, 2.5]) + near + rng.normal(size=(rounds, 3))
    if clicks:
        values = (values < 2.0).astype(float)
    opened = chosen[:, None] == np.arange(3)
    values = np.where(opened, values, np.nan).ravel()
    return pa.table(
        {
            "round": np.repeat([f"r{t}" for t in range(rounds)], 3),
            "box": NAMES * rounds,
            "cost": np.full(3 * rounds, cost),
            "value": pa.array(values, mask=np.isnan(values)),
            "opened": opened.ravel(),
            "chance": np.tile(CHANCES, rounds),
            "x_words": np.repeat(words.round(3), 3),
            "x_near": near.ravel(),
        }
    )


def _log(**more: Any) -> Log:
    return wz.read_log(_table(**more), draws="one", shared=False)


def test_dsjson_there_and_back(tmp_path: Path) -> None:
    log, path = _log(), tmp_path / "looks.json"
    write_dsjson(log, path)
    back = wz.read_log(read_dsjson(path), draws="one", shared=False)
    assert back.features == log.features == ["x_words", "x_near"]
    # What was paid is one number there: the value with the look
    np.testing.assert_allclose(back.values, log.values + 0.25, rtol=1e-15)
    assert (back.costs == 0.0).all()
    for name in ("opened", "chances", "contexts"):
        np.testing.assert_array_equal(getattr(back, name), getattr(log, name), name)
    assert back.boxes == NAMES and list(back.rounds[:2]) == ["r0", "r1"]
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert first["a"][0] == first["_label_Action"] == first["_labelIndex"] + 1
    assert first["p"][0] == first["_label_probability"]
    assert sum(first["p"]) == pytest.approx(1.0)


def test_dsjson_as_its_makers_write_it(tmp_path: Path) -> None:
    decision = {
        "_label_cost": -1.0, "_label_probability": 0.8, "_label_Action": 2, "_labelIndex": 1,
        "Version": "1", "EventId": "first", "a": [2, 1], "p": [0.8, 0.2], "VWState": {"m": "N/A"},
        "c": {
            "User": {"age": 31, "place": "Ulm"},
            "_multi": [
                {"Item": {"price": 2.5, "tags": [1, 0]}},
                {"Item": [{"price": 3.5}, {"tags": [0, 1]}]},
            ],
        },
    }  # fmt: skip
    path = tmp_path / "events.json"
    lines = [decision, {"EventId": "no outcome", "c": {}}, {**decision, "EventId": "second"}]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    log = wz.read_log(read_dsjson(path, cost=0.5), draws="one")
    assert list(log.rounds) == ["first", "second"] and log.boxes == ["1", "2"]
    assert log.chances is not None and log.chances[0].tolist() == [0.2, 0.8]
    assert log.values[0, 1] == -1.0 and np.isnan(log.values[0, 0]) and log.costs[0, 0] == 0.5
    assert log.features == [
        "x_User_age", "x_User_place=Ulm", "x_Item_price", "x_Item_tags_0", "x_Item_tags_1",
    ]  # fmt: skip
    assert log.contexts[0, 1].tolist() == [31.0, 1.0, 3.5, 0.0, 1.0]


def test_vowpal_wabbit_reads_what_is_written(tmp_path: Path) -> None:
    vw = pytest.importorskip("vowpalwabbit", reason="Vowpal Wabbit is not installed")
    log, path = _log(), tmp_path / "looks.json"
    write_dsjson(log, path)
    workspace = vw.Workspace("--cb_explore_adf --dsjson --quiet")
    assert log.opened is not None and log.chances is not None
    for t, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        examples = workspace.parse(line)
        # The first is what the actions have in common
        assert len(examples) == 4
        labels = [_label(vw, one) for one in examples]
        chosen = int(log.opened[t].argmax())
        for k, label in enumerate(labels[1:]):
            assert bool(label) == (k == chosen)
        told = labels[1 + chosen]
        assert told is not None
        cost, probability = told
        assert cost == pytest.approx(log.values[t, chosen] + 0.25, rel=1e-6)
        assert probability == pytest.approx(log.chances[t, chosen], rel=1e-6)
        workspace.learn(examples)
        workspace.finish_example(examples)
    workspace.finish()


def _label(vw: Any, example: Any) -> tuple[float, float] | None:
    """Return the cost and the probability of an example that has a label."""
    label = vw.CBLabel.from_example(example)
    return (label.costs[0].cost, label.costs[0].probability) if label.costs else None


def test_open_bandit_there_and_back(tmp_path: Path) -> None:
    log, path = _log(cost=0.0, clicks=True), tmp_path / "clicks.csv"
    write_open_bandit(log, path)
    header = path.read_text(encoding="utf-8").splitlines()[0]
    assert header.replace('"', "").split(",") == [
        "item_id", "position", "click", "propensity_score", "user_feature_0",
        *(f"user-item_affinity_{k}" for k in range(3)),
    ]  # fmt: skip
    back = wz.read_log(read_open_bandit(path), draws="one", shared=False)
    np.testing.assert_array_equal(back.values, log.values)
    np.testing.assert_array_equal(back.opened, log.opened)
    assert back.boxes == ["0", "1", "2"]
    by_name = dict(zip(back.features, np.moveaxis(back.contexts, 2, 0), strict=True))
    np.testing.assert_array_equal(by_name["x_user_feature_0"], log.contexts[:, :, 0])
    np.testing.assert_array_equal(by_name["x_affinity"], log.contexts[:, :, 1])
    # Only the chance of what was shown is written
    assert back.chances is not None and log.chances is not None and log.opened is not None
    np.testing.assert_array_equal(back.chances[log.opened], log.chances[log.opened])
    assert np.isnan(back.chances[~log.opened]).all()


def test_items_drawn_evenly_have_the_same_chance() -> None:
    shown = pa.table(
        {"item_id": [0, 2, 1, 0], "click": [1, 0, 0, 1], "propensity_score": [1 / 3] * 4}
    )
    log = wz.read_log(read_open_bandit(shown), draws="one")
    assert log.chances is not None and np.allclose(log.chances, 1 / 3)
    assert log.values[0, 0] == 0.0 and log.values[1, 2] == 1.0


def test_columns_of_any_name(tmp_path: Path) -> None:
    table = pa.table(
        {"arm": ["b", "a", "b"], "gain": [1.0, 2.0, 3.0], "prob": [0.5] * 3, "age": [1, 2, 3], "id": [7] * 3}
    )  # fmt: skip
    found = read_single(
        table, action="arm", value="gain", chance="prob", features=["age"], reward=True, cost=0.1
    )
    log = wz.read_log(found, draws="one")
    assert log.boxes == ["a", "b"] and log.features == ["x_age"]
    assert np.nanmin(log.values, axis=1).tolist() == [-1.0, -2.0, -3.0]
    assert (log.costs == 0.1).all() and log.chances is not None and (log.chances == 0.5).all()
    with pytest.raises(wz.InvalidInputError, match="the column of the chance must be one of"):
        read_single(table, action="arm", value="gain")


def test_single_looks_say_what_a_rule_that_looks_once_costs_and_bound_others() -> None:
    rng = np.random.default_rng(7)
    inside, means = [], []
    only_web = Fixed("web", WeitzmanRule(np.array([np.inf, -np.inf, np.inf])))
    both = Fixed("both", WeitzmanRule(np.array([np.inf, -np.inf, 1.0])))
    for _ in range(40):
        values = rng.exponential([3.0, 2.0, 2.5], (600, 3))
        chosen = rng.choice(3, size=600, p=CHANCES)
        opened = chosen[:, None] == np.arange(3)
        table = _table(600)
        found = np.where(opened, values, np.nan).ravel()
        for name, column in (
            ("value", pa.array(found, mask=np.isnan(found))),
            ("opened", pa.array(opened.ravel())),
        ):
            table = table.set_column(table.column_names.index(name), name, column)
        judged = wz.judge(wz.read_log(table, draws="one", shared=False), [only_web, both])
        one = judged.of("web")
        truth = float(values[:, 1].mean()) + 0.25
        inside.append(one.low <= truth <= one.high)
        means.append(one.estimates["ips"].mean - truth)
        # Whoever looks twice is never seen
        two = judged.of("both")
        assert np.isnan(two.estimates["ips"].mean) and two.unidentified > 0.1
        second = np.where(
            values[:, 1] > 1.0, np.minimum(values[:, 1], values[:, 2]) + 0.5, values[:, 1] + 0.25
        )
        assert two.low < second.mean() < two.high
    assert sum(inside) >= 36
    assert abs(np.mean(means)) < 4.0 * np.std(means) / np.sqrt(40)


def test_the_command_line_converts_and_judges(tmp_path: Path) -> None:
    log, events, back = tmp_path / "log.parquet", tmp_path / "looks.json", tmp_path / "back.csv"
    parquet.write_table(_table(), log)
    run = CliRunner()
    said = run.invoke(app, ["convert", str(log), str(events), "--to", "dsjson"])
    assert said.exit_code == 0 and said.stdout.startswith("200 rounds of 3 boxes"), said.output
    said = run.invoke(app, ["convert", str(events), str(back), "--from", "dsjson"])
    assert said.exit_code == 0, said.output
    judged = [
        run.invoke(
            app,
            ["judge", str(one), "--draws", "one", "--policy", "single", "--json", "--workers", "1"],
        )
        for one in (log, back)
    ]
    rows = [json.loads(one.stdout)[0] for one in judged]
    assert rows[0]["ips"] == pytest.approx(rows[1]["ips"], rel=1e-9)
    assert rows[0]["unidentified"] == 0.0
    nothing = run.invoke(app, ["convert", str(log), str(back)])
    assert nothing.exit_code == 2 and "The formats must be two" in nothing.output


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("no json", "line 1 must be a decision in JSON"),
        ('{"_label_cost": 1}', "line 1 must be a decision in JSON"),
        ('{"_label_cost": 1, "c": {"_multi": [{}, {}]}, "a": [1, 1], "p": [1, 0]}', "every action once"),
        ('{"EventId": "no label"}', "hold a line with a label"),
    ],
)  # fmt: skip
def test_lines_that_are_no_decisions_are_named(tmp_path: Path, line: str, text: str) -> None:
    path = tmp_path / "events.json"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(wz.InvalidInputError, match=text):
        read_dsjson(path)


def test_what_is_no_log_of_single_looks_is_refused(tmp_path: Path) -> None:
    whole = wz.read_log(_table().drop_columns(["chance", "opened"]))
    with pytest.raises(wz.InvalidInputError, match="say what was opened, with which chance"):
        write_dsjson(whole, tmp_path / "x.json")
    with pytest.raises(wz.InvalidInputError, match=r"The values must be 0 \(a click\) or 1"):
        write_open_bandit(_log(), tmp_path / "x.csv")
    two = _table().set_column(4, "opened", pa.array([True] * 600))
    with pytest.raises(wz.InvalidInputError, match="a round in which no other box was opened"):
        wz.read_log(two, draws="one")
    looks = wz.read_log(two, draws="box")
    with pytest.raises(wz.InvalidInputError, match="have one opened box in every round"):
        write_dsjson(looks, tmp_path / "x.json")
