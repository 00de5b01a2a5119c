"""Boosted reservation values: when trees are grown, how many, and that a resumed learner has the same."""

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from weitzman.learn.learners.boosted import EVERY, FIRST
from weitzman.learn.learners.parts.ensemble import boost, checked_engine, evaluate
from weitzman.learn.loss import loss

Array = NDArray[np.float64]
ENGINES = ("lightgbm", "sklearn")
both_engines = pytest.mark.parametrize("engine", ENGINES)


def steps(count: int, seed: int = 0) -> tuple[Array, Array]:
    """Values around a step that no linear function follows."""
    rng = np.random.default_rng(seed)
    contexts = rng.uniform(-1.0, 1.0, size=(count, 2))
    jump = np.where(contexts[:, 0] * contexts[:, 1] > 0.0, 6.0, 0.0)
    return contexts, jump + rng.uniform(size=count)


def taught(spec: wz.Learner, count: int) -> wz.Bank:
    bank = spec.start(boxes=1, dimension=2)
    for x, v in zip(*steps(count), strict=True):
        bank.update([0], [x], [v], 0.1)
    return bank


@both_engines
def test_it_is_linear_until_enough_is_seen_and_then_grows_at_doublings(engine: str) -> None:
    boosted = wz.Boosted(engine=engine).start(boxes=1, dimension=2)  # type: ignore[arg-type]
    linear = wz.FTRL().start(boxes=1, dimension=2)
    contexts, values = steps(300)
    probe, fits = [[0.5, 0.5]], []
    for k in range(300):
        for bank in (boosted, linear):
            bank.update([0], contexts[[k]], values[[k]], 0.1)
        if k + 1 < FIRST:
            assert boosted.predict(probe, 0.1) == linear.predict(probe, 0.1)
        fits.append(int(boosted.state()["model.fitted"][0]))
    assert sorted(set(fits)) == [0, 64, 128, 256]
    assert fits[62:64] == [0, 64]
    assert fits[126:128] == [64, 128]
    assert boosted.predict(probe, 0.1) != linear.predict(probe, 0.1)


@both_engines
def test_the_trees_find_what_no_linear_function_can(engine: str) -> None:
    bank = taught(wz.Boosted(engine=engine), 600)  # type: ignore[arg-type]
    # E(σ − v)⁺ = 0.1 for v uniform on [a, a + 1]: σ = a + √0.2
    for corner, jump in (([0.5, 0.5], 6.0), ([0.5, -0.5], 0.0), ([-0.5, -0.5], 6.0)):
        expected = jump + np.sqrt(0.2)
        assert float(bank.predict([corner], 0.1)[0]) == pytest.approx(expected, abs=0.5)


@both_engines
def test_a_resumed_learner_has_the_same_trees_bit_for_bit(engine: str) -> None:
    spec = wz.Boosted(engine=engine, intercept=True)  # type: ignore[arg-type]
    bank = taught(spec, 200)
    other = spec.start(boxes=1, dimension=2)
    other.restore(bank.state())
    contexts, values = steps(150, seed=1)
    assert (bank.predict(contexts[:1], 0.1)) == other.predict(contexts[:1], 0.1)
    for x, v in zip(contexts, values, strict=True):
        for one in (bank, other):
            one.update([0], [x], [v], 0.1)
        assert bank.predict([x], 0.1).tobytes() == other.predict([x], 0.1).tobytes()
    assert bank.digest() == other.digest()


def test_where_trees_do_not_help_there_are_none() -> None:
    rng = np.random.default_rng(0)
    boosted, linear = (s.start(boxes=1, dimension=2) for s in (wz.Boosted(), wz.FTRL()))
    contexts = rng.normal(size=(64, 2))
    for x in contexts:
        # σ = w·x exactly: E(σ − v)⁺ = 1 for v uniform on [σ − 2, σ]
        value = float(x @ [1.0, -2.0] - 2.0 * rng.uniform())
        for bank in (boosted, linear):
            bank.update([0], [x], [value], 1.0)
    assert boosted.state()["model.fitted"][0] == 64
    assert boosted.predict(contexts[:1], 1.0) == linear.predict(contexts[:1], 1.0)


@both_engines
def test_trees_as_arrays_are_the_trees_of_the_library(engine: str) -> None:
    contexts, values = steps(200)
    costs = np.full(200, 0.1)
    trees = boost(contexts, values, costs, 30, engine)  # type: ignore[arg-type]
    rows = contexts.astype(np.float32)
    if engine == "lightgbm":
        from lightgbm import LGBMRegressor

        model = LGBMRegressor(
            objective=wz.objective(costs, floor=0.1), n_estimators=30, n_jobs=1, verbosity=-1
        )
        expected = model.fit(rows.astype(np.float64), values).predict(
            rows.astype(np.float64), raw_score=True
        )
        assert np.allclose(evaluate(trees, contexts, 30)[:, 0], np.asarray(expected), atol=1e-10)
    sums = evaluate(trees, contexts, EVERY)
    losses = loss(sums - values[:, None], 0.1).sum(axis=0)
    assert sums.shape == (200, 3)
    assert (np.diff(losses) < 0.0).all()


def test_both_engines_learn_the_same_function() -> None:
    grid = np.random.default_rng(3).uniform(-1.0, 1.0, size=(50, 2))
    one, other = (
        np.concatenate([taught(wz.Boosted(engine=e), 520).predict([x], 0.1) for x in grid[:10]])  # type: ignore[arg-type]
        for e in ENGINES
    )
    assert np.abs(one - other).mean() < 0.5


def test_the_state_of_another_engine_is_refused() -> None:
    one, other = (wz.Boosted(engine=e).start(boxes=1, dimension=2) for e in ENGINES)  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="grown by"):
        other.restore(one.state())


def test_an_engine_that_is_none_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="engine"):
        wz.Boosted(engine="xgboost").start(boxes=1, dimension=1)  # type: ignore[arg-type]
    assert checked_engine("auto") == "lightgbm"


@both_engines
def test_contexts_that_never_change_are_learned(engine: str) -> None:
    rng = np.random.default_rng(0)
    boosted = wz.Boosted(engine=engine).start(boxes=1, dimension=2)  # type: ignore[arg-type]
    linear = wz.FTRL().start(boxes=1, dimension=2)
    for value in rng.normal(size=3 * FIRST):
        for bank in (boosted, linear):
            bank.update([0], [[1.0, 2.0]], [value], 0.1)
    # Stumps may move what regularisation held back, and nothing else
    assert boosted.predict([[1.0, 2.0]], 0.1) == pytest.approx(
        linear.predict([[1.0, 2.0]], 0.1), abs=0.2
    )
