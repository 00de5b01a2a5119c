"""The files that the architecture page and CONTRIBUTING.md name are there."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "src/weitzman"
PAGES = [ROOT / "docs/explanation/architecture.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_files_exist(page: pathlib.Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+\.\w+)?)`", text))
    assert len(named) > 20
    for path in sorted(named):
        # From the root, from the package, or, where a room is described, from the room
        places = [ROOT / path, PACKAGE / path, *(room / path for room in PACKAGE.iterdir())]
        assert any(place.exists() for place in places), f"{page.name} names {path}"


def test_every_room_is_described() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    rooms = {place.parent.name for place in PACKAGE.glob("*/__init__.py")}
    assert {room for room in rooms if f"**`{room}`**" not in text} == set()
