"""Keys, scopes, limits and host names: every route is closed unless it is said to be open."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.running import CONTEXTS, MAIN, Running, running
from weitzman.serve.http.guard import Guard, Rate
from weitzman.serve.http.route import Route
from weitzman.serve.http.routes import ROUTES
from weitzman.serve.messages.refusal import Refusal


def _keys(data: Path, *arguments: str) -> str:
    command = [sys.executable, "-c", MAIN, "keys", *arguments, "--data", str(data)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, dict[str, str]]]:
    data = tmp_path_factory.mktemp("guarded") / "events.db"
    keys = {s: _keys(data, "create", "--scope", s, "--name", s) for s in ("read", "write", "admin")}
    with running(data, "--require-keys", "--body-limit", "20000") as service:
        yield service, keys


def _send(service: Running, route: Route, key: str | None) -> httpx.Response:
    path = re.sub(r"\{\w+\}", "none", route.path)
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    if route.takes_type is not None:
        headers["content-type"] = route.takes_type
    return service.http.request(route.method, path, headers=headers)


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_every_route_asks_for_the_scope_that_the_table_says(
    guarded: tuple[Running, dict[str, str]], route: Route
) -> None:
    service, keys = guarded
    ranks = ["read", "write", "admin"]
    if route.access == "open":
        # Of the page only its files, which tell nothing of any problem
        page = ("/", "/docs", "/page/{file}")
        assert route.path in ("/healthz", "/readyz", "/openapi.json", *page)
        assert (route.file is not None) == (route.path in page)
        path = route.path.replace("{file}", "main.js")
        assert service.get(path).status_code == 200
        return
    assert _send(service, route, None).status_code == 401
    assert _send(service, route, "wz_none_" + "x" * 43).status_code == 401
    assert _send(service, route, keys["read"][:-1]).status_code == 401
    for scope in ranks:
        status = _send(service, route, keys[scope]).status_code
        allowed = ranks.index(scope) >= ranks.index(route.access)
        assert (status not in (401, 403)) if allowed else (status == 403)


def test_a_route_cannot_be_written_without_saying_who_may_use_it() -> None:
    with pytest.raises(TypeError, match="access"):
        Route(label="GET /", summary="", run=None)  # type: ignore[call-arg]


def test_paths_that_are_no_routes_tell_nothing(guarded: tuple[Running, dict[str, str]]) -> None:
    service, _ = guarded
    assert service.get("/v1/secret").status_code == 404
    assert service.get("/page/secret").status_code == 404
    assert service.get("/page/%2e%2e").status_code == 404


def test_keys_are_shown_once_and_end_when_revoked(guarded: tuple[Running, dict[str, str]]) -> None:
    service, keys = guarded
    admin = {"authorization": f"Bearer {keys['admin']}"}
    made = service.post("/v1/keys", {"name": "tim", "scope": "read"}, **admin)
    assert made.status_code == 201
    told = made.json()
    with_it = {"authorization": f"Bearer {told['key']}"}
    assert service.get("/v1/problems", **with_it).status_code == 200
    listed = service.get("/v1/keys", **admin)
    assert told["key"] not in listed.text
    assert told["id"] in [k["id"] for k in listed.json()["keys"]]
    (shown,) = (k for k in listed.json()["keys"] if k["id"] == told["id"])
    assert (shown["revoked"], abs(time.time() - shown["created"]) < 600.0) == (None, True)
    gone = service.http.request("DELETE", f"/v1/keys/{told['id']}", headers=admin)
    assert shown["created"] <= gone.json()["revoked"] <= time.time() + 1.0
    assert service.get("/v1/problems", **with_it).status_code == 401
    secret = told["key"].split("_", 2)[2].encode()
    files = [p for p in service.data.parent.iterdir() if p.is_file()]
    assert not any(secret in p.read_bytes() for p in files)


def test_a_key_is_made_once_even_with_an_idempotency_key(
    guarded: tuple[Running, dict[str, str]],
) -> None:
    """Its reply holds the secret, and is not kept."""
    service, keys = guarded
    headers = {"authorization": f"Bearer {keys['admin']}", "idempotency_key": "k"}
    first = service.post("/v1/keys", {"name": "ann", "scope": "read"}, **headers).json()
    again = service.post("/v1/keys", {"name": "ann", "scope": "read"}, **headers).json()
    assert first["key"] != again["key"]


def test_the_command_lists_and_revokes(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    key_id = _keys(data, "create", "--name", "me").split("_")[1]
    assert _keys(data, "list") == f"{key_id}  me  admin"
    assert _keys(data, "revoke", key_id) == f"{key_id}  revoked"
    assert _keys(data, "list").endswith("revoked")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "0.0.0.0"], "cannot listen on '0.0.0.0' without keys"),
        (["--require-keys"], "cannot listen on '127.0.0.1' without keys under --require-keys"),
    ],
)
def test_it_does_not_ask_for_keys_that_nobody_has(
    tmp_path: Path, options: list[str], told: str
) -> None:
    data = tmp_path / "events.db"
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0", *options]
    run = subprocess.run(
        [*command, "--data", str(data)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 1
    assert told in run.stderr


def test_a_key_file_holds_the_first_key(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("a" * 40 + "\n", encoding="utf-8")
    with running(tmp_path / "events.db", "--key-file", str(file)) as service:
        assert service.get("/v1/problems").status_code == 401
        assert service.get("/v1/problems", authorization="Bearer " + "a" * 40).status_code == 200
        assert service.get("/v1/problems", authorization="Bearer " + "b" * 40).status_code == 401


def test_without_keys_other_host_names_are_refused(service: Running) -> None:
    """A page whose name was made to point here cannot pass for a local program."""
    answer = service.get("/v1/problems", host="evil.example")
    assert answer.status_code == 421
    assert service.get("/v1/problems", host=f"localhost:{service.port}").status_code == 200


def test_large_bodies_are_refused_before_they_are_read(
    guarded: tuple[Running, dict[str, str]],
) -> None:
    service, keys = guarded
    headers = {"authorization": f"Bearer {keys['admin']}", "content-type": "application/json"}
    answer = service.http.post("/v1/problems", content=b" " * 20_001, headers=headers)
    assert answer.status_code == 413
    told = {**headers, "content-length": "99999999999"}
    # Told to be large, it is refused though hardly anything was sent
    import socket

    with socket.create_connection(("127.0.0.1", service.port)) as raw:
        lines = "".join(f"{k}: {v}\r\n" for k, v in told.items())
        raw.sendall(f"POST /v1/problems HTTP/1.1\r\nhost: localhost\r\n{lines}\r\n{{".encode())
        raw.settimeout(10.0)
        assert b" 413 " in raw.recv(4096)

    def chunks() -> Iterator[bytes]:
        for _ in range(30):
            yield b" " * 1_000

    chunked = service.http.post("/v1/problems", content=chunks(), headers=headers)
    assert chunked.status_code == 413


def test_limits_are_settings(tmp_path: Path) -> None:
    options = "--boxes-limit 3 --dimension-limit 2 --problems-limit 1 --rounds-limit 1"
    more = "--batch-limit 1 --rate 5"
    with running(tmp_path / "events.db", *options.split(), *more.split()) as service:
        many = {"name": "p", "boxes": ["a", "b", "c", "d"], "dimension": 2}
        assert service.post("/v1/problems", many).json()["field"] == "boxes"
        path = service.problem("p")
        deep = {"name": "q", "boxes": ["a"], "dimension": 3}
        assert service.post("/v1/problems", deep).json()["field"] == "dimension"
        other = {"name": "q", "boxes": ["a"], "dimension": 1}
        assert service.post("/v1/problems", other).status_code == 429
        rounds = [service.post(f"{path}/rounds", {"contexts": CONTEXTS}) for _ in range(2)]
        assert [r.status_code for r in rounds] == [201, 429]
        assert rounds[1].headers["retry-after"] == "1"
        commands = {"commands": [{"close": {"round": "x"}}] * 2}
        assert service.post(f"{path}/batch", commands).json()["field"] == "commands"
        answers = [service.get("/v1/problems") for _ in range(120)]
        assert {a.headers.get("retry-after") for a in answers if a.status_code == 429} == {"1"}
        assert service.get("/healthz").status_code == 200


@pytest.mark.parametrize(("rate", "burst"), [(0.05, 1), (0.5, 5), (1.0, 10), (3.0, 30)])
def test_a_guard_counts_at_any_rate_above_zero(rate: float, burst: int) -> None:
    guard = Guard(needs_keys=False, first_key=None, rate=rate)
    local: Any = {"method": "GET", "headers": {b"host": b"localhost:8080"}}
    for _ in range(burst):
        guard.check("read", None, client="here", **local)
    with pytest.raises(Refusal, match=f"More than {rate:g} requests a second"):
        guard.check("read", None, client="here", **local)
    guard.check("open", None, client="here", **local)
    guard.check("read", None, client="elsewhere", **local)


def test_a_guard_without_a_rate_counts_nothing() -> None:
    guard = Guard(needs_keys=False, first_key=None, rate=0.0)
    for _ in range(1_000):
        guard.check("write", None, method="PUT", headers={b"host": b"127.0.0.1"}, client="here")


def test_a_bucket_fills_at_its_rate() -> None:
    now = [0.0]
    rate = Rate(2.0, burst=1.0, clock=lambda: now[0])
    assert [rate.take("a") for _ in range(3)] == [True, True, False]
    assert rate.take("b")
    now[0] = 0.5
    assert [rate.take("a") for _ in range(2)] == [True, False]
    for second in range(20):
        now[0] = 100.0 * second
        for person in range(3_000):
            assert rate.take(f"{second} {person}")
    assert len(rate._left) <= 13_000


@pytest.fixture(scope="module")
def for_one(guarded: tuple[Running, dict[str, str]]) -> tuple[Running, str]:
    """Return a service with the problems ``mine`` and ``theirs``, and an admin key for the first."""
    service, keys = guarded
    admin = {"authorization": f"Bearer {keys['admin']}"}
    for name in ("mine", "theirs"):
        settings = {"name": name, "boxes": ["a", "b", "c"], "dimension": 2, "cost": 0.5}
        assert service.post("/v1/problems", settings, **admin).status_code == 201
    ask = {"name": "one", "scope": "admin", "problem": "mine"}
    made = service.post("/v1/keys", ask, **admin).json()
    assert made["problem"] == "mine"
    missing = service.post("/v1/keys", {**ask, "problem": "nobody"}, **admin)
    assert (missing.status_code, missing.json()["field"]) == (404, "problem")
    return service, made["key"]


@pytest.mark.parametrize(
    "route", [r for r in ROUTES if r.access != "open"], ids=lambda r: f"{r.method} {r.path}"
)
def test_a_key_for_one_problem_passes_for_no_other(
    for_one: tuple[Running, str], route: Route
) -> None:
    service, key = for_one
    answer = _send(service, route, key)  # of a problem "none", where there is one in the path
    if route.lists:
        assert [p["name"] for p in answer.json()["problems"]] == ["mine"]
        return
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:weitzman:forbidden")
    assert "The key is for the problem 'mine' only." in answer.text


def test_a_key_for_one_problem_passes_for_that_one(for_one: tuple[Running, str]) -> None:
    service, key = for_one
    mine = {"authorization": f"Bearer {key}"}
    opened = service.post("/v1/problems/mine/rounds", {"contexts": CONTEXTS}, **mine)
    assert opened.status_code == 201
    assert service.get("/v1/problems/mine/report", **mine).status_code == 200
    assert (
        service.post("/v1/problems/theirs/rounds", {"contexts": CONTEXTS}, **mine).status_code
        == 403
    )
