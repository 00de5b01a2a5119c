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

A forest is grown on the last 8,192 rounds at most, again whenever the past has grown by √2. Where rounds come
prepared it is grown a few trees at a time (:mod:`weitzman.learn.models.refits`), and on no more rounds than let
a tree be grown at once: at most :data:`LARGEST` numbers, counted as rounds × columns × values.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import checked
from weitzman.errors import WeitzmanError
from weitzman.learn.models.history import History
from weitzman.learn.models.kept import KeptContexts
from weitzman.learn.models.refits import SLICE, Fitting, Refitted, nothing, whole
from weitzman.learn.models.sample_steps import lowest
from weitzman.learn.policy import Floats, Ints, Round

__all__ = ["GROWTH", "LEAF", "MOST", "Grown", "Trees", "filled"]

GROWTH = 1.41
"""By what factor the past grows between refits."""

LEAF = 5
"""The fewest rounds or rows in a leaf."""

MOST = 8192
"""The most rounds that a forest is grown on."""

LARGEST = 1 << 22
"""The most rounds × columns × values that a tree of prepared rounds is grown on."""

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
    size
        Their number.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Ints
    members: Ints
    size: int


def grow(contexts: Floats, targets: Floats) -> Forest:
    """Return a forest grown on rows, (m, p) and (m,) or (m, q)."""
    return whole(growing(contexts, targets))


def growing(contexts: Floats, targets: Floats) -> Fitting[Forest]:
    """Return a forest to be grown on rows, several trees to a task."""
    count, width = contexts.shape
    each = 0.7 + 4e-7 * count * math.log2(count / LEAF + 1.0) * width * (targets.size / count)
    together = min(_TREES, max(1, int(SLICE / each)))
    return Fitting(-(-_TREES // together), _grow(contexts, targets, together))


def _grow(contexts: Floats, targets: Floats, together: int) -> Generator[None, None, Forest]:
    model, rows = _extra_trees(), contexts.astype(np.float32)
    trees: list[Any] = []
    begins, members = [np.zeros(1, dtype=np.int64)], []
    while len(trees) < _TREES:
        if trees:
            yield
        # More trees of the same forest: each has a seed of its own, and none depends on another
        model.set_params(n_estimators=min(_TREES, len(trees) + together), warm_start=bool(trees))
        model.fit(rows, targets)
        for estimator in model.estimators_[len(trees) :]:
            tree = estimator.tree_
            leaves = tree.apply(rows)
            members.append(np.argsort(leaves, kind="stable").astype(np.int64))
            sizes = np.bincount(leaves, minlength=tree.node_count)
            begins.append(begins[-1][-1] + np.cumsum(sizes))
            trees.append(tree)
    roots = np.cumsum([0, *(tree.node_count for tree in trees[:-1])]).astype(np.int64)
    children = [
        np.concatenate([np.where(a < 0, -1, a + r) for a, r in zip(side, roots, strict=True)])
        for side in ([t.children_left for t in trees], [t.children_right for t in trees])
    ]
    return Forest(
        roots=roots,
        feature=np.concatenate([t.feature for t in trees]).astype(np.int64),
        threshold=np.concatenate([t.threshold for t in trees]).astype(np.float64),
        left=children[0].astype(np.int64),
        right=children[1].astype(np.int64),
        begin=np.concatenate(begins).astype(np.int64),
        members=np.concatenate(members),
        size=len(contexts),
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
    weights = np.zeros(f.size)
    _weigh(
        f.roots, f.feature, f.threshold, f.left, f.right, f.begin, f.members,
        context.astype(np.float32), weights,
    )  # fmt: skip
    return weights


@dataclass(frozen=True, kw_only=True, eq=False)
class Grown:
    """The forest of a past.

    Attributes
    ----------
    first, end
        It knows the rounds from one of these numbers to the other.
    forest
        The trees; None if there was too little to grow them on.
    common
        Which columns are the same in all boxes of each of these rounds, (d,).
    values
        Of boxes without history, the values of the rows.
    """

    first: int
    end: int
    forest: Forest | None
    common: Flags
    values: Floats


class Trees:
    """The forest of a past, grown again as it grows."""

    def __init__(self, history: History) -> None:
        _extra_trees()
        self._history = history
        self._grown: Refitted[Grown] = Refitted(
            history.refits(GROWTH), self._begin, sliced=history.unit_free
        )

    def forget(self) -> None:
        """Let the forest go: the past is another one."""
        self._grown.forget()

    def grown(self) -> Grown:
        """Return the forest in force."""
        grown = self._grown.current(self._history.count)
        return self._none(0, 0) if grown is None else grown

    def rounds(self, shown: Round) -> tuple[int, Floats]:
        """Return the first round that the forest knows, and weights of the rounds from there on."""
        grown = self.grown()
        if grown.forest is None:
            return grown.first, np.ones(grown.end - grown.first)
        rows, places = self._history.prepared(shown), shown.places
        if self._history.unit_free:
            own = np.zeros((self._history.boxes, int((~grown.common).sum())))
            own[places] = rows[:, ~grown.common]
            return grown.first, weigh(grown.forest, np.concatenate([rows[0, grown.common], own.ravel()]))
        contexts = np.full((1, self._history.boxes, self._history.dimension), np.nan)
        contexts[0, places] = rows
        return grown.first, weigh(grown.forest, _joined(contexts, grown.common)[0])

    def rows(self, shown: Round) -> tuple[Floats, Floats]:
        """Return means and reservation values of the rows of a round; 0 and c if nothing was seen."""
        grown = self.grown()
        means, sigma = np.zeros(len(shown.costs)), shown.costs.copy()
        if grown.forest is None:
            return means, sigma
        for row, context in enumerate(self._history.prepared(shown)):
            weights = weigh(grown.forest, context)
            held = np.flatnonzero(weights)
            values, weights = grown.values[held], weights[held]
            whole = float(weights.sum())
            means[row] = weights @ values / whole
            order = np.argsort(values, kind="stable")
            price = whole * float(shown.costs[row])
            sigma[row] = lowest(values[order], order, weights, price, np.inf)
        return means, sigma

    def _none(self, first: int, end: int) -> Grown:
        common = np.zeros(self._history.dimension, dtype=np.bool_)
        return Grown(first=first, end=end, forest=None, common=common, values=np.empty(0))

    def _begin(self, end: int) -> Fitting[Grown]:
        window = self._history.window(end).last(MOST)
        none = self._none(window.first, end)
        known = ~np.isnan(window.values)
        if self._history.shared:
            if not known.any():
                return nothing(none)
            values = window.values[known]
            growing_ = growing(window.whole()[known], _ranks(values))
            return Fitting(growing_.tasks, _named(growing_, replace(none, values=values)))
        if end < 2 * LEAF or not known.any():
            return nothing(none)
        if isinstance(window.contexts, KeptContexts):
            common, joined = window.contexts.joined()
            most = max(LARGEST // (joined.shape[1] * window.values.shape[1]), 2 * LEAF)
            window, joined = window.last(most), joined[-most:]
        else:
            common = _common(window.contexts)
            joined = _joined(window.contexts, common)
        targets = filled(window.values)
        deviations = targets.std(axis=0)
        targets = (targets - targets.mean(axis=0)) / np.where(deviations > 0.0, deviations, 1.0)
        growing_ = growing(joined, targets)
        return Fitting(
            growing_.tasks, _named(growing_, replace(none, first=window.first, common=common))
        )


def _named(growing: Fitting[Forest], none: Grown) -> Generator[None, None, Grown]:
    """Grow a forest, and say what it was grown on."""
    forest = yield from growing.work
    return replace(none, forest=forest)


def _joined(contexts: Floats, common: Flags) -> Floats:
    """Return the contexts of rounds, (T, n, d), as one row each."""
    own = np.nan_to_num(contexts[:, :, ~common])
    # Of a common column every box that is there has the number
    held = np.nan_to_num(contexts[:, :, common])
    present = ~np.isnan(contexts[:, :, :1])
    once = held.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return np.concatenate([once, own.reshape(len(contexts), -1)], axis=1)


def _common(contexts: Floats) -> Flags:
    """Return which columns are the same in all boxes of every round."""
    lowest_there = np.where(np.isnan(contexts), np.inf, contexts).min(axis=1)
    highest = np.where(np.isnan(contexts), -np.inf, contexts).max(axis=1)
    same: Flags = (highest - lowest_there <= 1e-9).all(axis=0)
    return same


def _ranks(values: Floats) -> Floats:
    """Return (rank of each value)/m, the mean rank for equal ones."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values) / len(values)
    return ranks
