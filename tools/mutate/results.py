"""Results on disk, and which faults are judged to change nothing that a test could see."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from tools.mutate.faults import Fault

__all__ = ["Equivalents", "Outcome", "Result", "Results", "summary"]

Outcome = Literal["found", "not found", "equivalent", "no test"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of one fault."""

    fault: Fault
    source: str
    """The digest of the module that it was put into."""
    outcome: Outcome
    by: str = ""
    """The first test that failed; of an equivalent fault, why it is one."""
    files: tuple[str, ...] = ()
    """The test files that were run."""
    seconds: float = 0.0

    def line(self) -> str:
        """Return it in words."""
        fault = self.fault
        change = f"{fault.before!r} → {fault.after!r}"
        by = f" ({self.by})" if self.by else ""
        place = f"{fault.module}:{fault.line}"
        return f"{self.outcome}: {place} {fault.operator}: {change} in {fault.text!r}{by}"


@dataclass(frozen=True)
class Results:
    """All results so far, one line of JSON each; the last one of a fault counts."""

    path: Path

    def read(self) -> dict[tuple[str, str], Result]:
        """Return them by key of the fault and digest of its module."""
        found = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                record = json.loads(line)
                fault, files = Fault(**record.pop("fault")), tuple(record.pop("files"))
                result = Result(fault=fault, files=files, **record)
                found[fault.key, result.source] = result
        return found

    def add(self, result: Result) -> None:
        """Write one more."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(result)) + "\n")


@dataclass(frozen=True)
class Equivalents:
    """The faults that are judged equivalent: by module, text of the line and operator."""

    entries: tuple[dict[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> "Equivalents":
        """Read ``equivalent.toml``."""
        entries = tomllib.loads(path.read_text()).get("equivalent", []) if path.exists() else []
        for entry in entries:
            if missing := {"module", "line", "operator", "reason"} - set(entry):
                raise ValueError(f"{path}: {entry} must have {sorted(missing)}")
        return cls(tuple(entries))

    def reason(self, fault: Fault) -> str | None:
        """Return why a fault changes nothing, or None if nobody has judged so."""
        return next((e["reason"] for e in self.entries if _is_of(e, fault)), None)

    def unused(self, faults: Sequence[Fault]) -> list[dict[str, str]]:
        """Return the entries that no fault is an instance of: the code has changed since."""
        return [e for e in self.entries if not any(_is_of(e, fault) for fault in faults)]


def _is_of(entry: dict[str, str], fault: Fault) -> bool:
    return (
        entry["module"] == fault.module
        and entry["line"] == fault.text
        and entry["operator"] == fault.operator
        and entry.get("after", fault.after) == fault.after
        and entry.get("before", fault.before) == fault.before
    )


def summary(results: Iterable[Result]) -> dict[str, Any]:
    """Return the numbers of each outcome, and the share found of what could be."""
    counts = Counter(result.outcome for result in results)
    found, missed = counts["found"], counts["not found"] + counts["no test"]
    share = found / (found + missed) if found + missed else None
    return {
        **{k: counts[k] for k in ("found", "not found", "no test", "equivalent")},
        "share": share,
    }
