"""Compiled code: one room knows numba, machine code is never stale, and plain Python gives the same bits."""

import ast
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

SOURCE = pathlib.Path(__file__).parents[2] / "src"
HOUSE = SOURCE / "weitzman"
FILES = sorted(HOUSE.rglob("*.py"))


def imports(path: pathlib.Path) -> Iterator[tuple[str, list[str]]]:
    """Yield every module that a file imports, and the names it takes from it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), [alias.name for alias in node.names]


def room(path: pathlib.Path) -> str:
    return path.relative_to(HOUSE).parts[0]


def test_only_the_compiled_room_imports_numba() -> None:
    knowing = {
        room(path)
        for path in FILES
        for module, _ in imports(path)
        if module.split(".")[0] in {"numba", "llvmlite"}
    }
    assert knowing == {"compiled"}


def test_imports_have_the_one_form_by_which_sources_are_found() -> None:
    """``from weitzman.module import name``, where the name is no module itself, wherever rooms compile."""
    taken = {path: list(imports(path)) for path in FILES}
    compiling = {
        room(path) for path in FILES if "weitzman.compiled.decorators" in dict(taken[path])
    }
    assert compiling == {"compiled", "search", "learn", "lab", "replays"}
    for path in FILES:
        for module, names in taken[path]:
            first, *inside = module.split(".")
            if room(path) not in compiling or first not in {"", "weitzman"}:
                continue
            assert first == "weitzman" and inside and names, f"{path}: {module}"
            folder = HOUSE.joinpath(*inside)
            assert not any((folder / f"{name}.py").exists() for name in names), f"{path}: {module}"


def test_bodies_stand_in_the_room_of_their_generic_functions() -> None:
    generic = {p for p in FILES if "\n@generic\n" in p.read_text(encoding="utf-8")}
    bodies = [p for p in FILES if "implements(" in p.read_text(encoding="utf-8")]
    bodies = [p for p in bodies if room(p) != "compiled"]
    assert len(bodies) >= 5
    for path in bodies:
        assert "\n@implements(" in path.read_text(encoding="utf-8")
        homes = {HOUSE.parent.joinpath(*m.split(".")).with_suffix(".py") for m, _ in imports(path)}
        assert {room(home) for home in homes & generic} == {room(path)}


PLAIN_RULE = """
import numpy as np
from weitzman.search.kernels import play_round
one = np.ones(1)
print(play_round(np.zeros(1, dtype=np.int64), one, one, one, 1.0)[3])
"""
GENERIC_BODY = """
import weitzman as wz
print(wz.LinearisedFTRL().start(boxes=1, dimension=1).widths([[1.0]])[0])
"""


@pytest.mark.parametrize(
    ("program", "called", "old", "new", "before", "after"),
    [
        (PLAIN_RULE, "search/rule.py", "if best <= res", "if best < res", "0", "1"),
        (GENERIC_BODY, "learn/learners/linearised.py", "math.inf\n", "7.5\n", "inf", "7.5"),
    ],
    ids=["a plain function", "a body of a generic function"],
)
def test_a_change_in_a_called_file_is_seen(
    tmp_path: pathlib.Path, program: str, called: str, old: str, new: str, before: str, after: str
) -> None:
    shutil.copytree(
        HOUSE, tmp_path / "weitzman", ignore=shutil.ignore_patterns("__pycache__", "serve")
    )
    places = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(program, **places) == [before]
    path = tmp_path / "weitzman" / called
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert run(program, **places) == [after]


ROUNDS = """
import sys
import numpy as np
import weitzman as wz
from weitzman.learn.learners.parts.kernels import learn_rows

learners = [wz.FTRL(), wz.FTRL(window=6, radius=1.0, intercept=True), wz.Ridge(), wz.Residual(memory=6),
            wz.NewtonStep(), wz.LinearisedFTRL(), wz.Logistic(), wz.Fourier(features=4)]
for feedback in ("full", "opened"):
    policies = [{"policy": wz.default_policy(trees=False)}]
    for choice in [{"learner": learner} for learner in learners] + policies:
        rng = np.random.default_rng(0)
        contexts = rng.normal(size=(24, 3, 2))
        costs = rng.uniform(0.05, 0.5, size=(24, 3))
        values = contexts.sum(axis=2) + rng.normal(size=(24, 3))
        searcher = wz.Searcher(boxes=3, dimension=2, feedback=feedback, **choice)
        print(searcher.play(contexts[:16], costs[:16], values[:16]).totals.tobytes().hex())
        for t in range(16, 24):
            search = searcher.open(contexts[t], costs[t])
            for box in search:
                search.see(values[t, box])
            print(search.close(dict(enumerate(values[t]))).total.hex() if feedback == "full"
                  else search.close().total.hex())
        print(searcher.digest())
print("compiled" if hasattr(learn_rows, "signatures") else "plain", file=sys.stderr)
"""


def test_plain_python_gives_the_same_bits() -> None:
    compiled = run(ROUNDS, said="compiled")
    assert len(compiled) == 2 * 9 * 10
    assert run(ROUNDS, said="plain", NUMBA_DISABLE_JIT="1") == compiled


def run(program: str, *, said: str = "", **environment: str) -> list[str]:
    """Return the words that a program prints, in a process of its own; warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-B", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    assert done.stderr.strip() == said
    return done.stdout.split()
