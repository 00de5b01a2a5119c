"""Schemathesis over the published OpenAPI document: all phases, every operation, against a real service.

A refusal must leave the digest as it was; :mod:`tests.reliability.hooks` looks after every call.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.reliability.calls import Caller, truth_of
from tests.reliability.scale import scaled
from tests.serve.running import CONTEXTS, Running, running

ROOT = Path(__file__).parents[2]


def _prepare(service: Running, folder: Path) -> None:
    """Make what the requests may speak of, and files to upload."""
    for name, sense, feedback in (("target", "min", "opened"), ("wins", "max", "full")):
        path = service.problem(name, sense=sense, feedback=feedback)
        for round_name in ("known", "ended"):
            service.post(f"{path}/rounds", {"id": round_name, "contexts": CONTEXTS})
        service.post(f"{path}/rounds/ended/values", {"values": {"a": 1.0}})
        service.post(f"{path}/rounds/ended/close")
    service.problem("ending")
    for kind in ("log", "state"):
        (folder / kind).write_bytes(service.get(f"/v1/problems/target/{kind}").content)


class Called(NamedTuple):
    """One request, as the hooks have noted it."""

    operation: str
    phase: str
    status: int
    changed: bool
    what: str


class Schemathesis:
    """Runs of Schemathesis against one service."""

    def __init__(self, service: Running, folder: Path, examples: int) -> None:
        self._folder, self._examples = folder, examples
        self._url = f"http://127.0.0.1:{service.port}"
        self._report = folder / "report"
        (folder / "config.toml").touch()

    def run(self, *options: str, seed: int = 1) -> str:
        """Return what it tells; it has found nothing."""
        # Rules beyond a schema, as that names are distinct, are refused with 422: no positive_data_acceptance
        command = [
            sys.executable, "-m", "schemathesis.cli", "--config-file", "config.toml", "run",
            f"{self._url}/openapi.json", "--max-examples", str(self._examples), "--seed", str(seed),
            "--no-color", "--generation-database", "none", "--warnings", "off",
            "--exclude-checks", "positive_data_acceptance", "--suppress-health-check", "all",
            "--continue-on-failure", "--max-failures", "20", *options,
        ]  # fmt: skip
        told = {
            "WEITZMAN_URL": self._url,
            "WEITZMAN_REPORT": str(self._report),
            "WEITZMAN_UPLOADS": str(self._folder),
            "SCHEMATHESIS_HOOKS": "tests.reliability.hooks",
            "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}",
        }
        environment = {**os.environ, **told}
        done = subprocess.run(
            command, cwd=self._folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
        return done.stdout

    def called(self) -> list[Called]:
        """Return all requests so far."""
        lines = self._report.read_text(encoding="utf-8").splitlines()
        return [Called(*json.loads(line)) for line in lines]

    def neglected(self, described: dict[str, Any]) -> list[str]:
        """Return the ids of operations that can vary and were given fewer examples than asked for."""
        fuzzed = Counter(call.operation for call in self.called() if call.phase == "fuzzing")
        return [
            operation["operationId"]
            for path, operations in described["paths"].items()
            for method, operation in operations.items()
            if (operation["parameters"] or "requestBody" in operation)
            and fuzzed[f"{method.upper()} {path}"] < self._examples
        ]


def _scenarios(told: str) -> int:
    found = re.search(r"Scenarios: +(\d+)", told)
    return 0 if found is None else int(found[1])


@scaled(100, 1_000)
def test_schemathesis_finds_nothing(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    data = tmp_path / "events.db"
    # Small enough that a digest after every call costs little
    limits = {"problems": 40, "dimension": 10, "boxes": 20, "rounds": 200}
    options = [part for name, most in limits.items() for part in (f"--{name}-limit", str(most))]
    with running(data, *options) as service:
        _prepare(service, tmp_path)
        described = service.get("/openapi.json").json()
        schemathesis = Schemathesis(service, tmp_path, count)
        told = schemathesis.run("--phases", "examples,coverage,fuzzing,stateful")
        scenarios = _scenarios(told)
        for seed in range(2, 12):
            if scenarios < count:  # it ends where its paths seem to lead to nothing new
                scenarios += _scenarios(schemathesis.run("--phases", "stateful", seed=seed))
        # What it takes from earlier answers repeats itself: alone, an operation is given new things
        for name in schemathesis.neglected(described):
            schemathesis.run("--phases", "fuzzing", "--include-operation-id", name)
        neglected = schemathesis.neglected(described)
        caller = Caller(lambda: service.port)
        live = caller.digest()
        caller.close()
        service.kill()
    calls = schemathesis.called()
    answers = Counter(call.status for call in calls)
    changed = [call for call in calls if call.changed]
    figure(
        f"Schemathesis, {count} examples an operation: {len(calls)} requests, {len(changed)} refused ones "
        f"changed the digest, {sum(n for s, n in answers.items() if s >= 500)} answers ≥ 500; "
        f"by phase {dict(Counter(call.phase for call in calls))}, {scenarios} scenarios; "
        f"answers {dict(sorted(answers.items()))}"
    )
    phases = ("Examples", "Coverage", "Fuzzing", "Stateful")
    assert [phase for phase in phases if f"✅ {phase}" not in told] == []
    assert neglected == []
    assert scenarios >= count
    assert changed == []
    assert max(answers) < 500
    assert {200, 201, 404, 422} <= answers.keys()
    truth = truth_of(data)
    assert live == (truth.events[-1].seq, truth.folded)
