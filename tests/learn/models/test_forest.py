"""Trees: the weights are those of the forest, and missing scikit-learn is told."""

import sys

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import some_rounds
from weitzman.learn.models import forest as forest_model
from weitzman.learn.models.forest import Trees, filled, grow, weigh
from weitzman.learn.models.history import History
from weitzman.learn.policy import Round


def test_weights_are_shares_of_leaves() -> None:
    rng = np.random.default_rng(0)
    contexts, targets = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    forest = grow(contexts, targets)
    model = forest_model._extra_trees().fit(contexts, targets)
    mine = model.apply(contexts)
    for context in rng.normal(size=(20, 3)):
        leaves = model.apply(context[np.newaxis])[0]
        expected = np.mean(
            [(mine[:, k] == leaf) / (mine[:, k] == leaf).sum() for k, leaf in enumerate(leaves)],
            axis=0,
        )
        np.testing.assert_allclose(weigh(forest, context), expected, atol=1e-12)


def test_every_row_is_in_one_leaf_of_every_tree() -> None:
    rng = np.random.default_rng(1)
    forest = grow(rng.normal(size=(40, 2)), rng.normal(size=40))
    assert (np.bincount(forest.members) == len(forest.roots)).all()


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


def test_without_scikit_learn_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(wz.WeitzmanError, match="weitzman\\[sklearn\\]"):
        History(boxes=2, dimension=1).model(Trees)
