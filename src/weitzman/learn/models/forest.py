"""A forest: extremely randomised trees [Geurts 2006], as arrays.

A row s that the forest was grown on weighs

    w_s = mean over trees of 1{s is in the node of this context} / (size of that node),

the weights of a quantile regression forest [Meinshausen 2006]. 50 trees, all features at every split,
bootstrap samples: scikit-learn's extra-trees at the usual size.

**How far down.** The node of a context is the last one on its way down a tree that holds at least L rows.
Trees are grown to leaves of two rows, and L is the one of 2, 4, … 32 whose means predict the rows best
that a tree was not grown on: for a row, the mean over these trees of the means of the other rows in its
node, by the sum of squares over all rows and targets. These means are *held out*. In a forest of fixed size
L is 1 and leaves have at least 5 rows.

A forest can be grown a few trees at a time (:mod:`weitzman.learn.models.refits`): each tree has a seed of its
own, so it comes out as if it was grown at once.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Flags
from weitzman.compiled.decorators import checked, kernel
from weitzman.learn.models.refits import SLICE, Fitting, whole
from weitzman.learn.policy import Floats, Ints

LEAF = 5
"""The fewest rows in a leaf of a forest of fixed size."""

SIZES = np.array([2, 4, 8, 16, 32])
"""What the fewest rows of a node are chosen from."""

_SMALLEST = 2
_STEPS = 2.0**16  # points of the grid of targets in one deviation

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
    begin, end, members
        The rows that the forest was grown on, node by node: ``members[begin[node]:end[node]]``.
    size
        Their number.
    least
        L.
    held_out
        The held-out means of the rows, as the targets are counted, (m, q), NaN for a row on which all trees
        were grown; None in a forest of fixed size.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Ints
    end: Ints
    members: Ints
    size: int
    least: int
    held_out: Floats | None


def grow(contexts: Rows, targets: Floats, *, fixed: bool = True) -> Forest:
    """Return a forest grown on rows, (m, p) and (m,) or (m, q)."""
    return whole(growing(contexts, targets, fixed=fixed))


def growing(contexts: Rows, targets: Floats, *, fixed: bool) -> Fitting[Forest]:
    """Return a forest to be grown on rows, several trees to a task."""
    count, width = contexts.shape
    # Both sorts of work of one tree, in ms: looking for a split, and what does not depend on the features
    depth = count * math.log2(count / _SMALLEST + 1.0)
    each = 0.5 + 1e-4 * depth + 6e-7 * depth * width * (targets.size / count)
    together = min(_TREES, max(1, int(SLICE / each)))
    work = _grow(contexts, targets, together, fixed=fixed)
    return Fitting(-(-_TREES // together), work)


def _grow(
    contexts: Rows, targets: Floats, together: int, *, fixed: bool
) -> Generator[None, None, Forest]:
    rows = np.ascontiguousarray(contexts, dtype=np.float32)
    columns = np.ascontiguousarray(targets.reshape(len(rows), -1), dtype=np.float64)
    # scikit-learn warns of a single column
    fitted = columns[:, 0] if columns.shape[1] == 1 else columns
    trees: list[_Tree] = []
    sums, counts = np.zeros((len(SIZES), *columns.shape)), np.zeros(len(rows))
    grown = _together(rows, fitted) if fixed else drawn_trees(rows, fitted)
    for number in range(_TREES):
        if number and number % together == 0:
            yield
        estimator, others = next(grown)
        tree = _Tree.of(estimator.tree_, rows)
        if not fixed:
            _hold_out(*tree, rows, others, columns, SIZES, sums, counts)
        trees.append(tree)
    least, held_out = (1, None) if fixed else _best(sums, counts, columns)
    roots = np.cumsum([0, *(len(tree.left) for tree in trees[:-1])]).astype(np.int64)
    at = np.arange(len(trees), dtype=np.int64) * len(rows)
    children = [
        np.concatenate([np.where(a < 0, -1, a + r) for a, r in zip(side, roots, strict=True)])
        for side in ([t.left for t in trees], [t.right for t in trees])
    ]
    return Forest(
        roots=roots,
        feature=np.concatenate([t.feature for t in trees]),
        threshold=np.concatenate([t.threshold for t in trees]),
        left=children[0],
        right=children[1],
        begin=np.concatenate([t.begin + first for t, first in zip(trees, at, strict=True)]),
        end=np.concatenate([t.end + first for t, first in zip(trees, at, strict=True)]),
        members=np.concatenate([t.members for t in trees]),
        size=len(contexts),
        least=least,
        held_out=held_out,
    )


def _together(rows: Rows, targets: Floats) -> Iterator[tuple[Any, Flags]]:
    """Return the trees of a forest of scikit-learn's, as earlier releases grew them, and no rows."""
    for estimator in extra_trees().fit(rows, targets).estimators_:
        yield estimator, np.zeros(0, dtype=np.bool_)


def drawn_trees(rows: Rows, targets: Floats) -> Iterator[tuple[Any, Flags]]:
    """Return the same kind of trees, each grown when it is asked for, and the rows that it did not see.

    A forest that is asked for a few trees at a time checks its input and draws all samples again each time,
    which takes longer than the trees.

    Targets are rounded so far that their sums are exact. Splits that part the rows alike are then equally
    good to the last bit, and the first of them is taken, whatever rounding the units of the user have left.
    """
    from sklearn.tree import ExtraTreeRegressor

    exact = np.rint(targets * _STEPS) / _STEPS
    for seed in range(_TREES):
        drawn = np.random.default_rng(seed).integers(len(rows), size=len(rows))
        times = np.bincount(drawn, minlength=len(rows)).astype(np.float64)
        model = ExtraTreeRegressor(min_samples_leaf=_SMALLEST, max_features=1.0, random_state=seed)
        yield model.fit(rows, exact, sample_weight=times, check_input=False), times == 0.0


class _Tree(NamedTuple):
    """One tree, as a forest has it."""

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    begin: Ints
    end: Ints
    members: Ints

    @classmethod
    def of(cls, tree: Any, rows: Rows) -> "_Tree":
        leaves = tree.apply(rows)
        left, right = tree.children_left.astype(np.int64), tree.children_right.astype(np.int64)
        begin = np.zeros(tree.node_count, dtype=np.int64)
        np.cumsum(np.bincount(leaves, minlength=tree.node_count)[:-1], out=begin[1:])
        end = begin + np.bincount(leaves, minlength=tree.node_count)
        # Nodes are numbered as one goes down on the left first, so what is below a node follows it
        _extend(left, right, end)
        return cls(
            feature=tree.feature.astype(np.int64),
            threshold=tree.threshold.astype(np.float64),
            left=left,
            right=right,
            begin=begin,
            end=end,
            members=np.argsort(leaves, kind="stable").astype(np.int64),
        )


@kernel
def _extend(left: Ints, right: Ints, end: Ints) -> None:
    """Let every node end where its last leaf does."""
    for node in range(left.shape[0] - 1, -1, -1):
        if left[node] >= 0:
            end[node] = end[right[node]]


@kernel
def _hold_out(
    feature: Ints, threshold: Floats, left: Ints, right: Ints, begin: Ints, end: Ints, members: Ints,
    rows: NDArray[np.float32], others: Flags, targets: Floats, sizes: Ints, sums: Floats,
    counts: Floats,
) -> None:  # fmt: skip
    """Add the means by one tree of the rows that it was not grown on, for every size; count these."""
    width = targets.shape[1]
    inside = np.zeros((left.shape[0], width))
    for node in range(left.shape[0] - 1, -1, -1):
        for column in range(width):
            if left[node] >= 0:
                inside[node, column] = inside[left[node], column] + inside[right[node], column]
            else:
                for k in range(begin[node], end[node]):
                    inside[node, column] += targets[members[k], column]
    for row in range(rows.shape[0]):
        if not others[row]:
            continue
        counts[row] += 1.0
        # From the largest size on, which a context comes to first
        node, size = 0, sizes.shape[0] - 1
        while size >= 0:
            after = -1
            if left[node] >= 0:
                went = rows[row, feature[node]] <= threshold[node]
                after = left[node] if went else right[node]
            if after >= 0 and end[after] - begin[after] >= sizes[size]:
                node = after
                continue
            for column in range(width):
                rest = inside[node, column] - targets[row, column]
                sums[size, row, column] += rest / (end[node] - begin[node] - 1)
            size -= 1


def _best(sums: Floats, counts: Floats, targets: Floats) -> tuple[int, Floats]:
    """Return the size that predicts best, the larger of equal ones, and its held-out means."""
    known = counts > 0.0
    errors = [
        float((((one[known] / counts[known, None]) - targets[known]) ** 2).sum()) for one in sums
    ]
    best = len(errors) - 1 - int(np.argmin(errors[::-1]))
    means = np.full(targets.shape, np.nan)
    means[known] = sums[best][known] / counts[known, None]
    return int(SIZES[best]), means


def extra_trees() -> Any:
    """Return scikit-learn's forest, which takes a second to load."""
    from sklearn.ensemble import ExtraTreesRegressor

    return ExtraTreesRegressor(
        n_estimators=_TREES, min_samples_leaf=LEAF, bootstrap=True, random_state=0, n_jobs=1
    )


@checked
def _node(
    root: int, feature: Ints, threshold: Floats, left: Ints, right: Ints, begin: Ints, end: Ints,
    least: int, x: NDArray[np.float32],
) -> int:  # fmt: skip
    node = root
    while left[node] >= 0:
        after = left[node] if x[feature[node]] <= threshold[node] else right[node]
        if end[after] - begin[after] < least:
            break
        node = after
    return node


@checked
def _weigh(
    roots: Ints, feature: Ints, threshold: Floats, left: Ints, right: Ints, begin: Ints, end: Ints,
    members: Ints, least: int, x: NDArray[np.float32], out: Floats,
) -> None:  # fmt: skip
    """Add to out the weights of the rows a forest was grown on; their sum is 1."""
    for root in roots:
        node = _node(root, feature, threshold, left, right, begin, end, least, x)
        size = end[node] - begin[node]
        for k in range(begin[node], end[node]):
            out[members[k]] += 1.0 / (size * roots.shape[0])


def weigh(forest: Forest, context: Floats) -> Floats:
    """Return the weights of the rows that a forest was grown on, for one context."""
    f = forest
    weights = np.zeros(f.size)
    _weigh(
        f.roots, f.feature, f.threshold, f.left, f.right, f.begin, f.end, f.members, f.least,
        context.astype(np.float32), weights,
    )  # fmt: skip
    return weights
