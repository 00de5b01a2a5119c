"""Pages show what their code prints, and pictures that are there."""

import re
from pathlib import Path

import pytest

from tests.contracts.outputs import (
    DATA,
    PAGES,
    RECORDED,
    SAME,
    beside_the_data,
    blocks,
    printed,
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_that_print_show_their_output(page: Path) -> None:
    for code, output in blocks(page):
        compile(code, str(page), "exec")
        assert bool(output) == ("print(" in code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_are_there_and_small(page: Path) -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    assert pictures
    for picture in pictures:
        assert (page.parent / picture).stat().st_size < 150_000


def _same_as_printed(page: Path) -> None:
    with beside_the_data() as here:
        outputs = printed(page)
        named = set(re.findall(r"_static/([\w.-]+)\)", page.read_text(encoding="utf-8")))
        assert named <= {picture.name for picture in here.glob("*.png")}
    assert outputs == [output for _, output in blocks(page)]


@pytest.mark.parametrize("page", SAME, ids=lambda page: page.stem)
def test_outputs_are_what_the_code_prints(page: Path) -> None:
    """If the numbers have changed for a good reason: ``python -m tests.contracts.outputs``."""
    _same_as_printed(page)


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the recorded rounds are not at hand")
@pytest.mark.parametrize("page", RECORDED, ids=lambda page: page.stem)
def test_outputs_over_recorded_rounds_are_what_the_code_prints(page: Path) -> None:
    _same_as_printed(page)
