"""Reservation values against a feature are those that were told when the rounds were opened."""

from tests.serve.running import CONTEXTS, Running


def test_points_are_what_rounds_were_told(service: Running) -> None:
    path = service.problem("points", sense="max", features=["size", "a/b"])
    told = []
    for number in range(30):
        contexts = [[x + number, y] for x, y in CONTEXTS]
        opened = service.post(f"{path}/rounds", {"id": f"r{number}", "contexts": contexts}).json()
        service.post(f"{path}/rounds/r{number}/values", {"values": {"b": 4.0 + number, "c": None}})
        service.post(f"{path}/rounds/r{number}/close")
        told.append((contexts, opened["reservation_values"]))
    for place, feature in enumerate(["size", "a/b"]):
        points = service.get(f"{path}/features/{place}").json()
        assert points["feature"] == feature
        assert points["rounds"] == [f"r{n}" for n in reversed(range(30)) for _ in range(3)]
        assert points["boxes"] == ["a", "b", "c"] * 30
        contexts = [row[place] for c, _ in reversed(told) for row in c]
        assert points["contexts"] == contexts
        sigma = [s[box] for _, s in reversed(told) for box in "abc"]
        assert points["reservation_values"] == sigma
        assert points["opened"] == [False, True, True] * 30
        assert points["values"][:3] == [None, 33.0, None]


def test_there_are_points_of_features_only(service: Running) -> None:
    path = service.problem("no-points")
    assert service.get(f"{path}/features/0").json()["boxes"] == []
    for place in ("2", "-1", "x", "٣", "9" * 5_000):
        answer = service.get(f"{path}/features/{place}")
        assert answer.status_code == 404, place
        assert answer.json()["field"] == "place"


def test_a_report_tells_means_with_errors_and_newest_rounds(service: Running) -> None:
    path = service.problem("means", feedback="full")
    for number, value in enumerate([1.0, 2.0, 4.0]):
        name = f"r{number}"
        service.post(f"{path}/rounds", {"id": name, "contexts": CONTEXTS, "outside": 9.0})
        service.post(f"{path}/rounds/{name}/values", {"values": {"a": value}})
        service.post(f"{path}/rounds/{name}/close", {"values": {"b": 3.0, "c": 5.0}})
    report = service.get(f"{path}/report").json()
    assert report["rounds_by_looks"] == [0, 3, 0, 0]
    # Opening all costs 1.0 more than a alone; only in the third round b would have been better, by 1.0
    assert report["saved_against_everything"] == 1.0 + 1.0 + 0.0
    assert report["saved_against_outside"] == 27.0 - 8.5
    assert report["best_fixed_box"] == "a"
    assert report["saved_against_fixed"] == 0.0
    means = report["means"]
    assert means["looks"] == {"rounds": 3, "mean": 1.0, "error": 0.0}
    assert abs(means["total"]["mean"] - 8.5 / 3) < 1e-12
    assert means["regret"]["rounds"] == 3
    newest = service.get(f"{path}/rounds").json()["closed"][0]
    assert (newest["round"], newest["looks"], newest["chosen"]) == ("r2", 1, "a")
    assert (newest["paid"], newest["total"]) == (0.5, 4.5)
