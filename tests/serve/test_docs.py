"""The pages about the service are true: the walk-through runs, and every route and setting is there."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import weitzman
from tests.serve.running import MAIN, running
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.messages.refusal import KINDS
from weitzman.serve.messages.schema import NewProblem
from weitzman.serve.settings import Settings

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs/reference/service.md").read_text(encoding="utf-8")


def test_every_route_is_documented_with_its_scope() -> None:
    for route in ROUTES:
        who = "everybody" if route.access == "open" else route.access
        assert f"| `{route.method} {route.path}` | {who} |" in REFERENCE, route.path


def test_every_kind_of_error_is_documented() -> None:
    for kind, (status, _) in KINDS.items():
        if status != 500:
            assert f"| {status} | `urn:weitzman:{kind}` |" in REFERENCE, kind


def test_every_setting_is_documented() -> None:
    cli = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    for setting in fields(Settings):
        assert f"`--{setting.name.replace('_', '-')}" in cli, setting.name
    for name in NewProblem.__struct_fields__:
        assert f"`{name}`" in REFERENCE, name


def test_the_walk_through_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs/how-to/run-the-service.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    command = tmp_path / "bin" / "weitzman"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{MAIN}" "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    with running(tmp_path / "decisions.db") as service:
        path = f"{command.parent}:{os.environ['PATH']}"
        source = str(Path(weitzman.__file__).parents[1])
        environment = {
            **os.environ,
            "PORT": str(service.port),
            "PATH": path,
            "PYTHONPATH": source,
        }
        outputs = []
        for block in blocks:
            if "pip install" in block:
                continue
            run = subprocess.run(
                ["sh", "-ec", block.replace("curl -sS", "curl -sS --fail-with-body")],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert run.returncode == 0, (block, run.stdout, run.stderr)
            outputs.append(run.stdout)
    told = "".join(outputs)
    assert '"next":"north"' in told
    assert '"Opened north for 0.4, saw 3.1."' in told
    assert '{"rounds":1,"values":1,"unknown_levels":[]}' in told
    assert "wz_" in outputs[-1]
