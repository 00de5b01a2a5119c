"""The paper map names real objects and real tests, and leaves out no statement of the paper."""

import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
MAP = ROOT / "docs/explanation/paper-map.md"
PAPER = ROOT.parent / "shared/paper/contextual-pandoras-box.tex"


def _rows() -> list[list[str]]:
    lines = MAP.read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [row for row in rows if len(row) == 5 and row[0] not in ("paper", "---")]


def test_objects_exist() -> None:
    rows = _rows()
    assert len(rows) >= 20
    for _, label, _, where, _ in rows:
        for path in re.findall(r"`([\w.]+)`", where):
            assert _resolve(path) is not None, f"{label}: {path} does not exist"


def test_tests_exist() -> None:
    for _, label, _, where, test in _rows():
        assert (where == "not yet") == (test == "not yet"), f"{label} has an object but no test"
        for path in re.findall(r"`([\w./]+)(?:::(\w+))?`", test):
            file, function = path
            assert (ROOT / file).exists(), f"{label}: {file} does not exist"
            assert not function or f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")


def test_no_statement_of_the_paper_is_left_out() -> None:
    if not PAPER.exists():
        pytest.skip("the paper is not at hand")
    text = PAPER.read_text(encoding="utf-8")
    statement = re.compile(r"\\label\{((?:def|thm|lem|lemma|cor|algo):[^}]+)\}")
    labels = set(statement.findall(text))
    assert labels
    mapped = {re.sub("`", "", row[1]) for row in _rows()}
    assert labels <= mapped, f"not in the map: {sorted(labels - mapped)}"


def _resolve(path: str) -> object | None:
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            thing = getattr(thing, name, None)
            if thing is None:
                return None
        return thing
    return None
