"""Schemathesis over the published OpenAPI document: all phases, every operation, against a real service.

A refusal must leave the digest as it was; :mod:`tests.reliability.hooks` looks after every call.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

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


@scaled(100, 1_000)
def test_schemathesis_finds_nothing(
    count: int, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    config, report, data = (tmp_path / n for n in ("config.toml", "report", "events.db"))
    config.touch()
    # Small enough that a digest after every call costs little
    limits = {"problems": 40, "dimension": 10, "boxes": 20, "rounds": 200}
    options = [part for name, most in limits.items() for part in (f"--{name}-limit", str(most))]
    with running(data, *options) as service:
        _prepare(service, tmp_path)
        url = f"http://127.0.0.1:{service.port}"
        # Rules beyond a schema, as that names are distinct, are refused with 422: no positive_data_acceptance
        command = [
            sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run",
            f"{url}/openapi.json", "--max-examples", str(count), "--seed", "1", "--no-color",
            "--phases", "examples,coverage,fuzzing,stateful", "--generation-database", "none",
            "--exclude-checks", "positive_data_acceptance", "--suppress-health-check", "all",
            "--warnings", "off", "--continue-on-failure", "--max-failures", "20",
        ]  # fmt: skip
        told = {
            "WEITZMAN_URL": url,
            "WEITZMAN_REPORT": str(report),
            "WEITZMAN_UPLOADS": str(tmp_path),
        }
        environment = {**os.environ, **told, "SCHEMATHESIS_HOOKS": "tests.reliability.hooks"}
        environment["PYTHONPATH"] = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
        run = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        caller = Caller(lambda: service.port)
        live = caller.digest()
        caller.close()
        service.kill()
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    answers = Counter(status for status, _, _ in lines)
    changed = [what for _, moved, what in lines if moved]
    summary = run.stdout[run.stdout.find("= SUMMARY") :]
    figure(
        f"Schemathesis, {count} examples an operation: {len(lines)} requests, {len(changed)} refused ones "
        f"changed the digest, {sum(n for s, n in answers.items() if s >= 500)} answers ≥ 500; "
        f"answers {dict(sorted(answers.items()))}"
    )
    assert run.returncode == 0, run.stdout[-20_000:] + run.stderr[-2_000:]
    phases = ("Examples", "Coverage", "Fuzzing", "Stateful")
    assert [phase for phase in phases if f"✅  {phase}" not in summary] == []
    assert changed == []
    assert max(answers) < 500
    assert {200, 201, 404, 422} <= answers.keys()
    truth = truth_of(data)
    assert live == (truth.events[-1].seq, truth.folded)
