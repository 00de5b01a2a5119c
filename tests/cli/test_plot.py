"""``weitzman plot``."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.replays.synthetic import roots, rows
from weitzman.cli.main import app
from weitzman.lab.study.contender import CONTENDERS
from weitzman.lab.study.rows import write_rows
from weitzman.lab.study.runner import run
from weitzman.lab.study.study import Study
from weitzman.lab.worlds.paper import Signed


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("study")
    made = Study(
        worlds={"mine": Signed(boxes=3)},
        contenders={"cpb": CONTENDERS["cpb"]},
        seeds=(0, 1),
        rounds=(30,),
    )
    run(made, place, workers=1, progress=False)
    return place


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plot", *arguments])


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("html", b"<!doctype html>")],
)
def test_a_picture_by_its_suffix(study: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
    file = tmp_path / f"picture.{suffix}"
    result = invoke(str(study), "--output", str(file))
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{file}\n", "")
    assert file.read_bytes().startswith(start)


def test_a_directory_gets_picture_and_page(study: Path, tmp_path: Path) -> None:
    result = invoke(str(study), "--output", str(tmp_path / "new"), "--measure", "opened")
    assert result.exit_code == 0
    assert {f.name for f in (tmp_path / "new").iterdir()} == {"opened.png", "opened.html"}
    page = (tmp_path / "new" / "opened.html").read_text(encoding="utf-8")
    assert "boxes opened" in page


def test_the_bounds_of_the_study_are_told(study: Path, tmp_path: Path) -> None:
    """The world comes from study.json, under the name that the study gave it."""
    file = tmp_path / "a.html"
    assert invoke(str(study), "--output", str(file)).exit_code == 0
    assert "above the axis, vacuous" in file.read_text(encoding="utf-8")


def test_rows_alone_are_enough(tmp_path: Path) -> None:
    write_rows(tmp_path / "some.parquet", rows(roots))
    assert invoke(str(tmp_path / "some.parquet"), "--log").exit_code == 0
    assert (tmp_path / "regret.png").exists()
    assert (tmp_path / "regret.html").exists()


def test_bad_input(study: Path, tmp_path: Path) -> None:
    for arguments, told in (
        ((str(study), "--output", "a.bmp"), "The name of the picture must end in .png, .pdf"),
        ((str(study), "--measure", "luck"), "The measure must be one of ['regret'"),
        ((str(tmp_path / "absent"),), "must be readable. Got 'No such file or directory'"),
        (
            (str(study), "--output", str(tmp_path / "absent" / "a.png")),
            "must be writable. Got 'No such file or directory'",
        ),
    ):
        result = invoke(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert told in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_damaged_study_is_told(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.parquet", rows(roots))
    (tmp_path / "study.json").write_text("{", encoding="utf-8")
    result = invoke(str(tmp_path))
    assert result.exit_code == 2
    assert "study.json' must tell a study. Got" in result.stderr
