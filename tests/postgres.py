"""A private PostgreSQL on loopback, started by the tests that need one and stopped after them.

It keeps ``fsync`` on: what it says is stored is stored. Debian's server refuses to run as root, so as root it
runs as the package's user ``postgres``. Where there is no server, tests are skipped and say so; with ``CI``
set in the environment they fail.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

__all__ = ["Server", "running_server"]


def _programs() -> Path | None:
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: int(p.parts[-3])
    )
    on_path = shutil.which("postgres")
    if found:
        return found[-1].parent
    return Path(on_path).resolve().parent if on_path else None


def _as_user() -> list[str]:
    """Return the words that run a command as somebody who may run the server, and end it with us."""
    words = ["setpriv", "--pdeathsig", "INT"]
    if os.geteuid() == 0:
        words += ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    return words


class Server:
    """A server in a directory of its own.

    Attributes
    ----------
    port
        Its port on 127.0.0.1.
    """

    def __init__(self, programs: Path, directory: Path) -> None:
        self.programs = programs
        self.directory = directory
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        subprocess.run(
            [
                *_as_user(),
                str(programs / "initdb"),
                *("-D", str(directory / "data"), "-U", "tester", "-A", "trust"),
                *("-E", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"),
            ],
            check=True,
            cwd=directory,
            capture_output=True,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._free: list[str] = []

    def start(self, *, fsync: bool = True) -> None:
        """Start, and wait until it answers."""
        settings = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self.directory,
            "fsync": "on" if fsync else "off",
            "max_connections": 60,
            "shared_buffers": "32MB",
        }
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *_as_user(),
                    str(self.programs / "postgres"),
                    *("-D", str(self.directory / "data")),
                    *(
                        word
                        for name, value in settings.items()
                        for word in ("-c", f"{name}={value}")
                    ),
                ],
                cwd=self.directory,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.place("postgres")).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise RuntimeError((self.directory / "log").read_text()[-2000:]) from None
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT closes it in order, SIGQUIT at once as a crash would."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def place(self, database: str) -> str:
        """Return the connection string of a database."""
        return f"postgresql://tester@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Return the connection string of a new, empty database."""
        name = f"d{uuid4().hex[:12]}"
        with psycopg.connect(self.place("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.place(name)

    @contextmanager
    def lent_database(self) -> Iterator[str]:
        """Lend an empty database: cleared after use and lent again, as making one takes long."""
        place = self._free.pop() if self._free else self.new_database()
        yield place
        name = place.rsplit("/", 1)[1]
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("SET client_min_messages = error")
            connection.execute("DROP SCHEMA IF EXISTS weitzman CASCADE")
            connection.execute(f"ALTER DATABASE {name} RESET ALL")
        self._free.append(place)

    def run(self, place: str, *statements: str) -> None:
        """Run statements in a database."""
        with psycopg.connect(place) as connection:
            for statement in statements:
                connection.execute(statement)

    def dump(self, place: str) -> str:
        """Return what a database holds, as SQL that other versions of the server read too."""
        told = subprocess.run(
            [self.programs / "pg_dump", "--inserts", "--no-owner", "-d", place],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        left_out = ("--", "SET ", "\\", "SELECT pg_catalog.set_config")
        lines = (line for line in told.split("\n") if line and not line.startswith(left_out))
        return "\n".join(lines) + "\n"


@contextmanager
def running_server() -> Iterator[Server]:
    """Yield a server that runs, or skip; with CI set, fail."""
    programs = _programs()
    if programs is None:
        reason = (
            "No PostgreSQL server is installed: 'sh tests/system.sh' installs Debian's package."
        )
        if os.environ.get("CI"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    directory = Path(tempfile.mkdtemp(prefix="weitzman-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(directory, "postgres", "postgres")
        server = Server(programs, directory)
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGQUIT)  # nothing of it is kept
    finally:
        shutil.rmtree(directory)
