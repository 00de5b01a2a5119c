"""A forest: extremely randomised trees [Geurts 2006], as arrays.

A row s that the forest was grown on weighs

    w_s = mean over trees of 1{s is in the leaf of this context} / (size of that leaf),

the weights of a quantile regression forest [Meinshausen 2006]. 50 trees, leaves of at least 5 rows,
all features at every split, bootstrap samples: scikit-learn's extra-trees at the usual size.

A forest can be grown a few trees at a time (:mod:`weitzman.learn.models.refits`): each tree has a seed of its
own, so it comes out as if it was grown at once.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import checked
from weitzman.errors import WeitzmanError
from weitzman.learn.models.refits import SLICE, Fitting, whole
from weitzman.learn.policy import Floats, Ints

__all__ = ["LEAF", "Forest", "extra_trees", "grow", "growing", "weigh"]

LEAF = 5
"""The fewest rounds or rows in a leaf."""

Rows = NDArray[np.float64] | NDArray[np.float32]

_TREES = 50


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
    drawn
        Which of them each tree was grown on, (trees, rows).
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Ints
    members: Ints
    size: int
    drawn: Flags


def grow(contexts: Rows, targets: Floats) -> Forest:
    """Return a forest grown on rows, (m, p) and (m,) or (m, q)."""
    return whole(growing(contexts, targets))


def growing(contexts: Rows, targets: Floats) -> Fitting[Forest]:
    """Return a forest to be grown on rows, several trees to a task."""
    count, width = contexts.shape
    each = 0.5 + 4e-7 * count * math.log2(count / LEAF + 1.0) * width * (targets.size / count)
    together = min(_TREES, max(1, int(SLICE / each)))
    return Fitting(-(-_TREES // together), _grow(contexts, targets, together))


def _grow(contexts: Rows, targets: Floats, together: int) -> Generator[None, None, Forest]:
    model, rows = extra_trees(), contexts.astype(np.float32)
    trees: list[Any] = []
    begins, members = [np.zeros(1, dtype=np.int64)], []
    drawn = np.zeros((_TREES, len(rows)), dtype=np.bool_)
    while len(trees) < _TREES:
        if trees:
            yield
        # More trees of the same forest: each has a seed of its own, and none depends on another
        model.set_params(n_estimators=min(_TREES, len(trees) + together), warm_start=bool(trees))
        model.fit(rows, targets)
        samples = model.estimators_samples_
        for estimator in model.estimators_[len(trees) :]:
            drawn[len(trees), samples[len(trees)]] = True
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
        drawn=drawn,
    )


def extra_trees() -> Any:
    """Return scikit-learn's forest, or say what to install."""
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
