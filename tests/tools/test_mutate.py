"""The mutation tool finds what a test finds, and says so."""

import ast
import json
import subprocess
import threading
import time
from pathlib import Path

import pytest
from tools.mutate.__main__ import main
from tools.mutate.bench import Bench, StoppedError
from tools.mutate.campaign import faults_of, modules_of
from tools.mutate.faults import Fault, faults_in
from tools.mutate.nearness import Tree
from tools.mutate.results import Equivalents

SOURCE = '''"""Words: σ < 1."""

__all__ = ["f"]
LIMIT: int = 3


def f(x: int, names: list[str]) -> int:
    """Return -x if x < 0."""
    if not names:
        raise ValueError("no names" if x > 9 else f"{x + 1} names")
    names.append("é")
    if x >= LIMIT and x != 7:
        return min(x - 1, len(names))
    return x
'''


def changes(source: str) -> set[tuple[str, str, str]]:
    return {(f.operator, f.before, f.after) for f in faults_in("m", source.encode())}


def test_every_kind_of_fault_is_made_and_nothing_that_no_test_can_see() -> None:
    assert changes(SOURCE) == {
        ("off by one", "3", "4"),
        ("off by one", "3", "2"),
        ("drop not", "not names", "(names)"),
        ("drop statement", 'raise ValueError("no names" if x > 9 else f"{x + 1} names")', "pass"),
        ("drop statement", 'names.append("é")', "pass"),
        ("change constant", '"é"', "'é~'"),
        ("negate condition", "x >= LIMIT and x != 7", "not (x >= LIMIT and x != 7)"),
        ("flip comparison", ">=", ">"),
        ("flip comparison", ">=", "<"),
        ("flip comparison", "!=", "=="),
        ("off by one", "7", "8"),
        ("off by one", "7", "6"),
        ("swap and, or", "and", "or"),
        ("return nothing", "return min(x - 1, len(names))", "return None"),
        ("swap min, max", "min", "max"),
        ("change sign", "-", "+"),
        ("swap operands", "x - 1", "(1) - (x)"),
        ("off by one", "1", "2"),
        ("off by one", "1", "0"),
        ("return nothing", "return x", "return None"),
    }


def test_procedures_are_left_early() -> None:
    source = "def f() -> None:\n    a()\n    for x in y:\n        b(-x)\n"
    early = [f for f in faults_in("m", source.encode()) if f.operator == "return early"]
    assert [f.put_into(source.encode()).decode() for f in early] == [
        source.replace("a()", "return; a()"),
        source.replace("for x", "return\n    for x"),
    ]
    assert ("drop sign", "-x", "(x)") in changes(source)


@pytest.mark.parametrize("module", ["search/plan", "learn/features", "serve/http/protocol"])
def test_faults_of_the_library_are_distinct_changes_of_valid_code(module: str) -> None:
    source = (Path(__file__).parents[2] / "src/weitzman" / f"{module}.py").read_bytes()
    faults = faults_in("m", source)
    assert len(faults) > 20
    assert len({f.key for f in faults}) == len(faults)
    whole = ast.dump(ast.parse(source))
    for fault in faults:
        assert ast.dump(ast.parse(fault.put_into(source))) != whole, fault
        line = source.decode().splitlines()[fault.line - 1]
        assert line.strip() == fault.text


FILES = {
    "src/weitzman/__init__.py": "from weitzman.search.near import nearest\n",
    "src/weitzman/search/__init__.py": "",
    "src/weitzman/search/near.py": (
        "from weitzman.search.base import LIMIT\n\n\ndef nearest(x: int) -> bool:\n    return x < LIMIT\n"
    ),
    "src/weitzman/search/base.py": "LIMIT = 3\n",
    "src/weitzman/search/alone.py": "UNSEEN = 5\n",
    "src/weitzman/search/fast.py": "from numba import njit\nfrom weitzman.search.base import LIMIT\n",
    "tests/__init__.py": "",
    "tests/helper.py": "from weitzman.search.base import LIMIT\n",
    "tests/other/__init__.py": "",
    "tests/other/test_helped.py": "from tests.helper import LIMIT\n\ndef test_it(): assert LIMIT\n",
    "tests/search/__init__.py": "",
    "tests/search/test_near.py": (
        "import weitzman as wz\n\n\ndef test_it(): assert wz.nearest(2) and not wz.nearest(4)\n"
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def test_the_nearest_tests_come_first(root: Path) -> None:
    tree = Tree(root)
    near, helped = "tests/search/test_near.py", "tests/other/test_helped.py"
    assert tree.tests_of("weitzman.search.near") == [(near, 0)]
    assert tree.tests_of("weitzman.search.base") == [(helped, 1), (near, 2)]
    assert tree.tests_of("weitzman.search.alone") == [(near, 3)]


def test_what_is_compiled_is_known(root: Path) -> None:
    tree = Tree(root)
    compiled = [name for name in tree.modules if tree.is_compiled(name)]
    assert compiled == ["weitzman.search.base", "weitzman.search.fast"]


def test_a_longer_list_of_faults_begins_as_a_shorter_one(root: Path) -> None:
    tree = Tree(root)
    modules = modules_of(tree, [])
    assert modules_of(tree, ["search/near.py"]) == ["weitzman.search.near"]
    assert faults_of(tree, modules, 1) == faults_of(tree, modules, 1)
    assert faults_of(tree, modules, 1) != faults_of(tree, modules, 2)
    with pytest.raises(SystemExit):
        modules_of(tree, ["nowhere"])


def run(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, dict[str, str]]:
    """Return outcome and test of each fault, by the change that it makes."""
    state = str(root.parent / "state")
    scratch = root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    where = ["--root", str(root), "--state", state, "--scratch", str(scratch), "--workers", "1"]
    assert main([*where, "--json", "--module", "search/near", *options]) == 0
    assert not list(scratch.iterdir())
    report = json.loads(capsys.readouterr().out)
    counts = [report[outcome] for outcome in ("found", "not found", "no test", "equivalent")]
    assert sum(counts) == len(report["results"])
    return {f"{r['fault']['before']} → {r['fault']['after']}": r for r in report["results"]}


def test_faults_are_found_missed_and_judged(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (root / "src/weitzman/search/near.py").read_bytes()
    results = run(root, capsys)
    assert {change: r["outcome"] for change, r in results.items()} == {
        "< → >=": "found",
        "< → <=": "not found",
        "return x < LIMIT → return None": "found",
    }
    assert results["< → >="]["by"] == "tests/search/test_near.py::test_it"
    assert (root / "src/weitzman/search/near.py").read_bytes() == before
    # What was tried is not tried again
    lines = (root.parent / "state/results.jsonl").read_text()
    assert run(root, capsys) == results
    assert (root.parent / "state/results.jsonl").read_text() == lines
    # A test that is added finds what was missed, when it is tried again
    test = root / "tests/search/test_near.py"
    test.write_text(FILES["tests/search/test_near.py"].replace("(4)", "(3)"))
    assert run(root, capsys)["< → <="]["outcome"] == "not found"
    assert run(root, capsys, "--again")["< → <="]["outcome"] == "found"
    entry = {"module": "weitzman.search.near", "line": "return x < LIMIT"}
    entry |= {"operator": "flip comparison", "after": "<=", "reason": "why"}
    judged = root / "tools/mutate/equivalent.toml"
    judged.parent.mkdir(parents=True)
    judged.write_text(
        "[[equivalent]]\n" + "".join(f'{name} = "{text}"\n' for name, text in entry.items())
    )
    results = run(root, capsys)
    assert (results["< → <="]["outcome"], results["< → <="]["by"]) == ("equivalent", "why")
    assert results["< → >="]["outcome"] == "found"


def test_a_file_that_fails_without_a_fault_is_left_out_of_one_campaign(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Perhaps the machine was busy: the next campaign asks it again."""
    test = root / "tests/search/test_near.py"
    good = test.read_text()
    marker = root.parent / "busy"
    marker.touch()
    check = f"assert not pathlib.Path({str(marker)!r}).exists()"
    busy = f"\n\ndef test_busy():\n    import pathlib\n    {check}\n"
    test.write_text(good + busy)
    assert {r["outcome"] for r in run(root, capsys).values()} == {"no test"}
    marker.unlink()
    results = run(root, capsys, "--again")
    assert results["< → >="]["outcome"] == "found"


def test_a_server_of_another_user_may_run_in_the_scratch_copy(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tree that others cannot enter lets all tests of PostgreSQL fail where we are root."""
    test = root / "tests/search/test_near.py"
    check = "\n\ndef test_entered():\n    from pathlib import Path\n"
    check += "    assert all(p.stat().st_mode & 0o5 == 0o5 for p in [Path.cwd(), *Path.cwd().parents[:2]])\n"
    test.write_text(test.read_text() + check)
    assert run(root, capsys)["< → >="]["outcome"] == "found"


def test_a_test_that_hangs_has_found_the_fault(root: Path, tmp_path: Path) -> None:
    """Its process is ended, and so is one that it has started."""
    hanging = root / "tests/search/test_near.py"
    hanging.write_text(
        "import subprocess, sys\n\n\ndef test_it():\n    code = 'import time; time.sleep(600)'\n"
        f"    child = subprocess.Popen([sys.executable, '-c', code])\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n    child.wait()\n"
    )
    bench = Bench(home=tmp_path / "bench")
    bench.fill(root)
    run = bench.run_clean(["tests/search/test_near.py"], 5.0)
    assert (run.is_found, run.failed) == (True, "time limit")
    status = Path("/proc") / (tmp_path / "pid").read_text() / "status"
    # A busy machine takes a moment to end what was killed
    deadline = time.monotonic() + 30.0
    while status.exists() and "zombie" not in status.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_run_that_is_broken_off_says_nothing(root: Path, tmp_path: Path) -> None:
    hanging = root / "tests/search/test_near.py"
    hanging.write_text("import time\n\n\ndef test_it():\n    time.sleep(600)\n")
    bench = Bench(home=tmp_path / "bench")
    bench.fill(root)
    later = threading.Timer(1.0, bench.stop)
    later.start()
    for _ in range(2):
        with pytest.raises(StoppedError):
            bench.run_clean(["tests/search/test_near.py"], 60.0)


def test_judgements_that_fit_nothing_are_named(tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    assert Equivalents.read(path).entries == ()
    path.write_text('[[equivalent]]\nmodule = "m"\nline = "x"\noperator = "o"\nreason = "r"\n')
    fault = Fault(module="m", line=1, text="x", operator="o", before="x", after="y", start=0, end=1)
    judged = Equivalents.read(path)
    assert judged.reason(fault) == "r"
    assert judged.unused([fault]) == []
    assert judged.unused([]) == list(judged.entries)
    path.write_text('[[equivalent]]\nmodule = "m"\n')
    with pytest.raises(ValueError, match="must have"):
        Equivalents.read(path)


def test_the_judgements_of_the_library_can_be_read() -> None:
    path = Path(__file__).parents[2] / "tools/mutate/equivalent.toml"
    assert all(entry["reason"] for entry in Equivalents.read(path).entries)
