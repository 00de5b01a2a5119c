"""The sources that machine code is made from: when one of them changes, it is compiled again.

Numba recompiles a cached function when the function's own file changes, but not when a file that it calls
into changes. So the digest of all these files is part of every cached name. They are found, not listed: the
function's own file; what a file imports from this package, and so on; and, for a file with generic functions,
every file of its room that imports it and implements some. So constants are covered, and plain functions
that are compiled elsewhere, such as :func:`weitzman.search.rule.next_box`.

Every start of a process does this, so text is searched and not parsed: an import is a line of the form
``from weitzman.… import …``, the only one in this package.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

_HOUSE = Path(__file__).parents[1]
_IMPORT = re.compile(rb"^ *from weitzman\.(\S+) import ", re.MULTILINE)


@cache
def digest_of(path: Path) -> str:
    """Return eight characters that change with the sources that compiled functions of a file depend on."""
    found: set[Path] = set()
    ahead = {path}
    while ahead:
        here = ahead.pop()
        found.add(here)
        beside = set(_imported(here))
        if b"\n@generic\n" in _text(here) and here.is_relative_to(_HOUSE):
            bodies = _implementing(here.relative_to(_HOUSE).parts[0])
            beside.update(other for other in bodies if here in _imported(other))
        ahead |= beside - found
    return hashlib.sha256(b"".join(_text(source) for source in sorted(found))).hexdigest()[:8]


@cache
def _imported(path: Path) -> frozenset[Path]:
    """Return the files of this package that a file imports."""
    names = _IMPORT.findall(_text(path))
    modules = {_HOUSE.joinpath(*name.decode().split(".")) for name in names}
    return frozenset(m / "__init__.py" if m.is_dir() else m.with_suffix(".py") for m in modules)


@cache
def _text(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


@cache
def _implementing(room: str) -> tuple[Path, ...]:
    """Return the files of a room with bodies of generic functions."""
    files = (_HOUSE / room).rglob("*.py")
    return tuple(path for path in files if b"\n@implements(" in path.read_bytes())
