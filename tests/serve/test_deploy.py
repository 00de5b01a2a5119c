"""The files in the folder deploy, and what the page about them says: checked as far as they can be here."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from tests.serve.running import CONTEXTS, running
from weitzman.cli.main import app

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs/how-to/deploy.md").read_text(encoding="utf-8")


def _options(command: str) -> set[str]:
    found: Any = getattr(typer.main.get_command(app), "commands", {})[command]
    return {option for parameter in found.params for option in parameter.opts}


def _in(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--")}


def test_the_image_has_no_complaint_of_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    run = subprocess.run(
        [hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (0, "")


def test_the_image_copies_what_is_there_and_serves_with_options_that_exist() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists()
            assert f"!{source}" in kept
    (command,) = re.findall(r"^CMD (\[\"serve.+\])$", text, re.MULTILINE)
    assert _in(json.loads(command)) <= _options("serve")


def test_the_unit_is_taken_by_systemd(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze on this machine")
    text = (DEPLOY / "weitzman.service").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
    assert _in(command.split()) <= _options("serve")
    unit = tmp_path / "weitzman.service"
    unit.write_text(text.replace("/opt/weitzman/bin/weitzman", sys.executable), encoding="utf-8")
    run = subprocess.run([analyze, "verify", unit], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_the_services_of_compose_share_a_database_and_know_each_other() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = told["services"]
    assert set(services) == {"database", "one", "two"}
    for name in ("one", "two"):
        service = services[name]
        assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).exists()
        command = service["command"]
        assert _in(command) <= _options("serve")
        assert f"--address=http://{name}:8080" in command
        assert set(service["secrets"]) == set(told["secrets"])
        assert {volume.partition(":")[0] for volume in service["volumes"]} <= set(told["volumes"])
    (data,) = {w for n in ("one", "two") for w in services[n]["command"] if "--data" in w}
    database = services["database"]["environment"]
    assert (
        data
        == f"--data=postgresql://{database['POSTGRES_USER']}@database/{database['POSTGRES_DB']}"
    )


def test_the_board_asks_for_metrics_that_there_are(tmp_path: Path) -> None:
    board = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    with running(tmp_path / "events.db") as service:
        path = service.problem("p")
        service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS})
        shown = service.get("/metrics").text
    known = set(re.findall(r"^(weitzman_\w+)", shown, re.MULTILINE))
    asked = set(re.findall(r"weitzman_\w+", json.dumps(board)))
    assert asked <= known
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    for metric in re.findall(r"weitzman_\w+", PAGE):
        assert metric in known


def test_prometheus_reads_the_services_of_compose() -> None:
    told = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))
    (job,) = told["scrape_configs"]
    assert job["static_configs"][0]["targets"] == ["one:8080", "two:8080"]


def test_a_backup_that_is_restored_holds_what_there_was(tmp_path: Path) -> None:
    live, copy = tmp_path / "live" / "events.db", tmp_path / "copy.db"
    live.parent.mkdir()
    with running(live, "--snapshot-every", "20") as service:
        path = service.problem("p")
        for number in range(30):
            service.post(f"{path}/rounds", {"id": f"r{number}", "contexts": CONTEXTS})
            service.post(f"{path}/rounds/r{number}/values", {"values": {"a": float(number)}})
        kept = service.get("/v1/digest").json()
        with sqlite3.connect(live) as source, sqlite3.connect(copy) as target:
            source.backup(target)
        source.close()
        target.close()
        for number in range(30):
            service.post(f"{path}/rounds/r{number}/close")
        assert service.get("/v1/digest").json() != kept
    # As the page warns: the files of the newer journal stand beside
    shutil.copy(copy, live)
    with pytest.raises(RuntimeError, match="is damaged"), running(live):
        pass
    for left in live.parent.glob("events.db*"):
        if left.suffix != ".log":
            left.unlink()
    shutil.copy(copy, live)
    with running(live) as service:
        assert service.get("/v1/digest").json() == kept
