"""The story of a round says what happened, and why it ended, in words that are true."""

from typing import Any

import pytest

from tests.serve.running import CONTEXTS, Running


def _story(service: Running, path: str, name: str) -> dict[str, Any]:
    told: dict[str, Any] = service.get(f"{path}/rounds/{name}").json()
    return told


@pytest.mark.parametrize("sense", ["min", "max"])
def test_it_stops_because_every_other_reservation_value_is_worse(
    service: Running, sense: str
) -> None:
    path = service.problem(f"story-{sense}", sense=sense)
    good = -30.0 if sense == "min" else 30.0
    opened = service.post(f"{path}/rounds", {"id": "r", "contexts": CONTEXTS}).json()
    first, second, _ = opened["order"]
    service.post(f"{path}/rounds/r/values", {"values": {first: good}})
    service.post(f"{path}/rounds/r/close")
    steps = [step["text"] for step in _story(service, path, "r")["steps"]]
    worse = "higher" if sense == "min" else "lower"
    sigma = opened["reservation_values"]
    assert steps == [
        f"Began without an outside option; {first} has the best reservation value, "
        f"{sigma[first]:.4g}.",
        f"Opened {first} for 0.5, saw {good:.4g}.",
        f"Stopped because every other reservation value is {worse} than the best value in hand, "
        f"{good:.4g}; the next is that of {second}, {sigma[second]:.4g}.",
    ]


def test_it_stops_at_a_reservation_value_that_is_the_same(service: Running) -> None:
    path = service.problem("story-same")
    opened = service.post(f"{path}/rounds", {"id": "r", "contexts": [[0.0, 0.0]] * 3}).json()
    first, second, _ = opened["order"]
    same = opened["reservation_values"][second]
    service.post(f"{path}/rounds/r/values", {"values": {first: same}})
    service.post(f"{path}/rounds/r/close")
    last = _story(service, path, "r")["steps"][-1]["text"]
    assert last.startswith("Stopped because no other reservation value is lower than the best")


def test_it_tells_when_the_caller_stopped_or_all_was_open(service: Running) -> None:
    path = service.problem("story-caller")
    for name, boxes in (("few", "a"), ("all", "abc")):
        service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS})
        service.post(f"{path}/rounds/{name}/values", {"values": dict.fromkeys(boxes, 99.0)})
        service.post(f"{path}/rounds/{name}/close")
    few = _story(service, path, "few")["steps"][-1]["text"]
    assert few.startswith("The caller stopped; the rule would have opened ")
    whole = _story(service, path, "all")["steps"][-1]["text"]
    assert whole == "Stopped because every box was open."


@pytest.mark.parametrize("sense", ["min", "max"])
def test_reservation_values_without_a_size_are_not_shown(service: Running, sense: str) -> None:
    """While nothing is known the cheapest box is opened, and no other."""
    path = service.problem(f"story-first-{sense}", policy="Aware", sense=sense)
    sign = 1.0 if sense == "min" else -1.0
    for name, act in (("r", "values"), ("s", "close")):
        body = {"id": name, "contexts": CONTEXTS, "outside": sign * 9.0}
        assert service.post(f"{path}/rounds", body).json()["next"] == "a"
        body = {"values": {"a": sign * 1.0}} if act == "values" else {"values": {}}
        reply = service.post(f"{path}/rounds/{name}/{act}", body)
        if act == "values":
            assert reply.json()["next"] is None
    assert [step["text"] for step in _story(service, path, "r")["steps"]] == [
        f"Began with {sign * 9:g} in hand; a is opened first.",
        f"Opened a for 0.5, saw {sign * 1:g}.",
    ]
    assert _story(service, path, "s")["steps"][-1]["text"] == (
        "The caller stopped; the rule would have opened a."
    )
    service.post(f"{path}/rounds/r/close")
    last = _story(service, path, "r")["steps"][-1]["text"]
    assert last == "Stopped because the rule opens no other box."


def test_a_policy_without_reservation_values_says_so_and_just_stops(service: Running) -> None:
    parameters = {"kind": "past", "way": "greedy", "prepare": "contexts"}
    path = service.problem("story-joint", policy="Joint", parameters=parameters)
    for name in "rst":
        service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS, "outside": -50.0})
        for box in "abc":
            service.post(f"{path}/rounds/{name}/values", {"values": {box: 9.0}})
        service.post(f"{path}/rounds/{name}/close")
    service.post(f"{path}/rounds", {"id": "last", "contexts": CONTEXTS, "outside": -50.0})
    service.post(f"{path}/rounds/last/close")
    assert [step["text"] for step in _story(service, path, "last")["steps"]] == [
        "Began with -50 in hand; the policy decides again after every look.",
        "Stopped.",
    ]
