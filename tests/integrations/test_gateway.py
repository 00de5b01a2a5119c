"""The gateway over real sockets: what it asks, pays and says, against rounds played without it."""

import json
import math
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.integrations.recorded import (
    POLICY,
    RIGHT,
    ROUNDS,
    Upstream,
    ask,
    gateway,
    of_one,
    question,
    reference,
    start_gateway,
    upstream,
    write_config,
)
from tests.serve.running import free_port
from weitzman.integrations.spending import REQUEST_SPENT
from weitzman.replays.replay import replay

SECRET = "sk-upstream-0123456789"


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


def test_an_embedding_is_features_and_one_that_does_not_come_is_missing(
    log: Any, table: Path, tmp_path: Path
) -> None:
    more = [f"embedding {k}" for k in range(len(log.features))]
    both = np.concatenate([log.contexts, log.contexts], axis=2)
    known = reference(replace(log, contexts=both, features=[*log.features, *more]))
    with upstream(table) as models:
        for url, right in ((models.url, True), (f"http://127.0.0.1:{free_port()}", False)):
            about = f'url = "{url}/v1"\nmodel = "text"\nnumbers = {len(more)}\n'
            embedding = f"[features.embedding]\n{about}"
            config = write_config(log, tmp_path / "gateway.toml", models.url, embedding)
            with gateway(config, table, tmp_path / f"{right}.db") as service:
                for number in range(40):
                    reply = ask(service, number)
                    assert reply.status_code == 200, reply.text
                    said = reply.json()["weitzman"]["asked"]
                    if right:
                        assert tuple(look["model"] for look in said) == known.opened[number]


def test_what_it_says_is_what_is_in_the_journal(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    with of_one(tmp_path, log, table, models.url, RIGHT) as service:
        reply = ask(service)
        said = reply.json()["weitzman"]
        story = service.get(f"/v1/problems/weitzman/rounds/{said['round']}").json()
        outcome = story["outcome"]
        assert outcome["opened"] == [look["model"] for look in said["asked"]]
        assert outcome["paid"] == said["paid"] == sum(look["cost"] for look in said["asked"])
        named = {
            name[len("x-weitzman-") :]: text
            for name, text in reply.headers.items()
            if "x-w" in name
        }
        assert named["asked"] == ",".join(outcome["opened"])
        assert float(named["paid"]) == said["paid"]
        assert {"round", "model", "value", "why"} <= set(named)
        assert service.get("/v1/models").json()["data"][0]["id"] == "weitzman"
        assert "weitzman" in service.get("/v1/problems").json()["problems"][0]["name"]


def test_a_stream_says_the_same_as_an_answer(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    with of_one(tmp_path, log, table, models.url, RIGHT) as service:
        reply = ask(service, 1, stream=True, stream_options={"include_usage": True})
        assert reply.headers["content-type"] == "text/event-stream"
        lines = [line.removeprefix("data: ") for line in reply.text.split("\n\n") if line]
        assert lines[-1] == "[DONE]"
        chunks = [json.loads(line) for line in lines[:-1]]
        deltas = [c["delta"].get("content", "") for chunk in chunks for c in chunk["choices"]]
        assert "".join(deltas) in ("right", "wrong")
        assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
        assert chunks[-2]["weitzman"]["round"] == reply.headers["x-weitzman-round"]
        assert chunks[-1]["usage"]["total_tokens"] == 11


def test_the_same_key_is_answered_once(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    with of_one(tmp_path, log, table, models.url, RIGHT) as service:
        before = models.account()["asked"]
        key = {"headers": {"idempotency_key": "k-1"}}
        with ThreadPoolExecutor(8) as threads:
            replies = list(threads.map(lambda _: ask(service, 2, **key), range(8)))
        assert len({reply.content for reply in replies}) == 1
        new = Counter(models.account()["asked"]) - Counter(before)
        assert set(new.values()) == {1}
        service.kill()
    started = start_gateway(tmp_path / "gateway.toml", table, tmp_path / "a.db")
    try:
        assert ask(started, 2, **key).content == replies[0].content
        assert Counter(models.account()["asked"]) - Counter(before) == new
        assert ask(started, 3, **key).status_code == 422
    finally:
        started.stop()


def test_limits_hold_and_the_day_survives_a_restart(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    dearest = float(log.costs.max())
    most, day = 0.5 * dearest, 2.0 * dearest
    limits = f"[limits]\nrequest = {most}\nday = {day}\n"
    with of_one(tmp_path, log, table, models.url, RIGHT, limits) as service:
        paid, reasons = 0.0, set()
        for number in range(2_000):
            reply = ask(service, number % ROUNDS)
            if reply.status_code != 200:
                break
            said = reply.json()["weitzman"]
            assert said["paid"] <= most
            paid += said["paid"]
            reasons.add(said["why"])
        assert reply.status_code == 402, reply.text
        assert day - dearest < paid <= day
        assert REQUEST_SPENT in reasons
    service = start_gateway(tmp_path / "gateway.toml", table, tmp_path / "a.db")
    try:
        for number in range(50):
            # A cheaper question may still be in it
            again = ask(service, number)
            paid += again.json()["weitzman"]["paid"] if again.status_code == 200 else 0.0
        assert paid <= day
        assert again.status_code == 402
    finally:
        service.stop()


def test_feedback_is_learned_once_and_ends_the_round(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    with of_one(tmp_path, log, table, models.url, 'by = "feedback"\n') as service:
        said = ask(service, 4).json()["weitzman"]
        assert len(said["asked"]) == 1
        assert said["value"] is None
        path = f"/v1/problems/weitzman/rounds/{said['round']}"
        assert service.get(path).json()["outcome"] is None
        told = {"round": said["round"], "grade": 0.25}
        reply = service.post("/v1/feedback", told).json()
        assert reply == {
            "round": said["round"],
            "model": said["model"],
            "value": 15.0,
            "late": False,
        }
        outcome = service.get(path).json()["outcome"]
        assert (outcome["paid"], outcome["learned"]) == (said["paid"], 1)
        assert service.post("/v1/feedback", told).status_code == 409
        assert service.post("/v1/feedback", {**told, "grade": 2.0}).status_code == 422
        assert service.post("/v1/feedback", {**told, "round": "none"}).status_code == 404


def test_where_grades_come_later_the_policy_picks_as_if_it_asked_once(
    log: Any, table: Path, tmp_path: Path, models: Upstream
) -> None:
    config = write_config(log, tmp_path / "gateway.toml", models.url)
    text = config.read_text(encoding="utf-8").replace(RIGHT, 'by = "feedback"\n')
    config.write_text(text, encoding="utf-8")
    with gateway(config, table, tmp_path / "a.db") as service:
        assert '"one-shot"' in service.get("/v1/problems/weitzman").text


def test_where_waiting_has_a_price_the_next_model_is_asked_ahead_and_decisions_stay(
    log: Any, table: Path, tmp_path: Path
) -> None:
    known, reports, waited, in_turn = reference(log, POLICY), [], 0.0, 0.0
    with upstream(table, delay=0.1) as models:
        config = write_config(log, tmp_path / "gateway.toml", models.url)
        text = config.read_text(encoding="utf-8")
        more = f'[gateway]\npolicy = "{POLICY}"\nsecond = 1000.0\n'
        config.write_text(text.replace("[gateway]\n", more), encoding="utf-8")
        with gateway(config, table, tmp_path / "a.db") as service:
            for number in range(60):
                begin = time.monotonic()
                said = ask(service, number).json()["weitzman"]
                assert tuple(look["model"] for look in said["asked"]) == known.opened[number]
                if len(said["asked"]) > 1 and "under_way" not in said:
                    waited += time.monotonic() - begin
                    in_turn += sum(look["seconds"] for look in said["asked"])
                reports.append(said)
            while service.get("/v1/problems/weitzman").json()["rounds_open"]:
                time.sleep(0.05)
            paid = [
                service.get(f"/v1/problems/weitzman/rounds/{said['round']}").json()["outcome"][
                    "paid"
                ]
                for said in reports
            ]
        account = models.account()
    asked = [
        f"{number} {model}"
        for number, said in enumerate(reports)
        for model in [*known.opened[number], *said.get("under_way", ())]
    ]
    assert account["asked"] == dict.fromkeys(asked, 1)
    assert math.fsum(paid) == pytest.approx(account["billed"])
    assert any("under_way" in said for said in reports)
    assert waited < in_turn


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"nonsense", 400),
        (b"[]", 422),
        (b'{"model": "gpt", "messages": []}', 404),
        (b'{"model": "weitzman", "messages": 3}', 422),
    ],
)
def test_what_is_no_question_is_refused_and_changes_nothing(
    log: Any, table: Path, tmp_path: Path, models: Upstream, body: bytes, status: int
) -> None:
    with of_one(tmp_path, log, table, models.url, RIGHT) as service:
        before = service.get("/v1/digest").json()
        assert service.post("/v1/chat/completions", body).status_code == status
        assert service.get("/v1/digest").json() == before


def test_keys_of_upstreams_are_nowhere_but_in_the_environment(
    log: Any, table: Path, tmp_path: Path, models: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPSTREAM_KEY", SECRET)
    config = write_config(log, tmp_path / "gateway.toml", models.url, key="UPSTREAM_KEY")
    with gateway(config, table, tmp_path / "a.db", "--log-requests") as service:
        foreign = {"authorization": "Bearer sk-client-secret"}
        shown = ask(service, 6, headers=foreign)
        assert shown.status_code == 200
        texts = [shown.text, service.get("/").text, service.get("/metrics").text]
        texts += [service.get("/v1/problems/weitzman").text]
        assert models.account()["keys"][-1] == f"Bearer {SECRET}"
        wrong = {"authorization": "Bearer wz_000000000000_x"}
        assert ask(service, 6, headers=wrong).status_code == 401
        assert ask(service, 6, headers={"origin": "https://other.example"}).status_code == 403
    texts += [p.read_bytes().decode("latin-1") for p in tmp_path.iterdir() if p.is_file()]
    assert not [text for text in texts if SECRET in text or "sk-client-secret" in text]
    monkeypatch.delenv("UPSTREAM_KEY")
    with pytest.raises(RuntimeError, match="UPSTREAM_KEY must hold a key"):
        start_gateway(config, table, tmp_path / "b.db")
