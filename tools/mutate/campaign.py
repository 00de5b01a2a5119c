"""A campaign: which faults are tried, with which tests, on how many benches."""

import hashlib
import json
import queue
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tools.mutate.bench import Bench
from tools.mutate.faults import Fault, faults_in
from tools.mutate.nearness import Tree
from tools.mutate.results import Equivalents, Result, Results

__all__ = ["ROOMS", "Campaign", "faults_of", "modules_of"]

ROOMS = ("weitzman.search", "weitzman.learn", "weitzman.ledger", "weitzman.serve")
_CLEAN_LIMIT = 600.0
# Seconds that a run of tests has beside four times what they take
_LEAST_LIMIT = 30.0
# Compiling everything that a test needs takes this long at most
_COMPILING = 300.0
# So many files that do not fit into the budget are passed over before no further one is looked at
_MOST_TOO_LONG = 3


def modules_of(tree: Tree, wanted: Sequence[str]) -> list[str]:
    """Return the modules that are, or are in, the wanted ones; ``weitzman.`` may be left out."""
    prefixes = [_full_name(name) for name in wanted] or list(ROOMS)
    found = [
        name
        for name in sorted(tree.modules)
        if any(f"{name}.".startswith(f"{prefix}.") for prefix in prefixes)
        and not name.startswith("tests")
        and not name.endswith(".testing")  # tests themselves
    ]
    if not found:
        raise SystemExit(f"There is no module {', '.join(wanted)}.")
    return found


def _full_name(name: str) -> str:
    dotted = name.removesuffix(".py").removeprefix("src/").replace("/", ".")
    return dotted if f"{dotted}.".startswith("weitzman.") else f"weitzman.{dotted}"


def faults_of(tree: Tree, modules: Sequence[str], seed: int) -> list[Fault]:
    """Return all faults of the modules in random order: a longer campaign begins as a shorter one does."""
    found = [f for name in modules for f in faults_in(name, tree.modules[name].read_bytes())]
    random.Random(seed).shuffle(found)
    return found


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """Tries faults, a few at a time, and writes down what became of each."""

    tree: Tree
    state: Path
    scratch: Path
    equivalents: Equivalents
    workers: int = 2
    budget: float = 60.0
    """Seconds of tests, measured without a fault, that are run for a fault."""
    no_jit: bool = False
    again: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failing: set[str] = field(default_factory=set)
    """Test files that failed without a fault: on a busy machine, perhaps; the next campaign asks again."""

    def run(self, faults: Sequence[Fault]) -> Iterator[Result]:
        """Yield the result of each fault: those of earlier campaigns first, then as they come."""
        results, todo = Results(self.state / "results.jsonl"), []
        known = results.read()
        for fault in faults:
            digest = self._digest(fault.module)
            reason = self.equivalents.reason(fault)
            before = known.get((fault.key, digest))
            if reason is not None:
                yield Result(fault=fault, source=digest, outcome="equivalent", by=reason)
            elif before is not None and not (self.again and before.outcome != "found"):
                yield before
            else:
                todo.append(fault)
        if not todo:
            return
        all_benches = [
            Bench(home=self.scratch / str(number), no_jit=self.no_jit)
            for number in range(self.workers)
        ]
        benches: queue.Queue[Bench] = queue.Queue()
        for bench in all_benches:
            bench.fill(self.tree.root)
            benches.put(bench)

        def attempt(fault: Fault) -> Result:
            bench = benches.get()
            try:
                result = self._attempt(bench, fault)
            finally:
                benches.put(bench)
            with self._lock:
                results.add(result)
            return result

        with ThreadPoolExecutor(self.workers) as pool:
            done: queue.Queue[Result | BaseException] = queue.Queue()
            for fault in todo:
                future = pool.submit(attempt, fault)
                future.add_done_callback(
                    lambda f: None if f.cancelled() else done.put(f.exception() or f.result())
                )
            try:
                for _ in todo:
                    result = done.get()
                    if isinstance(result, BaseException):
                        raise result
                    yield result
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
                for bench in all_benches:
                    bench.stop()  # by now all tests are over, unless this is an interruption

    def _attempt(self, bench: Bench, fault: Fault) -> Result:
        files, seconds = self._chosen(bench, fault.module)
        digest = self._digest(fault.module)
        if not files:
            return Result(fault=fault, source=digest, outcome="no test")
        compiling = _COMPILING if self.tree.is_compiled(fault.module) else 0.0
        limit = 4.0 * seconds + _LEAST_LIMIT + compiling
        run = bench.run_faulty(fault, files, limit, self.tree)
        return Result(
            fault=fault,
            source=digest,
            outcome="found" if run.is_found else "not found",
            by=run.failed,
            files=tuple(files),
            seconds=run.seconds,
        )

    def _chosen(self, bench: Bench, module: str) -> tuple[list[str], float]:
        """Return the nearest test files that fit into the budget, and how long they take."""
        source = str(self.tree.modules[module].relative_to(self.tree.root))
        examples = [(source, 0)] if b">>> " in self.tree.modules[module].read_bytes() else []
        chosen: list[str] = []
        whole, too_long = 0.0, 0
        for path, _ in [*examples, *self.tree.tests_of(module)]:
            if whole >= self.budget or too_long == _MOST_TOO_LONG:
                break
            seconds = self._clean_seconds(bench, path)
            if seconds is None:
                continue
            if chosen and whole + seconds > self.budget:
                too_long += 1
            else:
                chosen.append(path)
                whole += seconds
        return chosen, whole

    def _clean_seconds(self, bench: Bench, path: str) -> float | None:
        """Return how long a test file takes, or None if it fails or has no test to run."""
        times_path = self.state / "times.json"
        with self._lock:
            times = json.loads(times_path.read_text()) if times_path.exists() else {}
        key = f"{path} {self._file_digest(self.tree.root / path)}"
        if key in self._failing:
            return None
        if key not in times:
            run = bench.run_clean([path], _CLEAN_LIMIT)
            if run.code == 0 and run.seconds > 5.0:
                run = bench.run_clean([path], _CLEAN_LIMIT)  # without what was compiled
            if run.is_found:
                print(f"left out: {path} fails without a fault ({run.failed})", file=sys.stderr)
                self._failing.add(key)
                return None
            with self._lock:
                times = json.loads(times_path.read_text()) if times_path.exists() else {}
                times[key] = run.seconds if run.code == 0 else None
                times_path.parent.mkdir(parents=True, exist_ok=True)
                times_path.write_text(json.dumps(times, indent=1))
        seconds: float | None = times[key]
        return seconds

    def _digest(self, module: str) -> str:
        return self._file_digest(self.tree.modules[module])

    @staticmethod
    def _file_digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
