"""Optimism: by its formula, free of units, off where nothing is hidden, and enough against starvation."""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.test_searcher import LEARNERS, bank_of, every_learner, make, record

Array = NDArray[np.float64]


def spread_of(predictions: list[float], first_cost: float) -> tuple[float, float]:
    """Mean and variance with weight 4/(k + 3) for the k-th, written out as weighted sums.

    The first prediction has the variance c² around it; each later share moves mean and variance as
    that of a mixture does.
    """
    weights = np.array([1.0])
    for k in range(2, len(predictions) + 1):
        share = 4 / (k + 3)
        weights = np.append(weights * (1 - share), share)
    mean = float(weights @ predictions)
    variance = float(weights @ (np.array(predictions) - mean) ** 2 + weights[0] * first_cost**2)
    return mean, variance


def fading(numbers: list[float]) -> float:
    """The mean of numbers, the k-th of which counts k times."""
    return float(np.average(numbers, weights=np.arange(1, len(numbers) + 1)))


class Looks:
    """What was seen of one box: predictions, values and costs of its looks."""

    def __init__(self) -> None:
        self.residuals: list[float] = []
        self.costs: list[float] = []

    def error(self, reach: float) -> float:
        m, z = len(self.residuals), np.array(self.residuals)
        slopes = np.maximum(z, 0.0) - self.costs
        active = fading((z > 0.0).astype(float).tolist())
        return math.sqrt(m * fading((slopes**2).tolist()) / (m * active + 1.0 / reach**2))

    def range(self) -> float:
        return math.sqrt(fading([z * z for z in self.residuals]))


def own_lowering(
    boxes: list[Looks], i: int, between: float, width: float, reach: float, rounds: int
) -> float:
    """By (2), from all that was seen so far."""
    seen = [box for box in boxes if box.residuals]
    m = len(boxes[i].residuals)
    mean_error = np.mean([box.error(2.0) for box in seen])
    mean_range = np.mean([box.range() for box in seen])
    error = (m * boxes[i].error(reach) + 2 * mean_error) / (m + 2)
    reaching = (m * boxes[i].range() + 2 * mean_range) / (m + 2)
    fair = rounds / (len(boxes) * (1 + m))
    often, seldom = math.log(1 + fair), math.log(1 + (fair / 30) ** 2)
    usual = between * math.sqrt(often) * width + reaching * often * width**2 / 24
    own = error * math.sqrt(seldom) * width + reaching * seldom * width**2 / 4
    return float(max(usual, 3 * own))


@pytest.mark.parametrize("explore", ["own", "between"])
def test_is_the_formula_of_its_docstring(explore: Literal["own", "between"]) -> None:
    """With a fixed η, for which the Gram matrix of the active points is known without rounding."""
    contexts, costs, values = record(60, gaps=False, seed=5)
    contexts[:, 3], ridge = np.nan, 0.25
    searcher = make(learner=wz.FTRL(eta=1 / ridge, intercept=False, explore=explore))
    told = [Looks() for _ in range(4)]
    twin = wz.FTRL(eta=1 / ridge, intercept=False).start(boxes=4, dimension=3)
    predictions: list[float] = []
    first_cost = 0.0
    seen: list[list[int]] = [[] for _ in range(4)]
    for t in range(60):
        x = np.where(np.isnan(contexts[t]), 1.0, contexts[t])
        found, plain = searcher.reservation_values(x, costs[t]), twin.predict(x, costs[t])
        expected = plain.copy()
        if predictions:
            mean, variance = spread_of(predictions, first_cost)
            for i in range(4):
                rows = contexts[seen[i], i]
                on = rows @ np.asarray(twin.weights())[i] > values[seen[i], i]
                matrix = ridge * np.eye(3) + rows[on].T @ rows[on]
                width = math.sqrt(x[i] @ np.linalg.inv(matrix) @ x[i])
                if not seen[i]:
                    expected[i], width = min(plain[i], mean), 2.0
                share = math.sqrt(math.log(1 + len(predictions) / (4 * (1 + len(seen[i])))))
                spread = max(math.sqrt(variance), costs[t, i] / 4)
                if explore == "own" and seen[i]:
                    reach = math.sqrt(x[i] @ x[i] / ridge)
                    expected[i] -= 0.75 * own_lowering(
                        told, i, spread, width, reach, len(predictions)
                    )
                else:
                    expected[i] -= 0.75 * spread * share * width
        assert found == pytest.approx(expected, abs=1e-9)
        search = searcher.open(contexts[t, :3], costs[t, :3], boxes=[0, 1, 2])
        opened = []
        for box in search:
            opened.append(int(str(box)))
            search.see(values[t, opened[-1]])
        search.close()
        opened.sort()
        if not predictions:
            first_cost = float(costs[t, opened[0]])
        predictions += plain[opened].tolist()
        for i in opened:
            seen[i].append(t)
            told[i].residuals.append(float(plain[i] - values[t, i]))
            told[i].costs.append(float(costs[t, i]))
        twin.update(opened, contexts[t, opened], values[t, opened], costs[t, opened])
    assert not seen[3]
    assert min(len(rows) for rows in seen[:3]) > 0


@every_learner
def test_lowers_in_proportion_to_kappa(learner: wz.Learner) -> None:
    contexts, costs, values = record(40, gaps=False)
    bank = learner.start(boxes=4, dimension=3)
    for t in range(40):
        bank.update(np.arange(4), contexts[t], values[t], costs[t])
    x, c = contexts[0], costs[0]
    plain = bank.predict(x, c)
    once, thrice = (plain - bank.predict(x, c, optimism=k) for k in (0.5, 1.5))
    assert (once > 0.0).all()
    assert thrice == pytest.approx(3 * once, rel=1e-9)
    if getattr(learner, "eta", None) == "noise":
        # It goes by the error of each box
        return
    widths = bank.widths(x)
    # All boxes have 40 looks, so the amounts are in the ratio of the widths
    assert once / once[0] == pytest.approx(widths / widths[0], rel=1e-9)


@every_learner
@pytest.mark.parametrize("feedback", ["full", "opened", "probe", "opened+probe"])
def test_zero_optimism_is_the_plain_prediction(learner: wz.Learner, feedback: str) -> None:
    contexts, costs, values = record(40, gaps=False)
    searcher = make(feedback, learner=learner, optimism=0)
    searcher.play(contexts, costs, values)
    plain = bank_of(searcher).predict(contexts[0], costs[0])
    assert np.array_equal(searcher.reservation_values(contexts[0], costs[0]), plain)
    assert all(b.optimism == 0.0 for b in searcher.explain(contexts[0], costs[0]).boxes)


@pytest.mark.parametrize(
    ("feedback", "kappa"), [("full", 0.0), ("opened", 0.75), ("probe", 0.0), ("opened+probe", 0.0)]
)
def test_auto_is_three_quarters_under_opened_and_nothing_elsewhere(
    feedback: str, kappa: float
) -> None:
    contexts, costs, values = record()
    auto, given = make(feedback), make(feedback, optimism=kappa)
    assert np.array_equal(
        auto.play(contexts, costs, values).totals, given.play(contexts, costs, values).totals
    )
    assert auto.digest() == given.digest()


def test_nothing_is_lowered_before_the_first_look() -> None:
    contexts, costs, _ = record(1, gaps=False)
    assert np.array_equal(make().reservation_values(contexts[0], costs[0]), np.zeros(4))


# The intercept of one, the radius of another and the noise of a third have units; Thompson's draws go by the
# bits of contexts
FREE_OF_UNITS = {
    name: learner
    for name, learner in LEARNERS.items()
    if name not in {"FTRL, window", "FTRL, ball", "LinUCB", "Thompson"}
}


@pytest.mark.parametrize("learner", FREE_OF_UNITS.values(), ids=FREE_OF_UNITS)
@pytest.mark.parametrize("exponent", [-40, -3, 10, 60])
@pytest.mark.parametrize("of", ["values", "contexts"])
def test_units_that_are_powers_of_two_change_no_choice(
    learner: wz.Learner, exponent: int, of: str
) -> None:
    contexts, costs, values = record(80)
    unit = 2.0**exponent
    plain = make(learner=learner).play(contexts, costs, values, outside=1.0)
    if of == "values":
        other = make(learner=learner).play(contexts, unit * costs, unit * values, outside=unit)
        assert np.array_equal(other.totals, unit * plain.totals)
    else:
        other = make(learner=learner).play(unit * contexts, costs, values, outside=1.0)
        assert np.array_equal(other.totals, plain.totals)
    assert np.array_equal(other.chosen, plain.chosen)
    assert np.array_equal(other.opened_count, plain.opened_count)


def first_opened(box: int, contexts: Array, costs: Array, values: Array, **settings: Any) -> int:
    """The first round after round 0 in which a box is opened; −1 if none."""
    searcher = make(boxes=values.shape[1], dimension=contexts.shape[2], **settings)
    for t in range(len(values)):
        before = bank_of(searcher).looks()[box]
        searcher.play(contexts[t : t + 1], costs, values[t : t + 1])
        if t > 0 and bank_of(searcher).looks()[box] > before:
            return t
    return -1


def starving(rounds: int) -> tuple[Array, Array, Array]:
    """Box 3 is the best by far, except in round 0: its σ is then 4, above all values of the others."""
    rng = np.random.default_rng(3)
    contexts = np.ones((rounds, 4, 2))
    contexts[:, :, 1] = rng.uniform(-1.0, 0.5, size=(rounds, 4))
    contexts[0, 3, 1] = 0.0
    values = 2.0 + 1.5 * contexts[:, :, 1] + rng.uniform(0.0, 0.3, size=(rounds, 4))
    values[:, 3] -= 5.0
    values[0, 3] = 50.0
    return contexts, np.ones(4), values


def test_a_starved_box_is_never_opened_without_optimism() -> None:
    assert first_opened(3, *starving(2000), optimism=0.0) == -1


def test_a_starved_box_is_opened_again_with_optimism() -> None:
    assert 0 < first_opened(3, *starving(200)) < 200


def test_a_box_that_its_prior_starves_is_opened_soon_with_optimism() -> None:
    contexts = np.ones((2000, 2, 1))
    values = np.tile([2.0, 0.0], (2000, 1))
    values[0, 0] = 3.0
    learner = wz.FTRL(prior=[[1.0], [50.0]], intercept=False)
    assert first_opened(1, contexts, np.ones(2), values, learner=learner, optimism=0.0) == -1
    assert 0 < first_opened(1, contexts[:50], np.ones(2), values[:50], learner=learner) < 50


def test_a_starved_box_is_opened_where_contexts_never_change() -> None:
    """All looks go to box 0 and its prediction settles: the least spread, c/4, leads back to box 1."""
    contexts = np.ones((20_000, 2, 1))
    values = np.tile([2.0, 0.0], (20_000, 1))
    values[0, 1] = 50.0
    assert first_opened(1, contexts, np.ones(2), values) > 0


def two_boxes(seed: int, rounds: int) -> Array:
    """5 for sure, or 0 and 100: the second has the smaller σ, and may show 100 several times at first."""
    values = np.full((rounds, 2), 5.0)
    values[:, 1] = 100.0 * (np.random.default_rng(seed).random(rounds) < 0.5)
    return values


def last_choice(seed: int, learner: wz.Learner, rounds: int = 3000) -> int:
    """The last round in which the better box is chosen."""
    searcher = make(boxes=2, dimension=1, learner=learner)
    played = searcher.play(np.ones((rounds, 2, 1)), np.ones(2), two_boxes(seed, rounds))
    return int(np.flatnonzero(played.chosen == 1).max(initial=-1))


def test_a_box_that_is_better_on_average_is_not_starved_by_bad_luck() -> None:
    """Where boxes go by the spread between them alone, some of these seeds never come back."""
    before = wz.FTRL(intercept=False, explore="between")
    assert min(last_choice(seed, before) for seed in range(12)) < 1500
    now = [last_choice(seed, wz.FTRL(intercept=False)) for seed in range(40)]
    assert min(now) > 2900


def test_a_box_with_few_looks_is_lowered_more_the_longer_the_others_are_looked_at() -> None:
    bank = wz.FTRL(intercept=False, explore="own").start(boxes=2, dimension=1)
    bank.update([1], [[1.0]], [100.0], 1.0)
    amounts = []
    for looks in range(1, 20_001):
        bank.update([0], [[1.0]], [5.0], 1.0)
        if looks in (200, 2000, 20_000):
            plain = bank.predict([[1.0], [1.0]], 1.0)
            amounts.append(float((plain - bank.predict([[1.0], [1.0]], 1.0, optimism=0.75))[1]))
    assert amounts[0] < amounts[1] - 1.0 < amounts[2] - 2.0


def test_the_policy_asks_for_it_where_only_what_is_opened_is_seen() -> None:
    """By default, and only for weights that are free; what is said stays."""
    contexts, costs, values = record()
    own = wz.FTRL(intercept=False, explore="own", prior="agreed")
    pairs: list[tuple[wz.Learner, wz.Learner, str, float]] = [
        (wz.FTRL(intercept=False), own, "opened", 0.75),
        (wz.FTRL(intercept=False, eta=2.0), replace(own, eta=2.0, prior=None), "opened", 0.75),
        (wz.FTRL(intercept=False), wz.FTRL(intercept=False, explore="between"), "full", 0.75),
        (wz.FTRL(intercept=False), wz.FTRL(intercept=False, explore="between"), "opened", 0.0),
    ]
    for asked, given, feedback, kappa in pairs:
        one, other = (make(feedback, learner=learner, optimism=kappa) for learner in (asked, given))
        for searcher in (one, other):
            searcher.play(contexts, costs, values)
        assert bank_of(one).digest() == bank_of(other).digest()


def test_every_box_is_looked_at_in_the_worlds_of_many_boxes() -> None:
    contexts, costs, values = record(200, 30, 2, gaps=False)
    searcher = make(boxes=30, dimension=2)
    searcher.play(contexts, costs, values)
    assert (bank_of(searcher).looks() > 0).all()


@every_learner
@pytest.mark.parametrize(("sense", "outside"), [("max", 0.0), ("max", 2.0), ("min", -3.0)])
@pytest.mark.parametrize("cost", [0.0, 0.4])
def test_an_outside_option_keeps_no_box_closed_for_ever(
    learner: wz.Learner, sense: Literal["min", "max"], outside: float, cost: float
) -> None:
    """A prediction of 0, made of nothing, is no reason to prefer what is at hand."""
    searcher, contexts = make(learner=learner, sense=sense), np.ones((4, 3))
    sign = 1.0 if sense == "min" else -1.0
    for _ in range(30):
        search = searcher.open(contexts, cost, outside=outside)
        for box in search:
            # The first boxes are worse than the outside option, the last is better
            search.see(outside + sign * (1.0 if int(str(box)) < 3 else -5.0))
        search.close()
    assert bank_of(searcher).looks().min() > 0


@every_learner
def test_with_an_outside_option_playing_is_what_happens_live(learner: wz.Learner) -> None:
    contexts, costs, values = record(40, gaps=False, seed=2)
    values, outside = values - 6.0, np.where(np.arange(40) % 3, -2.0, np.inf)
    live, recorded = make(learner=learner), make(learner=learner)
    totals = []
    for t in range(40):
        there = float(outside[t]) if t % 3 else None
        search = live.open(contexts[t], costs[t], outside=there)
        for box in search:
            search.see(values[t, int(str(box))])
        totals.append(search.close().total)
    played = recorded.play(contexts, costs, values, outside=outside)
    assert played.totals.tolist() == totals
    assert bank_of(live).digest() == bank_of(recorded).digest()
