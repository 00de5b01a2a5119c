"""Linear regression as index: the paper's baseline.

The weights of a box are the minimiser of Σ_s γ^{t−s} ½ (w·x_s − v_s)² + ‖w − w₀‖² / (2η), and σ =
w·x. This is the mean of the value, not its reservation value: it ignores the cost and the spread,
and is the right index only where both are the same for all boxes.

With V = I/η + Σ γ^{t−s} x xᵀ (:mod:`weitzman.learn.learners.parts.gram`) a round makes one Newton step w ←
w − V⁻¹ (V w − w₀/η − Σ γ^{t−s} v x) from the last weights, which is the minimiser, and rounding errors of
earlier rounds do not stay. A round costs O(d²), or O(d³) with a discount, since 1/η is not discounted;
memory is constant.
"""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import linear, load_row, symmetric_product
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.gram import (
    Cover,
    blank_cover,
    cover_add,
    cover_reach,
    cover_scale,
    cover_settle,
    cover_width,
)
from weitzman.learn.learners.parts.kernels import (
    learn_row,
    note_residual,
    predict_row,
    reach_row,
    settle_row,
    width_row,
)
from weitzman.learn.learners.parts.regulariser import (
    Eta,
    Prior,
    check_forget,
    eta_code,
    follow_ridge,
    hold_to_others,
    shared_prior,
)


class Regression(NamedTuple):
    """A ridge regression; ``reals`` holds (contexts, squared lengths, 1/η).

    ``rules`` holds (η, γ), and how far the others must agree if each row is held to them.
    """

    weights: Floats
    prior: Floats
    moment: Floats
    cover: Cover
    reals: Floats
    rules: Floats
    work: Floats
    square: Floats


class RidgeState(NamedTuple):
    """The state of :class:`Ridge`."""

    core: Regression
    spread: Floats
    pool: Floats


def blank_regression(start: Floats, eta: Eta, forget: float, prior: Prior = None) -> Regression:
    """Return the regression of rows that have seen nothing and start at these weights."""
    if eta == "theorem":
        raise InvalidInputError("eta", "be a number or 'auto' for a regression", eta)
    check_forget(forget)
    rows, size = start.shape
    sure = shared_prior(prior)
    return Regression(
        weights=start.copy(),
        prior=start,
        moment=np.zeros((rows, size)),
        cover=blank_cover(rows, size),
        reals=np.zeros((rows, 3)),
        rules=np.array([eta_code(eta, None, None), forget, *[sure] * (sure > 0.0)]),
        work=np.zeros((3, size)),
        square=np.zeros((size, size)),
    )


@compiled
def _width(core: Regression, row: int, context: Floats) -> float:
    load_row(context, core.work[0])
    return cover_width(core.cover, row, core.work[0], core.work[1])


def regression_width(state: Any, row: int, context: Floats) -> float:
    """Return ‖x‖ in the norm of V⁻¹: the body for states with a regression as ``core``."""
    return _width(state.core, row, context)


def regression_reach(state: Any, row: int, context: Floats) -> float:
    """Return an upper bound of the width: the body for states with a regression as ``core``."""
    return cover_reach(state.core.cover, row, context)


@compiled
def regression_learn(
    core: Regression, row: int, context: Floats, value: float, looks: Floats
) -> None:
    """Take one observation in; ``looks`` are the looks at all rows before it."""
    x, forget = core.work[0], core.rules[1]
    if core.rules.shape[0] > 2:
        hold_to_others(core.weights, core.prior, looks, row, core.rules[2])
    load_row(context, x)
    if forget < 1.0:
        cover_scale(core.cover, row, forget)
    cover_add(core.cover, row, x, 1.0, core.work[1])
    for j in range(x.shape[0]):
        core.moment[row, j] = forget * core.moment[row, j] + value * x[j]
    follow_ridge(core.reals[row], core.rules[0], x)


def regression_settle(state: Any, row: int) -> None:
    """Move the weights to the minimiser: the body for states with a regression as ``core``."""
    settle_core(state.core, row)


@compiled
def settle_core(core: Regression, row: int) -> None:
    """Move the weights of a regression to the minimiser."""
    ridge = core.reals[row, 2]
    cover_settle(core.cover, row, ridge, core.square)
    weights, gradient, step = core.weights[row], core.work[1], core.work[2]
    symmetric_product(core.cover.gram[row], weights, gradient)
    for j in range(step.shape[0]):
        gradient[j] += ridge * (weights[j] - core.prior[row, j]) - core.moment[row, j]
    symmetric_product(core.cover.inverse[row], gradient, step)
    for j in range(step.shape[0]):
        weights[j] -= step[j]


@dataclass(frozen=True, kw_only=True)
class Ridge:
    """Ridge regression, with the mean as reservation value.

    Parameters
    ----------
    eta, intercept, prior, forget, shared
        As for :class:`weitzman.FTRL`; ``eta`` is a number or ``"auto"``.

    Examples
    --------
    >>> bank = Ridge(eta=1e9).start(boxes=1, dimension=1)
    >>> for value in (3.0, 5.0, 4.0, 6.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0]], 1.0).round(6)
    array([4.5])
    """

    eta: Eta = "auto"
    intercept: bool | None = None
    prior: Prior = None
    forget: float = 1.0
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""

        def blank(start: Floats, capacity: int) -> RidgeState:
            core = blank_regression(start, self.eta, self.forget, self.prior)
            return RidgeState(core=core, spread=np.zeros((len(start), 3)), pool=np.zeros(3))

        weights = attrgetter("core.weights")
        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank, weights=weights)


@implements(predict_row, RidgeState)
def _predict(state: RidgeState, row: int, context: Floats, cost: float) -> float:
    return linear(state.core.weights[row], context)


@implements(learn_row, RidgeState)
def _learn(state: RidgeState, row: int, context: Floats, value: float, cost: float) -> None:
    residual = value - linear(state.core.weights[row], context)
    regression_learn(state.core, row, context, value, state.spread[:, 2])
    note_residual(state.spread[row], residual)


implements(width_row, RidgeState)(regression_width)
implements(reach_row, RidgeState)(regression_reach)
implements(settle_row, RidgeState)(regression_settle)
