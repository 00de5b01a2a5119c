"""Joint laws: the kernels against brute force, and live rules against the compiled walk."""

import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import some_rounds
from weitzman.learn.models.history import History
from weitzman.learn.models.laws import CAP
from weitzman.learn.models.sample import Sample
from weitzman.learn.models.sample_moves import MOVING, laid_out, move, walk_moving
from weitzman.learn.models.sample_steps import GREEDY, INDEX, reweigh
from weitzman.learn.policies.joint import JointFamily, Way, by_trees
from weitzman.learn.policies.joint_rule import JointRule
from weitzman.learn.policies.joint_walk import Nodes, walk_rules
from weitzman.learn.policy import Floats, Round, walk

SEEDS = range(12)


def a_law(seed: int, boxes: int = 5, size: int = 40) -> tuple[Sample, Floats, Round, Floats]:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=size)
    values = 3.0 + common + 0.7 * rng.normal(size=(boxes, size))
    if seed % 3 == 0:
        values = np.round(values)
    if seed % 4 == 0:
        values[0] = 2.5
    weights = rng.exponential(size=size) * (rng.uniform(size=size) < 0.8)
    shown = Round(
        contexts=np.zeros((boxes, 1)),
        costs=rng.uniform(0.05, 0.6, size=boxes),
        outside=math.inf if seed % 2 else 3.5,
        places=np.arange(boxes),
    )
    shift = rng.normal(size=boxes)
    law = Sample.of(values - shift[:, None], weights, shift)
    return law, values, shown, 3.0 + rng.normal(size=boxes)


def moved(samples: Floats, weights: Floats, box: int, value: float, opened: list[int]) -> Floats:
    """Return samples moved along the regressions on one box, from numpy's covariances."""
    covariances = np.cov(samples, aweights=weights, ddof=0)
    out = samples.copy()
    if covariances[box, box] > 1e-12:
        for other in set(range(len(samples))) - set(opened):
            slope = covariances[other, box] / covariances[box, box]
            out[other] += slope * (value - samples[box])
    return out


def brute(
    weights: Floats, samples: Floats, shown: Round, values: Floats, rule: int, z: float
) -> tuple[float, list[int]]:
    """Play a round straight from the definitions."""
    w = weights / weights.sum()
    best, paid, opened = shown.outside, 0.0, list[int]()
    while len(opened) < len(values):
        scores: dict[int, float] = {}
        for box in range(len(values)):
            if box in opened:
                continue
            sample, cost = samples[box], shown.costs[box]
            if best < math.inf:
                gains = np.maximum(best - sample, 0.0)
                gain = float(w @ gains)
                error = math.sqrt(max(0.0, float(w @ gains**2) - gain**2) * float((w**2).sum()))
                if gain - z * error <= cost:
                    continue
            if rule in (GREEDY, MOVING):
                scores[box] = float(w @ np.minimum(best, sample)) + cost
            else:
                scores[box] = wz.reservation_value(wz.Discrete(sample[w > 0], w[w > 0]), cost)
        if not scores:
            break
        box = min(scores, key=lambda b: scores[b])
        opened.append(box)
        paid += shown.costs[box]
        best = min(best, values[box])
        if rule == MOVING:
            samples = moved(samples, w, box, float(values[box]), opened)
            continue
        sample = samples[box]
        deviation = math.sqrt(float(w @ (sample - w @ sample) ** 2))
        if deviation > 1e-12:
            h = deviation * (1.0 / float((w**2).sum())) ** -0.2
            apart = ((sample - values[box]) / h) ** 2
            seen = w * np.exp(-0.5 * (apart - apart[w > 0].min()))
            seen /= seen.sum()
            effective = 1.0 / float((seen**2).sum())
            g = effective / (effective + 1.0)
            w = g * seen + (1.0 - g) * w
    return best + paid, opened


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_follow_their_definitions(seed: int) -> None:
    law, samples, shown, values = a_law(seed)
    rules = np.array([INDEX, GREEDY] * 3)
    cautions = np.repeat([0.0, 1.0, 2.0], 2)
    totals, counts = np.empty(6), np.empty(6, dtype=np.int64)
    nodes = Nodes.blank(6, 5, CAP)
    walk_rules(
        law.ranked, law.order, law.rows, law.shift, law.weights, shown.costs, values,
        shown.outside, -np.inf, shown.costs, values, shown.outside,
        rules, cautions, nodes, totals, counts,
    )  # fmt: skip
    for k in range(6):
        total, opened = brute(
            law.weights, samples, shown, values, int(rules[k]), float(cautions[k])
        )
        assert totals[k] == pytest.approx(total)
        assert counts[k] == len(opened)
        rule = JointRule(law, shown.costs, int(rules[k]), float(cautions[k]))
        walked = walk(rule, shown, values)
        assert walked.total == totals[k]
        assert walked.opened == opened


@pytest.mark.parametrize("seed", SEEDS)
def test_nodes_of_one_round_serve_others_that_begin_like_it(seed: int) -> None:
    law, _, shown, values = a_law(seed)
    rng = np.random.default_rng(seed)
    rules, cautions = np.array([INDEX, GREEDY] * 3), np.repeat([0.0, 1.0, 2.0], 2)
    kept = Nodes.blank(6, 5, CAP)
    for _ in range(6):
        rounds = np.where(rng.random(5) < 0.5, values, 3.0 + rng.normal(size=5))
        rounds[rng.random(5) < 0.1] = np.nan
        found = []
        for nodes in (kept, Nodes.blank(6, 5, CAP)):
            totals, counts = np.empty(6), np.empty(6, dtype=np.int64)
            walk_rules(
                law.ranked, law.order, law.rows, law.shift, law.weights, shown.costs, rounds,
                shown.outside, -np.inf, shown.costs, rounds, shown.outside,
                rules, cautions, nodes, totals, counts,
            )  # fmt: skip
            found.append((totals, counts))
        np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cautions", [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0]])
def test_moving_rules_follow_their_definition(seed: int, cautions: list[float]) -> None:
    law, samples, shown, values = a_law(seed)
    totals, counts = np.empty(len(cautions)), np.empty(len(cautions), dtype=np.int64)
    walk_moving(
        laid_out(law.ranked, law.order, law.rows, law.shift), law.weights, shown.costs, values,
        shown.outside, -np.inf, shown.costs, values, shown.outside, np.array(cautions), totals, counts,
    )  # fmt: skip
    for k, caution in enumerate(cautions):
        total, opened = brute(law.weights, samples, shown, values, MOVING, caution)
        assert totals[k] == pytest.approx(total)
        assert counts[k] == len(opened)
        walked = walk(JointRule(law, shown.costs, MOVING, caution), shown, values)
        assert walked.total == totals[k]
        assert walked.opened == opened


def test_moved_normal_vectors_are_those_of_the_conditional_law() -> None:
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(4, 4))
    covariance = factor @ factor.T + np.eye(4)
    vectors = rng.multivariate_normal(np.arange(4.0), covariance, size=200_000).T
    opened = np.zeros(4, dtype=np.bool_)
    for box, value in ((2, 5.0), (0, -1.0)):
        opened[box] = True
        move(vectors, np.ones(vectors.shape[1]), opened, box, value)
    seen, closed = [0, 2], [1, 3]
    gain = covariance[np.ix_(closed, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
    mean = np.array([1.0, 3.0]) + gain @ (np.array([-1.0, 5.0]) - [0.0, 2.0])
    rest = covariance[np.ix_(closed, closed)] - gain @ covariance[np.ix_(seen, closed)]
    # Moments of 200,000 draws: a hundredth is more than four standard errors of each
    spread = float(np.sqrt(covariance.max()))
    np.testing.assert_allclose(vectors[closed].mean(axis=1), mean, atol=0.02 * spread)
    np.testing.assert_allclose(np.cov(vectors[closed]), rest, atol=0.03 * float(covariance.max()))


@pytest.mark.parametrize("value", [math.nan, 7.0])
def test_nothing_moves_if_nothing_came_or_the_box_does_not_vary(value: float) -> None:
    vectors = np.random.default_rng(0).normal(size=(3, 20))
    if not math.isnan(value):
        vectors[1] = 2.0
    before = vectors.copy()
    move(vectors, np.ones(20), np.array([False, True, False]), 1, value)
    np.testing.assert_array_equal(vectors, before)


@pytest.mark.parametrize("seed", SEEDS)
def test_reservation_values_of_a_law_are_those_of_its_boxes(seed: int) -> None:
    law, samples, shown, _ = a_law(seed)
    held = law.weights > 0
    for box, sigma in enumerate(law.reservation_values(shown.costs)):
        alone = wz.Discrete(samples[box, held], law.weights[held] / law.weights[held].sum())
        assert sigma == pytest.approx(wz.reservation_value(alone, float(shown.costs[box])))
        assert law.means()[box] == pytest.approx(
            float(np.average(samples[box], weights=law.weights))
        )


def test_independent_boxes_are_hardly_reweighted_and_equal_ones_fully() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, CAP))
    weights, after = np.ones(CAP), np.empty(CAP)
    order = values[0].argsort()
    reweigh(values[0, order], order, 1.5, weights, after)
    assert abs(float(after @ values[1])) < 0.2
    assert float(after @ values[0]) == pytest.approx(1.5, abs=0.3)
    assert after.sum() == pytest.approx(1.0)


def test_a_value_that_did_not_come_changes_nothing() -> None:
    law, _, shown, _ = a_law(1)
    after = np.empty_like(law.weights)
    reweigh(law.ranked[0], law.order[0], math.nan, law.weights, after)
    np.testing.assert_array_equal(after, law.weights)
    totals, counts = np.empty(1), np.empty(1, dtype=np.int64)
    walk_rules(
        law.ranked, law.order, law.rows, law.shift, law.weights, shown.costs, np.full(5, np.nan),
        math.inf, -math.inf, shown.costs, np.full(5, np.nan), math.inf,
        np.array([INDEX]), np.zeros(1), Nodes.blank(1, 5, CAP), totals, counts,
    )  # fmt: skip
    assert math.isnan(totals[0])
    assert counts[0] == 5


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("kind", ["past", "linear", "trees", "trees+linear", "stacked"])
def test_rules_make_the_totals(kind: Any, shared: bool) -> None:
    history = History(boxes=4, dimension=2, shared=shared)
    plain: list[tuple[Way, float]] = [("fixed", 1.0), ("one-shot", 1.0)]
    adaptive: list[tuple[Way, float]] = [
        (way, z) for z in (0.0, 1.0, 2.0) for way in ("index", "greedy", "moving")
    ]
    if shared and by_trees(kind):
        with pytest.raises(wz.InvalidInputError, match="for boxes without history"):
            JointFamily(kind, [*plain, *adaptive]).start(history, seed=0)
        adaptive = []
    members = JointFamily(kind, [*plain[:1], *adaptive, *plain[1:]]).start(history, seed=0)
    assert len(set(members.names)) == (2 if shared and by_trees(kind) else 11)
    for shown, values in some_rounds(40):
        totals, counts = members.totals(shown, values)
        for rule in range(len(members.names)):
            walked = walk(members.rule(shown, rule), shown, values)
            assert walked.total == pytest.approx(totals[rule], rel=1e-12)
            assert len(walked.opened) == counts[rule]
            assert math.isfinite(walked.total)
        members.learn(shown, values)
        history.add(shown, values)


def test_what_is_refused() -> None:
    history = History(boxes=2, dimension=1)
    wrong: Any
    for wrong in (
        {"kind": "no"},
        {"kind": "past", "way": "no"},
        {"kind": "past", "caution": -1.0},
        {"kind": "past", "caution": math.nan},
    ):
        with pytest.raises(wz.InvalidInputError):
            wz.Joint(**wrong).family().start(history, seed=0)
        with pytest.raises(wz.InvalidInputError):
            wz.Joint(**wrong).start(boxes=2, dimension=1)
