"""A real service in a process of its own, on a free port of the loopback."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

MAIN = "from weitzman.cli.main import run; run()"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Running:
    """The process, and a client of it."""

    def __init__(
        self,
        data: Path | str,
        *options: str,
        before: str = "",
        log: Path | None = None,
        port: int | None = None,
        command: tuple[str, ...] = ("serve",),
    ) -> None:
        self.data = Path(data)
        self.port = free_port() if port is None else port
        self.log = self.data.with_name(f"{self.data.name}.log") if log is None else log
        self._options = options
        begin = [sys.executable, "-c", f"{before}\n{MAIN}", *command, "--port", str(self.port)]
        with self.log.open("ab") as lines:
            self.process = subprocess.Popen(
                [*begin, "--data", str(data), *options], stderr=lines, env=dict(os.environ)
            )
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30.0)

    def wait_until_ready(self, seconds: float = 120.0) -> float:
        """Return how long it took."""
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text(encoding="utf-8"))
            try:
                if self.http.get("/readyz").status_code == 200:
                    return time.monotonic() - begin
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        raise TimeoutError(self.log.read_text(encoding="utf-8"))

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        named.setdefault("content-type", "application/json")
        if body is None:
            return self.http.post(path, headers=named)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.http.post(path, content=content, headers=named)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.http.get(path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def problem(self, name: str, **settings: Any) -> str:
        """Create a problem of three boxes and two features; return its path."""
        told = {"name": name, "boxes": ["a", "b", "c"], "dimension": 2, "cost": 0.5, **settings}
        if all(settings.get(name) is None for name in ("learner", "policy", "parameters")):
            # As the paper has it, unless a test says otherwise
            told |= {"learner": "FTRL", "parameters": {"intercept": False}}
        answer = self.post("/v1/problems", told)
        assert answer.status_code == 201, answer.text
        return f"/v1/problems/{name}"

    def logged(self) -> list[dict[str, Any]]:
        lines = self.log.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def stop(self) -> int:
        self.process.terminate()
        return self._ended()

    def kill(self) -> int:
        self.process.kill()
        return self._ended()

    def _ended(self) -> int:
        self.http.close()
        return self.process.wait(timeout=30.0)


@contextmanager
def running(
    data: Path, *options: str, before: str = "", port: int | None = None
) -> Iterator[Running]:
    service = Running(data, *options, before=before, port=port)
    try:
        service.wait_until_ready()
        yield service
    finally:
        if service.process.poll() is None:
            service.stop()


CONTEXTS = [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]
