"""A bench: a scratch copy of the tree in which one fault after the other is put in and tested.

Machine code that numba keeps on disk is not made again when a file that it calls into changes. So a
fault in a module that is compiled, or whose constants are, gets a cache directory of its own, in which
only the code of modules that do not import the faulty one is kept.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.mutate.faults import Fault
from tools.mutate.nearness import Tree

__all__ = ["Bench", "Run", "StoppedError"]

_TOO_LONG = -1
_NOTHING_COLLECTED = 5


class StoppedError(Exception):
    """A run that was broken off, and says nothing."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one run of tests said."""

    code: int
    seconds: float
    failed: str
    """The first test that failed, or what happened instead."""

    @property
    def is_found(self) -> bool:
        return self.code not in (0, _NOTHING_COLLECTED)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A scratch copy of a tree, and the folder for its compiled code."""

    home: Path
    no_jit: bool = False
    _live: list[subprocess.Popen[str]] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def tree(self) -> Path:
        return self.home / "tree"

    @property
    def _cache(self) -> Path:
        return self.home / "numba"

    def fill(self, root: Path) -> None:
        """Copy what is under version control, or could be, from the root."""
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
            check=True,
            capture_output=True,
            text=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            source, target = root / name, self.tree / name
            if source.is_file() and not source.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)

    def stop(self) -> None:
        """End the tests that are running, and start no others."""
        self._stopped.set()
        for process in self._live:
            if process.poll() is None:
                _end_group(process)

    def run_clean(self, files: Sequence[str], limit: float) -> Run:
        """Run test files without a fault."""
        return self._run(files, limit, self._cache)

    def run_faulty(self, fault: Fault, files: Sequence[str], limit: float, tree: Tree) -> Run:
        """Run test files with a fault, and take it out again."""
        path = self.tree / tree.modules[fault.module].relative_to(tree.root)
        source, times = path.read_bytes(), path.stat()
        own = self.home / "numba-of-fault"
        cache = self._cache
        if tree.is_compiled(fault.module) and not self.no_jit:
            self._copy_cache(own, tree, fault.module)
            cache = own
        try:
            _write(path, fault.put_into(source))
            return self._run(files, limit, cache)
        finally:
            _write(path, source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            shutil.rmtree(own, ignore_errors=True)

    def _copy_cache(self, target: Path, tree: Tree, module: str) -> None:
        """Copy the compiled code that cannot have the module's in it."""
        users = {name.rpartition(".")[2] for name in tree.distances(module)}

        def touched(_: str, names: list[str]) -> list[str]:
            return [name for name in names if name.partition(".")[0] in users]

        shutil.rmtree(target, ignore_errors=True)
        if self._cache.exists():
            shutil.copytree(self._cache, target, ignore=touched)

    def _run(self, files: Sequence[str], limit: float, cache: Path) -> Run:
        command = [
            sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "--no-header",
            "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin",
            "--hypothesis-seed=0", *files,
        ]  # fmt: skip
        environment = os.environ | {
            "PYTHONPATH": str(self.tree / "src"),
            "NUMBA_CACHE_DIR": str(cache),
            "TMPDIR": str(self.home / "tmp"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of the start of a short run
        }
        if self.no_jit:
            environment["NUMBA_DISABLE_JIT"] = "1"
        shutil.rmtree(self.home / "tmp", ignore_errors=True)
        (self.home / "tmp").mkdir()
        begin = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=self.tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            self._live[:] = [process]
            try:
                if self._stopped.is_set():
                    raise StoppedError
                said, _ = process.communicate(timeout=limit)
                code = process.returncode
            except subprocess.TimeoutExpired:
                said, code = "", _TOO_LONG
            finally:
                _end_group(process)
        if self._stopped.is_set():
            raise StoppedError
        seconds = round(time.monotonic() - begin, 1)
        return Run(code=code, seconds=seconds, failed=_first_failure(said, code))


def _first_failure(said: str, code: int) -> str:
    if code == _TOO_LONG:
        return "time limit"
    if code == 0:
        return ""
    for line in said.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.split(" - ")[0].split(" ", 1)[1]
    return f"exit code {code}"


def _write(path: Path, source: bytes) -> None:
    """Write a source, and remove the byte code of what was there."""
    path.write_bytes(source)
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        stale.unlink()


def _end_group(process: subprocess.Popen[str]) -> None:
    """End what the tests may have left running: the session that was started for them."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
