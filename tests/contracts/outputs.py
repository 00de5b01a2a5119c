"""Pages whose Python blocks are followed by what they print.

``python -m tests.contracts.outputs`` writes the outputs and the pictures of these pages again, where the
recorded rounds are at hand; with names of pages, of these only.
"""

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
DOCS = ROOT / "docs"
# Their outputs are the same on every machine
SAME = tuple(DOCS / f"gallery/{name}.md" for name in ("suppliers", "experiments", "second-hand"))
# Seconds and the work of a planner differ
DIFFERENT = tuple(DOCS / f"gallery/{name}.md" for name in ("model-training", "query-plans"))
RECORDED = (DOCS / "tutorials/which-llm-first.md",)
PAGES = (*RECORDED, *SAME, *DIFFERENT)

_BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the Python blocks of a page, each with the output that the page shows; empty if none."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(code, output) for code, output in found]


@contextlib.contextmanager
def beside_the_data() -> Iterator[Path]:
    """Work in an empty directory from which ``../shared`` is where the recorded rounds are."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "shared").symlink_to(DATA.parent)
        here = Path(place) / "here"
        here.mkdir()
        os.chdir(here)
        try:
            yield here
        finally:
            os.chdir(before)


def printed(page: Path) -> list[str]:
    """Run the blocks of a page in this directory, and return what each prints."""
    names: dict[str, object] = {"__name__": "page"}
    outputs = []
    for code, _ in blocks(page):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(page), "exec"), names)
        outputs.append(out.getvalue())
    return outputs


def refresh(page: Path) -> None:
    """Write what the blocks of a page print into it, and its pictures beside it."""
    with beside_the_data() as here:
        outputs = iter(printed(page))
        for picture in here.glob("*.png"):
            shutil.copyfile(picture, ROOT / "docs/_static" / picture.name)

    def shown(match: re.Match[str]) -> str:
        output = next(outputs)
        block = f"\n```text\n{output}```\n" if output else ""
        return f"```python\n{match.group(1)}```\n{block}"

    page.write_text(_BLOCK.sub(shown, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    for each in PAGES:
        if each.stem in sys.argv[1:] or not sys.argv[1:]:
            refresh(each)
