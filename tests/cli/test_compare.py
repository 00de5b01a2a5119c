"""``weitzman compare``."""

import json
from pathlib import Path

from typer.testing import CliRunner

from weitzman.cli.main import app
from weitzman.lab.paper.compare import LEARNERS
from weitzman.lab.worlds import WORLDS


def test_compare(tmp_path: Path) -> None:
    arguments = ["compare", "--feedback", "full", "--rounds", "20", "--seeds", "2"]
    arguments += ["--workers", "1", "--output", str(tmp_path)]
    rows = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert [(row["world"], row["searcher"]) for row in rows] == [
        (world, searcher) for world in WORLDS for searcher in LEARNERS
    ]
    assert {(row["feedback"], row["rounds"], row["seeds"]) for row in rows} == {("full", 20, 2)}


def test_one_seed_has_no_standard_error(tmp_path: Path) -> None:
    arguments = ["compare", "--rounds", "10", "--seeds", "1", "--output", str(tmp_path)]
    result = CliRunner().invoke(app, [*arguments, "--workers", "1"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == f"Page: {tmp_path / 'index.html'}"
    assert "nan" not in result.stdout
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "nan" not in page[: page.index("<h2>Round by round")]


def test_bad_options() -> None:
    for option in (["--feedback", "probe"], ["--rounds", "0"], ["--seeds", "0"]):
        assert CliRunner().invoke(app, ["compare", *option]).exit_code == 2
