"""LinUCB for search: an optimistic mean, and a law of what is around it that is known.

If a value is w·x + ε with a known law of ε, the only thing to learn is the mean, and that is the linear
bandit's:

    σ = θ·x − β ‖x‖_{V⁻¹} + s,   E(s − ε)⁺ = c,

with the ridge estimate θ and the confidence bound of :mod:`weitzman.learn.learners.rivals.confidence`
[Abbasi-Yadkori 2011], which is the index of [Li 2010] with the width that the theory asks for. It is put
together here: no paper has this learner. Monotonicity (a smaller σ at a smaller mean) makes it optimistic
for search as it is for choosing one arm. Every box is opened once.

``noise`` is the known law, as equally likely numbers. Without it the law is that of the last ``memory``
residuals of the box, each taken before its own value was learned, as in
:class:`~weitzman.learn.learners.residual.Residual`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import linear, load_row
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.gram import cover_width
from weitzman.learn.learners.parts.kernels import (
    learn_row,
    note_residual,
    predict_row,
    reach_row,
    settle_row,
    width_row,
)
from weitzman.learn.learners.parts.regulariser import Eta, Prior
from weitzman.learn.learners.residual import checked_memory, remember, residual_reservation_value
from weitzman.learn.learners.ridge import (
    Regression,
    blank_regression,
    regression_learn,
    regression_reach,
    regression_width,
    settle_core,
)
from weitzman.learn.learners.rivals.confidence import confidence, log_volume
from weitzman.learn.learners.rivals.constants import (
    Scale,
    blank_ends,
    is_absent,
    note_first,
    rules_of,
    unseen,
    widen,
)
from weitzman.search.numbers import float_array


class BoundState(NamedTuple):
    """A regression with ln det(ηV), the last residuals by age and by size, and the law that is known.

    ``noise_rules`` are the known residuals in increasing order, none if they are learned.
    """

    core: Regression
    volume: Floats
    recent: Floats
    ordered: Floats
    counts: Ints
    ends: Floats
    spread: Floats
    pool: Floats
    rules: Floats
    noise_rules: Floats


@dataclass(frozen=True, kw_only=True)
class LinUCB:
    """An optimistic mean and a residual law, known or learned.

    Parameters
    ----------
    noise
        The law of ε, as equally likely numbers; that of past residuals if None.
    memory
        How many residuals a box remembers.
    scale
        What β² is multiplied by: a number, ``"auto"`` for 1/40, or ``"theorem"`` for 1.
    horizon
        T; doubled as needed if None.
    eta, intercept, prior, shared
        As for :class:`~weitzman.learn.learners.ridge.Ridge`.

    Examples
    --------
    >>> bank = LinUCB(noise=[-1.0, 1.0], scale=0.0, eta=1e9).start(boxes=1, dimension=1)
    >>> for value in (3.0, 5.0, 4.0, 4.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0]], 0.5).round(6)
    array([4.])
    """

    own_optimism: ClassVar[bool] = True

    noise: ArrayLike | None = None
    memory: int = 1000
    scale: Scale = "auto"
    horizon: int | None = None
    eta: Eta = "auto"
    intercept: bool | None = None
    prior: Prior = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        memory = checked_memory(self.memory)
        rules, noise = rules_of(self.scale, self.horizon, None), _known(self.noise)

        def blank(start: Floats, capacity: int) -> BoundState:
            rows = len(start)
            return BoundState(
                core=blank_regression(start, self.eta, 1.0, self.prior),
                volume=np.zeros((rows, 1)),
                recent=np.zeros((rows, memory)),
                ordered=np.zeros((rows, memory)),
                counts=np.zeros((rows, 1), dtype=np.int64),
                ends=blank_ends(),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                rules=rules,
                noise_rules=noise,
            )

        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank, weights=None)


def _known(noise: ArrayLike | None) -> Floats:
    if noise is None:
        return np.zeros(0)
    known = float_array(noise, "noise")
    if known.ndim != 1 or not known.size or not np.isfinite(known).all():
        raise InvalidInputError("noise", "be finite numbers, at least one, or None", noise)
    return np.sort(known)


@compiled
def _law(state: BoundState, row: int, cost: float) -> float:
    """Return s with E(s − ε)⁺ = c."""
    if state.noise_rules.shape[0] > 0:
        return residual_reservation_value(state.noise_rules, state.noise_rules.shape[0], cost)
    held = min(state.counts[row, 0], state.recent.shape[1])
    return residual_reservation_value(state.ordered[row], held, cost)


@implements(predict_row, BoundState)
def _predict(state: BoundState, row: int, context: Floats, cost: float) -> float:
    if is_absent(context):
        return math.nan
    if state.counts[row, 0] == 0:
        return unseen(state.ends, cost)
    x = state.core.work[0]
    load_row(context, x)
    width = cover_width(state.core.cover, row, x, state.core.work[1])
    if not width < math.inf:
        # Between two looks of a round at boxes that are one
        width = 0.0
    beta = confidence(state.rules, state.ends, state.pool[0], state.volume[row, 0])
    return linear(state.core.weights[row], context) - beta * width + _law(state, row, cost)


@implements(learn_row, BoundState)
def _learn(state: BoundState, row: int, context: Floats, value: float, cost: float) -> None:
    count = state.counts[row, 0]
    residual = value - linear(state.core.weights[row], context)
    note_first(state.pool, value)
    remember(state.recent[row], state.ordered[row], count, residual)
    state.counts[row, 0] = count + 1
    regression_learn(state.core, row, context, value, state.spread[:, 2])
    note_residual(state.spread[row], residual)
    widen(state.ends, value, count)


@implements(settle_row, BoundState)
def _settle(state: BoundState, row: int) -> None:
    core = state.core
    settle_core(core, row)
    state.volume[row, 0] = log_volume(core.cover, row, core.reals[row, 2], core.square)


implements(width_row, BoundState)(regression_width)
implements(reach_row, BoundState)(regression_reach)
