"""``weitzman plan`` on files of variants: the plan is that of the library, mistakes have their place."""

import json
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
