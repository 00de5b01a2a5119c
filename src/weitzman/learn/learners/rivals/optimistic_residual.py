"""Every past look, moved to the context of today, optimistically: Algorithm 5 of [Liu 2025].

The mean is w·x and the law of what is around it does not change. With the ridge estimate θ of a box and the
width w(x) of its mean (:mod:`weitzman.learn.learners.rivals.confidence`), its m past looks (x_j, v_j) say
that today's value is as likely any of

    z_j = max(v_0, v_j − (θ·x_j + w(x_j)) + (θ·x − w(x))),    v_0 the best value that is possible,

and a share √(L/m), L = ½ ln(4 n T/δ), is taken from the worst of them and is at v_0:

    σ is the root of ∫_{v_0}^σ H = c,   H = min(1, #{j: z_j ≤ s}/m + √(L/m)).

For values of [0, 1], means in [¼, ¾] and noise within ±¼ the regret is Õ(n d √T), with ``scale="theorem"``, a
right ``least`` and contexts in the unit ball. L and β² are multiplied by ``scale``
(:mod:`weitzman.learn.learners.rivals.constants`). Every box is opened once.

**What is reconstructed.** β; that the range of the values is that of the values seen; and that the e_j =
v_j − θ·x_j − w(x_j) are those of the last *refit*: all are computed again when the looks of the box have
grown by the factor ``refit``, and until then a new look has the e of its own round. With ``refit=1`` it is
every look.

**Cost.** With the e_j in increasing order and their partial sums a prediction takes O(d² + log m), and a look
O(d³ + m), refits included. Memory is that of all looks.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import dot, fixed_log, linear, load_row
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
    BOXES,
    SCALE,
    Scale,
    best_value,
    blank_ends,
    horizon_now,
    is_absent,
    note_first,
    rules_of,
    unseen,
    widen,
)
from weitzman.learn.learners.rivals.ordered import insert, sort

_REFIT = 3
# Entries of ``counts``: looks, how many of them are in order, looks at the last refit
_LOOKS, _HELD, _FITTED = 0, 1, 2


class MovedState(NamedTuple):
    """A regression, its looks (x, v), the e_j in increasing order, and their partial sums.

    ``volume`` holds ln det(ηV) of each row.
    """

    core: Regression
    points: Floats
    ordered: Floats
    sums: Floats
    counts: Ints
    volume: Floats
    ends: Floats
    spread: Floats
    pool: Floats
    rules: Floats


@dataclass(frozen=True, kw_only=True)
class OptimisticResidual:
    """Ridge mean with a confidence bound, and the optimistic law of past looks around it: Liu's.

    Parameters
    ----------
    scale
        What L and β² are multiplied by: a number, ``"auto"`` for 1/40, or ``"theorem"`` for 1.
    horizon
        T; doubled as needed if None.
    least
        The best value that a box can hold; the least seen so far if None.
    refit
        By which factor the looks of a box grow until all are moved again.
    eta, intercept, prior, shared
        As for :class:`~weitzman.learn.learners.ridge.Ridge`.

    Examples
    --------
    >>> bank = OptimisticResidual(scale=0.0, eta=1e9).start(boxes=1, dimension=1)
    >>> for x in (1.0, 2.0, 3.0):
    ...     bank.update([0], [[x]], [2.0 * x], 1.0)
    >>> bank.predict([[4.0]], 1.0).round(6)
    array([9.])
    """

    own_optimism: ClassVar[bool] = True

    scale: Scale = "auto"
    horizon: int | None = None
    least: float | None = None
    refit: float = 1.1
    eta: Eta = "auto"
    intercept: bool | None = None
    prior: Prior = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        if not 1.0 <= self.refit < math.inf:
            raise InvalidInputError("refit", "be a finite number >= 1", self.refit)
        rules = np.append(rules_of(self.scale, self.horizon, self.least), self.refit)

        def blank(start: Floats, capacity: int) -> MovedState:
            rows, size = start.shape
            return MovedState(
                core=blank_regression(start, self.eta, 1.0, self.prior),
                points=np.zeros((rows, capacity, size + 1)),
                ordered=np.zeros((rows, capacity)),
                sums=np.zeros((rows, capacity)),
                counts=np.zeros((rows, 3), dtype=np.int64),
                volume=np.zeros((rows, 1)),
                ends=blank_ends(),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                rules=rules,
            )

        return CompiledBank(
            self,
            boxes=boxes,
            dimension=dimension,
            blank=blank,
            weights=None,
            seen=lambda state: int(state.counts[:, _LOOKS].max()),
            tidy=_tidy,
        )


def _tidy(state: Arrays) -> Arrays:
    held = int(np.asarray(state["counts"])[:, _LOOKS].max())
    for name in ("points", "ordered", "sums"):
        state[name] = np.ascontiguousarray(state[name][:, :held])
    return state


@compiled
def _bound(state: MovedState, row: int, x: Floats) -> float:
    """Return w(x), for a context with its constant."""
    width = cover_width(state.core.cover, row, x, state.core.work[1])
    if not width < math.inf:
        # Between two looks of a round at boxes that are one
        return 0.0
    return width * confidence(state.rules, state.ends, state.pool[0], state.volume[row, 0])


@compiled
def _excess(
    ordered: Floats, sums: Floats, j: int, clipped: int, shift: float, best: float, extra: float
) -> tuple[float, float]:
    """Return z_j, the j-th of the moved looks from 1 on, and m ∫ H from v_0 to z_j; ``extra`` is m √(L/m)."""
    at = max(best, ordered[j - 1] + shift)
    below = min(j, clipped)
    total = below * (at - best)
    if j > clipped:
        moved = sums[j - 1] - (sums[clipped - 1] if clipped > 0 else 0.0)
        total += (j - clipped) * (at - shift) - moved
    return at, total + extra * (at - best)


@compiled
def moved_root(
    ordered: Floats,
    sums: Floats,
    count: int,
    shift: float,
    best: float,
    cost: float,
    extra: float,
) -> float:
    """Return σ of the moved looks.

    ``sums`` are the partial sums of the ordered e_j, and each look is at e_j + ``shift``, or at the ``best``
    value if that is not better.
    """
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] + shift <= best:
            low = middle + 1
        else:
            high = middle
    clipped = low
    # From here on H is 1
    last = min(count, max(0, math.ceil(count - extra)))
    budget, low, high = count * cost, 0, last
    while low < high:
        middle = (low + high + 1) // 2
        _, excess = _excess(ordered, sums, middle, clipped, shift, best, extra)
        if excess <= budget:
            low = middle
        else:
            high = middle - 1
    at, excess = best, 0.0
    if low > 0:
        at, excess = _excess(ordered, sums, low, clipped, shift, best, extra)
    return at + max(budget - excess, 0.0) / min(low + extra, float(count))


@implements(predict_row, MovedState)
def _predict(state: MovedState, row: int, context: Floats, cost: float) -> float:
    count = state.counts[row, _HELD]
    if is_absent(context):
        return math.nan
    if count == 0:
        return unseen(state.ends, cost)
    x = state.core.work[0]
    load_row(context, x)
    shift = linear(state.core.weights[row], context) - _bound(state, row, x)
    horizon = horizon_now(state.rules, state.pool[0])
    # 4 n T / δ = 4 n T²
    logarithm = 0.5 * fixed_log(4.0 * state.ends[BOXES] * horizon * horizon)
    extra = math.sqrt(state.rules[SCALE] * logarithm * count)
    best = best_value(state.rules, state.ends)
    return moved_root(state.ordered[row], state.sums[row], count, shift, best, cost, extra)


@implements(learn_row, MovedState)
def _learn(state: MovedState, row: int, context: Floats, value: float, cost: float) -> None:
    count = state.counts[row, _LOOKS]
    residual = value - linear(state.core.weights[row], context)
    note_first(state.pool, value)
    regression_learn(state.core, row, context, value, state.spread[:, 2])
    note_residual(state.spread[row], residual)
    point = state.points[row, count]
    load_row(context, point[:-1])
    point[-1] = value
    state.counts[row, _LOOKS] = count + 1
    widen(state.ends, value, count)


@implements(settle_row, MovedState)
def _settle(state: MovedState, row: int) -> None:
    settle_core(state.core, row)
    core, counts = state.core, state.counts[row]
    state.volume[row, 0] = log_volume(core.cover, row, core.reals[row, 2], core.square)
    whole = counts[_LOOKS] >= state.rules[_REFIT] * counts[_FITTED]
    if whole:
        counts[_HELD], counts[_FITTED] = 0, counts[_LOOKS]
    first = counts[_HELD]
    ordered = state.ordered[row]
    for j in range(first, counts[_LOOKS]):
        x = state.points[row, j, :-1]
        mean = dot(core.weights[row], x, x.shape[0])
        ordered[j] = state.points[row, j, -1] - mean - _bound(state, row, x)
    if whole:
        sort(ordered, counts[_LOOKS])
    else:
        for j in range(first, counts[_LOOKS]):
            insert(ordered, j, ordered[j])
    counts[_HELD] = counts[_LOOKS]
    total = 0.0
    for j in range(counts[_LOOKS]):
        total += ordered[j]
        state.sums[row, j] = total


implements(width_row, MovedState)(regression_width)
implements(reach_row, MovedState)(regression_reach)
