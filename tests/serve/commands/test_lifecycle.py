"""Change, archive, unarchive, delete and begin again, over HTTP and through the client."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.running import CONTEXTS, Running, running
from weitzman.serve.client import AsyncClient, Client, RefusedError


def _status(answer: httpx.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("field")


def _patch(service: Running, path: str, body: Any, **headers: str) -> httpx.Response:
    return service.http.patch(path, json=body, headers=headers)


def _delete(service: Running, path: str, **headers: str) -> httpx.Response:
    return service.http.delete(path, headers=headers)


def _round(service: Running, path: str, name: str, value: float = 1.0) -> None:
    assert service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS}).status_code == 201
    values = {"values": {"a": value}}
    assert service.post(f"{path}/rounds/{name}/values", values).status_code == 200
    assert service.post(f"{path}/rounds/{name}/close").status_code == 200


def test_an_archived_problem_takes_rounds_again(service: Running) -> None:
    path = service.problem("rested")
    assert service.post(f"{path}/archive").json()["archived"] is True
    assert _status(service.post(f"{path}/rounds", {"contexts": CONTEXTS})) == (409, "problem")
    for _ in range(2):
        assert service.post(f"{path}/unarchive").json()["archived"] is False
    _round(service, path, "r1")


def test_settings_that_can_be_changed(service: Running) -> None:
    path = service.problem("changing", cost=0.5, description="first")
    change = {"cost": 0.75, "description": "second", "waiting_time": 60.0, "least": -3.0}
    view = _patch(service, path, change).json()
    assert {name: view[name] for name in change} == change
    opened = service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS}).json()
    story = service.get(f"{path}/rounds/r").json()
    assert {box["cost"] for box in story["boxes"]} == {0.75}
    assert _status(service.post(f"{path}/rounds/r/values", {"values": {opened["next"]: -4.0}})) == (
        422,
        f"values.{opened['next']}",
    )
    before = service.get("/v1/digest").json()
    assert _patch(service, path, {"cost": 0.75}).status_code == 200
    assert service.get("/v1/digest").json() == before, "nothing became other"
    view = _patch(service, path, {"least": None, "cost": None}).json()
    assert (view["least"], view["cost"], view["description"]) == (None, None, "second")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"cost": -1.0}, "cost"),
        ({"cost": 1e300}, "cost"),
        ({"most": 3.0}, "most"),
        ({"least": True}, "least"),
        ({"waiting_time": 0.0}, "waiting_time"),
        ({"waiting_time": None}, "waiting_time"),
        ({"description": None}, "description"),
        ({"boxes": ["a"]}, "boxes"),
        ({"sense": "max"}, "sense"),
    ],
)
def test_a_change_that_cannot_be(service: Running, change: Any, field: str) -> None:
    path = service.problem("steady")
    before = service.get("/v1/digest").json()
    assert _status(_patch(service, path, change)) == (422, field)
    assert service.get("/v1/digest").json() == before


def test_a_repeated_opening_tells_the_same_after_a_change(service: Running) -> None:
    path = service.problem("repeated", waiting_time=100.0)
    ask = {"id": "r", "contexts": CONTEXTS}
    first = service.post(f"{path}/rounds", ask).json()
    _patch(service, path, {"waiting_time": 5.0})
    assert service.post(f"{path}/rounds", ask).json() == first


def test_a_deleted_problem_is_gone_and_its_name_free(tmp_path: Path) -> None:
    with running(tmp_path / "events.db") as service:
        path = service.problem("gone")
        for i in range(5):
            _round(service, path, f"r{i}")
        service.post(f"{path}/rounds", {"id": "open", "contexts": CONTEXTS})
        deleted = _delete(service, path, idempotency_key="once")
        assert deleted.json()["rounds_closed"] == 5
        for rest in ("", "/report", "/rounds", "/rounds/r0", "/diagnostics", "/log", "/state"):
            assert _status(service.get(path + rest)) == (404, "problem")
        assert _status(_delete(service, path)) == (404, "problem")
        assert _status(service.post(f"{path}/rounds/open/close")) == (404, "problem")
        assert service.get("/v1/problems").json()["problems"] == []
        # Under its name another one begins, with ids and keys of its own
        service.problem("gone", boxes=["a", "b", "c", "d"], sense="max")
        assert service.get(path).json()["rounds_closed"] == 0
        rows = [*CONTEXTS, CONTEXTS[0]]
        again = service.post(
            f"{path}/rounds", {"id": "r0", "contexts": rows}, idempotency_key="once"
        )
        assert again.status_code == 201
        assert service.post(f"{path}/rounds/r0/close").json()["total"] is None
        exported = service.get(f"{path}/log")
        assert exported.status_code == 200
        service.post(f"{path}/rounds", {"id": "r7", "contexts": rows})
        before = service.get("/v1/digest").json()
        service.kill()
    with running(tmp_path / "events.db") as service:
        assert service.get("/v1/digest").json() == before
        assert service.get("/v1/problems/gone/rounds/r7").status_code == 200
        assert _status(service.get("/v1/problems/gone/rounds/r1")) == (404, "round")


def test_the_name_is_free_once_for_a_repeated_deletion(service: Running) -> None:
    path = service.problem("twice")
    first = service.http.delete(path, headers={"Idempotency-Key": "d1"})
    again = service.http.delete(path, headers={"Idempotency-Key": "d1"})
    assert (again.status_code, again.content) == (200, first.content)


def test_deleted_problems_do_not_count(tmp_path: Path) -> None:
    with running(tmp_path / "events.db", "--problems-limit", "1") as service:
        for _ in range(3):
            path = service.problem("only")
            assert _status(
                service.post("/v1/problems", {"name": "b", "boxes": ["a"], "dimension": 1})
            )[0] == (429)
            assert _delete(service, path).status_code == 200
        assert "weitzman_problems 0" in service.get("/metrics").text


def test_the_client(service: Running) -> None:
    with Client(f"http://127.0.0.1:{service.port}") as client:
        problem = client.create_problem(name="by-client", boxes=["a"], dimension=1)
        problem.archive()
        assert problem.unarchive().archived is False
        assert problem.change(waiting_time=9.0, least=0.0).least == 0.0
        assert problem.change(least=None).least is None
        assert problem.delete().name == "by-client"
        with pytest.raises(RefusedError, match="There is no problem 'by-client'"):
            problem.describe()


async def _by_asyncio(url: str) -> None:
    async with AsyncClient(url) as client:
        problem = await client.create_problem(name="by-asyncio", boxes=["a"], dimension=1)
        await problem.archive()
        assert (await problem.unarchive()).archived is False
        assert (await problem.change(cost=2.0)).cost == 2.0
        created = await client.create_key("shop", "read")
        assert [key.id for key in await client.keys()][-1] == created.id
        assert (await client.revoke_key(created.id)).revoked is not None
        assert (await problem.delete()).cost == 2.0


def test_the_client_for_asyncio(service: Running) -> None:
    import asyncio

    asyncio.run(_by_asyncio(f"http://127.0.0.1:{service.port}"))
