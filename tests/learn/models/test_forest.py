"""Trees: the weights are those of the forest, and missing scikit-learn is told."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.learn.rounds import some_rounds
from weitzman.arrays import Flags, Ints
from weitzman.learn.models import forest as forest_model
from weitzman.learn.models.forest import SIZES, grow, weigh
from weitzman.learn.models.history import History
from weitzman.learn.models.trees import Trees, filled
from weitzman.learn.policy import Round


def test_weights_are_shares_of_leaves() -> None:
    rng = np.random.default_rng(0)
    contexts, targets = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    forest = grow(contexts, targets)
    model = forest_model.extra_trees().fit(contexts, targets)
    mine = model.apply(contexts)
    for context in rng.normal(size=(20, 3)):
        leaves = model.apply(context[np.newaxis])[0]
        expected = np.mean(
            [(mine[:, k] == leaf) / (mine[:, k] == leaf).sum() for k, leaf in enumerate(leaves)],
            axis=0,
        )
        np.testing.assert_allclose(weigh(forest, context), expected, atol=1e-12)


def test_a_row_that_every_tree_has_seen_has_no_held_out_mean(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(4)
    contexts, targets = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    drawn = forest_model.drawn_trees
    plain = grow(contexts, targets, fixed=False)
    assert plain.held_out is not None

    def seen(rows: Any, columns: Any) -> Iterator[tuple[Any, Flags]]:
        for estimator, others in drawn(rows, columns):
            yield estimator, others & (np.arange(len(rows)) != 7)

    monkeypatch.setattr(forest_model, "drawn_trees", seen)
    forest = grow(contexts, targets, fixed=False)
    assert forest.least in SIZES
    assert forest.held_out is not None
    assert np.flatnonzero(np.isnan(forest.held_out).any(axis=1)).tolist() == [7]
    assert np.isnan(forest.held_out[7]).all()
    if forest.least == plain.least:
        others = np.arange(60) != 7
        np.testing.assert_array_equal(forest.held_out[others], plain.held_out[others])


def test_every_row_is_in_one_leaf_of_every_tree() -> None:
    rng = np.random.default_rng(1)
    forest = grow(rng.normal(size=(40, 2)), rng.normal(size=40))
    assert (np.bincount(forest.members) == len(forest.roots)).all()


def nodes_of(of_rows: Flags, path: Ints, least: int) -> Flags:
    """Return which rows are in the last node of a path that has at least so many."""
    # Nodes are numbered downwards
    node = max(n for n in path if of_rows[:, n].sum() >= least)
    return np.asarray(of_rows[:, node])


@pytest.mark.parametrize(("noise", "targets"), [(0.05, 1), (1.0, 2), (30.0, 2)])
def test_how_far_down_is_what_predicts_rows_best_that_a_tree_has_not_seen(
    noise: float, targets: int
) -> None:
    rng = np.random.default_rng(3)
    contexts = rng.normal(size=(50, 3)).astype(np.float32).astype(np.float64)
    values = contexts[:, :1] + np.abs(contexts[:, 1:2]) + noise * rng.normal(size=(50, targets))
    forest = grow(contexts, values, fixed=False)
    rows = contexts.astype(np.float32)
    grown = list(forest_model.drawn_trees(rows, values if targets > 1 else values[:, 0]))
    inside = [tree.decision_path(rows).toarray().astype(bool) for tree, _ in grown]
    means = {}
    for size in SIZES.tolist():
        sums, counts = np.zeros((50, targets)), np.zeros(50)
        for of_rows, (_, unseen) in zip(inside, grown, strict=True):
            for row in np.flatnonzero(unseen):
                others = nodes_of(of_rows, np.flatnonzero(of_rows[row]), size).copy()
                others[row] = False
                sums[row] += values[others].mean(axis=0)
                counts[row] += 1
        means[size] = sums / counts[:, np.newaxis]
    best = min(means, key=lambda size: float(((means[size] - values) ** 2).sum()))
    assert forest.least == best
    assert forest.held_out is not None
    np.testing.assert_allclose(forest.held_out, means[best], atol=1e-9)
    for context in rng.normal(size=(5, 3)).astype(np.float32):
        paths = [tree.decision_path(context[np.newaxis]).indices for tree, _ in grown]
        alike = [nodes_of(*pair, best) for pair in zip(inside, paths, strict=True)]
        expected = np.mean([one / one.sum() for one in alike], axis=0)
        np.testing.assert_allclose(weigh(forest, context.astype(np.float64)), expected, atol=1e-12)


def test_noise_keeps_one_further_up() -> None:
    rng = np.random.default_rng(4)
    contexts = rng.normal(size=(300, 2))
    clear = grow(contexts, contexts[:, 0], fixed=False)
    noise = grow(contexts, rng.normal(size=300), fixed=False)
    assert clear.least < noise.least


def test_rounds_like_this_one_weigh_more() -> None:
    rng = np.random.default_rng(0)
    history = History(boxes=2, dimension=1, prepare="nothing")
    model = history.model(Trees)
    assert history.model(Trees) is model
    kinds = rng.choice([-1.0, 1.0], size=64)
    places = np.arange(2)

    def shown(kind: float) -> Round:
        rows = np.full((2, 1), kind)
        return Round(contexts=rows, costs=np.ones(2), outside=np.inf, places=places)

    for kind in kinds:
        history.add(shown(kind), np.array([10.0 * kind, -10.0 * kind]) + rng.normal(size=2))
    first, weights = model.rounds(shown(1.0))
    assert first == 0
    assert weights.sum() == pytest.approx(1.0)
    assert weights[kinds[: len(weights)] > 0].sum() > 0.99


def test_boxes_without_history_have_laws_of_their_own() -> None:
    history = History(boxes=4, dimension=2, shared=True)
    model = history.model(Trees)
    rounds = some_rounds(60)
    means, sigma = model.rows(rounds[0][0])
    assert not means.any()
    np.testing.assert_array_equal(sigma, rounds[0][0].costs)
    for shown, values in rounds[:-1]:
        history.add(shown, values)
    shown = rounds[-1][0]
    means, sigma = model.rows(shown)
    # Half the time the value is below its mean, so a look at little cost pays up to about there
    assert (sigma < means + shown.costs + 1e-12).all()
    assert (sigma > history.values[~np.isnan(history.values)].min()).all()


def test_missing_values_count_as_the_mean() -> None:
    nan = np.nan
    np.testing.assert_array_equal(
        filled(np.array([[1.0, nan, 0.0], [3.0, nan, nan]])),
        [[1.0, 4.0 / 3.0, 0.0], [3.0, 4.0 / 3.0, 0.0]],
    )
