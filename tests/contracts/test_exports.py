"""The public names are complete, sorted, documented and quick to import."""

import inspect
import pathlib
import subprocess
import sys

import weitzman as wz

ROOT = pathlib.Path(__file__).parents[2]


def test_all_is_sorted_and_complete() -> None:
    for name in wz.__all__:
        assert getattr(wz, name) is not None
    public = {
        name
        for name, thing in vars(wz).items()
        if not name.startswith("_") and not inspect.ismodule(thing)
    }
    assert public - {"Any", "TYPE_CHECKING", "import_module"} == set(wz.__all__)
    assert wz.__all__ == sorted(wz.__all__, key=lambda n: (not n.isupper(), n.lower() == n, n))


def test_every_public_name_has_a_docstring_and_a_place_in_the_reference() -> None:
    reference = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    for name in wz.__all__:
        thing = getattr(wz, name)
        assert name == "STOP" or inspect.getdoc(thing), f"{name} has no docstring"
        documented = f"weitzman.{name}" in reference or (
            inspect.isclass(thing) and thing.__module__ == "weitzman.errors"
        )
        assert documented, f"{name} is not in docs/reference/api.md"


def test_public_methods_have_docstrings() -> None:
    for name in wz.__all__:
        thing = getattr(wz, name)
        if not inspect.isclass(thing):
            continue
        for attribute, member in vars(thing).items():
            if attribute.startswith("_") or not (callable(member) or isinstance(member, property)):
                continue
            assert inspect.getdoc(getattr(thing, attribute)), f"{name}.{attribute} has no docstring"


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, weitzman; "
        "heavy = {'numba', 'scipy.stats', 'scipy.special', 'matplotlib', 'rich', 'typer', 'sklearn'}; "
        "print(*sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_import_takes_no_longer_than_a_few_times_numpy() -> None:
    code = (
        "import time; a = time.perf_counter(); import numpy; b = time.perf_counter(); "
        "import weitzman; c = time.perf_counter(); print((c - b) / (b - a))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    assert min(float(run.stdout) for run in runs) < 4.0
