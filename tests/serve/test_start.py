"""A start that cannot be is refused in one line, and leaves nothing behind."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serve.running import MAIN, Running, free_port, running


def weitzman(*arguments: str, key: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN, *arguments]
    environment = {**os.environ, "WEITZMAN_KEY": key}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=60.0, check=False
    )


def check_refused(ended: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    """Check that a command said why in one line and came to an end."""
    assert ended.returncode == code, ended.stderr
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("keys", "create")], ids=" ".join)
@pytest.mark.parametrize(
    ("data", "why"),
    [("", "is a folder"), ("mistyped/decisions.db", "must be there")],
    ids=["a folder", "a parent that is not there"],
)
def test_a_place_where_no_journal_can_be(
    tmp_path: Path, command: tuple[str, ...], data: str, why: str
) -> None:
    place = tmp_path / data
    check_refused(weitzman(*command, "--data", str(place)), 1, repr(str(place)), why)
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = weitzman("serve", "--port", port, "--data", str(tmp_path / "events.db"))
    check_refused(ended, 2, "The port of '127.0.0.1' must be free", f"Got {port}.")
    assert list(tmp_path.iterdir()) == []


def test_a_host_without_an_address(tmp_path: Path) -> None:
    data = str(tmp_path / "events.db")
    ended = weitzman("serve", "--host", "no.such.host.invalid", "--data", data)
    check_refused(ended, 2, "The host must have an address", "'no.such.host.invalid'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [None, "short"])
def test_a_key_file_without_a_key(tmp_path: Path, content: str | None) -> None:
    file, data = tmp_path / "key", str(tmp_path / "events.db")
    if content is not None:
        file.write_text(content, encoding="utf-8")
    ended = weitzman("serve", "--port", "0", "--data", data, "--key-file", str(file))
    check_refused(ended, 2, f"The key file {str(file)!r} must")
    assert [path.name for path in tmp_path.iterdir()] == ([] if content is None else ["key"])


def test_keys_asked_for_that_nobody_has(tmp_path: Path) -> None:
    data = str(tmp_path / "events.db")
    ended = weitzman("serve", "--port", "0", "--data", data, "--require-keys")
    check_refused(ended, 1, f"weitzman keys create --data {data}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("list",), ("revoke", "a1b2")], ids=lambda part: part[0])
def test_keys_of_a_journal_that_is_not_there(tmp_path: Path, command: tuple[str, ...]) -> None:
    data = str(tmp_path / "typo.db")
    check_refused(weitzman("keys", *command, "--data", data), 1, "There is no journal", data)
    assert list(tmp_path.iterdir()) == []


def test_keys_without_the_service(tmp_path: Path) -> None:
    data = str(tmp_path / "events.db")
    text = weitzman("keys", "create", "--data", data, "--name", "ops").stdout.strip()
    key_id = text.split("_")[1]
    assert weitzman("keys", "list", "--data", data).stdout == f"{key_id}  ops  admin\n"
    assert weitzman("keys", "revoke", key_id, "--data", data).stdout == f"{key_id}  revoked\n"
    assert weitzman("keys", "list", "--data", data).stdout == f"{key_id}  ops  admin  revoked\n"


def test_keys_through_a_service_that_runs(service: Running) -> None:
    url = ("--url", f"http://127.0.0.1:{service.port}")
    held = weitzman("keys", "list", "--data", str(service.data))
    check_refused(held, 1, "is held by another process", "--url")
    text = weitzman("keys", "create", "--name", "shop", "--scope", "read", *url).stdout.strip()
    key_id = text.split("_")[1]
    assert service.get("/v1/keys").json()["keys"][-1]["name"] == "shop"
    assert f"{key_id}  shop  read\n" in weitzman("keys", "list", *url).stdout
    assert weitzman("keys", "list", *url, key=text).stderr.startswith("Authorization: This needs")
    assert weitzman("keys", "revoke", key_id, *url).stdout == f"{key_id}  revoked\n"
    assert f"{key_id}  shop  read  revoked\n" in weitzman("keys", "list", *url).stdout
    check_refused(weitzman("keys", "revoke", "nobody", *url), 1, "There is no key 'nobody'")


def test_a_url_where_nobody_answers() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    check_refused(weitzman("keys", "list", "--url", url), 1, "gave no answer")


def test_any_port_is_told(tmp_path: Path) -> None:
    """The line of the log names the port that was found, and it answers there."""
    with running(tmp_path / "events.db") as service:
        lines = [line for line in service.logged() if line["event"] == "listening"]
        assert [line["port"] for line in lines] == [service.port]
