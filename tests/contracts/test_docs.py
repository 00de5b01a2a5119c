"""What the README and the pages say is true: their Python runs, their citations and links resolve."""

import os
import pathlib
import re

import pytest

import weitzman as wz
from tests.contracts.outputs import RECORDED, SAME

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [p for p in PAGES if "_build" not in p.parts]
# They need packages of others: tests/integrations runs them beside these
ELSEWHERE = {
    "llm-gateway.md",
    "litellm.md",
    "langchain.md",
    "optuna.md",
    "ray-tune.md",
    "ax.md",
}
# The others are run by test_outputs.py, those that need recorded rounds where these are at hand
WITH_CODE = [
    p
    for p in PAGES
    if p not in (*RECORDED, *SAME)
    and p.name not in ELSEWHERE
    and "```python" in p.read_text(encoding="utf-8")
]


def _id(page: pathlib.Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CODE, ids=_id)
def test_python_blocks_run(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    before = pathlib.Path.cwd()
    os.chdir(tmp_path)
    try:
        for block in blocks:
            exec(compile(block, str(page), "exec"), names)
    finally:
        os.chdir(before)


def test_the_readme_example_has_at_most_fifteen_lines_of_code() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    code = [line for line in block.splitlines() if line.strip()]
    assert len(code) <= 15


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_relative_links_resolve(page: pathlib.Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{_id(page)} links to {target}"


def test_citations_resolve_in_the_bibliography() -> None:
    bibliography = (ROOT / "docs/explanation/bibliography.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\[([A-Z][\w-]+ \d{4}[a-z]?)\]$", bibliography, re.MULTILINE))
    sources = [*PAGES, *sorted((ROOT / "src").rglob("*.py"))]
    for source in sources:
        text = source.read_text(encoding="utf-8")
        for key in re.findall(r"\[([A-Z][\w-]+ \d{4}[a-z]?)\]", text):
            assert key in known, f"{_id(source)} cites {key}"


def test_every_command_and_option_is_in_the_command_line_reference() -> None:
    import typer.main

    from weitzman.cli.main import app

    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    group = typer.main.get_command(app)
    for name, command in getattr(group, "commands", {}).items():
        assert f"weitzman {name}" in reference
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or f"`{option}" in reference, f"{name} {option}"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_make_targets_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = set(re.findall(r"\bmake ([a-z-]+)", text))
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"no make target {target}"


def test_every_world_is_in_the_reference() -> None:
    from weitzman.lab.worlds import WORLDS

    reference = (ROOT / "docs/reference/worlds.md").read_text(encoding="utf-8")
    for name, world in WORLDS.items():
        assert f"| `{name}` |" in reference, name
        assert f"autoclass:: {world.__module__}.{world.__qualname__}\n" in reference, name


def test_every_closed_family_is_in_the_how_to() -> None:
    from weitzman.search.laws.closed_forms import CLOSED

    text = (ROOT / "docs/how-to/own-distribution.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"with a closed form\s+\(([^)]+)\)", text)
    assert set(re.split(r",\s+", listed)) == set(CLOSED)


def test_every_learner_is_in_the_how_to() -> None:
    from weitzman.learn.storage.registry import LEARNERS

    text = (ROOT / "docs/how-to/choose-a-learner.md").read_text(encoding="utf-8")
    for name in LEARNERS:
        assert f"`{name}(" in text, name


def test_what_a_page_imports_is_in_the_top_package() -> None:
    """Modules for the tools of others are imported by name: each is an extra of its own."""
    drawers = ("how-to", "gallery", "tutorials")
    pages = [ROOT / "README.md", *(p for d in drawers for p in ROOT.glob(f"docs/{d}/*.md"))]
    assert len(pages) > 20
    for page in pages:
        text = page.read_text(encoding="utf-8")
        deep = re.findall(r"^from (weitzman[\w.]*) import", text, re.MULTILINE)
        assert all(name.startswith("weitzman.integrations.") for name in deep), (page.name, deep)
        for name in re.findall(r"\bwz\.(\w+)", text):
            assert hasattr(wz, name), (page.name, name)
