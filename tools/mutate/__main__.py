"""``python -m tools.mutate``: see README.md beside this file."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tools.mutate.campaign import Campaign, faults_of, modules_of
from tools.mutate.nearness import Tree
from tools.mutate.results import Equivalents, Result, summary

__all__ = ["main"]

_ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a campaign and print what was found and what was not."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the tests are ended too
    tree = Tree(asked.root.resolve())
    faults = faults_of(tree, modules_of(tree, asked.module), asked.seed)
    equivalents = Equivalents.read(asked.root / "tools/mutate/equivalent.toml")
    if not asked.module:
        for entry in equivalents.unused(faults):
            print(f"equivalent.toml: no such fault any more: {entry}", file=sys.stderr)
    faults = faults[: asked.count]
    if asked.list:
        for fault in faults:
            print(
                f"{fault.module}:{fault.line} {fault.operator}: {fault.before!r} → {fault.after!r}"
            )
        return 0
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="mutate-", dir=asked.scratch) as scratch:
        # Tests may start servers that run as somebody else, as PostgreSQL where we are root
        Path(scratch).chmod(0o755)
        campaign = Campaign(
            tree=tree,
            state=asked.state or asked.root / ".mutate",
            scratch=Path(scratch),
            equivalents=equivalents,
            workers=asked.workers,
            budget=asked.budget,
            no_jit=asked.no_jit,
            again=asked.again,
        )
        for result in campaign.run(faults):
            results.append(result)
            _show_progress(results, len(faults))
    _report(results, as_json=asked.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description=__doc__)
    add = parser.add_argument
    add("--count", type=int, default=200, help="how many faults (200)")
    add("--seed", type=int, default=0, help="which ones (0)")
    add("--module", action="append", default=[], help="only this module or folder, as search/laws")
    add("--workers", type=int, default=2, help="how many at a time (2)")
    add("--budget", type=float, default=60.0, help="seconds of tests for each (60)")
    add("--again", action="store_true", help="try once more what was not found before")
    add("--no-jit", action="store_true", help="with NUMBA_DISABLE_JIT=1 instead of compiling")
    add("--list", action="store_true", help="print the faults and try none")
    add("--json", action="store_true", help="print the whole report as JSON")
    add("--root", type=Path, default=_ROOT, help=argparse.SUPPRESS)
    add("--state", type=Path, default=None, help="where results are kept (.mutate)")
    add("--scratch", type=Path, default=None, help="where the tree is copied to")
    return parser


def _show_progress(results: Sequence[Result], whole: int) -> None:
    numbers = summary(results)
    line = (
        f"[{len(results)}/{whole}] found {numbers['found']}, not found {numbers['not found']}, "
        f"no test {numbers['no test']}, equivalent {numbers['equivalent']}"
    )
    if sys.stderr.isatty():
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)
    else:
        print(f"{line} | {results[-1].line()}", file=sys.stderr, flush=True)


def _report(results: Sequence[Result], *, as_json: bool) -> None:
    if sys.stderr.isatty():
        print(file=sys.stderr)
    numbers = summary(results)
    if as_json:
        print(json.dumps({**numbers, "results": [asdict(r) for r in results]}, indent=1))
        return
    for result in sorted(results, key=lambda r: (r.fault.module, r.fault.line)):
        if result.outcome in {"not found", "no test"}:
            print(result.line())
    share = numbers.pop("share")
    counts = ", ".join(f"{count} {outcome}" for outcome, count in numbers.items())
    print(f"{counts}: " + ("nothing tried" if share is None else f"{share:.1%} found"))


if __name__ == "__main__":
    sys.exit(main())
