"""What was actually done: totals by hand."""

import numpy as np
import pyarrow as pa
import pytest

from weitzman.logs.log import Log, read_log
from weitzman.logs.rounds import LogRounds


def a_log(outside: float | None, opened: list[bool]) -> Log:
    columns = {
        "round": [1, 1, 2, 2, 3],
        "box": ["a", "b", "a", "b", "a"],
        "cost": [1.0, 2.0, 1.0, 2.0, 1.0],
        "value": [7.0, 3.0, 5.0, None, None],
        "opened": opened,
    }
    if outside is not None:
        columns["outside"] = [outside] * 5
    return read_log(pa.table(columns), shared=False)


def test_totals_are_the_best_in_hand_plus_what_was_paid() -> None:
    found = LogRounds(a_log(6.0, [True, True, False, True, True]), 2.0).happened()
    assert found is not None
    # The opened box of round 2 has no value, and round 3 has none at all
    assert found[0].tolist() == [3.0 + 2.0 * 3.0, 6.0]
    assert found[1].tolist() == [2, 0]


def test_a_round_in_which_nothing_was_had_cannot_be_compared() -> None:
    assert LogRounds(a_log(None, [True, True, False, False, False])).happened() is None
    found = LogRounds(a_log(None, [True, False, True, False, False])).happened()
    assert found is not None
    assert found[0] == pytest.approx(np.array([8.0, 6.0]))


def test_a_log_that_does_not_say() -> None:
    table = pa.table({"round": [1], "box": ["a"], "cost": [1.0], "value": [1.0]})
    assert LogRounds(read_log(table, shared=False)).happened() is None
