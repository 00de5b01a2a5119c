"""One service for all tests of a module that need no other."""

from collections.abc import Iterator

import pytest

from tests.serve.running import Running, running


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("service") / "events.db") as started:
        yield started
