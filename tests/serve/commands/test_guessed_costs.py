"""Rounds of the service that are opened without costs: those of a searcher that guesses them too."""

import numpy as np
import pytest

import weitzman as wz
from tests.serve.running import CONTEXTS, Running


@pytest.mark.parametrize("policy", ["default", None])
def test_a_problem_expects_what_a_searcher_does(service: Running, policy: str | None) -> None:
    name = f"guessing-{policy}"
    path = service.problem(name, cost=None, policy=policy)
    chosen = wz.default_policy() if policy else wz.Weitzman(wz.FTRL(intercept=False))
    searcher = wz.Searcher(boxes=["a", "b", "c"], dimension=2, policy=chosen)
    rng = np.random.default_rng(0)
    for number in range(15):
        contexts = rng.normal(size=(3, 2))
        values = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
        costs = dict(zip("abc", (rng.exponential(size=3) * 0.2).tolist(), strict=True))
        asked = {"id": f"r{number}", "contexts": contexts.tolist()}
        told, search = service.post(f"{path}/rounds", asked).json(), searcher.open(contexts)
        url = f"{path}/rounds/r{number}"
        for box in search:
            name = str(box)
            assert told["next"] == name
            search.see(values[name], cost=costs[name])
            looks = {"values": {name: values[name]}, "costs": {name: costs[name]}}
            told = service.post(f"{url}/values", looks).json()
        assert told["stop"]
        # Sent again it is the same round, though other costs are expected by now
        assert service.post(f"{path}/rounds", asked).status_code == 201
        closed = service.post(f"{url}/close").json()
        outcome = search.close()
        assert (closed["opened"], closed["total"]) == (list(outcome.opened), outcome.total)
    state = service.get(f"{path}/state").content
    assert wz.load(state).digest() == searcher.digest()
    put = service.http.put(
        f"{path}/state", content=state, headers={"content-type": "application/octet-stream"}
    )
    assert put.is_success
    assert service.get(f"{path}/state").content == state


def test_a_value_without_a_cost_is_refused_by_its_box(service: Running) -> None:
    path = service.problem("must-tell", cost=None)
    told = service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS}).json()
    box = told["next"]
    url = f"{path}/rounds/r/values"
    answer = service.post(url, {"values": {box: 1.0}})
    assert (answer.status_code, answer.json()["field"]) == (422, f"costs.{box}")
    assert service.post(url, {"values": {box: None}}).status_code == 200
    assert service.post(url, {"values": {box: 1.0}, "costs": {box: 1.0}}).status_code == 200
