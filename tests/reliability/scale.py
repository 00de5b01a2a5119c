"""How large a suite is: a short form in every test run, the full one under the marker ``reliability``."""

import pytest


def scaled(short: int, full: int) -> pytest.MarkDecorator:
    """Give a test its ``count`` twice: small for ``make test``, large for ``make test-reliability``."""
    large = pytest.param(full, marks=pytest.mark.reliability, id=f"full-{full}")
    return pytest.mark.parametrize("count", [pytest.param(short, id=f"short-{short}"), large])
