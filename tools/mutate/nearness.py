"""Which tests matter for a module: how far each test file's imports are from it.

A test file reaches the modules that it, the helpers it imports and the ``conftest`` files above it
import; ``wz.name`` counts as an import of the module that defines the name. From there the way leads
along the imports of the library. The test file that mirrors the module's path comes first.
"""

import ast
import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.mutate.faults import is_type_checking

__all__ = ["Tree"]

_TOP = "weitzman"


@dataclass(frozen=True)
class Tree:
    """A checked-out tree: the library in ``src``, its tests in ``tests``."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        """The files of the library and of the tests, by module name."""
        found = {}
        for base, top in ((self.root / "src", _TOP), (self.root, "tests")):
            for path in sorted((base / top).rglob("*.py")):
                parts = path.relative_to(base).with_suffix("").parts
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return found

    @cached_property
    def _exports(self) -> dict[str, str]:
        """The module that defines each name of the top package."""
        tree = ast.parse(self.modules[_TOP].read_bytes())
        return {
            alias.asname or alias.name: node.module or ""
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{_TOP}.")
            for alias in node.names
        }

    @cached_property
    def imports(self) -> dict[str, frozenset[str]]:
        """What each module imports, but for what only its types need."""
        return {name: frozenset(self._imports_of(name)) - {name, _TOP} for name in self.modules}

    def _imports_of(self, name: str) -> Iterator[str]:
        if name == _TOP:
            return
        nodes = list(_run_time_nodes(ast.parse(self.modules[name].read_bytes())))
        tops: set[str] = set()
        for node in nodes:
            if isinstance(node, ast.Import):
                tops |= {a.asname or a.name for a in node.names if a.name == _TOP}
                yield from (a.name for a in node.names if a.name in self.modules)
            elif isinstance(node, ast.ImportFrom):
                yield from self._imported_from(node)
        for node in nodes:
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in tops
                and node.attr in self._exports
            ):
                yield self._exports[node.attr]

    def _imported_from(self, node: ast.ImportFrom) -> Iterator[str]:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            if whole in self.modules:
                yield whole
            elif node.module == _TOP and alias.name in self._exports:
                yield self._exports[alias.name]
            elif node.module in self.modules:
                yield node.module

    @cached_property
    def test_files(self) -> dict[str, frozenset[str]]:
        """The library's modules that each test file, by its path, imports."""
        found = {}
        for name, path in self.modules.items():
            if name.startswith("tests.") and path.name.startswith("test_"):
                near, seen = deque([name, *self._conftests(name)]), set[str]()
                while near:
                    module = near.popleft()
                    if module not in seen:
                        seen.add(module)
                        if module.startswith("tests"):
                            near.extend(self.imports[module])
                reached = frozenset(m for m in seen if not m.startswith("tests"))
                found[str(path.relative_to(self.root))] = reached
        return found

    def _conftests(self, name: str) -> list[str]:
        parts = name.split(".")
        above = (".".join([*parts[:k], "conftest"]) for k in range(1, len(parts)))
        return [conftest for conftest in above if conftest in self.modules]

    def distances(self, module: str) -> dict[str, int]:
        """Return how many imports each module of the library is away from this one."""
        importers: dict[str, list[str]] = {}
        for name, imported in self.imports.items():
            for other in imported:
                importers.setdefault(other, []).append(name)
        found, near = {module: 1}, deque([module])
        while near:
            here = near.popleft()
            for name in importers.get(here, []):
                if name not in found and not name.startswith("tests"):
                    found[name] = found[here] + 1
                    near.append(name)
        return found

    def tests_of(self, module: str) -> list[tuple[str, int]]:
        """Return the test files that reach a module with their distance, the nearest first.

        Of two at the same distance the one whose folder is more like the module's comes first. The
        files of the module's room that do not import it are at distance 3: they may run it in a
        process of its own.
        """
        found = self.distances(module)
        mirrored = self._mirror(module)
        room = "/".join(mirrored.split("/")[:2]) + "/"
        ranked = []
        for path, reached in self.test_files.items():
            near = [found[other] for other in reached if other in found]
            if path.startswith(room):
                near.append(3)
            if path == mirrored or near:
                distance = 0 if path == mirrored else min(near)
                ranked.append((distance, -_common(path, mirrored), path))
        return [(path, distance) for distance, _, path in sorted(ranked)]

    def _mirror(self, module: str) -> str:
        *folders, last = module.split(".")[1:]
        return "/".join(["tests", *folders, f"test_{last}.py"])

    def is_compiled(self, module: str) -> bool:
        """Whether machine code is made of the module, or has its constants in it."""
        return module in self._compiled or any(
            module in self.imports[other] and _imports_constant(self.modules[other], module)
            for other in self._compiled
        )

    @cached_property
    def _compiled(self) -> frozenset[str]:
        marks = ("import njit", "compiled.decorators import", "import numba", "from numba")
        return frozenset(
            name
            for name, path in self.modules.items()
            if name.startswith(f"{_TOP}.") and any(mark in path.read_text() for mark in marks)
        )


def _common(one: str, two: str) -> int:
    """Return how many folders two paths begin with alike."""
    pairs = zip(one.split("/"), two.split("/"), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _imports_constant(path: Path, module: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == module
        and any(alias.name.isupper() for alias in node.names)
        for node in ast.walk(ast.parse(path.read_bytes()))
    )


def _run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and is_type_checking(child.test)):
            yield from _run_time_nodes(child)
