"""Stacked means: ridge regression and a forest, weighed by what each makes of rounds it has not seen.

With ℓ the ridge mean of a value (:mod:`weitzman.learn.models.means`) and f its mean by the trees,

    m = a ℓ + (1 − a) f,      0 ≤ a ≤ 1,

where a is the one, for all boxes together, that makes the sum of squares of (v − m)/s least over past rounds,
with each box's deviation s: *stacked regression* [Breiman 1996]. There ℓ is the prediction without the round
itself, and f of a round is the mean over the trees that were grown without it, each the mean of its other
rounds in the leaf. The residuals v − m of past rounds are held out in the same way.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags
from weitzman.compiled.decorators import kernel
from weitzman.learn.models.forest import Forest
from weitzman.learn.models.history import History
from weitzman.learn.models.means import Fit, Means
from weitzman.learn.models.sample_steps import lowest
from weitzman.learn.models.trees import Grown, Trees
from weitzman.learn.policy import Floats, Ints, Round

__all__ = ["Stack", "Stacked", "held_out"]


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
        The values of its rounds, (m, n), NaN where there is none.
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
def _held_out(
    roots: Ints, left: Ints, begin: Ints, members: Ints, drawn: Flags, values: Floats, out: Floats
) -> None:  # fmt: skip
    rows, boxes = values.shape
    known, sums = np.zeros((rows, boxes)), np.zeros((rows, boxes))
    whole, count = np.empty(boxes), np.empty(boxes)
    for tree in range(roots.shape[0]):
        last = roots[tree + 1] if tree + 1 < roots.shape[0] else left.shape[0]
        for node in range(roots[tree], last):
            if left[node] >= 0:
                continue
            whole[:], count[:] = 0.0, 0.0
            for k in range(begin[node], begin[node + 1]):
                for box in range(boxes):
                    if not np.isnan(values[members[k], box]):
                        whole[box] += values[members[k], box]
                        count[box] += 1.0
            for k in range(begin[node], begin[node + 1]):
                row = members[k]
                if drawn[tree, row]:
                    continue
                for box in range(boxes):
                    own = not np.isnan(values[row, box])
                    others = count[box] - own
                    if others > 0.0:
                        rest = whole[box] - values[row, box] if own else whole[box]
                        sums[row, box] += rest / others
                        known[row, box] += 1.0
    for row in range(rows):
        for box in range(boxes):
            out[row, box] = sums[row, box] / known[row, box] if known[row, box] > 0.0 else np.nan


@kernel
def _stack_means(
    values: Floats, places: Ints, weights: Floats, linear: Floats, share: float, out: Floats
) -> None:
    """Set out to the stacked means of the boxes at some places; the ridge mean where trees know nothing."""
    sums, whole = np.zeros(places.shape[0]), np.zeros(places.shape[0])
    for s in range(weights.shape[0]):
        if weights[s] == 0.0:
            continue
        for row in range(places.shape[0]):
            value = values[s, places[row]]
            if not np.isnan(value):
                sums[row] += weights[s] * value
                whole[row] += weights[s]
    for row in range(places.shape[0]):
        out[row] = linear[row]
        if whole[row] > 0.0:
            out[row] = share * linear[row] + (1.0 - share) * sums[row] / whole[row]


def held_out(forest: Forest, values: Floats) -> Floats:
    """Return the means of the rows of a forest by the trees grown without them, (m, q); NaN if by none.

    The values, (m, q), are of the rows that it was grown on.
    """
    f, out = forest, np.empty(values.shape)
    _held_out(f.roots, f.left, f.begin, f.members, f.drawn, values, out)
    return out


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
        if grown.forest is None:
            window = self._history.window(fit.end)
            residuals = np.nan_to_num(fit.residuals)
            return Stack(
                first=fit.first, share=1.0, values=window.values, residuals=residuals, weighed=False
            )
        window = self._history.window(grown.end)
        values = window.values[grown.first - window.first :]
        if self._history.shared:
            known = ~np.isnan(values)
            apart = np.full(values.shape, np.nan)
            apart[known] = values[known] - held_out(grown.forest, values[known][:, None])[:, 0]
        else:
            apart = values - held_out(grown.forest, values)
        # A round that one of them does not know goes by the other
        linear = apart.copy()
        low, high = max(grown.first, fit.first), min(grown.end, fit.end)
        linear[low - grown.first : high - grown.first] = fit.residuals[
            low - fit.first : high - fit.first
        ]
        share = _share(linear, apart, values, shared=self._history.shared)
        residuals = share * linear + (1.0 - share) * np.where(np.isnan(apart), linear, apart)
        return Stack(
            first=grown.first,
            share=share,
            values=values,
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

    def rows(self, shown: Round) -> tuple[Floats, Floats]:
        """Return means and reservation values of the rows of a round of boxes without history."""
        stack = self.stack()
        means, sigma = np.zeros(len(shown.costs)), shown.costs.copy()
        if stack is None:
            return means, sigma
        means = self._history.model(Means).predict(shown).copy()
        known = ~np.isnan(stack.values)
        values, residuals = stack.values[known], stack.residuals[known]
        for row, cost in enumerate(shown.costs):
            weights = np.ones(len(values))
            if stack.weighed:
                weights = self._history.model(Trees).row_weights(shown, row)
            held = np.flatnonzero(weights)
            weights, apart = weights[held], residuals[held]
            whole = float(weights.sum())
            if stack.weighed:
                trees = float(weights @ values[held]) / whole
                means[row] = stack.share * means[row] + (1.0 - stack.share) * trees
            order = np.argsort(apart, kind="stable")
            sigma[row] = means[row] + lowest(
                apart[order], order, weights, whole * float(cost), np.inf
            )
        return means, sigma


def _share(linear: Floats, trees: Floats, values: Floats, *, shared: bool) -> float:
    """Return a, for the residuals of both."""
    deviations = np.nanstd(values) if shared else _deviations(values)
    both = ~(np.isnan(linear) | np.isnan(trees)) & (np.broadcast_to(deviations, values.shape) > 0.0)
    scale = np.broadcast_to(deviations, values.shape)[both]
    apart, own = (linear[both] - trees[both]) / scale, trees[both] / scale
    squares = float(apart @ apart)
    return min(1.0, max(0.0, -float(apart @ own) / squares)) if squares > 0.0 else 1.0


def _deviations(values: Floats) -> Floats:
    """Return the deviation of each column from what it knows; 0 where it knows nothing."""
    known = ~np.isnan(values)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / counts
    squares = np.where(known, (values - means) ** 2, 0.0).sum(axis=0)
    return np.asarray(np.sqrt(squares / counts))
