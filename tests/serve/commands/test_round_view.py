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
