"""Costs that nobody says: expected to be what looks really cost so far."""

from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Policy

POLICIES: list[Policy] = [wz.default_policy(trees=False), wz.Weitzman(wz.FTRL()), wz.Simple("mean")]


def test_means_by_box_and_the_mean_of_them() -> None:
    rng, costs = np.random.default_rng(0), CostMeans(4)
    seen: dict[int, list[float]] = {0: [], 2: [], 3: []}
    for _ in range(50):
        place, cost = int(rng.choice([0, 0, 0, 2, 3])), float(rng.exponential())
        costs.add(place, cost)
        seen[place].append(cost)
    means = {place: float(np.mean(found)) for place, found in seen.items()}
    means[1] = float(np.mean(list(means.values())))
    assert costs.expected(np.array([3, 1, 0, 2])) == pytest.approx([means[k] for k in (3, 1, 0, 2)])
    costs.add_boxes(1)
    assert costs.expected(np.array([4])) == pytest.approx([means[1]])
    with pytest.raises(wz.InvalidInputError, match="shape"):
        costs.restore(np.zeros((2, 4)))


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: str(policy.name))
def test_a_round_without_costs_is_one_with_the_costs_that_are_expected(
    policy: Policy, feedback: Feedback, tmp_path: Path
) -> None:
    """And it goes on in a file, and as a search of its own."""
    rng = np.random.default_rng(1)
    made = (
        wz.Searcher(boxes=list("abc"), dimension=2, policy=policy, feedback=feedback)
        for _ in range(2)
    )
    guessing, told = made
    seen: list[list[float]] = [[], [], []]
    for t in range(25):
        contexts, values = rng.normal(size=(3, 2)), 30.0 + rng.normal(size=3)
        real = rng.exponential(size=3) * [0.1, 0.2, 0.4]
        known = [float(np.mean(found)) for found in seen if found]
        means = [float(np.mean(f)) if f else float(np.mean(known or [0.0])) for f in seen]
        one, other = guessing.open(contexts), told.open(contexts, means)
        if t == 12:
            guessing.save(tmp_path / "one")
            guessing = wz.load(tmp_path / "one")
            one = guessing.reopen(one.to_bytes())
        for box in one:
            assert box == next(other)
            at = "abc".index(str(box))
            for search in (one, other):
                search.see(values[at], cost=real[at])
            seen[at].append(float(real[at]))
        shown = values if feedback == "full" else None
        if t == 0:
            # Learned with what it showed
            assert one.state()["costs"].tolist() == [0.0] * 3
            first = one.close(shown)
            assert first.paid == one.state()["costs"].tolist()[0]
            told = wz.load(guessing.to_bytes())
            continue
        assert one.close(shown) == other.close(shown)
    assert guessing.digest().split("-")[0] == "25"


def test_a_look_without_a_cost_is_refused() -> None:
    searcher = wz.Searcher(boxes=2, dimension=1)
    search = searcher.open([[1.0], [2.0]])
    next(search)
    with pytest.raises(wz.InvalidInputError, match="A look must say what it cost, with cost="):
        search.see(1.0)
    search.see(1.0, cost=0.5)
    search.close()
    assert searcher.open([[1.0], [2.0]]).state()["costs"].tolist() == [0.5, 0.5]
    with pytest.raises(wz.InvalidInputError, match="The cost of box"):
        search = searcher.open([[1.0], [2.0]])
        next(search)
        search.see(1.0, cost=1e60)


def test_what_was_learned_before_is_the_same_without_real_costs() -> None:
    searcher = wz.Searcher(boxes=2, dimension=1)
    search = searcher.open([[1.0], [2.0]], 1.0)
    for _ in search:
        search.see(1.0)
    search.close()
    assert b"searcher.costs" not in searcher.to_bytes()
