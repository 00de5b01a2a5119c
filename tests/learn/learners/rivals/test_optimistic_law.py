"""Optimistic laws against the pseudo-code of their papers: rewards, the larger the better, no shortcuts.

The re-enactment keeps plain lists, makes the whole optimistic distribution function after every look, and
integrates it over rewards. Where there is no square root it does so in fractions.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.study.contender import Contender
from weitzman.learn.learners.rivals.optimistic_law import Mass

Shift = Callable[[Any, int], Any]


def sigma(rewards: list[Any], cost: Any, shift: Shift) -> Any:
    """Return the root of ∫_σ^1 (1 − G) = c for G(1) = 1 and G = running maximum of max(0, shift(F, m))."""
    m, ordered = len(rewards), sorted(rewards)
    optimistic, highest = [], 0 * cost
    for k in range(1, m + 1):
        highest = max(highest, shift(Fraction(k, m), m))
        optimistic.append(highest)
    # G is optimistic[k] on [r_k, r_{k+1}), 0 before r_1, and 1 at the best reward
    right, left = 1 + 0 * cost, cost
    for k in range(m - 1, -1, -1):
        tail = 1 - optimistic[k]
        if tail > 0 and tail * (right - ordered[k]) >= left:
            return right - left / tail
        left -= tail * (right - ordered[k])
        right = ordered[k]
    return right - left


def liu(logarithm: float) -> Shift:
    return lambda f, m: (
        float(f) - math.sqrt(2.0 * float(f * (1 - f)) * logarithm / m) - logarithm / m
    )


def agarwal(logarithm: float) -> Shift:
    return lambda f, m: float(f) - math.sqrt(logarithm / (2.0 * m))


def nothing(f: Fraction, m: int) -> Fraction:
    return f


@pytest.mark.parametrize("mass", ["bernstein", "uniform"])
@pytest.mark.parametrize("scale", [1.0, 0.02])
def test_a_run_is_that_of_the_pseudo_code(mass: Mass, scale: float) -> None:
    """Three boxes, 120 rounds: the same boxes are opened, and every σ agrees."""
    boxes, rounds, cost, rng = 3, 120, 0.04, np.random.default_rng(3)
    delta = 1.0 / rounds
    shift = {
        "bernstein": liu(scale * 4.0 * math.log(2.0 * boxes * rounds**2 / delta)),
        "uniform": agarwal(scale * math.log(2.0 * boxes * rounds / delta)),
    }[mass]
    # Values are costs from 2 to 7: the reward is (7 − v) / 5
    rewards = np.round(rng.beta([1.0, 2.0, 0.5], [3.0, 2.0, 0.5], size=(rounds, boxes)), 2)
    values = 7.0 - 5.0 * rewards
    spec = wz.OptimisticLaw(mass=mass, scale=scale, horizon=rounds, least=2.0)
    searcher = wz.Searcher(boxes=boxes, dimension=1, learner=spec, feedback="opened")
    seen: list[list[float]] = [[] for _ in range(boxes)]
    for t in range(rounds):
        index = [sigma(own, cost, shift) if own else math.inf for own in seen]
        best, opened = -math.inf, list[int]()
        for box in sorted(range(boxes), key=lambda i: -index[i]):
            if opened and index[box] <= best:
                break
            opened.append(box)
            best = max(best, rewards[t, box])
        if t:
            found = searcher.reservation_values(np.ones((boxes, 1)), 5.0 * cost)
            assert [(7.0 - s) / 5.0 for s in found] == pytest.approx(index, abs=1e-9)
        search = searcher.open(np.ones((boxes, 1)), 5.0 * cost)
        for asked in search:
            search.see(values[t, cast("Any", asked)])
        assert list(search.close().opened) == opened
        for box in opened:
            seen[box].append(rewards[t, box])
    assert min(map(len, seen)) > 0
    assert len({len(own) for own in seen}) > 1


@pytest.mark.parametrize("seed", range(20))
def test_no_optimism_is_the_empirical_law(seed: int) -> None:
    """Against fractions, and against the reservation value of the search room."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, size=rng.integers(1, 30)) / 8.0
    bank = wz.OptimisticLaw(mass="none").start(boxes=1, dimension=2)
    for value in values:
        bank.update([0], np.zeros((1, 2)), [value], [1.0])
    rewards = [1 - Fraction(value) for value in values]
    for cost in (Fraction(0), Fraction(1, 16), Fraction(1, 3), Fraction(5)):
        found = bank.predict(np.zeros((1, 2)), [float(cost)])[0]
        assert found == pytest.approx(float(1 - sigma(rewards, cost, nothing)), abs=1e-12)
        law = wz.Empirical(values.tolist())
        assert found == pytest.approx(wz.reservation_value(law, float(cost)), abs=1e-12)


def test_the_papers_constants_learn_nothing_before_their_logarithm() -> None:
    """L = 4 ln(2 n T³) = 80.6 for one box and T = 600: below so many looks σ is the least plus c."""
    spec = wz.OptimisticLaw(scale="theorem", horizon=600, least=0.0)
    bank, looks = spec.start(boxes=1, dimension=1), 4.0 * math.log(2.0 * 600.0**3)
    rng = np.random.default_rng(0)
    for m in range(1, 200):
        bank.update([0], [[1.0]], rng.uniform(1.0, 2.0, 1), [0.5])
        found = bank.predict([[1.0]], [0.5])[0]
        assert (found == 0.5) == (m <= looks)


def test_without_a_horizon_it_doubles() -> None:
    doubling = wz.OptimisticLaw(scale=0.3).start(boxes=2, dimension=1)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    for t, row in enumerate(values):
        doubling.update([0, 1], np.ones((2, 1)), row, 1.0)
        horizon = 2 ** math.ceil(math.log2(2 * (t + 1)))
        known = wz.OptimisticLaw(scale=0.3, horizon=horizon).start(boxes=2, dimension=1)
        for earlier in values[: t + 1]:
            known.update([0, 1], np.ones((2, 1)), earlier, 1.0)
        asked = np.ones((2, 1)), 1.0
        assert doubling.predict(*asked).tolist() == known.predict(*asked).tolist()


def test_optimism_comes_back_to_a_box_whose_first_look_was_bad() -> None:
    """5 for sure against 0 or 100: without optimism, half of the runs never open the second box again."""
    again = {}
    for mass in ("bernstein", "uniform", "none"):
        spec = wz.OptimisticLaw(mass=mass, least=0.0)
        again[mass] = 0
        for seed in range(20):
            risky = 100.0 * np.random.default_rng(seed).integers(0, 2, size=400)
            values = np.stack([np.full(400, 5.0), risky], axis=1)
            searcher = wz.Searcher(boxes=2, dimension=1, learner=spec, feedback="opened")
            searcher.play(np.ones((400, 2, 1)), np.ones(2), values)
            first = searcher.play(np.ones((400, 2, 1)), np.ones(2), values)
            again[mass] += bool((first.opened_count == 2).any() or (first.chosen == 1).any())
    assert again["none"] < 20
    assert again["bernstein"] == again["uniform"] == 20


def test_the_sense_turns_the_best_value() -> None:
    spec = wz.OptimisticLaw(least=1.0)
    turned = wz.Weitzman(spec).turned().learner
    assert turned == wz.OptimisticLaw(least=-1.0)


def test_optimism_of_its_own_is_not_added_to() -> None:
    for policy in (wz.Weitzman(wz.OptimisticLaw()), wz.Aware(wz.OptimisticLaw())):
        player: Any = policy.start(boxes=2, dimension=1, feedback="opened", seed=0)
        assert getattr(player, "kappa", getattr(player, "_kappa", None)) == 0.0


def test_a_study_fills_the_horizon() -> None:
    contender = Contender(learner=wz.OptimisticLaw(scale="theorem"))
    searcher = contender.searcher(boxes=2, dimension=1, rounds=77, cost=1.0, rng=0)
    policy: Any = searcher.policy
    assert policy.learner.horizon == 77


@pytest.mark.parametrize(
    ("parameters", "rule"),
    [
        ({"mass": "much"}, "mass must be one of"),
        ({"scale": -1.0}, "scale must be a finite number >= 0"),
        ({"scale": "theorem"}, "come with a horizon"),
        ({"horizon": 0}, "horizon must be"),
        ({"least": math.nan}, "least must be a finite number"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], rule: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=rule):
        wz.OptimisticLaw(**parameters).start(boxes=1, dimension=1)
