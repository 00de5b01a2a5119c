"""Stacked means: between both models where that is best, held out, and the ridge means without a forest."""

import numpy as np
import pytest

from weitzman.learn.models.history import History
from weitzman.learn.models.means import Means
from weitzman.learn.models.stacked import Stacked
from weitzman.learn.models.trees import Trees
from weitzman.learn.policy import Floats, Round
from weitzman.learn.preparation import Preparation

BOXES, DIMENSION = 3, 2


def after(rounds: int, bend: float, *, absent: bool = False) -> tuple[History, list[Round]]:
    """Return the past of rounds with values that are linear, and bent by so much, and their rounds."""
    rng = np.random.default_rng(rounds)
    history = History(boxes=BOXES, dimension=DIMENSION, prepare="all")
    preparation, shown = Preparation(DIMENSION, values=True), []
    for number in range(rounds):
        places = np.arange(BOXES)
        if absent and number % 3 == 0:
            places = places[:2]
        contexts = rng.normal(size=(len(places), DIMENSION))
        values = (
            contexts[:, 0] + bend * np.sign(contexts[:, 1]) + 0.3 * rng.normal(size=len(places))
        )
        made = Round(contexts=contexts, costs=np.ones(len(places)), outside=np.inf, places=places)
        ready, found = preparation.take(made, values)
        if ready.units is not None:
            history.add(ready, found)
            shown.append(ready)
    return history, shown


def best_share(linear: Floats, trees: Floats, scale: Floats) -> float:
    """Return the share of a fine grid with the least sum of squares."""
    grid = np.linspace(0.0, 1.0, 2001)
    errors = [np.nansum(((a * linear + (1.0 - a) * trees) / scale) ** 2) for a in grid]
    return float(grid[int(np.argmin(errors))])


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("bend", [0.0, 1.0, 5.0])
def test_the_share_and_the_residuals_are_those_of_held_out_means(bend: float, absent: bool) -> None:
    history, shown = after(150, bend, absent=absent)
    stack, grown = history.model(Stacked).stack(), history.model(Trees).grown()
    fit = history.model(Means).fit()
    assert stack is not None
    assert fit is not None
    assert grown.expected is not None
    window = history.window(grown.end)
    values = window.values[grown.first - window.first :]
    trees = values - grown.expected
    linear = trees.copy()
    # The ridge means were fitted to fewer rounds: the last go by the trees alone
    common = min(fit.end, grown.end)
    linear[:common] = fit.residuals[:common]
    known = ~np.isnan(values)
    scale = np.array([stack.values[:, box].std() for box in range(BOXES)])
    assert stack.share == pytest.approx(best_share(linear, trees, scale), abs=1e-3)
    residuals = stack.share * linear + (1.0 - stack.share) * trees
    np.testing.assert_allclose(stack.residuals[known], residuals[known], atol=1e-12)
    assert not stack.residuals[~known].any()
    asked = shown[-1]
    _, weights = history.model(Trees).rounds(asked)
    means = history.model(Stacked).predict(asked, stack, weights)
    by_trees = (weights @ stack.values)[asked.places] / weights.sum()
    by_ridge = history.model(Means).predict(asked)
    np.testing.assert_allclose(means, stack.share * by_ridge + (1.0 - stack.share) * by_trees)


def test_where_values_are_linear_ridge_has_the_larger_share_and_where_they_bend_trees_have() -> (
    None
):
    shares = []
    for bend in (0.0, 5.0):
        stack = after(200, bend)[0].model(Stacked).stack()
        assert stack is not None
        shares.append(stack.share)
    assert shares[0] > 0.8
    assert shares[1] < 0.3


def test_few_rounds_have_the_ridge_means_and_no_round_has_none() -> None:
    assert History(boxes=BOXES, dimension=DIMENSION, prepare="all").model(Stacked).stack() is None
    history, shown = after(7, 1.0)
    stack = history.model(Stacked).stack()
    assert stack is not None
    assert not stack.weighed
    means = history.model(Stacked).predict(shown[-1], stack, np.ones(len(stack.values)))
    np.testing.assert_array_equal(means, history.model(Means).predict(shown[-1]))
