"""Every way of grading, over real sockets: an answer has the value of its grade, which may end the search."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.recorded import (
    POLICY,
    RIGHT,
    WRONG,
    Upstream,
    ask,
    gateway,
    of_one,
    reference,
    upstream,
    write_config,
)
from tests.integrations.upstream import JUDGING
from weitzman.integrations.asking import BY_RULE
from weitzman.integrations.spending import NO_TIME

ASKED = 24
SCHEMA = """by = "schema"
[grade.schema]
required = ["said"]
[grade.schema.properties.said]
const = "right"
"""
GRADERS = {
    "pattern": RIGHT,
    "function": 'by = "function"\nfunction = "tests.integrations.known:is_right"\n',
    "schema": SCHEMA,
    "verifier": 'by = "http"\nurl = "URL/grade"\n',
    "model": 'by = "model"\n[grade.model]\nname = "judge"\nurl = "URL/v1"\ncost = "usage.cost"\n',
}


@pytest.mark.parametrize("grader", list(GRADERS))
def test_an_answer_is_graded_and_the_search_stops_by_its_grade(
    log: Any, table: Path, tmp_path: Path, models: Upstream, grader: str
) -> None:
    known = reference(log, POLICY)
    extra = JUDGING if grader == "model" else 0.0
    more = {"response_format": {"type": "json_object"}} if grader == "schema" else {}
    with of_one(
        tmp_path, log, table, models.url, GRADERS[grader].replace("URL", models.url)
    ) as service:
        for number in range(ASKED):
            reply = ask(service, number, **more)
            assert reply.status_code == 200, reply.text
            said = reply.json()["weitzman"]
            assert said["why"] == BY_RULE
            for look in said["asked"]:
                place = log.boxes.index(look["model"])
                assert look["value"] == (WRONG if log.values[number, place] else 0.0)
                assert look["cost"] == log.costs[number, place] + extra
            if not extra:
                assert tuple(look["model"] for look in said["asked"]) == known.opened[number]
                assert said["value"] + said["paid"] == known.totals[number]
        assert service.get("/").headers["content-type"].startswith("text/html")


def test_models_that_say_the_same_are_right(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    agreement = 'by = "agreement"\ncount = 2\n'
    counts, known = [], 0
    with of_one(tmp_path, log, table, models.url, agreement) as service:
        for number in range(ASKED):
            looks = ask(service, number).json()["weitzman"]["asked"]
            says = [bool(log.values[number, log.boxes.index(look["model"])]) for look in looks]
            counts.append(len(looks))
            agreed = says.count(says[-1]) >= 2
            values = [(0.0 if said == says[-1] else WRONG) if agreed else None for said in says]
            assert [look["value"] for look in looks] == values
            known += agreed
    # One more is asked where two disagree, once it is known what that is worth
    assert min(counts) == 2
    assert max(counts) > 2
    assert known > 0.5 * ASKED


def test_draws_ask_all_models_and_their_chances_are_in_the_journal(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    config = write_config(log, tmp_path / "gateway.toml", models.url)
    text = config.read_text(encoding="utf-8")
    more = f'[gateway]\npolicy = "{POLICY}"\nexplore = 0.3\n'
    config.write_text(text.replace("[gateway]\n", more), encoding="utf-8")
    drawn = 0
    with gateway(config, table, tmp_path / "a.db") as service:
        for number in range(ASKED):
            said = ask(service, number).json()["weitzman"]
            story = service.get(f"/v1/problems/weitzman/rounds/{said['round']}").json()
            outcome = story["outcome"]
            asked = [look["model"] for look in said["asked"]]
            assert outcome["opened"] == asked
            assert set(outcome["chances"]) == set(log.boxes)
            # What the rule asks for has the chance 1, what only a draw asks for that of a draw
            assert set(outcome["chances"].values()) <= {0.3, 1.0}
            if 0.3 in {outcome["chances"][model] for model in asked}:
                drawn += 1
                assert set(asked) == set(log.boxes)
    assert 0 < drawn < ASKED


def test_when_the_time_of_a_request_is_over_nobody_else_is_asked(
    log: Any, table: Path, tmp_path: Path
) -> None:
    """No answer is right and every model would be asked; each takes 0.2 s, and there are 0.5 s."""
    with upstream(table, 0.0, 0.2) as slow:
        config = write_config(log, tmp_path / "gateway.toml", slow.url, "[limits]\ntimeout = 0.5\n")
        text = config.read_text(encoding="utf-8")
        text = text.replace("[gateway]\n", '[gateway]\npolicy = "all"\n').replace(
            "^right", "^never"
        )
        config.write_text(text, encoding="utf-8")
        with gateway(config, table, tmp_path / "a.db") as service:
            for number in range(3):
                began = time.monotonic()
                said = ask(service, number).json()["weitzman"]
                assert time.monotonic() - began < 2.0
                assert said["why"] == NO_TIME
                first, *rest = said["asked"]
                assert first["error"] is None
                # Time was over while the last one worked
                assert len(rest) <= 2
                assert [look["error"] for look in rest[1:]] == ["no reply in time"] * len(rest[1:])
