"""All learners in all worlds."""

from pathlib import Path

import pytest

import weitzman as wz
from weitzman.lab.paper.compare import LEARNERS, best_of, compare, comparison
from weitzman.lab.paper.reproduce import reproduce
from weitzman.lab.study.contender import CONTENDERS
from weitzman.lab.study.rows import read_rows
from weitzman.lab.study.summary import finals
from weitzman.lab.worlds import WORLDS
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.storage.registry import LEARNERS as CLASSES


def test_every_linear_learner_meets_every_world() -> None:
    study = comparison(rounds=10, seeds=2)
    assert set(study.worlds) == set(WORLDS)
    linear = {
        kind
        for kind in CLASSES.values()
        if isinstance(kind().start(boxes=1, dimension=1), CompiledBank)
    }
    assert {type(CONTENDERS[name].learner) for name in LEARNERS} == linear
    assert len(study.runs()) == len(WORLDS) * len(LEARNERS) * 2
    beside = comparison(rounds=10, seeds=2, default=True)
    assert list(beside.contenders) == [*LEARNERS, "default"]


def test_a_comparison_is_written(tmp_path: Path) -> None:
    study = comparison(rounds=20, seeds=2)
    rows = compare(tmp_path, study=study, workers=1, progress=False)
    assert rows == finals(read_rows(tmp_path))
    assert (tmp_path / "compare.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "compare.pdf").read_bytes().startswith(b"%PDF")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    best = best_of(rows)
    for row in rows:
        mark = " ★" if best[row["world"], "opened", 20] == row["searcher"] else ""
        assert f"{row['regret_mean']:,.1f} ± {row['regret_se']:,.1f}{mark}<" in page


def test_the_best_loses_least() -> None:
    rows = [
        {"world": w, "feedback": "full", "rounds": 10, "searcher": s, "regret_mean": r}
        for w, s, r in (("a", "x", 2.0), ("a", "y", 1.0), ("b", "x", -3.0), ("b", "y", 1.0))
    ]
    assert best_of(rows) == {("a", "full", 10): "y", ("b", "full", 10): "x"}


def test_the_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"mine")
    with pytest.raises(wz.InvalidInputError, match=r"be empty or hold an earlier report.*rows"):
        compare(tmp_path, study=comparison(rounds=20, seeds=2), workers=1, progress=False)
    with pytest.raises(wz.InvalidInputError, match=r"be empty or hold an earlier report.*rows"):
        reproduce(tmp_path, workers=1, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]
