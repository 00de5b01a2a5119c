"""Exploration in the service: draws, chances in journal and log, what a searcher in memory does too."""

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from pyarrow import parquet

import weitzman as wz
from tests.serve.running import Running, running
from weitzman.ledger.bodies import Closed, Opened, decode
from weitzman.logs.log import read_log
from weitzman.serve.client import Client, RefusedError
from weitzman.serve.client.sync import RemoteProblem

SHARE, SEED, ROUNDS = 0.3, 5, 40
BOXES = ["a", "b", "c", "d"]
COSTS = [0.2, 0.4, 0.1, 0.3]


@pytest.fixture(scope="module")
def client(service: Running) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{service.port}") as made:
        yield made


def _drawn(seed: int = 2) -> Iterator[tuple[list[list[float]], dict[str, float]]]:
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        contexts = rng.normal(size=(4, 2))
        values = contexts[:, 0] + [1.0, 0.5, 2.0, 1.5] + 0.3 * rng.normal(size=4)
        yield contexts.tolist(), dict(zip(BOXES, values.tolist(), strict=True))


def _create(client: Client, name: str, **settings: Any) -> RemoteProblem:
    told = {"boxes": BOXES, "dimension": 2, "explore": SHARE, "seed": SEED, **settings}
    return client.create_problem(name=name, **told)


def _events(service: Running, problem: str) -> list[tuple[str, str, bytes]]:
    with closing(sqlite3.connect(service.data)) as journal:
        asked = "SELECT kind, key, body FROM events WHERE problem = ? ORDER BY number"
        return journal.execute(asked, (problem,)).fetchall()


@pytest.mark.parametrize(
    "decides",
    [
        {"learner": "FTRL"},
        {"learner": "FTRL", "explore_for": "no-context"},
        {"policy": "Simple", "parameters": {"rule": "mean+cost"}, "explore_for": "cheapest"},
        {"policy": "Aware", "sense": "max"},
    ],
    ids=["learner", "learner-for-another", "policy-for-another", "max"],
)
def test_the_service_opens_what_a_searcher_does_with_the_same_chances(
    client: Client, service: Running, request: pytest.FixtureRequest, decides: dict[str, Any]
) -> None:
    problem = _create(client, f"same-{request.node.callspec.id}", **decides)
    given: dict[str, Any] = {"explore": SHARE, "explore_for": decides.get("explore_for")}
    if "learner" in decides:
        given["learner"] = wz.FTRL()
    else:
        given["policy"] = wz.Simple("mean+cost") if "parameters" in decides else wz.Aware(wz.FTRL())
    sense = decides.get("sense", "min")
    searcher = wz.Searcher(boxes=BOXES, dimension=2, rng=SEED, sense=sense, **given)
    draws = more = 0
    for contexts, values in _drawn():
        live, remote = searcher.open(contexts, COSTS), problem.open(contexts, COSTS)
        for box in live:
            live.see(values[str(box)])
        for box in remote:
            remote.see(values[box])
        outcome = remote.close()
        assert outcome.opened == list(live.close().opened)
        assert outcome.chances == live.chances
        draws += remote._reply.drawn
        more += sum(live.chances[box] != 1.0 for box in outcome.opened)
    assert 0.1 * ROUNDS < draws < 0.6 * ROUNDS
    assert more > draws / 2
    explored = problem.report().explored
    assert explored is not None
    assert (explored.rounds, explored.drawn, explored.looks) == (ROUNDS, draws, more)
    assert explored.price == pytest.approx(SHARE * sum(COSTS) * ROUNDS)


def test_the_journal_and_the_log_hold_draws_and_chances(
    client: Client, service: Running, tmp_path: Path
) -> None:
    problem = _create(client, "logged", policy="Simple", parameters={"rule": "cheapest"})
    chances: dict[str, dict[str, float | None]] = {}
    for contexts, values in _drawn():
        search = problem.open(contexts, COSTS)
        for box in search:
            search.see(values[box])
        chances[search.round_id] = search.close().chances or {}
    drawn = {}
    for kind, key, content in _events(service, "logged"):
        body = decode(kind, content)
        if isinstance(body, Opened):
            assert body.draw is not None
            drawn[key] = body.draw
        if isinstance(body, Closed):
            assert dict(zip(BOXES, body.chances, strict=True)) == chances[key]
    assert {chance for chance, _ in drawn.values()} == {SHARE}
    path = tmp_path / "log.parquet"
    path.write_bytes(service.get("/v1/problems/logged/log").content)
    log = read_log(path)
    assert log.chances is not None
    assert log.opened is not None
    for t, name in enumerate(log.rounds):
        assert log.chances[t].tolist() == list(chances[str(name)].values())
        assert log.opened[t].all() == drawn[str(name)][1]
    # "cheapest" opens one box in every round: what else is open was drawn
    judged = wz.judge(log, ["all"]).of("all")
    assert judged.certain == 0.0
    assert judged.rounds_explored == sum(was for _, was in drawn.values())


def test_where_the_caller_goes_another_way_closed_boxes_have_no_chance(client: Client) -> None:
    problem = _create(client, "astray", policy="Simple", parameters={"rule": "mean+cost"})
    kinds = set()
    for contexts, values in _drawn():
        search = problem.open(contexts, COSTS)
        first = next(search)
        search.see(values[first])
        chances = search.close().chances
        assert chances is not None
        alone = search._next is None
        kinds.add(alone)
        rest = {box: SHARE if alone else None for box in BOXES if box != first}
        assert chances == {first: 1.0, **rest}
    assert kinds == {True, False}


def test_who_goes_on_alone_opens_what_a_draw_opens(client: Client) -> None:
    asked = _create(client, "asked", learner="FTRL")
    alone = _create(client, "alone", learner="FTRL")
    other = _create(client, "alone-for-another", learner="FTRL", explore_for="all")
    draws = 0
    for contexts, values in _drawn():
        outcomes = []
        for problem in (asked, alone, other):
            search = problem.open(contexts, COSTS, alone=problem is not asked)
            for box in search:
                search.see(values[box])
            outcomes.append(search.close())
            draws += search._reply.drawn
        # A searcher that goes on alone reports boxes in the order of the rule
        assert len({frozenset(outcome.opened) for outcome in outcomes}) == 1
        assert outcomes[0].chances == outcomes[1].chances
    assert draws > 0
    assert draws % 3 == 0


def test_a_drawn_round_says_so_and_is_told_again_as_it_was(
    client: Client, service: Running
) -> None:
    _create(client, "again", learner="FTRL", explore=0.99, cost=1.0)
    body = {"id": "r", "contexts": [[1.0, 2.0]] * 4}
    path = "/v1/problems/again/rounds"
    replies = [service.post(path, body).json() for _ in range(2)]
    assert replies[0] == replies[1]
    assert replies[0]["drawn"] is True
    assert len(set(replies[0]["reservation_values"].values())) == 1
    story = service.get(f"{path}/r").json()["steps"]
    assert "A draw, with the chance 0.99, opens every box." in [step["text"] for step in story]


def test_a_share_can_be_changed_and_ended(client: Client) -> None:
    problem = _create(client, "changed", learner="FTRL", explore=None)
    drawn: list[list[bool]] = []
    for share in (None, 0.99, None):
        if share or drawn:
            assert problem.change(explore=share).explore == share
        drawn.append([])
        for contexts, values in _drawn():
            search = problem.open(contexts, COSTS)
            for box in search:
                search.see(values[box])
            drawn[-1].append(search._reply.drawn)
            assert (search.close().chances is None) == (share is None)
    assert [sum(part) > ROUNDS / 2 for part in drawn] == [False, True, False]
    assert not any(drawn[0] + drawn[2])


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"explore": 0.0}, "explore"),
        ({"explore": 1.0}, "explore"),
        ({"explore": True}, "explore"),
        ({"explore_for": "nobody"}, "explore_for"),
        ({"shadow": True}, "explore"),
        ({"seed": -1}, "seed"),
        ({"policy": "Exploring", "parameters": {"share": 0.1, "policy": "default"}}, "explore"),
    ],
)
def test_exploration_that_cannot_be(client: Client, settings: dict[str, Any], field: str) -> None:
    with pytest.raises(RefusedError) as refused:
        _create(client, "refused", **settings)
    assert (refused.value.status, refused.value.field) == (422, field)
    with pytest.raises(RefusedError):
        client.problem("refused").describe()


def test_a_problem_in_shadow_is_not_changed_to_explore(client: Client) -> None:
    problem = _create(client, "shadow", shadow=True, explore=None)
    with pytest.raises(RefusedError, match="no exploration where the caller decides"):
        problem.change(explore=0.1)


def test_open_rounds_go_on_after_a_restart_and_a_problem_begins_with_a_searcher(
    tmp_path: Path,
) -> None:
    searcher = wz.Searcher(
        boxes=BOXES, dimension=2, policy="no-context", explore=SHARE, explore_for="all", rng=SEED
    )
    for contexts, values in _drawn():
        search = searcher.open(contexts, COSTS)
        for box in search:
            search.see(values[str(box)])
        search.close()
    file, data = tmp_path / "searcher.wz", tmp_path / "events.db"
    searcher.save(file)
    begin = ("--snapshot-every", "7", "--problem", f"hire={file}")
    rounds = list(_drawn(3))[:12]
    with running(data, *begin) as service:
        for t, (contexts, _) in enumerate(rounds):
            body = {"id": f"r{t}", "contexts": contexts, "costs": COSTS}
            assert service.post("/v1/problems/hire/rounds", body).status_code == 201
        view = service.get("/v1/problems/hire").json()
        assert (view["explore"], view["explore_for"], view["seed"]) == (SHARE, "all", SEED)
        before = service.get("/v1/digest").json()
        service.kill()
    with running(data, *begin) as service:
        assert service.get("/v1/digest").json() == before
        plain = wz.Searcher(boxes=BOXES, dimension=2, policy="no-context", rng=SEED)
        plain._player.restore(searcher._player._inner.state())
        for t, (contexts, values) in enumerate(rounds):
            path = f"/v1/problems/hire/rounds/r{t}"
            # The rule is that of the moment in which the round was opened
            rule, drawn = plain.open(contexts, COSTS), service.get(path).json()["steps"][1:]
            box = service.get(path).json()["next"]
            while box is not None:
                box = service.post(f"{path}/values", {"values": {box: values[box]}}).json()["next"]
            for mine in rule:
                rule.see(values[str(mine)])
            done = service.post(f"{path}/close").json()
            alone = {BOXES[row] for row in rule._state.opened}
            assert set(done["opened"]) == (set(BOXES) if drawn else alone)
            assert {b for b in BOXES if done["chances"][b] == 1.0} == alone
            assert None not in done["chances"].values() or not drawn
            # What "all" would have opened first is known in every round
            closed = [b for b in BOXES if b not in alone]
            assert not closed or done["chances"][closed[0]] == SHARE


def test_a_problem_without_draws_says_nothing_of_them(client: Client, service: Running) -> None:
    problem = _create(client, "plain", learner="FTRL", explore=None, seed=0)
    contexts, values = next(_drawn())
    search = problem.open(contexts, COSTS)
    for box in search:
        search.see(values[box])
    assert search.close().chances is None
    assert problem.report().explored is None
    told = [msgspec.json.decode(content) for _, _, content in _events(service, "plain")]
    assert not {"draw", "chances", "explore", "seed"} & {key for body in told for key in body}
    table = parquet.read_table(io.BytesIO(service.get("/v1/problems/plain/log").content))
    assert "chance" not in table.column_names
