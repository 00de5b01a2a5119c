"""A missing PostgreSQL is told: skipped by hand, failed where nothing may be skipped."""

import pytest

from tests.postgres import running_server


@pytest.mark.parametrize("told", ["", "true"])
def test_a_missing_server_is_told(monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    monkeypatch.setattr("tests.postgres._programs", lambda: None)
    monkeypatch.setenv("CI", told)
    exception = pytest.fail.Exception if told else pytest.skip.Exception
    with pytest.raises(exception, match=r"No PostgreSQL server.*system\.sh"), running_server():
        pass
