"""The table of options: a mean of few looks is left out."""

import numpy as np

from tests.replays.logs import log_of
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.report.findings import find
from weitzman.replays.report.options import option_table


def test_means_of_few_looks_are_left_out() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((60, 4)) + np.array([0.0, 0.1, 3.0, 4.0])
    log = log_of(values, np.full(values.shape, 0.3))
    played = play_cases(
        log,
        [Case(feedback="opened")],
        policies=["no-context"],
        trees=False,
        workers=1,
        progress=False,
    )
    answer = find(log, played).answer
    looks = {option.name: round(60 * option.checked) for option in answer.options}
    assert 0 < min(looks.values()) < 10 <= max(looks.values())
    table = option_table(answer, "opened")
    assert "from 10 such rounds on" in table.caption
    for row in table.rows:
        assert (row["mean value"] == "") == (looks[str(row["option"])] < 10)
