"""The linear-quadratic loss as an objective of gradient boosting.

For a row with the prediction σ, the value v and the cost c, with z = σ − v
(:mod:`weitzman.learn.loss`),

    gradient   H_c′(z) = z⁺ − c,
    Hessian    max(H_c″(z), φ),   H_c″(z) = 1{z > 0}.

**The floor φ.** A tree moves the predictions of a leaf by −ε Σ gradient / Σ Hessian, ε the learning
rate. Below all values of the leaf H is linear and Σ Hessian would be 0. Let e(δ) be the mean of
(z + δ)⁺ over the leaf and c̄ its mean cost: the leaf is right at the δ* with e(δ*) = c̄. From below,
the step is at most (ε/φ) (c̄ − e(0)), and c̄ − e(0) ≤ δ*, since the slope of e is at most 1. From
above, it is at most ε times Newton's step, which stays above δ*, since e is convex. So with **φ ≥ ε
no tree leads a leaf past its own reservation value**, whatever the unit of the values. A much
smaller φ throws leaves far up; a larger one is slower where few values are below σ.

**The start.** A library starts its own objectives from the mean, but a given one from 0 (LightGBM)
or ``base_score`` (XGBoost). H depends on σ − v only, so subtract a constant from the values and add
it to the predictions: the reservation value of all values taken as one box is the best one. From a
start below all values every row has the same gradient and Hessian, no split gains anything, and
LightGBM stops at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.learn.loss import curvature, slope


# Equality of arrays is no truth value, and libraries hash their parameters
@dataclass(frozen=True, kw_only=True, eq=False)
class Objective:
    """Gradient and Hessian for the scikit-learn faces of LightGBM and XGBoost; it can be pickled."""

    cost: ArrayLike
    floor: float

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> tuple[Floats, Floats]:
        """Return gradient and Hessian of each row, times its weight if there is one."""
        z = np.asarray(y_pred, dtype=np.float64) - np.asarray(y_true, dtype=np.float64)
        cost = np.asarray(self.cost, dtype=np.float64)
        if cost.shape not in {(), z.shape}:
            rule = f"be one number or have the shape {z.shape}"
            raise InvalidInputError("cost", rule, cost.shape)
        gradient = slope(z, cost)
        hessian = np.maximum(curvature(z), self.floor)
        if sample_weight is None:
            return gradient, hessian
        weight = np.asarray(sample_weight, dtype=np.float64)
        return gradient * weight, hessian * weight


def objective(cost: ArrayLike, *, floor: float = 0.1) -> Objective:
    """Return an objective for boosted reservation values.

    Parameters
    ----------
    cost
        One number ≥ 0, or one per row of the training data, in its order.
    floor
        φ, in (0, 1]: not below the learning rate. LightGBM's default is 0.1, XGBoost's 0.3.

    Examples
    --------
    >>> gradient, hessian = objective(0.5)([3.0, 3.0], [2.0, 5.0])
    >>> gradient, hessian
    (array([-0.5,  1.5]), array([0.1, 1. ]))
    """
    given = np.asarray(cost, dtype=np.float64)
    if given.ndim > 1 or not ((given >= 0.0) & np.isfinite(given)).all():
        raise InvalidInputError("cost", "be finite numbers >= 0, one or one per row", cost)
    if not 0.0 < floor <= 1.0:
        raise InvalidInputError("floor", "be a number > 0 and <= 1", floor)
    return Objective(cost=cost, floor=floor)
