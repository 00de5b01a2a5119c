"""What the service promises to those who call it, over HTTP, from a process of its own."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import weitzman as wz
from tests.serve.running import CONTEXTS, Running, running


def _open(service: Running, path: str, **more: Any) -> dict[str, Any]:
    answer = service.post(f"{path}/rounds", {"contexts": CONTEXTS, **more})
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def _refused(answer: Any, status: int, field: str | None = None) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status
    assert told["type"].startswith("urn:weitzman:")
    assert {"title", "detail"} <= told.keys()
    if field is not None:
        assert told.get("field") == field, told
    return str(told["detail"])


def test_a_round_is_decided_and_learned_as_a_searcher_does(service: Running) -> None:
    path = service.problem("as-searcher", feedback="opened")
    searcher = wz.Searcher(boxes=["a", "b", "c"], dimension=2, learner=wz.FTRL(intercept=False))
    values = {"a": 1.5, "b": 0.25, "c": 3.0}
    for number in range(20):
        contexts = [[x + 0.1 * number, y] for x, y in CONTEXTS]
        search = searcher.open(contexts, 0.5, outside=2.0)
        told = _open(service, path, contexts=contexts, outside=2.0)
        sigma = searcher.reservation_values(contexts, 0.5)
        assert list(told["reservation_values"].values()) == sigma.tolist()
        for box in search:
            assert told["next"] == box
            value = values[str(box)] + 0.01 * number
            search.see(value)
            url = f"{path}/rounds/{told['round']}/values"
            told = service.post(url, {"values": {box: value}}).json()
        assert told["next"] is None
        assert told["stop"]
        outcome = search.close()
        closed = service.post(f"{path}/rounds/{told['round']}/close").json()
        assert closed["opened"] == list(outcome.opened)
        assert closed["chosen"] == outcome.chosen
        assert closed["total"] == pytest.approx(outcome.total)


def test_a_client_may_search_by_itself_and_report_once(service: Running) -> None:
    path = service.problem("alone")
    told = _open(service, path, id="r1", outside=9.0)
    order, sigma = told["order"], told["reservation_values"]
    assert sorted(order, key=lambda b: sigma[b]) == order
    seen = dict(zip(order, [3.0, 2.0, 1.0], strict=True))
    answer = service.post(f"{path}/rounds/r1/values", {"values": seen})
    assert answer.json() == {
        "round": "r1",
        "next": None,
        "stop": True,
        "best": 1.0,
        "late": False,
    }
    assert service.post(f"{path}/rounds/r1/close").json()["opened"] == order


def test_contexts_and_costs_may_go_by_name(service: Running) -> None:
    path = service.problem("named", dimension=None, features=["size", "age"], cost=None)
    plain = _open(service, path, id="r1", costs=[1, 2, 3])
    contexts = {
        b: dict(zip(("age", "size"), row[::-1], strict=True))
        for b, row in zip("abc", CONTEXTS, strict=True)
    }
    again = _open(service, path, id="r1", contexts=contexts, costs={"c": 3, "a": 1, "b": 2})
    assert again == plain
    some = _open(service, path, contexts={"c": [0, 1], "a": [1, 1]}, costs=1)
    assert sorted(some["order"]) == ["a", "c"]
    for wrong in ({"a": 1, "b": 2}, [1, 2]):
        asked = {"contexts": CONTEXTS, "costs": wrong}
        _refused(service.post(f"{path}/rounds", asked), 422, "costs")


def test_the_same_round_twice_is_one_round(service: Running) -> None:
    path = service.problem("twice")
    first = _open(service, path, id="r1", outside=4.0)
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}})
    assert _open(service, path, id="r1", outside=4.0) == first
    service.post(f"{path}/rounds/r1/close")
    assert _open(service, path, id="r1", outside=4.0) == first
    other = service.post(f"{path}/rounds", {"id": "r1", "contexts": CONTEXTS, "outside": 5.0})
    _refused(other, 409, "id")
    assert service.get(path).json()["rounds_closed"] == 1


def test_a_conflicting_second_value_is_refused_and_the_first_stays(service: Running) -> None:
    path = service.problem("conflict")
    _open(service, path, id="r1")
    url = f"{path}/rounds/r1/values"
    service.post(url, {"values": {"a": 1.0}})
    assert service.post(url, {"values": {"a": 1.0}}).status_code == 200
    _refused(service.post(url, {"values": {"b": 2.0, "a": 1.5}}), 409, "values.a")
    _refused(service.post(url, {"values": {"a": None}}), 409, "values.a")
    story = service.get(f"{path}/rounds/r1").json()
    assert {b["box"]: b["value"] for b in story["boxes"]} == {"a": 1.0, "b": None, "c": None}


def test_a_missing_value_is_paid_and_not_learned_and_may_come_after_all(service: Running) -> None:
    path = service.problem("missing")
    for name in ("r1", "r2"):
        _open(service, path, id=name)
        service.post(f"{path}/rounds/{name}/values", {"values": {"a": None, "b": 2.0}})
    service.post(f"{path}/rounds/r2/values", {"values": {"a": 1.0}})
    closed = [service.post(f"{path}/rounds/{r}/close").json() for r in ("r1", "r2")]
    assert [(c["paid"], c["value"], c["learned"]) for c in closed] == [(1.0, 2.0, 1), (1.0, 1.0, 2)]
    boxes = service.get(f"{path}/report").json()["boxes"]
    assert [b["learned"] for b in boxes] == [1, 2, 0]
    assert service.get(f"{path}/diagnostics").json()["missing"] == 1


def test_values_after_the_end_are_stored_and_flagged_but_not_learned(service: Running) -> None:
    path = service.problem("late")
    _open(service, path, id="r1")
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}})
    service.post(f"{path}/rounds/r1/close")
    url = f"{path}/rounds/r1/values"
    assert service.post(url, {"values": {"b": 0.5}}).json()["late"] is True
    assert service.post(url, {"values": {"b": 0.5}}).status_code == 200
    _refused(service.post(url, {"values": {"b": 0.75}}), 409, "values.b")
    story = service.get(f"{path}/rounds/r1").json()
    assert [(b["value"], b["late"]) for b in story["boxes"] if b["box"] == "b"] == [(0.5, True)]
    assert story["outcome"]["value"] == 1.0
    assert [b["learned"] for b in service.get(f"{path}/report").json()["boxes"]] == [1, 0, 0]
    assert service.get(f"{path}/diagnostics").json()["late"] == 1


def test_a_round_ends_by_itself_when_its_waiting_time_is_over(service: Running) -> None:
    import time

    path = service.problem("waiting", waiting_time=0.2)
    _open(service, path, id="r1", outside=7.0)
    _open(service, path, id="r2", outside=7.0)
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}})
    time.sleep(0.3)
    late = service.post(f"{path}/rounds/r1/values", {"values": {"b": 2.0}}).json()
    assert late["late"] is True
    outcome = service.post(f"{path}/rounds/r1/close").json()
    assert (outcome["waited"], outcome["learned"], outcome["value"]) == (True, 1, 1.0)
    time.sleep(1.2)  # nobody asks for the other one
    assert service.get(path).json()["rounds_open"] == 0
    assert service.get(f"{path}/diagnostics").json()["closed_by_waiting"] == 2


def test_full_feedback_shows_values_at_the_end(service: Running) -> None:
    path = service.problem("full", feedback="full")
    _open(service, path, id="r1", outside=3.0)
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}})
    url = f"{path}/rounds/r1/close"
    _refused(service.post(url, {"values": {"a": 9.0}}), 409, "values.a")
    first = service.post(url, {"values": {"a": 1.0, "b": 2.0, "c": 4.0}})
    assert first.json()["learned"] == 3
    assert service.post(url, {"values": {"a": 1.0, "b": 2.0, "c": 4.0}}).json() == first.json()
    assert service.post(url).json() == first.json()
    _refused(service.post(url, {"values": {"b": 2.5}}), 409, "values")
    report = service.get(f"{path}/report").json()
    assert (report["known"], report["regret"]) == (1, 0.0)
    opened = service.problem("not-full")
    _open(service, opened, id="r1")
    _refused(service.post(f"{opened}/rounds/r1/close", {"values": {"a": 1.0}}), 422, "values")


def test_unknown_things_are_not_found(service: Running) -> None:
    path = service.problem("known")
    _open(service, path, id="r1", contexts={"a": [1, 1], "b": [1, 1]})
    values = {"values": {"a": 1.0}}
    _refused(service.get("/v1/problems/nobody"), 404, "problem")
    _refused(service.post("/v1/problems/nobody/rounds/r1/values", values), 404, "problem")
    _refused(service.post(f"{path}/rounds/r9/values", values), 404, "round")
    _refused(service.post(f"{path}/rounds/r9/close"), 404, "round")
    _refused(service.get(f"{path}/rounds/r9"), 404, "round")
    _refused(service.post(f"{path}/rounds/r1/values", {"values": {"z": 1.0}}), 404, "values.z")
    _refused(service.post(f"{path}/rounds/r1/values", {"values": {"c": 1.0}}), 404, "values.c")
    _refused(service.get("/v2/anything"), 404, "path")
    wrong = service.get(f"{path}/rounds/r1/values")
    _refused(wrong, 405, "method")
    assert wrong.headers["allow"] == "POST"


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity", "1e999", "true", '"1.0"', "[1]"])
def test_what_is_no_finite_number_is_refused_by_the_name_of_its_field(
    service: Running, bad: str
) -> None:
    name = f"bad-{sum(map(ord, bad))}"
    path = service.problem(name)
    _open(service, path, id="r1")
    before = service.get("/readyz").json()["events"]
    for body, field in (
        (f'{{"contexts":[[1,2],[3,{bad}],[5,6]]}}', "contexts[1][1]"),
        (f'{{"contexts":[[1,2],[3,4],[5,6]],"outside":{bad}}}', "outside"),
        (f'{{"contexts":[[1,2],[3,4],[5,6]],"costs":[1,{bad},1]}}', "costs[1]"),
    ):
        _refused(service.post(f"{path}/rounds", body.encode()), 422, field)
    answer = service.post(f"{path}/rounds/r1/values", f'{{"values":{{"a":{bad}}}}}'.encode())
    _refused(answer, 422)
    assert answer.json()["field"] == "values.a"
    assert service.get("/readyz").json()["events"] == before


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (b"{", 400, None),
        (b"", 422, "contexts"),
        (b"[]", 422, None),
        (b'{"contexts":[[1,2],[3,4],[5,6]],"colour":1}', 422, "colour"),
        (b'{"contexts":[[1,2],[3,4]]}', 422, "contexts"),
        (b'{"contexts":[[1,2],[3,4],[5]]}', 422, "contexts[2]"),
        (b'{"contexts":[[1,2],[3,4],[1e60,0]]}', 422, "contexts"),
        (b'{"contexts":[[1,2],[3,4],[5,6]],"costs":-1}', 422, "costs"),
        (b'{"contexts":[[1,2],[3,4],[5,6]],"id":"a/b"}', 422, "id"),
        (b'{"contexts":[[1,2]],"boxes":["z"]}', 404, "boxes"),
        (b'{"contexts":[[1,2],[1,2]],"boxes":["a","a"]}', 422, "boxes"),
    ],
)
def test_bad_rounds_are_refused(
    service: Running, body: bytes, status: int, field: str | None
) -> None:
    if service.get("/v1/problems/bad").status_code == 404:
        service.problem("bad")
    _refused(service.post("/v1/problems/bad/rounds", body), status, field)


def test_only_json_is_read_as_json(service: Running) -> None:
    """A page from elsewhere can send text/plain without asking; it must not count."""
    path = service.problem("typed")
    answer = service.post(f"{path}/rounds", {"contexts": CONTEXTS}, content_type="text/plain")
    _refused(answer, 415, "Content-Type")


def test_the_same_key_and_body_give_the_same_reply_also_after_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "events.db"
    body = {"contexts": CONTEXTS}
    with running(data) as service:
        path = service.problem("keyed")
        first = service.post(f"{path}/rounds", body, idempotency_key="k1")
        name = first.json()["round"]
        seen = service.post(
            f"{path}/rounds/{name}/values", {"values": {"a": 1.0}}, idempotency_key="k2"
        )
        service.post(f"{path}/rounds/{name}/values", {"values": {"b": 2.0}})
        service.post(f"{path}/rounds/{name}/close")
        again = service.post(f"{path}/rounds", body, idempotency_key="k1")
        assert (again.status_code, again.content) == (201, first.content)
        events = service.get("/readyz").json()["events"]
        service.kill()
    with running(data) as service:
        assert service.post(f"{path}/rounds", body, idempotency_key="k1").content == first.content
        url = f"{path}/rounds/{name}/values"
        again = service.post(url, {"values": {"a": 1.0}}, idempotency_key="k2")
        assert again.content == seen.content
        _refused(
            service.post(url, {"values": {"a": 2.0}}, idempotency_key="k2"), 422, "Idempotency-Key"
        )
        _refused(service.post(f"{path}/rounds", body, idempotency_key="k2"), 422, "Idempotency-Key")
        for wrong in ("", "x" * 201):
            _refused(service.post(f"{path}/rounds", body, idempotency_key=wrong), 422)
        assert service.get("/readyz").json()["events"] == events
        assert service.post(f"{path}/rounds", body, idempotency_key="x" * 200).status_code == 201


def test_a_batch_is_carried_out_in_order_with_a_result_for_each(service: Running) -> None:
    path = service.problem("batch")
    commands = [
        {"open": {"id": "r1", "contexts": CONTEXTS}},
        {"see": {"round": "r1", "values": {"a": 1.0}}},
        {"see": {"round": "r9", "values": {"a": 1.0}}},
        {"close": {"round": "r1"}},
    ]
    results = service.post(f"{path}/batch", {"commands": commands}).json()["results"]
    assert [r["status"] for r in results] == [201, 200, 404, 200]
    assert results[2]["error"]["field"] == "round"
    assert results[3]["closed"]["total"] == 1.5
    both = {"commands": [{"open": {"contexts": CONTEXTS}, "close": {"round": "r1"}}]}
    _refused(service.post(f"{path}/batch", both), 422, "commands[0]")


def test_problems_are_created_once_listed_and_archived(service: Running) -> None:
    path = service.problem("old", description="for a while")
    assert service.problem("old", description="for a while") == path
    other = {"name": "old", "boxes": ["a"], "dimension": 2}
    _refused(service.post("/v1/problems", other), 409, "name")
    assert "old" in [p["name"] for p in service.get("/v1/problems").json()["problems"]]
    _open(service, path, id="r1")
    assert service.post(f"{path}/archive").json()["archived"] is True
    _refused(service.post(f"{path}/rounds", {"contexts": CONTEXTS}), 409, "problem")
    assert service.post(f"{path}/rounds/r1/values", {"values": {"a": 1.0}}).status_code == 200


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"boxes": ["a", "a"]}, "boxes"),
        ({"boxes": []}, "boxes"),
        ({"boxes": [f"b{i}" for i in range(1001)]}, "boxes"),
        ({"dimension": 1001}, "dimension"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": None}, "dimension"),
        ({"features": ["x", "y"]}, "dimension"),
        ({"learner": "Oracle"}, "learner"),
        ({"parameters": {"eta": -1}}, "parameters"),
        ({"parameters": {"colour": 1}}, "parameters"),
        ({"sense": "best"}, "sense"),
        ({"name": "a b"}, "name"),
        ({"waiting_time": 0}, "waiting_time"),
        ({"cost": 1e60}, "cost"),
    ],
)
def test_bad_problems_are_refused(
    service: Running, settings: dict[str, Any], field: str | None
) -> None:
    told = {"name": "never", "boxes": ["a"], "dimension": 1, **settings}
    _refused(service.post("/v1/problems", told), 422, field)
    assert service.get("/v1/problems/never").status_code == 404


def test_a_story_tells_why(service: Running) -> None:
    path = service.problem("story", sense="max")
    _open(service, path, id="r1", outside=-9.0)
    service.post(f"{path}/rounds/r1/values", {"values": {"a": 3.1}})
    service.post(f"{path}/rounds/r1/close")
    steps = [s["text"] for s in service.get(f"{path}/rounds/r1").json()["steps"]]
    assert steps[0].startswith("Began with -9 in hand")
    assert steps[1] == "Opened a for 0.5, saw 3.1."
    assert steps[2].startswith("Stopped because every other reservation value is lower")


def test_shadow_mode_tells_what_the_rule_would_have_done(service: Running) -> None:
    path = service.problem("shadow", shadow=True, feedback="full")
    _open(service, path, id="r1", outside=9.0)
    service.post(f"{path}/rounds/r1/values", {"values": {"c": 4.0}})
    values = {"values": {"a": -1.0, "b": 5.0, "c": 4.0}}
    outcome = service.post(f"{path}/rounds/r1/close", values).json()
    assert (outcome["opened"], outcome["total"]) == (["c"], 4.5)
    assert (outcome["rule_opened"], outcome["rule_total"]) == (["a"], -0.5)
    shadow = service.get(f"{path}/report").json()["shadow"]
    assert shadow == {"rounds": 1, "agreed": 0, "caller_total": 4.5, "rule_total": -0.5}


def test_a_policy_decides(service: Running) -> None:
    path = service.problem("policy", policy="default", feedback="full")
    for number in range(40):
        told = _open(service, path, id=f"r{number}", outside=2.0)
        assert (told["reservation_values"] is None) == (told["order"] is None)
        while told["next"] is not None:
            url = f"{path}/rounds/{told['round']}/values"
            told = service.post(url, {"values": {told["next"]: 1.0 + 0.1 * number}}).json()
        story = service.get(f"{path}/rounds/{told['round']}")
        assert story.status_code == 200
        shown = {"a": 1.0 + 0.1 * number, "b": 1.0 + 0.1 * number, "c": 1.0 + 0.1 * number}
        closed = service.post(f"{path}/rounds/{told['round']}/close", {"values": shown})
        assert closed.status_code == 200, closed.text
    told = {"name": "other", "boxes": ["a"], "dimension": 1, "policy": "wisdom"}
    _refused(service.post("/v1/problems", told), 422, "policy")


LAW = {"class": "Law", "kind": "past", "cautions": [1.0], "plain": []}


@pytest.mark.parametrize(
    ("policy", "parameters"),
    [
        ("wisdom", {}),
        ("Ridge", {}),
        ("default", {"shared": True}),
        ("Simple", {}),
        ("Simple", {"rule": "guess"}),
        ("Simple", {"rule": "mean", "size": 3}),
        ("Joint", {"kind": "past", "way": "sideways"}),
        ("Joint", {"kind": "bushes"}),
        ("Joint", {"kind": "trees", "way": "index", "shared": True}),
        ("Weitzman", {"learner": "FTRL"}),
        ("Weitzman", {"learner": {"class": "Simple", "rule": "mean"}}),
        ("Weitzman", {"learner": {"class": "Unknown"}}),
        ("Weitzman", {"learner": {"parameters": {}}}),
        ("Weitzman", {"learner": {"class": ["FTRL"]}}),
        ("Weitzman", {"block": 3}),
        ("Weitzman", {"optimism": -1.0}),
        ("Aware", {"learner": 3}),
        ("Portfolio", {}),
        ("Portfolio", {"candidates": []}),
        ("Portfolio", {"candidates": 3}),
        ("Portfolio", {"candidates": ["mean"]}),
        ("Portfolio", {"candidates": [{"class": "FTRL"}]}),
        ("Portfolio", {"candidates": [{"class": "Simple", "rule": "mean"}], "incumbent": "all"}),
        ("Chosen", {}),
        ("Chosen", {"panel": LAW, "rule": "past index 3"}),
        ("Chosen", {"panel": LAW}),
        ("Chosen", {"panel": "Law", "rule": "past index 1"}),
        ("Chosen", {"panel": {}, "rule": "past index 1"}),
        ("Portfolio", {"panels": [LAW], "incumbent": "paper"}),
        ("Portfolio", {"panels": 3}),
    ],
)
def test_policies_that_are_none_are_refused(
    service: Running, policy: str, parameters: dict[str, Any]
) -> None:
    told = {"name": "none", "boxes": ["a", "b"], "dimension": 1, "policy": policy}
    answer = service.post("/v1/problems", {**told, "parameters": parameters})
    _refused(answer, 422, "parameters" if parameters else "policy")
    assert service.get("/v1/problems/none").status_code == 404


@pytest.mark.parametrize(
    ("settings", "detail"),
    [
        (
            {"policy": "Simple", "parameters": {"rule": "all", "standardise": "yes"}},
            "The parameter 'standardise' of Simple must be true or false. Got 'yes'.",
        ),
        (
            {"learner": "Ridge", "parameters": {"shared": 1}},
            "The parameter 'shared' of Ridge must be true or false. Got 1.",
        ),
        (
            {"policy": "Weitzman", "parameters": {"learner": {"class": "FTRL", "window": "9"}}},
            "The parameter 'window' of FTRL must be an integer or null. Got '9'.",
        ),
        (
            {"policy": "Aware", "parameters": {"prepare": "some"}},
            "The parameter 'prepare' of Aware must be 'all' or 'contexts' or 'nothing' or 'auto'. "
            "Got 'some'.",
        ),
        (
            {"learner": "Residual", "parameters": {"memory": 10**9}},
            "The memory must be an integer from 1 to 100000. Got 1000000000.",
        ),
        (
            {"learner": "Fourier", "parameters": {"features": 10**9}},
            "The number of features must be an integer from 2 to 4096. Got 1000000000.",
        ),
    ],
)
def test_a_parameter_of_another_type_or_out_of_range_is_refused_by_its_name(
    service: Running, settings: dict[str, Any], detail: str
) -> None:
    before = service.get("/v1/digest").json()
    told = {"name": "never", "boxes": ["a"], "dimension": 1, **settings}
    answer = service.post("/v1/problems", told)
    _refused(answer, 422, "parameters")
    assert answer.json()["detail"] == detail
    assert service.get("/v1/digest").json() == before


def test_words_that_are_no_choice_are_refused_with_the_choices(service: Running) -> None:
    told = {"name": "never", "boxes": ["a"], "dimension": 1, "sense": "best"}
    assert "'min', 'max'" in service.post("/v1/problems", told).json()["detail"]


def test_a_problem_whose_packages_are_missing_is_refused(tmp_path: Path) -> None:
    without = "import sys; sys.modules['lightgbm'] = None"
    with running(tmp_path / "events.db", before=without) as service:
        told = {"name": "never", "boxes": ["a"], "dimension": 1, "learner": "Boosted"}
        told["parameters"] = {"engine": "lightgbm"}
        answer = service.post("/v1/problems", told)
        _refused(answer, 422, "parameters")
        assert "pip install" in answer.json()["detail"]


def test_metrics_count_requests_by_route(service: Running) -> None:
    service.problem("counted")
    text = service.get("/metrics").text
    assert 'weitzman_requests_total{route="POST /v1/problems",status="201"}' in text
    assert "weitzman_request_seconds_bucket" in text
    # One by one they are logged only where that is asked for
    assert "request" not in {line["event"] for line in service.logged()}
    assert "weitzman_journal_seq" in text
    assert "# HELP weitzman_journal_seq The number of the last event stored." in text
    alive = service.get("/healthz").json()
    assert (alive["status"], alive["version"]) == ("alive", version("weitzman"))


def test_a_body_that_is_no_text_is_refused(service: Running) -> None:
    path = service.problem("no-text")
    for body in (
        b'{"id": "\xff"}',
        b'{"\xf3d": "r"}',
        b'{"id": "\\udc00"}',
        b'{"id": "\xed\xa0\x80"}',
    ):
        _refused(service.post(f"{path}/rounds", body), 400)


def test_a_round_without_boxes_is_refused(service: Running) -> None:
    path = service.problem("no-boxes")
    for body in (b'{"contexts": {}}', b'{"contexts": []}'):
        _refused(service.post(f"{path}/rounds", body), 422, "contexts")
    _refused(service.post(f"{path}/rounds", {"contexts": {}, "boxes": []}), 422, "boxes")
