"""The client in JavaScript that the docs show runs against a service, also where answers get lost."""

import json
import os
import re
import socket
import subprocess
import threading
import urllib.request
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from tests.serve.running import running

PAGE = Path(__file__).parents[2] / "docs/how-to/other-languages.md"


def _scripts(place: Path) -> None:
    blocks = re.findall(r"```js\n// (\S+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert [name for name, _ in blocks] == ["weitzman.mjs", "quotes.mjs"]
    for name, code in blocks:
        (place / name).write_text(code, encoding="utf-8")


def _create(port: int) -> None:
    problem = {
        "name": "quotes",
        "boxes": ["north", "south", "web"],
        "features": ["size", "urgent"],
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/problems",
        data=json.dumps(problem).encode(),
        headers={"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request).close()


def _outcome(place: Path, port: int) -> dict[str, object]:
    node = compute_driver_executable()[0]
    run = subprocess.run(
        [node, "quotes.mjs"],
        cwd=place,
        env={**os.environ, "WEITZMAN_URL": f"http://127.0.0.1:{port}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    outcome: dict[str, object] = json.loads(run.stdout)
    return outcome


def _losing(port: int, begun: list[socket.socket]) -> socket.socket:
    """Listen in front of a service, and lose the answer to every second connection."""
    front = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                caller, _ = front.accept()
            except OSError:
                return
            begun.append(caller)
            with caller, socket.create_connection(("127.0.0.1", port)) as behind:
                request = b""
                while b"\r\n\r\n" not in request:
                    request += caller.recv(65536)
                head, _, body = request.partition(b"\r\n\r\n")
                length = int(re.findall(rb"(?i)content-length: (\d+)", head)[0])
                while len(body) < length:
                    body += caller.recv(65536)
                behind.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
                answer = b""
                while part := behind.recv(65536):
                    answer += part
                if len(begun) % 2 == 0:
                    caller.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return front


def test_the_client_searches_and_closes(tmp_path: Path) -> None:
    _scripts(tmp_path)
    with running(tmp_path / "decisions.db") as service:
        _create(service.port)
        outcome = _outcome(tmp_path, service.port)
        found = {"north": 3.1, "south": 2.4, "web": 5.0}
        opened = outcome["opened"]
        assert isinstance(opened, list) and opened
        assert outcome["value"] == min(found[name] for name in opened)
        assert outcome["paid"] == 0.4 * len(opened)
        assert outcome["learned"] == len(opened)


def test_lost_answers_change_nothing(tmp_path: Path) -> None:
    _scripts(tmp_path)
    with running(tmp_path / "decisions.db") as service:
        _create(service.port)
        begun: list[socket.socket] = []
        with _losing(service.port, begun) as front:
            outcome = _outcome(tmp_path, front.getsockname()[1])
        assert len(begun) >= 6
        with urllib.request.urlopen(
            f"http://127.0.0.1:{service.port}/v1/problems/quotes/report"
        ) as reply:
            report = json.load(reply)
        assert report["rounds_closed"] == 1
        assert report["rounds_open"] == 0
        assert report["looks"] == outcome["learned"]
