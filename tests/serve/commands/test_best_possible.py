"""The best possible value of a problem: kept in its settings, used in its rounds, and never beaten."""

import io

import pyarrow
import pytest
from pyarrow import parquet

from tests.serve.running import CONTEXTS, Running


@pytest.mark.parametrize(("sense", "field", "best"), [("min", "least", 0.0), ("max", "most", 9.0)])
def test_a_round_stops_where_nothing_is_better(
    service: Running, sense: str, field: str, best: float
) -> None:
    settings = {"sense": sense, "policy": "default", field: best}
    path = service.problem(f"bounded-{sense}", **settings)
    view = service.get(path).json()
    other = "most" if field == "least" else "least"
    assert (view[field], view[other]) == (best, None)
    for number in range(8):
        told = service.post(f"{path}/rounds", {"contexts": CONTEXTS}).json()
        url = f"{path}/rounds/{told['round']}"
        value = best if number % 2 else 4.0
        seen = service.post(f"{url}/values", {"values": {told["next"]: value}}).json()
        assert seen["stop"] or value != best
        service.post(f"{url}/close")


@pytest.mark.parametrize(("sense", "field"), [("min", "least"), ("max", "most")])
def test_a_value_beyond_it_is_refused_by_its_field(
    service: Running, sense: str, field: str
) -> None:
    path = service.problem(f"beyond-{sense}", sense=sense, feedback="full", **{field: 1.0})
    told = service.post(f"{path}/rounds", {"contexts": CONTEXTS, "id": "r"}).json()
    beyond, before = (0.5 if sense == "min" else 1.5), service.get("/v1/digest").json()
    for part in ("values", "close"):
        answer = service.post(f"{path}/rounds/r/{part}", {"values": {told["next"]: beyond}})
        assert answer.status_code == 422
        assert answer.json()["field"] == f"values.{told['next']}"
        assert f"the {field} that a box can hold" in answer.json()["detail"]
    table = {"round": [1], "box": ["a"], "cost": [1.0], "x_0": [1.0], "x_1": [1.0]}
    sink = io.BytesIO()
    # In a log smaller values are better
    table["value"] = [beyond if sense == "min" else -beyond]
    parquet.write_table(pyarrow.table(table), sink)
    kind = "application/vnd.apache.parquet"
    answer = service.post(f"{path}/log", sink.getvalue(), content_type=kind)
    assert (answer.status_code, answer.json()["field"]) == (422, "value")
    assert service.get("/v1/digest").json() == before


def test_the_wrong_one_is_refused_by_its_name(service: Running) -> None:
    told = {"name": "wrong", "boxes": ["a"], "dimension": 1}
    for settings, field in (
        ({"most": 1.0}, "most"),
        ({"least": 1.0, "sense": "max"}, "least"),
        ({"least": 0.0, "most": 0.0}, "most"),
        ({"least": 1e60}, "least"),
    ):
        answer = service.post("/v1/problems", {**told, **settings})
        assert (answer.status_code, answer.json()["field"]) == (422, field)


def test_a_state_moves_only_between_problems_that_agree(service: Running) -> None:
    one, other = service.problem("moves-one", least=0.0), service.problem("moves-other")
    state = service.get(f"{one}/state").content
    kind = "application/octet-stream"
    assert service.http.put(
        f"{one}/state", content=state, headers={"content-type": kind}
    ).is_success
    answer = service.http.put(f"{other}/state", content=state, headers={"content-type": kind})
    assert answer.status_code == 409
    assert "least 0.0, not None" in answer.json()["detail"]
