"""``weitzman plan`` on files of variants: the plan is that of the library, mistakes have their place."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from typer.testing import CliRunner

import weitzman as wz
from weitzman.cli.box_files.read import read_boxes
from weitzman.cli.main import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def report(*arguments: str) -> dict[str, Any]:
    run = CliRunner().invoke(app, ["plan", *arguments, "--json"])
    assert run.exit_code == 0, run.output
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_a_csv_file_with_stages_is_the_plan_of_the_library() -> None:
    norm = scipy.stats.norm
    boxes = [
        wz.Box(
            name,
            stages=[
                wz.Stage("phone", 0.5, {"good": p, "bad": 1.0 - p}),
                wz.Stage("trial week", 6.0, {"good": good, "bad": bad}),
            ],
        )
        for name, p, good, bad in [
            ("Ann", 0.4, norm(36, 14), norm(12, 8)),
            ("Ben", 0.7, norm(28, 9), norm(12, 6)),
        ]
    ]
    plan = wz.plan(boxes, sense="max", outside=0.0)
    found = report(str(EXAMPLES / "hire.csv"), "--sense", "max", "--outside", "0")
    assert found["expected_total"] == pytest.approx(plan.expected_total, rel=1e-12)
    assert found["kind"] == "exact"
    assert [box["keep_probability"] for box in found["boxes"]] == pytest.approx(
        list(plan.keep_probabilities.values())
    )


def test_a_csv_file_with_prerequisites() -> None:
    content = read_boxes(str(EXAMPLES / "modules.csv"))
    assert {box.name: box.after for box in content.boxes} == {
        "free tool": None,
        "licence": None,
        "planner": "licence",
        "scheduler": "licence",
        "planner with solver": "planner",
    }


def test_options_ask_for_what_a_file_can_say() -> None:
    file = str(EXAMPLES / "shortlist.json")
    assert report(file, "--keep", "2") == report(file)
    assert report(file, "--keep", "3")["expected_opened"] > report(file)["expected_opened"]
    flats = str(EXAMPLES / "flats.json")
    assert report(flats, "--recall")["expected_total"] > report(flats)["expected_total"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"box": "a", "stages": []}]', "[0].stages: the stages of box 'a' must be a list"),
        (
            '[{"box": "a", "stages": [{"cost": -1, "value": 2}]}]',
            "[0].stages[0].cost: the cost of box 'a' must be a finite number >= 0",
        ),
        (
            '[{"box": "a", "cost": 1, "after": 3, "value": 2}]',
            "[0].after: the box before must be text",
        ),
        (
            '[{"box": "a", "cost": 1, "successes": {"a": 1}}]',
            "[0].successes: the value must be given",
        ),
        ('{"recall": 1, "boxes": []}', "recall: recall must be true or false"),
        ('{"keep": {"teams": {}}, "boxes": []}', "keep: what is kept must be a number, or"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(wz.InvalidFileError) as error:
        read_boxes(str(path))
    assert message in str(error.value)


def test_rows_of_a_stage_agree_on_its_cost(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(
        "box,stage,cost,given,signal,chance,sample\na,s,1,,x,0.5,\na,s,2,,y,0.5,\na,t,1,,,,3\n",
        encoding="utf-8",
    )
    with pytest.raises(wz.InvalidFileError, match="line 3, column 'cost'"):
        read_boxes(str(path))


HARD: dict[str, tuple[list[str], dict[str, Any]]] = {
    "three-quotes.json": ([], {"most": 3}),
    "budget.json": ([], {"budget": 80}),
    "parallel.json": ([], {"at_once": 3, "price": 2}),
    "unseen.json": ([], {"unopened": ["near shop", "far shop"]}),
    "quick-test.json": ([], {"sense": "max", "outside": 0.0}),
    "arrivals.json": ([], {"sense": "max", "outside": 0.0, "arrivals": True}),
    "permits.csv": (["--sense", "max", "--outside", "0"], {"sense": "max", "outside": 0.0}),
}


@pytest.mark.parametrize("name", HARD)
def test_a_file_of_a_hard_problem_is_the_plan_of_the_library(name: str) -> None:
    arguments, settings = HARD[name]
    plan: Any = wz.plan(read_boxes(str(EXAMPLES / name)).boxes, **settings)
    assert isinstance(plan, wz.BoundedPlan)
    found = report(str(EXAMPLES / name), *arguments)
    assert found["expected_total"] == plan.expected_total
    assert (found["bound"], found["most_lost"]) == (plan.bound, plan.most_lost)
    assert found["kind"] == plan.kind != "exact"
    shown = CliRunner().invoke(app, ["plan", str(EXAMPLES / name), *arguments])
    assert "no search is better than" in shown.stdout


def test_scenarios_are_printed_as_a_tree() -> None:
    path = str(EXAMPLES / "scenarios.json")
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    plan = wz.plan(**content)
    assert report(path)["tree"] == plan.tree
    assert report(path)["expected_total"] == plan.expected_total
    shown = CliRunner().invoke(app, ["plan", path]).stdout
    assert shown.startswith("open fast model\n  0.9: keep 0.9\n")
    assert report(path, "--method", "exact")["kind"] == "exact"


def test_a_file_of_samples_has_a_confidence() -> None:
    found = report(str(EXAMPLES / "trusted.json"))
    phone = Counter(good=40, bad=60)
    good, bad = [44, 31, 28, 52, 36, 40, 33, 29, 47, 38, 41, 35], [12, 4, 18, 9, 15, 21]
    cleo = [24, 31, 19, 26, 28, 22, 25, 30, 27, 23, 20, 29, 26, 24, 28, 25, 27, 22]
    weeks = {"good": wz.Empirical(good * 3), "bad": wz.Empirical(bad)}
    stages = [wz.Stage("phone", 0.5, phone), wz.Stage("trial week", 6.0, weeks)]
    boxes = [wz.Box("Ann", stages=stages), wz.Box("Cleo", 6.0, wz.Empirical(cleo))]
    plan = wz.plan(boxes, sense="max", outside=0.0, confidence=0.95)
    assert found["expected_total"] == pytest.approx(plan.guaranteed_total, rel=1e-12)
    assert found["plain_total"] == pytest.approx(plan.plain_total, rel=1e-12)
    assert found["confidence"] == 0.95
    prices = str(EXAMPLES / "prices.csv")
    sure = report(prices, "--confidence", "0.99", "--worst", "900")
    assert (
        sure["expected_total"]
        > report(prices, "--confidence", "0.9", "--worst", "900")["expected_total"]
    )


def test_normal_draws_in_a_file() -> None:
    content = wz.NormalDraws(5.0, 1.2, 6.0, most=30)
    plan = wz.plan([wz.Box("model", 0.05, content)], sense="max")
    found = report(str(EXAMPLES / "answers.json"))
    assert found["expected_total"] == plan.expected_total
    assert found["kind"] == "heuristic"


def test_counts_in_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    rows = "box,stage,cost,given,signal,count,sample\na,s,1,,x,3,\na,s,1,,y,1,\na,t,1,x,,,3\na,t,1,y,,,9\n"
    path.write_text(rows, encoding="utf-8")
    (box,) = read_boxes(str(path)).boxes
    assert box.stages[0].shows == Counter(x=3, y=1)
    path.write_text(rows.replace("x,3,", "x,2.5,"), encoding="utf-8")
    with pytest.raises(wz.InvalidFileError, match="column 'count'"):
        read_boxes(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"scenarios": {"a": [1]}, "boxes": []}', "must be an object with the key boxes, or"),
        ('{"scenarios": {"a": 1}, "costs": {"a": 1}}', "scenarios.a: the scenarios must be an"),
        ('{"scenarios": {"a": [1]}}', "costs: the costs must be an object"),
        ('{"costs": {"a": 1}, "boxes": []}', "costs: costs must be left out without scenarios"),
        ('{"unopened": "all", "boxes": []}', "unopened: what may be taken unopened must be true"),
        ('{"arrivals": 1, "boxes": []}', "arrivals: arrivals must be true or false"),
        (
            '[{"box": "a", "cost": 1, "partial": {"cost": 1, "signals": {"x": {"value": 1}}}}]',
            "[0].partial.signals.x.chance: the chance of a signal must be a finite number",
        ),
        (
            '[{"box": "a", "cost": 1, "partial": {"cost": 1, "signals": {"x": {"chance": 0.5, "value": '
            "1}}}}]",
            "[0].partial: The chances of the signals of box 'a' must be numbers > 0 of sum 1",
        ),
        (
            '[{"box": "a", "stages": [{"cost": 1, "counts": {"x": 1.5}}, {"cost": 1, "value": 2}]}]',
            "[0].stages[0].counts.x: a count must be an integer >= 0",
        ),
        (
            '[{"box": "a", "cost": 1, "normal_draws": {"mean": 1}}]',
            "[0].normal_draws: the spread must be given",
        ),
        ('[{"box": "a", "cost": 1, "value": 1, "after": []}]', "[0].after: the box before must be"),
    ],
)
def test_a_mistake_in_a_hard_problem_is_one_line_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(wz.InvalidFileError) as error:
        read_boxes(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
