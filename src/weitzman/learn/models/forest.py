"""Trees: which past rounds are like this one.

Extremely randomised trees [Geurts 2006] are grown on the past, and a past round s weighs

    w_s = mean over trees of 1{s is in the leaf of this round} / (size of that leaf),

the weights of a quantile regression forest [Meinshausen 2006]. 50 trees, leaves of at least 5 rounds,
all features at every split, bootstrap samples: scikit-learn's extra-trees at the usual size.

*Named boxes*. One forest for all boxes: the context of a round is the contexts of all its boxes side by
side, with columns that are the same in all boxes once and 0 for an absent box; it predicts all values
jointly, each standardised, the mean for a missing one.

*Boxes without history*. One forest on rows: context of a box against the rank of its value. Each row has
a law of its own, and there is no joint one.

A forest is grown on the last 8,192 rounds at most, again whenever the past has grown by √2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.errors import WeitzmanError
from weitzman.learn.models.history import History, Refits
from weitzman.learn.models.sample_steps import lowest
from weitzman.learn.policy import Floats, Ints, Round

__all__ = ["GROWTH", "LEAF", "MOST", "Trees", "filled"]

GROWTH = 1.41
"""By what factor the past grows between refits."""

LEAF = 5
"""The fewest rounds or rows in a leaf."""

MOST = 8192
"""The most rounds that a forest is grown on."""

_TREES = 50


def filled(values: Floats) -> Floats:
    """Return values, (T, n), with the box's mean where there is none; the mean of all, if it has none."""
    known = ~np.isnan(values)
    counts = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    overall = sums.sum() / max(int(counts.sum()), 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    return np.where(known, values, means)


@dataclass(frozen=True, kw_only=True, eq=False)
class Forest:
    """Grown trees, as arrays: nodes of all trees one after another, and who is in which leaf.

    Attributes
    ----------
    roots
        The first node of each tree.
    feature, threshold, left, right
        Of each node; a leaf has left = −1. A context goes left if it is ≤ threshold in single precision.
    begin, members
        The rows that the forest was grown on, leaf by leaf: ``members[begin[node]:begin[node + 1]]``.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Ints
    members: Ints


def grow(contexts: Floats, targets: Floats) -> Forest:
    """Return a forest grown on rows, (m, p) and (m,) or (m, q)."""
    model = _extra_trees().fit(contexts, targets)
    trees = [estimator.tree_ for estimator in model.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    children = [
        np.concatenate([np.where(a < 0, -1, a + r) for a, r in zip(side, roots, strict=True)])
        for side in ([t.children_left for t in trees], [t.children_right for t in trees])
    ]
    leaves = (model.apply(contexts) + roots).ravel()
    order = np.argsort(leaves, kind="stable")
    begin = np.searchsorted(leaves[order], np.arange(int(sizes.sum()) + 1))
    return Forest(
        roots=roots,
        feature=np.concatenate([t.feature for t in trees]).astype(np.int64),
        threshold=np.concatenate([t.threshold for t in trees]).astype(np.float64),
        left=children[0].astype(np.int64),
        right=children[1].astype(np.int64),
        begin=begin.astype(np.int64),
        members=(order // len(roots)).astype(np.int64),
    )


def _extra_trees() -> Any:
    try:
        from sklearn.ensemble import ExtraTreesRegressor
    except ImportError:
        raise WeitzmanError(
            "Trees need scikit-learn 1.6 or newer: pip install 'weitzman[sklearn]'."
        ) from None
    return ExtraTreesRegressor(
        n_estimators=_TREES, min_samples_leaf=LEAF, bootstrap=True, random_state=0, n_jobs=1
    )


@checked
def _leaf(
    root: int, feature: Ints, threshold: Floats, left: Ints, right: Ints, x: NDArray[np.float32]
) -> int:
    node = root
    while left[node] >= 0:
        node = left[node] if x[feature[node]] <= threshold[node] else right[node]
    return node


@checked
def _weigh(
    roots: Ints, feature: Ints, threshold: Floats, left: Ints, right: Ints, begin: Ints, members: Ints,
    x: NDArray[np.float32], out: Floats,
) -> None:  # fmt: skip
    """Add to out the weights of the rows a forest was grown on; their sum is 1."""
    for root in roots:
        leaf = _leaf(root, feature, threshold, left, right, x)
        size = begin[leaf + 1] - begin[leaf]
        for k in range(begin[leaf], begin[leaf + 1]):
            out[members[k]] += 1.0 / (size * roots.shape[0])


def weigh(forest: Forest, context: Floats) -> Floats:
    """Return the weights of the rows that a forest was grown on, for one context."""
    f = forest
    weights = np.zeros(int(f.members.max()) + 1)
    _weigh(
        f.roots, f.feature, f.threshold, f.left, f.right, f.begin, f.members,
        context.astype(np.float32), weights,
    )  # fmt: skip
    return weights


class Trees:
    """The forest of a past, grown again as it grows."""

    def __init__(self, history: History) -> None:
        _extra_trees()
        self._history = history
        self._refits = Refits(GROWTH)
        self.forget()

    def forget(self) -> None:
        """Let the forest go: the past is another one."""
        self._grown = 0
        self._first = 0
        self._forest: Forest | None = None
        self._common = np.zeros(self._history.dimension, dtype=np.bool_)
        self._values = np.empty(0)

    def rounds(self, shown: Round) -> tuple[int, Floats]:
        """Return the first round that the forest knows, and weights of the rounds from there on."""
        self._update()
        if self._forest is None:
            return self._first, np.ones(self._grown - self._first)
        rows = np.full((1, self._history.boxes, self._history.dimension), np.nan)
        rows[0, shown.places] = self._history.prepared(shown)
        return self._first, weigh(self._forest, self._joined(rows)[0])

    def rows(self, shown: Round) -> tuple[Floats, Floats]:
        """Return means and reservation values of the rows of a round; 0 and c if nothing was seen."""
        self._update()
        means, sigma = np.zeros(len(shown.costs)), shown.costs.copy()
        if self._forest is None:
            return means, sigma
        for row, context in enumerate(self._history.prepared(shown)):
            weights = weigh(self._forest, context)
            held = np.flatnonzero(weights)
            values, weights = self._values[held], weights[held]
            whole = float(weights.sum())
            means[row] = weights @ values / whole
            order = np.argsort(values, kind="stable")
            price = whole * float(shown.costs[row])
            sigma[row] = lowest(values[order], order, weights, price, np.inf)
        return means, sigma

    def _update(self) -> None:
        due = self._refits.last(self._history.count)
        if due == self._grown:
            return
        self._grown, self._first = due, max(0, due - MOST)
        contexts = self._history.contexts[self._first : due]
        values = self._history.values[self._first : due]
        known = ~np.isnan(values)
        if self._history.shared:
            self._values = values[known]
            if len(self._values):
                self._forest = grow(contexts[known], _ranks(self._values))
            return
        if due < 2 * LEAF or not known.any():
            self._forest = None
            return
        self._common = _common(contexts)
        targets = filled(values)
        deviations = targets.std(axis=0)
        targets = (targets - targets.mean(axis=0)) / np.where(deviations > 0.0, deviations, 1.0)
        self._forest = grow(self._joined(contexts), targets)

    def _joined(self, contexts: Floats) -> Floats:
        """Return the contexts of rounds, (T, n, d), as one row each."""
        common, own = self._common, np.nan_to_num(contexts[:, :, ~self._common])
        # Of a common column every box that is there has the number
        held = np.nan_to_num(contexts[:, :, common])
        present = ~np.isnan(contexts[:, :, :1])
        once = held.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
        return np.concatenate([once, own.reshape(len(contexts), -1)], axis=1)


def _common(contexts: Floats) -> NDArray[np.bool_]:
    """Return which columns are the same in all boxes of every round."""
    lowest_there = np.where(np.isnan(contexts), np.inf, contexts).min(axis=1)
    highest = np.where(np.isnan(contexts), -np.inf, contexts).max(axis=1)
    same: NDArray[np.bool_] = (highest - lowest_there <= 1e-9).all(axis=0)
    return same


def _ranks(values: Floats) -> Floats:
    """Return (rank of each value)/m, the mean rank for equal ones."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values) / len(values)
    return ranks
