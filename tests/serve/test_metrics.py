"""What Prometheus reads: every duration is counted in all classes that it is not above."""

import re

import pytest

from tests.ledger.happenings import Happenings
from weitzman.ledger.bodies import Deleted
from weitzman.serve import metrics as module
from weitzman.serve.metrics import OF_PROBLEM, Metrics

# As the classes are documented in docs/reference/service.md, smallest first
CLASSES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5]


def read(text: str, metric: str) -> dict[str, float]:
    """Return the numbers of a metric by its labels."""
    lines = [line for line in text.splitlines() if line.startswith(metric)]
    pairs = [line.removeprefix(metric).rsplit(" ", 1) for line in lines]
    return {labels: float(number) for labels, number in pairs}


@pytest.mark.parametrize("seconds", [0.0, *CLASSES, 0.7, 1.5, 9.0])
def test_a_duration_is_in_every_class_from_its_bound_on(seconds: float) -> None:
    metrics = Metrics()
    metrics.observe("GET /", 200, seconds)
    found = read(metrics.text([]), "weitzman_request_seconds_bucket")
    expected = {f'{{route="GET /",le="{bound}"}}': float(seconds <= bound) for bound in CLASSES}
    assert found == {**expected, '{route="GET /",le="+Inf"}': 1.0}


def test_requests_are_counted_by_route_and_status_and_durations_by_route() -> None:
    metrics = Metrics()
    for route, status, seconds in (("A", 200, 0.5), ("A", 404, 0.25), ("B", 200, 4.0)):
        metrics.observe(route, status, seconds)
    text = metrics.text([("rounds_open", 7, "Rounds open now.")])
    assert read(text, "weitzman_requests_total") == {
        '{route="A",status="200"}': 1.0,
        '{route="A",status="404"}': 1.0,
        '{route="B",status="200"}': 1.0,
    }
    assert read(text, "weitzman_request_seconds_count") == {'{route="A"}': 2.0, '{route="B"}': 1.0}
    assert read(text, "weitzman_request_seconds_sum") == {'{route="A"}': 0.75, '{route="B"}': 4.0}
    assert read(text, "weitzman_rounds_open") == {"": 7.0}
    assert "# TYPE weitzman_rounds_open gauge\nweitzman_rounds_open 7\n" in text


def test_what_was_stored_is_counted() -> None:
    metrics = Metrics()
    metrics.commits, metrics.events, metrics.failures = 2, 5, 1
    text = metrics.text([])
    found = [
        read(text, f"weitzman_{name}")[""] for name in ("commits_total", "events_stored_total")
    ]
    assert found == [2.0, 5.0]
    assert read(text, "weitzman_commit_failures_total") == {"": 1.0}


def test_the_numbers_of_each_problem() -> None:
    world = Happenings(4)
    for name in ("a", "b", "gone"):
        world.create(name, sense="max" if name == "b" else "min")
    world.go_on(300)
    world.happen("gone", Deleted())
    text = Metrics().text([], world.state.present())
    for name in OF_PROBLEM:
        found = read(text, f"weitzman_problem_{name}")
        assert set(found) == {'{problem="a"}', '{problem="b"}'}
    for name in ("a", "b"):
        problem = world.state.problems[name]
        ended = [
            draft for draft in world.drafts if draft.problem == name and draft.kind == "closed"
        ]
        assert read(text, "weitzman_problem_rounds_closed_total")[f'{{problem="{name}"}}'] == len(
            ended
        )
        label = f'{{problem="{name}"}}'
        assert read(text, "weitzman_problem_rounds_open")[label] == len(problem.rounds)
        recent = sum(ended.looks for ended in problem.tally.recent)
        assert len(ended) <= 100
        assert read(text, "weitzman_problem_looks_total")[label] == recent
        assert read(text, "weitzman_problem_paid_total")[label] == pytest.approx(
            sum(ended.paid for ended in problem.tally.recent), rel=1e-12
        )


def test_only_the_busiest_problems_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROBLEMS", 1)
    world = Happenings(4)
    for name in ("a", "b"):
        world.create(name)
    world.go_on(200)
    closed = {p.name: p.tally.closed for p in world.state.present()}
    found = read(Metrics().text([], world.state.present()), "weitzman_problem_rounds_closed_total")
    busiest = max(closed, key=closed.__getitem__)
    assert found == {f'{{problem="{busiest}"}}': closed[busiest]}


def test_every_line_is_of_the_format() -> None:
    world = Happenings(1)
    world.create('odd "name"')
    line = re.compile(r"(# (HELP|TYPE) \w+ .+|\w+(\{(\w+=\"([^\"\\]|\\.)*\",?)+\})? [-+0-9.eInf]+)")
    for shown in Metrics().text([], world.state.present()).splitlines():
        assert line.fullmatch(shown), shown
