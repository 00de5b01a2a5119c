"""Fixtures that more than one room needs, and the figures that tests report."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.postgres import Server, running_server

# What is tested is machine code; the tests of what runs before it is there say so
os.environ.setdefault("WEITZMAN_COMPILE", "first")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A private PostgreSQL, one for every process of a test run."""
    with running_server() as server:
        yield server


@pytest.fixture
def place(postgres: Server) -> Iterator[str]:
    """The connection string of an empty database."""
    with postgres.lent_database() as lent:
        yield lent


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Report a measured figure; all are printed at the end of the run."""
    return lambda told: record_property("figure", told)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures."""
    reports = [r for kind in ("passed", "failed") for r in terminalreporter.stats.get(kind, [])]
    told = [
        f"{report.nodeid}: {value}"
        for report in reports
        for name, value in getattr(report, "user_properties", [])
        if name == "figure" and report.when == "call"
    ]
    if told:
        terminalreporter.section("figures")
        for line in told:
            terminalreporter.write_line(line)
