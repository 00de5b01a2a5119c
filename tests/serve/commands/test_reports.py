"""Reports of a problem: lists that are whole, and in their order."""

from tests.serve.running import CONTEXTS, Running


def test_rounds_are_listed_with_the_newest_first(service: Running) -> None:
    path = service.problem("listed", feedback="full")
    for name in ("r0", "r1", "r2", "r3", "r4", "r5"):
        service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS, "outside": 5.0})
    for name in ("r1", "r4", "r2"):
        service.post(f"{path}/rounds/{name}/close")
    found = service.get(f"{path}/rounds").json()
    assert [one["round"] for one in found["open"]] == ["r5", "r3", "r0"]
    assert [one["round"] for one in found["closed"]] == ["r2", "r4", "r1"]
    opened = [one["opened_at"] for one in found["open"]]
    assert opened == sorted(opened, reverse=True)


def test_at_most_a_hundred_open_rounds_are_listed(service: Running) -> None:
    path = service.problem("many", feedback="full")
    for number in range(101):
        service.post(f"{path}/rounds", {"id": f"r{number}", "contexts": CONTEXTS})
    found = service.get(f"{path}/rounds").json()
    assert [one["round"] for one in found["open"]] == [f"r{n}" for n in range(100, 0, -1)]
    assert found["closed"] == []
