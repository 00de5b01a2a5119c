"""Servers in processes of their own."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

_SERVE = ("-c", "from weitzman.cli.main import run; run()", "serve")


class Server:
    """A server on a free port of this machine.

    Parameters
    ----------
    data
        The journal of the service, a file or a connection string; None for the echo.
    problems
        How many problems ``p0``, ``p1``, … the load is spread over.
    snapshot_every
        After how many events the service writes a snapshot.
    environment
        The environment of the process, if it is not that of this one.
    command, ready
        Another command, to which ``--port`` and the port are added; and where it says that it is ready.
    """

    def __init__(
        self,
        *,
        data: Path | str | None,
        problems: int = 1,
        snapshot_every: int = 10_000,
        environment: dict[str, str] | None = None,
        command: Sequence[str] | None = None,
        ready: str = "/readyz",
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.problems = problems
        self.is_echo = data is None and command is None
        self._ready = ready
        what = ["-m", "serve.echo", str(self.port)]
        if data is not None:
            what = [*_SERVE, "--port", str(self.port), "--data", str(data)]
            what += ["--snapshot-every", str(snapshot_every)]
        line = [sys.executable, *what]
        if command is not None:
            line = [*command, "--port", str(self.port)]
        began = time.perf_counter()
        # A file, not a pipe: nobody reads it while the server runs. It is closed with it
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            line, stdout=subprocess.DEVNULL, stderr=self._errors, env=environment
        )
        self._wait()
        self.start_seconds = time.perf_counter() - began

    def create(self, problem: dict[str, object]) -> None:
        """Create a problem."""
        what = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/v1/problems",
            json.dumps(problem).encode(),
            {"Content-Type": "application/json"},
        )
        urllib.request.urlopen(what, timeout=60).close()

    def cpu(self) -> float:
        """Return the seconds of CPU that the process has had."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))

    def memory(self) -> float:
        """Return the resident set of the process, in MB."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()
        self._errors.close()

    def _wait(self) -> None:
        for _ in range(3_000):
            if self._process.poll() is not None:
                self._errors.seek(0)
                raise RuntimeError(f"The server ended: {self._errors.read().decode()}")
            try:
                urllib.request.urlopen(
                    f"http://127.0.0.1:{self.port}{self._ready}", timeout=1
                ).close()
            except urllib.error.HTTPError as error:
                if self.is_echo and error.code == 404:
                    return
            except OSError:
                pass
            else:
                return
            time.sleep(0.1)
        self.close()
        raise RuntimeError("The server is not ready after five minutes.")
