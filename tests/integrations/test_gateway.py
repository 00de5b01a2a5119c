"""The gateway over real sockets: what it asks, pays and says, against rounds played without it."""

from pathlib import Path
from typing import Any

import pytest

from tests.integrations.recorded import (
    gateway,
    question,
    reference,
    simulated_log,
    upstream,
    write_config,
    write_table,
)
from weitzman.replays.replay import replay

ROUNDS = 120


@pytest.fixture(scope="module")
def log() -> Any:
    return simulated_log(ROUNDS)


@pytest.fixture(scope="module")
def table(log: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("table") / "rounds.npz"
    write_table(log, place)
    return place


def test_it_decides_pays_and_learns_as_a_replay_does(log: Any, table: Path, tmp_path: Path) -> None:
    known = reference(log)
    found = replay(log, ["default"], feedback="opened")
    assert known.totals == list(map(float, found.of(found.main)))
    with upstream(table) as models:
        config = write_config(log, tmp_path / "gateway.toml", models.url)
        with gateway(config, table, tmp_path / "a.db") as service:
            for number in range(ROUNDS):
                reply = service.post("/v1/chat/completions", question(number))
                assert reply.status_code == 200, reply.text
                said = reply.json()["weitzman"]
                assert tuple(look["model"] for look in said["asked"]) == known.opened[number]
                outcome = service.get(f"/v1/problems/weitzman/rounds/{said['round']}").json()
                assert outcome["outcome"]["total"] == known.totals[number]
        account = models.account()
    asked = [f"{k} {box}" for k, boxes in enumerate(known.opened) for box in boxes]
    assert account["asked"] == dict.fromkeys(asked, 1)
