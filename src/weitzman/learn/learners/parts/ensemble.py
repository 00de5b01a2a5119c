"""Boosted trees for reservation values, grown by LightGBM or scikit-learn and kept as arrays.

Boosting adds trees f_1, f_2, … to a start: a tree is grown on gradient g and Hessian h of the loss at the
sum so far (:mod:`weitzman.learn.learners.parts.boosting`), and moves a leaf by −ε Σ g / Σ h. LightGBM does
so with histograms. With scikit-learn a tree is the regression of −g/h with weights h, whose leaves are −Σ g
/ Σ h.

Features are taken as 32-bit numbers, as scikit-learn does. Both are run with one thread and a fixed seed;
a tree is then the same in every run of the same version of the library.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import checked
from weitzman.errors import InvalidInputError, WeitzmanError
from weitzman.learn.learners.parts.boosting import objective

Engine = Literal["auto", "lightgbm", "sklearn"]

RATE = 0.1
"""ε, which is LightGBM's and scikit-learn's default; the floor of the Hessian is the same."""
LEAF = 20
"""The least number of observations in a leaf, LightGBM's and scikit-learn's default."""
_LEAVES = 31


class Ensemble(NamedTuple):
    """Trees as arrays: where each begins, and for every node its question or its value.

    A node with ``left`` < 0 is a leaf; at any other x goes left if x[feature] ≤ threshold.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats


def checked_engine(engine: Engine) -> Literal["lightgbm", "sklearn"]:
    """Return the library that grows trees: LightGBM if it is there, else scikit-learn."""
    if engine not in ("auto", "lightgbm", "sklearn"):
        raise InvalidInputError("engine", "be 'auto', 'lightgbm' or 'sklearn'", engine)
    if engine != "sklearn":
        try:
            import lightgbm  # noqa: F401
        except ImportError:
            if engine == "lightgbm":
                raise WeitzmanError(
                    "This engine needs LightGBM: pip install 'weitzman[boosting]'."
                ) from None
        else:
            return "lightgbm"
    return "sklearn"


def boost(
    contexts: Floats,
    values: Floats,
    costs: Floats,
    trees: int,
    engine: Literal["lightgbm", "sklearn"],
) -> Ensemble:
    """Return trees that lead from the start 0 towards the reservation values of these values."""
    rows = contexts.astype(np.float32)
    if engine == "lightgbm":
        return _by_lightgbm(rows.astype(np.float64), values, costs, trees)
    return _by_sklearn(rows, values, costs, trees)


def _by_lightgbm(rows: Floats, values: Floats, costs: Floats, trees: int) -> Ensemble:
    from lightgbm import LGBMRegressor
    from lightgbm.basic import LightGBMError

    model: Any = LGBMRegressor(
        objective=objective(costs, floor=RATE),
        n_estimators=trees,
        learning_rate=RATE,
        num_leaves=_LEAVES,
        min_child_samples=LEAF,
        random_state=0,
        n_jobs=1,
        deterministic=True,
        force_row_wise=True,
        verbosity=-1,
    )
    try:
        model.fit(rows, values)
    except LightGBMError as error:
        if "num_features" not in str(error):
            raise
        # No feature can be split, and it grows not even a stump
        return _ensemble([], *np.empty((5, 0)))
    nodes: list[tuple[int, float, int, int, float]] = []

    def add(node: dict[str, Any]) -> int:
        place = len(nodes)
        nodes.append((0, 0.0, -1, -1, float(node.get("leaf_value", 0.0))))
        if "left_child" in node:
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[place] = node["split_feature"], node["threshold"], left, right, 0.0
        return place

    grown = model.booster_.dump_model()["tree_info"]
    roots = [add(tree["tree_structure"]) for tree in grown]
    return _ensemble(roots, *np.array(nodes, dtype=np.float64).reshape(-1, 5).T)


def _ensemble(
    roots: Any, feature: Any, threshold: Any, left: Any, right: Any, value: Any
) -> Ensemble:
    return Ensemble(
        roots=np.array(roots, dtype=np.int64),
        feature=np.array(feature, dtype=np.int64),
        threshold=np.array(threshold, dtype=np.float64),
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        value=np.array(value, dtype=np.float64),
    )


def _by_sklearn(rows: NDArray[np.float32], values: Floats, costs: Floats, trees: int) -> Ensemble:
    from sklearn.tree import DecisionTreeRegressor

    derive, now = objective(costs, floor=RATE), np.zeros(len(values))
    grown, roots, nodes = [], [], 0
    for _ in range(trees):
        gradient, hessian = derive(values, now)
        tree = DecisionTreeRegressor(
            max_leaf_nodes=_LEAVES, min_samples_leaf=LEAF, random_state=0
        ).fit(rows, -gradient / hessian, sample_weight=hessian)
        now = now + RATE * tree.predict(rows)
        t = tree.tree_
        inner = t.children_left >= 0
        children = [
            np.where(inner, side + nodes, -1) for side in (t.children_left, t.children_right)
        ]
        grown.append((t.feature, t.threshold, *children, RATE * t.value[:, 0, 0]))
        roots.append(nodes)
        nodes += t.node_count
    return _ensemble(roots, *(np.concatenate(column) for column in zip(*grown, strict=True)))


@checked
def _evaluate(
    roots: Ints, feature: Ints, threshold: Floats, left: Ints, right: Ints, value: Floats,
    rows: NDArray[np.float32], every: int, out: Floats,
) -> None:  # fmt: skip
    for k in range(rows.shape[0]):
        total = 0.0
        for tree in range(roots.shape[0]):
            node = roots[tree]
            while left[node] >= 0:
                node = left[node] if rows[k, feature[node]] <= threshold[node] else right[node]
            total += value[node]
            if (tree + 1) % every == 0:
                out[k, (tree + 1) // every - 1] = total


def evaluate(ensemble: Ensemble, contexts: Floats, every: int) -> Floats:
    """Return the sums after the first ``every`` trees, after 2 ``every`` and so on, one row per context."""
    out = np.zeros((len(contexts), len(ensemble.roots) // every))
    _evaluate(*ensemble, contexts.astype(np.float32), every, out)
    return out
