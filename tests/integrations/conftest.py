"""Rounds that are questions, and an upstream that answers them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.recorded import ROUNDS, Upstream, simulated_log, upstream, write_table


@pytest.fixture(scope="module")
def log() -> Any:
    return simulated_log(ROUNDS)


@pytest.fixture(scope="module")
def table(log: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("table") / "rounds.npz"
    write_table(log, place)
    return place


@pytest.fixture(scope="module")
def models(table: Path) -> Iterator[Upstream]:
    with upstream(table) as running:
        yield running
