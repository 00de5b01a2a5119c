"""Reservation values of optimistic empirical laws, without contexts.

With the m values of a box in increasing order, v_1 ≤ … ≤ v_m, and v_0 the best value that is possible, a
share H_j of the optimistic law lies at or below s for v_j ≤ s < v_{j+1}, and

    σ is the root of ∫_{v_0}^σ H = c,

    H_j = q                                              q = j/m: the empirical law, ``mass="none"``
    H_j = q + ε,  ε = √(L/(2m)),  L = ln(2 n T / δ)      ``mass="uniform"`` [Agarwal 2024]
    H_j = q + √(2 q (1 − q) L/m) + L/m,  L = 4 ln(2 n T²/δ)    ``mass="bernstein"`` [Liu 2025, Algorithm 2]

each at most 1, with δ = 1/T for n boxes and T rounds: from the worst values some mass is moved to the best
one. Every box is opened once. Under feedback ``chosen`` H is made of bounds too
(:mod:`weitzman.learn.learners.rivals.censored_laws`). L is multiplied by ``scale``
(:mod:`weitzman.learn.learners.rivals.constants`).

For values of [0, 1] and opened boxes the regret is Õ(n √T) for ``"uniform"`` and Õ(√(n T)), the best
possible, for ``"bernstein"``, if ``scale="theorem"`` and ``least`` is right. ``"none"`` has no bound: a box
whose first values were bad is not opened again.

**What is reconstructed.** [Liu 2025] was read but for its formula (1), which is restored from its Lemma
C.1.4; [Agarwal 2024] is taken from the description in [Liu 2025]. Both know the best value. Without
``least`` it is the least that any box has shown, and a box that is better than all others and has not shown
it may starve.

**Cost.** A look takes O(m), and a σ as many steps as there are values below it. Memory is that of all values.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.compiled.decorators import compiled, implements
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.kernels import (
    learn_row,
    note_residual,
    predict_row,
    reach_row,
    settle_row,
    width_row,
)
from weitzman.learn.learners.rivals.censored_laws import CensoredBank, CensoredLaws
from weitzman.learn.learners.rivals.constants import (
    BOXES,
    MASS,
    Scale,
    best_value,
    blank_ends,
    is_absent,
    logarithm_of,
    note_first,
    optimistic_share,
    rules_of,
    unseen,
    widen,
)
from weitzman.learn.learners.rivals.ordered import insert

Mass = Literal["none", "uniform", "bernstein"]
_MASSES: Final = ("none", "uniform", "bernstein")


class LawState(NamedTuple):
    """The values of each row in increasing order, and how many; ``found`` is the last σ and its question."""

    ordered: Floats
    counts: Ints
    ends: Floats
    found: Floats
    spread: Floats
    pool: Floats
    rules: Floats


@dataclass(frozen=True, kw_only=True)
class OptimisticLaw:
    """Optimistic empirical laws without contexts: Liu's, Agarwal's, or no optimism.

    Parameters
    ----------
    mass
        How much is moved to the best value: ``"bernstein"`` [Liu 2025], ``"uniform"`` [Agarwal 2024] or
        ``"none"``.
    scale
        What L is multiplied by: a number, ``"auto"`` for 1/40, or ``"theorem"`` for 1.
    horizon
        T; doubled as needed if None.
    least
        The best value that a box can hold; the least seen so far if None.
    shared
        Whether all boxes are one.

    Examples
    --------
    >>> bank = OptimisticLaw(mass="none").start(boxes=1, dimension=1)
    >>> for value in (4.0, 0.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0]], 1.0)
    array([2.])
    """

    own_optimism: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    intercept: ClassVar[bool] = False
    prior: ClassVar[None] = None

    mass: Mass = "bernstein"
    scale: Scale = "auto"
    horizon: int | None = None
    least: float | None = None
    shared: bool = False

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        rules = self._rules()

        def blank(start: Floats, capacity: int) -> LawState:
            rows = len(start)
            return LawState(
                ordered=np.zeros((rows, capacity)),
                counts=np.zeros((rows, 1), dtype=np.int64),
                ends=blank_ends(),
                found=np.zeros((rows, 5)),
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
            seen=lambda state: int(state.counts.max()),
            tidy=_tidy,
        )

    def start_bounded(self, *, boxes: int, dimension: int) -> CensoredBank:
        """Return a bank that has seen nothing, and learns from bounds too."""
        laws = CensoredLaws(1 if self.shared else boxes, self._rules())
        return CensoredBank(model=laws, boxes=boxes, dimension=dimension, shared=self.shared)

    def _rules(self) -> Floats:
        if self.mass not in _MASSES:
            raise InvalidInputError("mass", f"be one of {list(_MASSES)}", self.mass)
        common = rules_of(self.scale, self.horizon, self.least)
        return np.append(common, float(_MASSES.index(self.mass)))


def _tidy(state: Arrays) -> Arrays:
    held = int(np.asarray(state["counts"]).max())
    state["ordered"] = np.ascontiguousarray(state["ordered"][:, :held])
    # What is found again is not kept
    state["found"][:] = 0.0
    return state


@compiled
def _root(
    ordered: Floats, count: int, best: float, cost: float, mass: float, logarithm: float
) -> float:
    """Return σ with ∫ H = c from the best value to σ."""
    left, low = cost, best
    for j in range(count):
        share = optimistic_share(mass, j / count, count, logarithm)
        gap = ordered[j] - low
        if share > 0.0 and share * gap >= left:
            return float(low + left / share)
        left -= share * gap
        low = ordered[j]
    return float(low + left)


@implements(predict_row, LawState)
def _predict(state: LawState, row: int, context: Floats, cost: float) -> float:
    count = state.counts[row, 0]
    if is_absent(context):
        return math.nan
    if count == 0:
        return unseen(state.ends, cost)
    logarithm = logarithm_of(state.rules, state.ends[BOXES], state.pool[0])
    best, found = best_value(state.rules, state.ends), state.found[row]
    known = found[0] == count and found[1] == cost and found[2] == best and found[3] == logarithm
    if not known:
        found[0], found[1], found[2], found[3] = count, cost, best, logarithm
        ordered, mass = state.ordered[row], state.rules[MASS]
        found[4] = _root(ordered, count, best, cost, mass, logarithm)
    return float(found[4])


@implements(learn_row, LawState)
def _learn(state: LawState, row: int, context: Floats, value: float, cost: float) -> None:
    count, residual = state.counts[row, 0], 0.0
    if count > 0:
        residual = value - predict_row(state, row, context, cost)
    note_first(state.pool, value)
    note_residual(state.spread[row], residual)
    insert(state.ordered[row], count, value)
    state.counts[row, 0] = count + 1
    widen(state.ends, value, count)


@implements(width_row, LawState)
def _width(state: LawState, row: int, context: Floats) -> float:
    return 1.0 / math.sqrt(0.25 + state.counts[row, 0])


@implements(reach_row, LawState)
def _reach(state: LawState, row: int, context: Floats) -> float:
    return 1.0 / math.sqrt(0.25 + state.counts[row, 0])


@implements(settle_row, LawState)
def _settle(state: LawState, row: int) -> None:
    return
