"""Thompson sampling: σ at a mean that is drawn from its posterior.

With normal noise of unknown variance s² and the prior N(w₀, s² η I), 1/s² for s², the posterior of the mean
at x after m looks is

    θ·x + √(2b/m) ‖x‖_{V⁻¹} T,     T of Student's law with m degrees of freedom,

    V = I/η + Σ x xᵀ,   θ = V⁻¹(w₀/η + Σ v x),   2b = Σ (v − θ·x)² / (1 + ‖x‖²_{V⁻¹}),

where the θ and V in a term of b are those before its look [DeGroot 1970]. σ is a draw of it plus s, E(s −
ε)⁺ = c for the law of the last ``memory`` residuals: the posterior is of the mean, the law around it is
that of the residuals. [Thompson 1933] has the principle; it is put together here, and no theorem is
claimed. Every box is opened once.

If η is not a number, it changes while playing, and the earlier terms of b stay; so do those of one round
for boxes that are one.

**A draw** is a function of the seed, the number of looks at all boxes, the box and the context. So asking
changes nothing, and every round has a draw of its own, unless nothing is learned in it and its contexts are
those of the round before: with an outside option and constant contexts a draw that opens nothing is not
drawn again. T is made of two uniform numbers [Bailey 1994].
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import fixed_log, linear, load_row
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
from weitzman.learn.learners.rivals.constants import (
    blank_ends,
    is_absent,
    note_first,
    unseen,
    widen,
)
from weitzman.learn.probing import mix_uint
from weitzman.search.numbers import whole_number

_LOG_2 = math.log(2.0)


class PosteriorState(NamedTuple):
    """A regression with 2b, the last residuals by age and by size; ``rules`` holds the seed."""

    core: Regression
    squares: Floats
    recent: Floats
    ordered: Floats
    counts: Ints
    ends: Floats
    spread: Floats
    pool: Floats
    rules: Floats


@dataclass(frozen=True, kw_only=True)
class Thompson:
    """Thompson sampling of the mean, with the law of past residuals around it.

    Parameters
    ----------
    seed
        The seed of the draws.
    memory
        How many residuals a box remembers.
    eta, intercept, prior, shared
        As for :class:`~weitzman.learn.learners.ridge.Ridge`.

    Examples
    --------
    >>> bank = Thompson(eta=1.0).start(boxes=1, dimension=1)
    >>> for value in (3.0, 5.0, 4.0, 6.0) * 1000:
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0], [1.1]], 1.0, [0, 0]).round()
    array([5., 6.])
    """

    own_optimism: ClassVar[bool] = True

    seed: int = 0
    memory: int = 1000
    eta: Eta = "auto"
    intercept: bool | None = None
    prior: Prior = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        seed = whole_number(self.seed, "The seed", least=0, most=2**53)
        memory = checked_memory(self.memory)

        def blank(start: Floats, capacity: int) -> PosteriorState:
            rows = len(start)
            return PosteriorState(
                core=blank_regression(start, self.eta, 1.0, self.prior),
                squares=np.zeros((rows, 1)),
                recent=np.zeros((rows, memory)),
                ordered=np.zeros((rows, memory)),
                counts=np.zeros((rows, 1), dtype=np.int64),
                ends=blank_ends(),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                rules=np.array([float(seed)]),
            )

        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank, weights=None)


@compiled
def _power(x: float, exponent: float) -> float:
    """Return x to a power, x > 0, by the same operations on every machine."""
    y = exponent * fixed_log(x)
    whole = math.floor(y / _LOG_2 + 0.5)
    y -= whole * _LOG_2
    total = 1.0
    for k in range(18, 0, -1):
        total = 1.0 + total * y / k
    return math.ldexp(total, int(whole))


@compiled
def uniform(key: np.uint64) -> float:
    """Return a number between 0 and 1, neither included, from random bits."""
    return (np.float64(key >> np.uint64(12)) + 0.5) / 4503599627370496.0


@compiled
def student(key: np.uint64, freedom: float) -> float:
    """Return a number of Student's law with so many degrees of freedom, from random bits."""
    while True:
        key = mix_uint(key)
        u = 2.0 * uniform(key) - 1.0
        key = mix_uint(key)
        v = 2.0 * uniform(key) - 1.0
        w = u * u + v * v
        if 0.0 < w < 1.0:
            return u * math.sqrt(freedom * (_power(w, -2.0 / freedom) - 1.0) / w)


@compiled
def _key(state: PosteriorState, row: int, context: Floats) -> np.uint64:
    key = mix_uint(np.uint64(state.rules[0]))
    key = mix_uint(key + np.uint64(state.pool[0]))
    key = mix_uint(key + np.uint64(row))
    for bits in context.view(np.uint64):
        key = mix_uint(key ^ bits)
    return key


@compiled
def _width(state: PosteriorState, row: int, context: Floats) -> float:
    """Return ‖x‖ in the norm of V⁻¹; 0 between two looks of a round at boxes that are one."""
    x = state.core.work[0]
    load_row(context, x)
    width = cover_width(state.core.cover, row, x, state.core.work[1])
    return width if width < math.inf else 0.0


@implements(predict_row, PosteriorState)
def _predict(state: PosteriorState, row: int, context: Floats, cost: float) -> float:
    count = state.counts[row, 0]
    if is_absent(context):
        return math.nan
    if count == 0:
        return unseen(state.ends, cost)
    wide = math.sqrt(state.squares[row, 0] / count) * _width(state, row, context)
    mean = linear(state.core.weights[row], context)
    mean += wide * student(_key(state, row, context), float(count))
    held = min(count, state.recent.shape[1])
    return mean + residual_reservation_value(state.ordered[row], held, cost)


@implements(learn_row, PosteriorState)
def _learn(state: PosteriorState, row: int, context: Floats, value: float, cost: float) -> None:
    count, core = state.counts[row, 0], state.core
    residual = value - linear(core.weights[row], context)
    if count == 0:
        # V is I/η, which is known once the look is in
        regression_learn(core, row, context, value, state.spread[:, 2])
        x = core.work[0]
        load_row(context, x)
        squares = 0.0
        for number in x:
            squares += number * number
        state.squares[row, 0] = residual * residual / (1.0 + squares / core.reals[row, 2])
    else:
        width = _width(state, row, context)
        state.squares[row, 0] += residual * residual / (1.0 + width * width)
        regression_learn(core, row, context, value, state.spread[:, 2])
    note_first(state.pool, value)
    remember(state.recent[row], state.ordered[row], count, residual)
    state.counts[row, 0] = count + 1
    note_residual(state.spread[row], residual)
    widen(state.ends, value, count)


@implements(settle_row, PosteriorState)
def _settle(state: PosteriorState, row: int) -> None:
    settle_core(state.core, row)


implements(width_row, PosteriorState)(regression_width)
implements(reach_row, PosteriorState)(regression_reach)
