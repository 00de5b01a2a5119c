"""Ridge mean and empirical residuals: reservation values that follow any cost.

Level 2 of the paper's assumptions: v = w·x + ε with one distribution of ε per box. Then σ = w·x + s
with E(s − ε)⁺ = c. The mean comes from :mod:`weitzman.learn.learners.ridge`; the distribution of ε is that
of the last ``memory`` residuals, each taken before its own value was learned. With the k residuals
r sorted, s is the root of the increasing piecewise linear function

    (1/k) Σ_i (s − r_i)⁺ = c,   s = (k c + r_1 + … + r_j) / j   for the first j with s ≤ r_{j+1}.

At c = 0 it is the smallest residual. Before anything is seen ε is taken as 0, so σ = w₀·x + c. A
round costs O(d² + memory); memory is constant. For rows that share their weights, residuals are
shared too.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import linear
from weitzman.learn.learners.compiled_bank import CompiledBank
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
    regression_settle,
    regression_width,
)
from weitzman.search.numbers import whole_number

_LONGEST = 100_000  # the memory of every box is taken at once


class ResidualState(NamedTuple):
    """A regression, and its last residuals by age (``recent``) and by size (``ordered``)."""

    core: Regression
    spread: Floats
    pool: Floats
    recent: Floats
    ordered: Floats
    counts: Ints


def checked_memory(memory: int) -> int:
    """Return how many residuals a box remembers."""
    return whole_number(memory, "The memory", least=1, most=_LONGEST)


@dataclass(frozen=True, kw_only=True)
class Residual:
    """Ridge mean plus the reservation value of the empirical residuals at the asked cost.

    Parameters
    ----------
    memory
        How many residuals a box remembers.
    eta, intercept, prior, forget, shared
        As for :class:`~weitzman.learn.learners.ridge.Ridge`.

    Examples
    --------
    >>> bank = Residual(eta=1e9).start(boxes=1, dimension=1)
    >>> for value in (3.0, 5.0, 4.0, 4.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0]], 1.0) < bank.predict([[1.0]], 2.0)
    array([ True])
    """

    memory: int = 1000
    eta: Eta = "auto"
    intercept: bool | None = None
    prior: Prior = None
    forget: float = 1.0
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        memory = checked_memory(self.memory)

        def blank(start: Floats, capacity: int) -> ResidualState:
            rows = len(start)
            return ResidualState(
                core=blank_regression(start, self.eta, self.forget, self.prior),
                spread=np.zeros((rows, 3)),
                pool=np.zeros(3),
                recent=np.zeros((rows, memory)),
                ordered=np.zeros((rows, memory)),
                counts=np.zeros((rows, 1), dtype=np.int64),
            )

        return CompiledBank(self, boxes=boxes, dimension=dimension, blank=blank, weights=None)


@compiled
def residual_reservation_value(ordered: Floats, count: int, cost: float) -> float:
    """Return s with (1/k) Σ (s − r_i)⁺ = c for the first k sorted residuals."""
    if count == 0:
        return cost
    budget = count * cost
    for j in range(1, count):
        budget += ordered[j - 1]
        if budget <= j * ordered[j]:
            return float(budget / j)
    return float((budget + ordered[count - 1]) / count)


@compiled
def remember(recent: Floats, ordered: Floats, count: int, residual: float) -> None:
    """Put a residual in the place of the oldest, and where it belongs by its size."""
    memory = recent.shape[0]
    held = min(count, memory)
    slot = count % memory
    if count >= memory:
        # The oldest leaves: close its gap
        place = np.searchsorted(ordered, recent[slot])
        for i in range(place, memory - 1):
            ordered[i] = ordered[i + 1]
        held -= 1
    recent[slot] = residual
    place = held
    while place > 0 and ordered[place - 1] > residual:
        ordered[place] = ordered[place - 1]
        place -= 1
    ordered[place] = residual


@implements(predict_row, ResidualState)
def _predict(state: ResidualState, row: int, context: Floats, cost: float) -> float:
    held = min(state.counts[row, 0], state.recent.shape[1])
    mean = linear(state.core.weights[row], context)
    return mean + residual_reservation_value(state.ordered[row], held, cost)


@implements(learn_row, ResidualState)
def _learn(state: ResidualState, row: int, context: Floats, value: float, cost: float) -> None:
    residual = value - linear(state.core.weights[row], context)
    remember(state.recent[row], state.ordered[row], state.counts[row, 0], residual)
    state.counts[row, 0] += 1
    regression_learn(state.core, row, context, value, state.spread[:, 2])
    note_residual(state.spread[row], residual)


implements(width_row, ResidualState)(regression_width)
implements(reach_row, ResidualState)(regression_reach)
implements(settle_row, ResidualState)(regression_settle)
