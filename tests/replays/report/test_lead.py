"""What frames the report of a replay."""

import numpy as np
import pytest

from tests.replays.logs import log_of
from weitzman.logs.log import Log
from weitzman.replays.cases import Case, play_cases
from weitzman.replays.report.findings import Findings, find
from weitzman.replays.report.lead import glossary, lead, log_words, made_words


def a_log(outside: float | None = None) -> Log:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 4))
    values[3, 2:] = np.nan
    x = {f"x_{k}": rng.normal(size=values.shape) for k in range(14)}
    return log_of(values, np.full(values.shape, 0.1), x, outside=outside)


@pytest.fixture(scope="module")
def found() -> Findings:
    cases = [Case(cost_scale=x) for x in (1.0, 2.0)]
    return find(a_log(), play_cases(a_log(), cases, trees=False, workers=1, progress=False))


def test_boxes_whose_value_is_not_known_are_boxes() -> None:
    assert log_words(a_log()) == (
        "12 rounds of 4 boxes (a model for each), 46 of 48 values known, features: x_0, x_1, x_2, x_3, x_4, "
        "x_5, x_6, x_7, x_8, x_9, x_10, x_11 and 2 more"
    )


def test_the_answer_stands_at_the_top(found: Findings) -> None:
    words = lead(found)
    assert words[:3] == found.answer.sentences
    assert words[0].startswith("Too few rounds to say: 12 rounds, and 30 are the least.")
    assert found.advice.lines[0].startswith("2 of 48 values are missing (4 %)")


def test_names_that_are_shown_are_explained_and_no_others(found: Findings) -> None:
    words = glossary(found)[0]
    assert "single: the box that was best so far." in words
    assert "stay: " not in words
    assert "recorded: " not in words
    assert "stay, to open nothing, is not among them" in words
    log = a_log(outside=0.0)
    staying = find(log, play_cases(log, [Case()], trees=False, workers=1, progress=False))
    assert "stay: open nothing." in glossary(staying)[0]
    assert "not among them" not in glossary(staying)[0]


def test_how_it_was_made(found: Findings) -> None:
    words = made_words(found)[0]
    assert "from table: round from round, box from box, cost from cost, value from value;" in words
    assert words.endswith("Costs are multiplied by 1, 2.")
