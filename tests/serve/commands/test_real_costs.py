"""Costs that are reported with the values: stored, booked, exported, and never changed."""

import asyncio
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.serve.running import CONTEXTS, Running
from weitzman.logs.log import read_log
from weitzman.serve.client import AsyncClient, Client

ALL = {"policy": "Simple", "parameters": {"rule": "all"}, "feedback": "full"}


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_books_have_what_looks_really_cost(
    service: Running, tmp_path: Path, sense: str
) -> None:
    path = service.problem(f"real-{sense}", sense=sense, shadow=True, **ALL)
    sign = 1.0 if sense == "min" else -1.0
    service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS})
    url = f"{path}/rounds/r"
    service.post(f"{url}/values", {"values": {"a": 3.0}, "costs": {"a": 0.75}})
    service.post(f"{url}/values", {"values": {"b": None, "c": 4.0}, "costs": {"b": 2.0}})
    told = service.get(url).json()
    assert {b["box"]: (b["cost"], b["paid"]) for b in told["boxes"]} == {
        "a": (0.5, 0.75),
        "b": (0.5, 2.0),
        "c": (0.5, None),
    }
    assert any("Opened a for 0.75 (expected: 0.5), saw 3." in s["text"] for s in told["steps"])
    # Said again, or later: the same look
    again = {"values": {"a": 3.0, "c": 4.0}, "costs": {"a": 0.75, "c": 1.0}}
    assert service.post(f"{url}/values", again).status_code == 200
    last = 5.0 if sense == "min" else 2.0
    closed = service.post(f"{url}/close", {"values": {"b": last}}).json()
    best = 3.0 if sense == "min" else 4.0
    assert (closed["paid"], closed["value"], closed["total"]) == (3.75, best, best + sign * 3.75)
    assert closed["rule_total"] == closed["total"]
    report = service.get(f"{path}/report").json()
    assert (report["paid"], report["total"]) == (3.75, closed["total"])
    # Hindsight opens one box for what its look really cost
    hindsight = min(sign * v + c for v, c in ((3.0, 0.75), (last, 2.0), (4.0, 1.0)))
    assert report["regret"] == pytest.approx(sign * closed["total"] - hindsight)
    file = tmp_path / "log.parquet"
    file.write_bytes(service.get(f"{path}/log").content)
    assert parquet.read_table(file)["paid"].to_pylist() == [0.75, 2.0, 1.0]
    log = read_log(file)
    assert log.paid is not None
    assert log.costs.tolist() == [[0.5] * 3]
    assert log.paid.tolist() == [[0.75, 2.0, 1.0]]


def test_what_contradicts_or_comes_too_late_is_refused(service: Running) -> None:
    path = service.problem("contradicts", **ALL)
    service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS})
    url = f"{path}/rounds/r"
    service.post(f"{url}/values", {"values": {"a": 3.0}, "costs": {"a": 0.75}})
    before = service.get("/v1/digest").json()
    for costs, status, field in (
        ({"a": 0.5}, 409, "costs.a"),
        ({"b": 1.0}, 422, "costs.b"),
        ({"z": 1.0}, 404, "costs.z"),
        ({"a": -1.0}, 422, "costs.a"),
    ):
        answer = service.post(f"{url}/values", {"values": {"a": 3.0}, "costs": costs})
        assert (answer.status_code, answer.json()["field"]) == (status, field)
    assert service.get("/v1/digest").json() == before
    service.post(f"{url}/values", {"values": {"b": 3.0}})
    service.post(f"{url}/close")
    same = {"values": {"a": 3.0}, "costs": {"a": 0.75}}
    assert service.post(f"{url}/values", same).status_code == 200
    late = service.post(f"{url}/values", {"values": {"b": 3.0}, "costs": {"b": 1.0}})
    assert (late.status_code, late.json()["field"]) == (409, "costs.b")


@pytest.mark.parametrize("alone", [False, True])
def test_the_clients_report_them(service: Running, alone: bool) -> None:
    path = f"http://127.0.0.1:{service.port}"
    name = f"client-costs-{alone}"
    service.problem(name, **ALL)
    with Client(path) as client:
        search = client.problem(name).open(CONTEXTS, alone=alone)
        for box in search:
            if box == "c":
                search.miss(cost=3.0)
            else:
                search.see(1.0, cost=0.25)
        assert search.close().paid == 3.5

    async def there() -> float:
        async with AsyncClient(path) as other:
            search = await other.problem(name).open(CONTEXTS, alone=alone)
            async for _ in search:
                await search.see(1.0, cost=0.125)
            return (await search.close()).paid

    assert asyncio.run(there()) == 0.375
