"""All learners in all worlds."""

from pathlib import Path

from weitzman.lab.compare import LEARNERS, best_of, compare, comparison
from weitzman.lab.contender import CONTENDERS
from weitzman.lab.rows import read_rows
from weitzman.lab.summary import finals
from weitzman.lab.worlds import WORLDS
from weitzman.learn.learners import LEARNERS as CLASSES


def test_every_learner_meets_every_world() -> None:
    study = comparison(rounds=10, seeds=2)
    assert set(study.worlds) == set(WORLDS)
    assert {type(CONTENDERS[name].learner) for name in LEARNERS} == set(CLASSES.values())
    assert len(study.runs()) == len(WORLDS) * len(LEARNERS) * 2


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
