"""The searcher against itself, round by round, and against a plain replay of the algorithm."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.exact.points import INVERSE_RIDGE
from weitzman.learn.policies.weitzman import WeitzmanPlayer

Array = NDArray[np.float64]

LEARNERS: dict[str, wz.Learner] = {
    "Boosted, shared": wz.Boosted(shared=True, intercept=False),
    "Fourier": wz.Fourier(features=8, intercept=False),
    "FTRL": wz.FTRL(intercept=False),
    "FTRL, noise": wz.FTRL(eta="noise", intercept=False),
    "FTRL, window": wz.FTRL(window=9, forget=0.95, intercept=True),
    "FTRL, ball": wz.FTRL(
        radius=1.0, eta="theorem", horizon=100, prior=[0.5, 0.0, -0.5], intercept=False
    ),
    "LinearisedFTRL": wz.LinearisedFTRL(intercept=False),
    "Logistic": wz.Logistic(intercept=False),
    "NewtonStep": wz.NewtonStep(intercept=False),
    "LinUCB": wz.LinUCB(memory=12, noise=[-0.5, 0.5], intercept=False),
    "OptimisticLaw": wz.OptimisticLaw(),
    "OptimisticResidual": wz.OptimisticResidual(intercept=False),
    "Ridge": wz.Ridge(intercept=False),
    "Residual": wz.Residual(memory=12, intercept=False),
    "Thompson": wz.Thompson(seed=5, memory=12, intercept=False),
    "FTRL, shared": wz.FTRL(shared=True, intercept=False),
    "LinearisedFTRL, shared": wz.LinearisedFTRL(shared=True, intercept=False),
    "NewtonStep, shared": wz.NewtonStep(shared=True, intercept=False),
    "Ridge, shared": wz.Ridge(shared=True, intercept=False),
    "Residual, shared": wz.Residual(shared=True, intercept=False),
}
FEEDBACKS = ("full", "opened", "probe", "opened+probe")
every_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
every_feedback = pytest.mark.parametrize("feedback", FEEDBACKS)
both_senses = pytest.mark.parametrize("sense", ["min", "max"])


def make(feedback: str = "opened", **settings: Any) -> wz.Searcher:
    given: dict[str, Any] = {"boxes": 4, "dimension": 3, "feedback": feedback} | settings
    if "probe" in feedback:
        given.setdefault("block", 5)
    # As the paper has it, unless a test says otherwise
    if given.get("policy") is None and given.get("learner") is None:
        given["learner"] = wz.FTRL(intercept=False)
    return wz.Searcher(**given)


def bank_of(searcher: wz.Searcher) -> wz.Bank:
    """The bank that a searcher over a learner runs."""
    assert isinstance(searcher._player, WeitzmanPlayer)
    return searcher._player.bank


def record(
    rounds: int = 60, boxes: int = 4, dimension: int = 3, *, gaps: bool = True, seed: int = 0
) -> tuple[Array, Array, Array]:
    """Contexts, costs of every round, and values; with gaps, some boxes and values are missing."""
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, boxes, dimension))
    slopes = rng.normal(size=(boxes, dimension))
    values = np.einsum("tnd,nd->tn", contexts, slopes) + rng.exponential(size=(rounds, boxes))
    costs = rng.uniform(0.0, 0.4, size=(rounds, boxes))
    if gaps:
        absent = rng.uniform(size=(rounds, boxes)) < 0.2
        absent[np.arange(rounds), rng.integers(boxes, size=rounds)] = False
        contexts[rng.uniform(size=contexts.shape) < 0.05] = np.nan  # a feature is missing
        contexts[absent] = np.nan
        values[rng.uniform(size=(rounds, boxes)) < 0.15] = np.nan
        values[3] = np.nan
    return contexts, costs, values


def live_round(
    searcher: wz.Searcher, x: Array, c: Array, v: Array, outside: float | None = None
) -> tuple[float, float, int, int]:
    """One round by open, see or miss, and close: total, paid, chosen, number opened."""
    names = searcher.names
    there = np.flatnonzero(~np.isnan(x).all(axis=1))
    subset = None if len(there) == len(names) else [names[i] for i in there]
    search = searcher.open(x[there], c[there], outside=outside, boxes=subset)
    paid, opened, seen = 0.0, 0, False
    for box in search:
        place = names.index(box)
        paid, opened = paid + c[place], opened + 1
        if math.isnan(v[place]):
            search.miss(box=box)
        else:
            search.see(v[place])
            seen = True
    if not seen and outside is None:
        with pytest.raises(wz.SearchStateError, match="without a value"):
            search.close()
        return (math.inf if searcher.sense == "min" else -math.inf), paid, -1, opened
    outcome = search.close(v[there]) if searcher.feedback == "full" else search.close()
    assert (outcome.paid, len(outcome.opened)) == (paid, opened)
    chosen = -1 if outcome.chosen is None else names.index(outcome.chosen)
    return outcome.total, outcome.paid, chosen, len(outcome.opened)


def columns(played: wz.Played) -> tuple[list[Any], ...]:
    parts = (played.totals, played.paid, played.chosen, played.opened_count)
    return tuple(part.tolist() for part in parts)


def assert_same(one: wz.Played, other: wz.Played) -> None:
    assert columns(one) == columns(other)


@every_learner
@every_feedback
@both_senses
@pytest.mark.parametrize("outside", [None, 0.25])
def test_play_is_the_rounds_one_by_one(
    learner: wz.Learner, feedback: str, sense: str, outside: float | None
) -> None:
    contexts, costs, values = record()
    whole, single = (make(feedback, learner=learner, sense=sense, rng=3) for _ in range(2))
    played = whole.play(contexts, costs, values, outside=outside)
    rounds = [live_round(single, *r, outside) for r in zip(contexts, costs, values, strict=True)]
    assert columns(played) == tuple(list(column) for column in zip(*rounds, strict=True))
    assert whole.digest() == single.digest()
    assert whole.rounds == single.rounds == len(values)


@every_feedback
def test_play_and_live_rounds_can_be_mixed(feedback: str) -> None:
    contexts, costs, values = record(90)
    whole, mixed = make(feedback), make(feedback)
    totals = whole.play(contexts, costs, values).totals.tolist()
    found: list[float] = []
    for begin in range(0, 90, 30):
        now = slice(begin, begin + 20)
        found += mixed.play(contexts[now], costs[now], values[now]).totals.tolist()
        found += [
            live_round(mixed, contexts[t], costs[t], values[t])[0]
            for t in range(begin + 20, begin + 30)
        ]
    assert found == totals
    assert mixed.digest() == whole.digest()


@every_learner
@every_feedback
def test_larger_is_better_is_the_mirror_image(learner: wz.Learner, feedback: str) -> None:
    contexts, costs, values = record()
    small = make(feedback, learner=learner, sense="min")
    mirrored: Any = learner
    if getattr(learner, "prior", None) is not None:
        mirrored = dataclasses.replace(mirrored, prior=-np.asarray(mirrored.prior))
    large = make(feedback, learner=mirrored, sense="max")
    least = small.play(contexts, costs, values, outside=0.5)
    most = large.play(contexts, costs, -values, outside=-0.5)
    assert np.array_equal(most.totals, -least.totals)
    assert np.array_equal(most.paid, least.paid)
    assert np.array_equal(most.chosen, least.chosen)
    assert np.array_equal(most.opened_count, least.opened_count)
    assert large.digest() == small.digest()
    x = np.nan_to_num(contexts[0])
    assert np.array_equal(
        large.reservation_values(x, costs[0]), -small.reservation_values(x, costs[0])
    )


@every_learner
@every_feedback
def test_a_box_that_joins_late_is_one_that_was_absent(learner: wz.Learner, feedback: str) -> None:
    contexts, costs, values = record()
    contexts[:30, 3] = np.nan
    early = make(feedback, learner=learner, optimism=0.0)
    late = make(feedback, learner=learner, optimism=0.0, boxes=3)
    first = late.play(contexts[:30, :3], costs[:30, :3], values[:30, :3])
    late.add_boxes([3])
    rest = late.play(contexts[30:], costs[30:], values[30:])
    whole = early.play(contexts, costs, values)
    assert np.array_equal(whole.totals, np.concatenate([first.totals, rest.totals]))
    assert late.digest() == early.digest()
    assert late.names == early.names


def test_a_refused_name_adds_no_box() -> None:
    searcher = make(boxes=["a", "b"])
    before = searcher.digest()
    for names in (["c", "c"], ["d", "a"]):
        with pytest.raises(wz.InvalidInputError, match="distinct and new"):
            searcher.add_boxes(names)
    assert searcher.names == ["a", "b"]
    assert searcher.digest() == before
    searcher.add_boxes([])
    assert searcher.digest() == before


# A plain replay of the whole algorithm, with nothing from the library


class Replay:
    """Exact FTRL by full Newton solves, optimism as its docstring says, Weitzman's rule by a loop.

    The library's widths may use a factor 1/η that lags by 5 %: ``held`` says which one it uses.
    """

    def __init__(self, boxes: int, dimension: int, kappa: float) -> None:
        self.kappa, self.boxes = kappa, boxes
        self.ridge = np.ones(boxes)
        self.seen: list[list[tuple[Array, float, float]]] = [[] for _ in range(boxes)]
        self.weights = np.zeros((boxes, dimension))
        self.gram = np.zeros((boxes, dimension, dimension))
        self.looks, self.mean, self.variance = 0, 0.0, 0.0

    def sigma(self, x: Array, costs: Array, held: Array) -> Array:
        plain = np.array([self.weights[i] @ x[i] for i in range(self.boxes)])
        if self.looks == 0 or self.kappa == 0.0:
            return plain
        for i, seen in enumerate(self.seen):
            if seen:
                assert abs(held[i] / self.ridge[i] - 1) <= 0.05
                matrix = self.gram[i] + held[i] * np.eye(x.shape[1])
                width = math.sqrt(x[i] @ np.linalg.solve(matrix, x[i]))
                width = min(width, math.sqrt(x[i] @ x[i] / self.ridge[i]))
            else:
                plain[i], width = min(plain[i], self.mean), 2.0
            share = math.sqrt(math.log(1 + self.looks / (self.boxes * (1 + len(seen)))))
            spread = max(math.sqrt(self.variance), costs[i] / 4)
            plain[i] -= self.kappa * spread * share * width
        return plain

    def learn(self, i: int, x: Array, value: float, cost: float) -> None:
        self.looks += 1
        gap, share = self.weights[i] @ x - self.mean, 4 / (self.looks + 3)
        self.variance = (
            cost**2 if self.looks == 1 else (1 - share) * (self.variance + share * gap**2)
        )
        self.mean += share * gap
        self.seen[i].append((x, value, cost))
        xs, vs, cs = (np.array(part) for part in zip(*self.seen[i], strict=True))
        first = 2 ** int(math.log2(len(vs)))
        ridge = float(np.mean(np.sum(xs[:first] ** 2, axis=1))) / 4

        def objective(w: Array) -> float:
            z = xs @ w - vs
            return float(np.sum(np.maximum(z, 0) ** 2 / 2 - cs * z) + ridge * (w @ w) / 2)

        w = self.weights[i]
        for _ in range(200):
            on = xs @ w > vs
            hessian = ridge * np.eye(len(x)) + xs[on].T @ xs[on]
            step = np.linalg.solve(hessian, xs[on].T @ vs[on] + xs.T @ cs) - w
            size = 1.0
            while objective(w + size * step) > objective(w) + 1e-12 and size > 1e-6:
                size /= 2
            w = w + size * step
            if np.linalg.norm(step) < 1e-13 * (1 + np.linalg.norm(w)):
                break
        on = xs @ w > vs
        self.weights[i], self.ridge[i], self.gram[i] = w, ridge, xs[on].T @ xs[on]

    def round(
        self, x: Array, c: Array, v: Array, full: bool, held: Array
    ) -> tuple[float, int, int, Array]:
        sigma = self.sigma(x, c, held)
        best, paid, chosen, opened = math.inf, 0.0, -1, []
        for i in sorted(range(self.boxes), key=lambda i: (sigma[i], i)):
            if best <= sigma[i]:
                break
            paid += c[i]
            opened.append(i)
            if v[i] < best:
                best, chosen = v[i], i
        for i in range(self.boxes):
            if full or i in opened:
                self.learn(i, x[i], v[i], c[i])
        return best + paid, chosen, len(opened), sigma


def ball(rng: np.random.Generator, *shape: int) -> Array:
    drawn = rng.normal(size=shape)
    drawn /= np.linalg.norm(drawn, axis=-1, keepdims=True)
    return drawn * rng.uniform(size=(*shape[:-1], 1)) ** (1 / shape[-1])


def world(name: str, rounds: int, boxes: int, d: int, c: float = 1.0) -> tuple[Array, Array, Array]:
    """Contexts, values and true reservation values in a world of the reading notes."""
    rng = np.random.default_rng(11)
    w, x, u = (
        4 * ball(rng, boxes, d),
        ball(rng, rounds, boxes, d),
        rng.uniform(size=(rounds, boxes)),
    )
    if name == "orthant":
        w, x = np.abs(w), np.abs(x)
    sigma = np.einsum("tnd,nd->tn", x, w)
    if name == "shifted":
        return x, sigma - 2 * c + 2 * c * u, sigma
    if name == "orthant":
        sigma = np.maximum(sigma, c)
    top = np.where(sigma >= 2 * c, sigma**2 / (2 * c), 2 * (sigma - c))
    low = -(((math.sqrt(2 * c) + np.sqrt(2 * c - 4 * np.minimum(sigma, 0))) / 2) ** 2)
    return x, np.where(sigma >= 0, top, low) * u, sigma


def clairvoyant(sigma: Array, values: Array, cost: float) -> float:
    best, paid = math.inf, 0.0
    for i in np.argsort(sigma, kind="stable"):
        if best <= sigma[i]:
            break
        best, paid = min(best, values[i]), paid + cost
    return best + paid


def assert_replayed(feedback: str, x: Array, c: Array, v: Array) -> tuple[wz.Played, list[float]]:
    rounds, boxes, dimension = x.shape
    replay = Replay(boxes, dimension, 0.75 if feedback == "opened" else 0.0)
    # How it explores by default is replayed in tests/learn/learners/parts/test_optimism.py
    learner = wz.FTRL(intercept=False, explore="between")
    single, whole = (
        make(feedback, boxes=boxes, dimension=dimension, learner=learner) for _ in range(2)
    )
    played, totals = whole.play(x, c, v), []
    for t in range(rounds):
        got = single.reservation_values(x[t], c[t])
        bank = bank_of(single)
        assert isinstance(bank, CompiledBank)
        held = bank.arrays.reals[:, INVERSE_RIDGE]
        total, chosen, opened, sigma = replay.round(x[t], c[t], v[t], feedback == "full", held)
        assert np.abs(got - sigma).max() <= 1e-8
        assert (chosen, opened) == (played.chosen[t], played.opened_count[t])
        assert total == pytest.approx(played.totals[t], abs=1e-12)
        totals.append(total)
        now = slice(t, t + 1)
        single.play(x[now], c[now], v[now])
    assert single.digest() == whole.digest()
    return played, totals


@pytest.mark.parametrize("name", ["signed", "orthant", "shifted"])
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_agrees_with_a_plain_replay(name: str, feedback: str) -> None:
    x, v, true = world(name, 150, 10, 5)
    played, totals = assert_replayed(feedback, x, np.ones(v.shape), v)
    best = sum(clairvoyant(true[t], v[t], 1.0) for t in range(150))
    regret = float(played.totals.sum()) - best
    assert regret == pytest.approx(sum(totals) - best, abs=1e-9)
    assert 0.0 < regret < 150.0


@pytest.mark.parametrize(("boxes", "dimension", "rounds"), [(1, 2, 60), (3, 1, 80), (200, 2, 8)])
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_agrees_with_a_plain_replay_at_the_edges(
    boxes: int, dimension: int, rounds: int, feedback: str
) -> None:
    assert_replayed(feedback, *record(rounds, boxes, dimension, gaps=False, seed=2))


def test_costs_of_every_round_are_one_row_of_costs_repeated() -> None:
    contexts, costs, values = record()
    one, other = make(), make()
    assert_same(
        one.play(contexts, costs[0], values),
        other.play(contexts, np.tile(costs[0], (len(values), 1)), values),
    )
    assert one.digest() == other.digest()


def test_a_dear_round_moves_the_residual_learner_up() -> None:
    """Only a learner of distributions follows a cost that it has not seen."""
    contexts, _, values = record(gaps=False)
    searcher = make("full", learner=wz.Residual(intercept=False))
    searcher.play(contexts, np.full(4, 0.3), values)
    cheap, dear = (searcher.reservation_values(contexts[0], c) for c in (0.3, 3.0))
    assert (dear > cheap).all()


def test_costs_that_change_every_round_are_followed_through_the_context() -> None:
    """With v uniform on [0, 8] and cost c, σ = √(16 c): linear in the feature √c."""
    rng = np.random.default_rng(0)
    costs = rng.uniform(0.1, 2.0, size=(3000, 1))
    values = rng.uniform(0, 8, size=(3000, 1))
    searcher = make("full", boxes=1, dimension=1)
    searcher.play(np.sqrt(costs)[:, :, None], costs, values)
    for c in (0.2, 1.0, 1.8):
        sigma = searcher.reservation_values([[math.sqrt(c)]], c)
        assert sigma[0] == pytest.approx(math.sqrt(16 * c), rel=0.05)


def test_one_box_without_outside_option_is_always_opened() -> None:
    contexts, costs, values = record(boxes=1, gaps=False)
    played = make(boxes=1).play(contexts, costs, values)
    assert (played.opened_count == 1).all()
    assert np.array_equal(played.totals, values[:, 0] + costs[:, 0])


def test_an_outside_option_of_every_round_is_used_in_its_round() -> None:
    contexts, costs, values = record(gaps=False)
    outside = np.where(np.arange(60) % 2 == 0, -1e6, 1e6)
    played = make("full").play(contexts, costs, values, outside=outside)
    assert (played.totals[::2] == -1e6).all()
    assert (played.chosen[::2] == -1).all()
    assert (played.opened_count[1::2] > 0).all()


def test_no_rounds_change_nothing() -> None:
    searcher = make()
    before = searcher.digest()
    played = searcher.play(np.zeros((0, 4, 3)), np.ones(4), np.zeros((0, 4)))
    assert played.totals.shape == (0,)
    assert searcher.digest() == before


def test_questions_change_nothing() -> None:
    contexts, costs, values = record(gaps=False)
    searcher = make()
    searcher.play(contexts, costs, values)
    before = searcher.digest()
    searcher.reservation_values(contexts[0], costs[0])
    searcher.explain(contexts[0], costs[0])
    searcher.reservation_values(contexts[0][:2], 0.1, boxes=[2, 0])
    assert searcher.digest() == before


def test_some_boxes_are_asked_by_name_in_any_order() -> None:
    contexts, costs, values = record(gaps=False)
    searcher = make(boxes=list("abcd"))
    searcher.play(contexts, costs, values)
    all_four = searcher.reservation_values(contexts[0], costs[0])
    rows = [2, 0, 3]
    some = searcher.reservation_values(contexts[0][rows], costs[0][rows], boxes=["c", "a", "d"])
    assert np.array_equal(some, all_four[rows])


@every_learner
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_the_order_in_which_boxes_are_named_does_not_matter(
    learner: wz.Learner, feedback: str
) -> None:
    contexts, costs, values = record(50, gaps=False)
    plain, mixed = (make(feedback, learner=learner) for _ in range(2))
    for searcher in (plain, mixed):
        searcher.play(contexts[:20], costs[:20], values[:20])
    rng = np.random.default_rng(1)
    for t in range(20, 50):
        expected = live_round(plain, contexts[t], costs[t], values[t])
        rows = rng.permutation(4)
        search = mixed.open(contexts[t][rows], costs[t][rows], boxes=rows.tolist())
        for box in search:
            search.see(values[t, int(str(box))])
        outcome = search.close(values[t][rows]) if feedback == "full" else search.close()
        found = (outcome.total, outcome.paid, outcome.chosen, len(outcome.opened))
        assert found == expected
    assert mixed.digest() == plain.digest()


# What is refused, and how it says so


def assert_sentence(error: wz.InvalidInputError, *words: str) -> None:
    """One sentence that names subject and rule, and one that shows what came."""
    text = str(error)
    assert text == f"{error.subject} must {error.rule}. Got {error.got!r}."
    assert all(word in text for word in words)


WRONG_SETTINGS: list[tuple[dict[str, Any], Sequence[str]]] = [
    ({"boxes": ["a", "b", "a"]}, ["names of the boxes", "distinct"]),
    ({"boxes": []}, ["names of the boxes", "at least one"]),
    ({"boxes": 0}, ["boxes", "0"]),
    ({"boxes": -2}, ["boxes", "-2"]),
    ({"dimension": 0}, ["dimension", ">= 1", "0"]),
    ({"dimension": -1}, ["dimension", "-1"]),
    ({"dimension": 2.5}, ["dimension", "2.5"]),
    ({"feedback": "bandit"}, ["feedback", "opened+probe", "bandit"]),
    ({"feedback": None}, ["feedback", "None"]),
    ({"feedback": "probe"}, ["block", "probe", "None"]),
    ({"feedback": "opened+probe"}, ["block", "None"]),
    ({"feedback": "full", "block": 3}, ["block", "full", "3"]),
    ({"feedback": "opened", "block": 3}, ["block", "opened", "3"]),
    ({"feedback": "probe", "block": 0}, ["block", ">= 1", "0"]),
    ({"feedback": "probe", "block": -4}, ["block", "-4"]),
    ({"feedback": "probe", "block": 2.5}, ["block", "2.5"]),
    ({"feedback": "probe", "block": True}, ["block", "True"]),
    ({"feedback": "probe", "block": math.nan}, ["block", "nan"]),
    ({"feedback": "probe", "block": math.inf}, ["block", "inf"]),
    ({"feedback": "probe", "block": "3"}, ["block", "'3'"]),
    ({"optimism": -1}, ["optimism", ">= 0", "-1"]),
    ({"optimism": math.inf}, ["optimism", "inf"]),
    ({"optimism": math.nan}, ["optimism", "nan"]),
    ({"optimism": "bold"}, ["optimism", "'auto'", "'bold'"]),
    ({"sense": "least"}, ["sense", "'min'", "'least'"]),
    ({"feedback": "probe", "block": 3, "rng": -1}, ["rng", "-1"]),
    ({"feedback": "probe", "block": 3, "rng": 1.5}, ["rng", "1.5"]),
]


@pytest.mark.parametrize(("settings", "words"), WRONG_SETTINGS, ids=lambda p: str(p))
def test_a_wrong_setting_is_refused_in_one_sentence(
    settings: dict[str, Any], words: Sequence[str]
) -> None:
    given = {"boxes": 2, "dimension": 2} | settings
    with pytest.raises(wz.InvalidInputError) as caught:
        wz.Searcher(**given)
    assert_sentence(caught.value, *words)


GOOD = [[1.0, 2.0], [3.0, 4.0]]
WRONG_ROUNDS: list[tuple[dict[str, Any], Sequence[str]]] = [
    ({"contexts": [[1.0, 2.0]]}, ["contexts", "(2, 2)", "(1, 2)"]),
    ({"contexts": [1.0, 2.0]}, ["contexts", "(2, 2)", "(2,)"]),
    ({"contexts": [[1.0], [2.0]]}, ["contexts", "(2, 2)", "(2, 1)"]),
    ({"contexts": [[1.0, 2.0], [3.0, math.inf]]}, ["context of row 1", "finite", "inf"]),
    ({"contexts": [[1.0, math.inf], [3.0, 4.0]]}, ["context of row 0", "finite", "inf"]),
    ({"contexts": [[1.0, 1e60], [3.0, 4.0]]}, ["context of row 0", "1e+50", "1.e+60"]),
    ({"contexts": [["a", "b"], ["c", "d"]]}, ["contexts"]),
    ({"contexts": [[1.0, 2.0], [3.0]]}, ["contexts"]),
    ({"costs": -1.0}, ["cost", "0", "-1.0"]),
    ({"costs": [1.0, -1.0]}, ["cost of row 1", "-1.0"]),
    ({"costs": [1.0, math.nan]}, ["cost of row 1", "nan"]),
    ({"costs": [1.0, math.inf]}, ["cost of row 1", "inf"]),
    ({"costs": [1.0, 1.0, 1.0]}, ["costs", "one per box, 2", "(3,)"]),
    ({"costs": "cheap"}, ["cost", "cheap"]),
    ({"outside": math.inf}, ["outside", "finite", "inf"]),
    ({"outside": -math.inf}, ["outside", "-inf"]),
    ({"outside": math.nan}, ["outside", "nan"]),
    ({"outside": "home"}, ["outside", "'home'"]),
    ({"boxes": ["a", "z"]}, ["boxes of a round", "'z'"]),
    ({"boxes": ["a", "a"]}, ["boxes of a round", "distinct"]),
    ({"boxes": [], "contexts": np.zeros((0, 2))}, ["boxes of a round", "at least one"]),
    ({"boxes": ["a"]}, ["contexts", "(1, 2)"]),
]


@pytest.mark.parametrize(("round_", "words"), WRONG_ROUNDS, ids=lambda p: str(p))
def test_a_wrong_round_is_refused_in_one_sentence_and_not_counted(
    round_: dict[str, Any], words: Sequence[str]
) -> None:
    searcher = wz.Searcher(boxes=["a", "b"], dimension=2, learner=wz.FTRL(intercept=False))
    before = searcher.digest()
    given: dict[str, Any] = {"contexts": GOOD, "costs": 1.0} | round_
    with pytest.raises(wz.InvalidInputError) as caught:
        searcher.open(**given)
    assert_sentence(caught.value, *words)
    assert searcher.digest() == before


WRONG_RECORDS: list[tuple[dict[str, Any], Sequence[str]]] = [
    ({"contexts": np.ones((3, 2, 3))}, ["contexts", "(T, 2, 2)", "(3, 2, 3)"]),
    ({"contexts": np.ones((2, 2))}, ["contexts", "(2, 2)"]),
    ({"contexts": np.full((3, 2, 2), np.inf)}, ["contexts", "1e+50"]),
    ({"values": np.ones((2, 2))}, ["values", "(3, 2)", "(2, 2)"]),
    ({"values": np.full((3, 2), np.inf)}, ["values", "inf"]),
    ({"values": 1.0}, ["values", "(3, 2)"]),
    ({"values": [["a", "b"]] * 3}, ["values"]),
    ({"costs": [1.0, -1.0]}, ["costs", "0", "-1."]),
    ({"costs": [1.0, math.nan]}, ["costs", "nan"]),
    ({"costs": np.ones((2, 2))}, ["costs", "(2,)", "(3, 2)"]),
    ({"outside": math.nan}, ["outside", "nan"]),
    ({"outside": [1.0, 2.0]}, ["outside", "one per round", "(2,)"]),
    ({"outside": -math.inf}, ["outside", "inf"]),
    ({"outside": [1.0, 2.0, -math.inf]}, ["outside", "inf"]),
]


@pytest.mark.parametrize(("parts", "words"), WRONG_RECORDS, ids=lambda p: str(p)[:60])
@pytest.mark.parametrize("feedback", ["opened", "probe"])
def test_a_wrong_record_is_refused_in_one_sentence_and_not_played(
    feedback: str, parts: dict[str, Any], words: Sequence[str]
) -> None:
    searcher = make(feedback, boxes=2, dimension=2)
    before = searcher.digest()
    good = {"contexts": np.ones((3, 2, 2)), "costs": np.ones(2), "values": np.ones((3, 2))}
    with pytest.raises(wz.InvalidInputError) as caught:
        searcher.play(**(good | parts))
    assert_sentence(caught.value, *words)
    assert searcher.digest() == before


@pytest.mark.parametrize("learner", [wz.FTRL, wz.LinearisedFTRL, wz.NewtonStep, wz.Residual])
def test_a_prior_is_in_the_direction_of_the_values(learner: Any) -> None:
    for sense in ("min", "max"):
        searcher = make(sense=sense, learner=learner(prior=[10.0, 0.0, 0.0]), feedback="full")
        sigma = searcher.reservation_values(np.ones((4, 3)), 0.5)
        assert sigma == pytest.approx(10.0, abs=2.0), sense
