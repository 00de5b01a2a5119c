"""Stacked means: ridge regression and a forest, weighed by what each makes of rounds it has not seen.

With ℓ the ridge mean of a value (:mod:`weitzman.learn.models.means`) and f its mean by the trees,

    m = a ℓ + (1 − a) f,      0 ≤ a ≤ 1,

where a is the one, for all boxes together, that makes the sum of squares of (v − m)/s least over past rounds,
with each box's deviation s: *stacked regression* [Breiman 1996]. There ℓ is the prediction without the round
itself, and f of a past round is held out by the trees (:mod:`weitzman.learn.models.forest`). So the residuals
v − m of past rounds are as those of a new one. Boxes are named.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.compiled.decorators import kernel
from weitzman.learn.models.history import History
from weitzman.learn.models.means import Fit, Means
from weitzman.learn.models.trees import Grown, Trees, filled
from weitzman.learn.policy import Floats, Ints, Round


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack:
    """Stacked means of a past.

    Attributes
    ----------
    first
        The number of the first of its rounds.
    share
        a.
    values
        The values of its rounds, (m, n), the mean of the box where there is none.
    residuals
        Their residuals, held out, (m, n), 0 where there is no value.
    weighed
        Whether the trees say how much a round weighs; without a forest a is 1, and all weigh the same.
    """

    first: int
    share: float
    values: Floats
    residuals: Floats
    weighed: bool


@kernel
def _stack_means(
    values: Floats, places: Ints, weights: Floats, linear: Floats, share: float, out: Floats
) -> None:
    """Set out to the stacked means of the boxes at some places."""
    sums, whole = np.zeros(places.shape[0]), 0.0
    for s in range(weights.shape[0]):
        if weights[s] > 0.0:
            whole += weights[s]
            for row in range(places.shape[0]):
                sums[row] += weights[s] * values[s, places[row]]
    for row in range(places.shape[0]):
        out[row] = share * linear[row] + (1.0 - share) * sums[row] / whole


class Stacked:
    """The stacked means of a past, made again as its models are."""

    def __init__(self, history: History) -> None:
        self._history = history
        # The models that it stacks
        history.model(Means)
        history.model(Trees)
        self.forget()

    def forget(self) -> None:
        """Let everything go: the past is another one."""
        self._made: tuple[Fit, Grown] | None = None
        self._stack: Stack | None = None

    def stack(self) -> Stack | None:
        """Return the stack in force; None if nothing was ever seen."""
        fit, grown = self._history.model(Means).fit(), self._history.model(Trees).grown()
        if fit is None:
            return None
        if self._made is None or self._made[0] is not fit or self._made[1] is not grown:
            self._made, self._stack = (fit, grown), self._of(fit, grown)
        return self._stack

    def _of(self, fit: Fit, grown: Grown) -> Stack:
        if grown.expected is None:
            values = self._history.window(fit.end).values
            residuals = np.nan_to_num(fit.residuals)
            return Stack(
                first=fit.first, share=1.0, values=values, residuals=residuals, weighed=False
            )
        window = self._history.window(grown.end)
        values = window.values[grown.first - window.first :]
        trees = values - grown.expected
        # A round that one of them does not know goes by the other
        linear = trees.copy()
        low, high = max(grown.first, fit.first), min(grown.end, fit.end)
        both = slice(low - grown.first, high - grown.first)
        linear[both] = fit.residuals[low - fit.first : high - fit.first]
        share = _share(linear, trees, values)
        residuals = share * linear + (1.0 - share) * np.where(np.isnan(trees), linear, trees)
        return Stack(
            first=grown.first,
            share=share,
            values=filled(values),
            residuals=np.nan_to_num(residuals),
            weighed=True,
        )

    def predict(self, shown: Round, stack: Stack, weights: Floats) -> Floats:
        """Return the means of the rows of a round, with the weights of the rounds of the stack."""
        means = self._history.model(Means).predict(shown)
        if not stack.weighed:
            return means
        out = np.empty(len(means))
        _stack_means(stack.values, shown.places, weights, means, stack.share, out)
        return out


def _share(linear: Floats, trees: Floats, values: Floats) -> float:
    """Return a, for the residuals of both."""
    deviations = np.broadcast_to(filled(values).std(axis=0), values.shape)
    both = ~(np.isnan(linear) | np.isnan(trees)) & (deviations > 0.0)
    apart = (linear[both] - trees[both]) / deviations[both]
    squares = float((apart * apart).sum())
    if squares == 0.0:
        return 1.0
    return min(1.0, max(0.0, -float((apart * trees[both] / deviations[both]).sum()) / squares))
