"""Judging policies by the journal: what ``wz.judge`` says of the exported log, and nobody waits for it."""

import asyncio
import io
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import weitzman as wz
from tests.serve.running import Running
from weitzman.logs.log import read_log
from weitzman.serve.client import AsyncClient, Client, RefusedError
from weitzman.serve.client.sync import RemoteProblem

BOXES = ["a", "b", "c"]
POLICIES = ["no-context", "all", "ski-rental"]


@pytest.fixture(scope="module")
def client(service: Running) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{service.port}") as made:
        yield made


def _played(client: Client, name: str, rounds: int = 60, **settings: Any) -> RemoteProblem:
    """Return a problem with closed rounds; values are turned where larger ones are better."""
    sign = -1.0 if settings.get("sense") == "max" else 1.0
    told = {"boxes": BOXES, "dimension": 1, "explore": 0.4, "seed": 1, **settings}
    problem = client.create_problem(name=name, learner="FTRL", **told)
    rng = np.random.default_rng(3)
    for _ in range(rounds):
        contexts = rng.normal(size=(3, 1))
        values = sign * (contexts[:, 0] + [1.0, 0.5, 2.0] + 0.3 * rng.normal(size=3))
        known = dict(zip(BOXES, values.tolist(), strict=True))
        search = problem.open(contexts.tolist(), costs=[0.2, 0.4, 0.1], outside=sign * 3.0)
        for box in search:
            search.see(known[box])
        search.close()
    return problem


def _exported(service: Running, problem: RemoteProblem) -> Any:
    answer = service.get(f"/v1/problems/{problem.name}/log")
    return parquet.read_table(io.BytesIO(answer.content))


@pytest.mark.parametrize("sense", ["min", "max"])
def test_it_is_what_is_said_of_the_exported_log(
    client: Client, service: Running, sense: str
) -> None:
    problem = _played(client, f"judged-{sense}", sense=sense)
    told = problem.judge(POLICIES, against="all")
    log = read_log(_exported(service, problem), shared=False, features=["x_0"])
    found = wz.judge(log, POLICIES, against="all")
    sign = 1.0 if sense == "min" else -1.0
    assert told.done and told.rounds == 60 and told.against == "all"
    assert found.recorded is not None and told.recorded == sign * found.recorded.mean()
    assert [one.policy for one in told.policies] == POLICIES
    rows: list[dict[str, Any]] = found.rows()
    for one, row in zip(told.policies, rows, strict=True):
        assert one.total == sign * row["doubly_robust"]
        ends = sorted([sign * row["low"], sign * row["high"]])
        assert [one.low, one.high] == ends
        assert (one.verdict, one.certain) == (row["verdict"], row["certain"])
        assert one.rounds_explored == row["rounds_explored"]
    assert told.policies[1].verdict is None
    other = problem.judge(["single"], learn=0.5)
    assert other.rounds == 30 and other.against == "recorded"


def test_the_asynchronous_client_asks_alike(client: Client, service: Running) -> None:
    _played(client, "judged-async", 20)

    async def judged() -> Any:
        async with AsyncClient(f"http://127.0.0.1:{service.port}") as other:
            return await other.problem("judged-async").judge(["single"])

    told = asyncio.run(judged())
    assert told.done and told.rounds == 20


def test_draws_made_for_a_policy_count_for_it(client: Client) -> None:
    problem = _played(client, "judged-prefix", explore_for="all")
    (told,) = problem.judge(["all"]).policies
    assert told.unidentified == 0.0 and told.total is not None


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("policy=nobody", "The name of a policy must be"),
        ("policy=all&against=single", "What others are compared with must be one of"),
        ("policy=all&learn=1", "Expected `float` < 1.0"),
        ("policy=", "policy"),
        ("rule=all", "rule"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    client: Client, service: Running, query: str, text: str
) -> None:
    if "judged-wrong" not in [one.name for one in client.problems()]:
        _played(client, "judged-wrong", 5)
    path = f"/v1/problems/judged-wrong/judge?{query}"
    answer = service.get(path)
    while answer.status_code == 200 and not answer.json()["done"]:
        answer = service.get(path)
    assert answer.status_code == 422
    details = answer.json()
    assert text in f"{details.get('field')}: {details['detail']}"


def test_a_problem_without_closed_rounds_says_so(client: Client) -> None:
    client.create_problem(name="judged-empty", boxes=BOXES, dimension=1)
    with pytest.raises(RefusedError, match="No round has ended yet"):
        client.problem("judged-empty").judge(["all"])


def test_rounds_of_the_problem_go_on_meanwhile(client: Client, service: Running) -> None:
    problem = _played(client, "judged-meanwhile", 30)
    path = "/v1/problems/judged-meanwhile/judge?policy=default"
    with ThreadPoolExecutor(1) as pool:
        begin = time.perf_counter()
        asked = pool.submit(lambda: (service.get(path), time.perf_counter() - begin))
        rounds = 0
        while not asked.done():
            search = problem.open([[0.0]] * 3, costs=[0.2, 0.4, 0.1], outside=3.0)
            for _ in search:
                search.see(1.0)
            search.close()
            rounds += 1
        _, took = asked.result()
    # A process takes a second to begin: had rounds waited for it, there would have been one
    assert rounds > 5 and took > 0.2
    told = problem.judge(["default"])
    assert told.done and told.rounds >= 30
