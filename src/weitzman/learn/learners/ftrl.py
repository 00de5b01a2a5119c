"""Exact follow-the-regularised-leader: the paper's regression oracle.

After every round the weights of a box are the minimiser of

    Σ_s γ^{t−s} H_{c_s}(w·x_s − v_s) + ‖w − w₀‖² / (2η)   over   ‖w‖ ≤ M,

with the linear-quadratic loss H of :mod:`weitzman.learn.loss`, and σ = w·x. They are found at
nearly constant cost per round: :mod:`weitzman.learn.learners.exact.points` keeps the active set and
:mod:`weitzman.learn.learners.exact.minimiser` moves the weights.

**Cost.** A round costs O(d²) per box and a few looks at old points, about log t of them for
contexts in random order. In an adversarial order the looks can be O(t): each is a scalar product.
Memory is that of all points seen, of the last ``window``, or with ``memory`` of about so many: points whose
sign cannot change soon are then in a temporary file (:mod:`weitzman.learn.learners.exact.far`).

**Conventions.** The intercept is one more feature, the constant 1, held to the prior and inside the
ball as the others. Discount and window go by the observations of a box, not by rounds: a box that
is not seen forgets nothing. With ``shared`` weights all boxes are one.

The regret bound of the paper (see :mod:`weitzman.learn.learners.parts.regulariser`) holds for
``eta="theorem"``, γ = 1 and no window. Reference: Atsidakou, Caramanis, Gergatsouli, Papadigenopoulos,
Tzamos, *Contextual Pandora's Box*.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from weitzman.arrays import Arrays, Floats
from weitzman.compiled.decorators import compiled, implements
from weitzman.compiled.linalg import dot, load_row
from weitzman.errors import InvalidInputError
from weitzman.learn.learners.compiled_bank import UNBOUNDED, CompiledBank
from weitzman.learn.learners.exact.anchor import length_of
from weitzman.learn.learners.exact.far import PLAIN, fold_rows, note
from weitzman.learn.learners.exact.minimiser import minimise
from weitzman.learn.learners.exact.points import (
    ANCHORED,
    EDGE,
    ENTRIES,
    ETA,
    GRADIENT,
    HORIZON,
    LIPSCHITZ,
    LOWEST,
    NOW,
    OWN,
    RADIUS,
    RIDGE,
    SEEN,
    SHARED,
    SQUARES,
    WINDOW,
    FTRLState,
    enter,
)
from weitzman.learn.learners.exact.room import make_room
from weitzman.learn.learners.exact.steps import solve
from weitzman.learn.learners.far_bank import FarBank
from weitzman.learn.learners.parts.kernels import (
    learn_row,
    note_residual,
    predict_linear,
    predict_row,
    reach_row,
    settle_row,
    width_row,
)
from weitzman.learn.learners.parts.regulariser import (
    NOISE,
    THEOREM,
    NoiseEta,
    Prior,
    automatic_ridge,
    ball_radius,
    check_forget,
    checked_horizon,
    eta_code,
    hold_to_others,
    noise_share,
    shared_prior,
    starting_weights,
    theorem_ridge,
)
from weitzman.search.numbers import whole_number

LEAST_MEMORY = 64
_LONGEST = 1 << 24


@dataclass(frozen=True, kw_only=True)
class FTRL:
    """Exact follow-the-regularised-leader.

    Parameters
    ----------
    eta
        A number, ``"auto"``, ``"noise"``, which holds boxes with more noise more strongly, or ``"theorem"``:
        :mod:`weitzman.learn.learners.parts.regulariser`.
    radius
        M, the radius of the ball that the weights stay in; no ball if None.
    intercept
        Whether a constant is learned too, held to the prior as other weights are. None leaves it to the
        policy: rounds that it prepares have a constant, others have none (:class:`weitzman.Weitzman`).
    prior
        w₀, one vector for all boxes or one row per box. ``"boxes"`` or ``"agreed"``: the mean weights of the
        other boxes (:mod:`weitzman.learn.learners.parts.regulariser`). None leaves it to the policy, and is
        0 if there is none.
    forget
        γ, the discount per observation of a box.
    window
        How many of its last observations a box remembers; all if None.
    shared
        Whether all boxes share one w.
    horizon
        T, for ``eta="theorem"``.
    memory
        How many points a box holds in memory, at least 64, all if None. The others are in a temporary file,
        and the weights as exact (:mod:`weitzman.learn.learners.exact.far`).
    explore
        What optimism goes by (:mod:`weitzman.learn.learners.parts.optimism`): a box's ``"own"`` error too, or
        the spread ``"between"`` boxes alone. None leaves it to the policy, and is ``"between"`` without one,
        or ``"own"`` with ``eta="noise"``, which goes by the same figures.

    Examples
    --------
    >>> bank = FTRL(eta=10.0).start(boxes=2, dimension=1)
    >>> for value in (3.0, 5.0, 4.0, 6.0):
    ...     bank.update([0], [[1.0]], [value], 1.0)
    >>> bank.predict([[1.0], [1.0]], 1.0).round(2)
    array([5.16, 0.  ])
    """

    bounded: ClassVar[bool] = True

    eta: NoiseEta = "auto"
    radius: float | None = None
    intercept: bool | None = None
    prior: Prior = None
    forget: float = 1.0
    window: int | None = None
    shared: bool = False
    horizon: int | None = None
    memory: int | None = None
    explore: Literal["own", "between"] | None = None

    def start(self, *, boxes: int, dimension: int) -> CompiledBank:
        """Return a bank that has seen nothing."""
        rules = self._rules()
        window = int(rules[WINDOW])
        if self.memory is not None:
            memory = whole_number(self.memory, "The memory", least=LEAST_MEMORY)
            if window > 0:
                rule = "be left out where a window or a discount lets points go"
                raise InvalidInputError("The memory", rule, self.memory)
            return FarBank(
                self,
                boxes=boxes,
                dimension=dimension,
                blank=lambda start, capacity: _blank(start, capacity, rules, memory),
                tidy=_tidy,
                memory=memory,
            )
        return CompiledBank(
            self,
            boxes=boxes,
            dimension=dimension,
            blank=lambda start, capacity: _blank(start, capacity, rules),
            seen=lambda state: int(state.counts[:, SEEN].max()),
            most=window or UNBOUNDED,
            tidy=_tidy,
        )

    def _rules(self) -> Floats:
        radius = ball_radius(self.radius)
        check_forget(self.forget)
        window = 0 if self.window is None else whole_number(self.window, "The window", least=1)
        if self.forget < 1.0:
            lasting = math.ceil(60.0 * math.log(2.0) / -math.log(self.forget))
            # A power of two, so that the last bit of a logarithm does not matter
            lasting = 1 << (lasting - 1).bit_length()
            # A longer one would matter after more rounds than anybody has
            window = min(window or lasting, lasting) if lasting <= _LONGEST else window
        eta = eta_code(self.eta, self.radius, self.horizon, noise=True)
        if self.explore not in (None, "own", "between"):
            rule = "be 'own', 'between' or None"
            raise InvalidInputError("The setting 'explore'", rule, self.explore)
        if eta == NOISE and self.explore == "between":
            rule = "be 'own' or None where η goes by the noise of a box"
            raise InvalidInputError("The setting 'explore'", rule, self.explore)
        rules = [eta, radius, self.forget, window, checked_horizon(self.horizon)]
        # More entries only where they say something, so that other states stay as they are
        shared, own = shared_prior(self.prior), self.explore == "own" or eta == NOISE
        more = [shared, 1.0] if own else [shared] if shared > 0.0 else []
        return np.array([*rules, *more], dtype=np.float64)


def _blank(start: Floats, capacity: int, rules: Floats, memory: int = 0) -> FTRLState:
    rows, size = start.shape
    entries = 2 * capacity if rules[WINDOW] > 0 else capacity
    reals = np.zeros((rows, 10))
    reals[:, NOW] = 1.0
    work = np.zeros((PLAIN, size))
    if memory > 0:
        work = np.concatenate([work, fold_rows(rows, size, memory)])
    figures = 5 if rules.shape[0] > OWN else 3
    return FTRLState(
        weights=starting_weights(start, rules[RADIUS]),
        prior=start,
        gram=np.zeros((rows, size, size)),
        gram_low=np.zeros((rows, size, size)),
        moment=np.zeros((rows, size)),
        moment_low=np.zeros((rows, size)),
        inverse=np.zeros((rows, size, size)),
        unit=np.zeros((rows, size)),
        points=np.zeros((rows, capacity, size + 4)),
        keys=np.zeros((rows, entries)),
        ids=np.zeros((rows, entries), dtype=np.int64),
        reals=reals,
        counts=np.zeros((rows, 5), dtype=np.int64),
        spread=np.zeros((rows, figures)),
        pool=np.zeros(figures),
        rules=rules,
        work=work,
        square=np.zeros((2, size, size)),
        lists=np.zeros((2, entries), dtype=np.int64),
        kinks=np.zeros((2, entries)),
        around=np.zeros((rows, length_of(size, 0 if rules[WINDOW] > 0 else capacity))),
    )


def _tidy(state: Arrays) -> Arrays:
    counts = np.asarray(state["counts"], dtype=np.int64)
    entries = int(counts[:, ENTRIES].max())
    # Without a window every point that is held has one entry
    held = entries if state["rules"][WINDOW] == 0.0 else int(counts[:, SEEN].max())
    held = min(held, state["points"].shape[1])
    unused = np.arange(entries) >= counts[:, ENTRIES, None]
    # What is around an anchor is not kept, and no key means anything without it
    unused |= state["reals"][:, EDGE, None] == ANCHORED
    for name, length in (("points", held), ("keys", entries), ("ids", entries)):
        state[name] = np.ascontiguousarray(state[name][:, :length])
    state["keys"][unused] = 0
    state["ids"][unused] = 0
    return state


implements(predict_row, FTRLState)(predict_linear)


@implements(width_row, FTRLState)
def _width(state: FTRLState, row: int, context: Floats) -> float:
    if state.counts[row, SEEN] == 0:
        return math.inf
    x, product = state.work[0], state.work[1]
    load_row(context, x)
    # The matrix of the Newton step, which only the active points are in
    solve(state, row, x, product)
    return math.sqrt(max(dot(x, product, x.shape[0]), 0.0) * state.reals[row, NOW])


@implements(reach_row, FTRLState)
def _reach(state: FTRLState, row: int, context: Floats) -> float:
    intercept = float(state.weights.shape[1] - context.shape[0])
    squares = dot(context, context, context.shape[0]) + intercept
    return math.sqrt(squares / state.reals[row, RIDGE])


@implements(learn_row, FTRLState)
def _learn(state: FTRLState, row: int, context: Floats, value: float, cost: float) -> None:
    if state.work.shape[0] > PLAIN:
        note(state, row)
    x = state.work[0]
    load_row(context, x)
    moved = False
    if state.rules.shape[0] > SHARED and state.rules[SHARED] > 0.0:
        sure = state.rules[SHARED]
        moved = hold_to_others(state.weights, state.prior, state.spread[:, 2], row, sure)
    note_residual(state.spread[row], value - dot(state.weights[row], x, x.shape[0]))
    held = state.reals[row, RIDGE] * state.reals[row, NOW]
    changed = make_room(state, row) or moved
    enter(state, row, x, value, cost)
    _set_ridge(state, row, x, value, cost)
    if changed or state.reals[row, RIDGE] * state.reals[row, NOW] != held:
        # Not only the new point changes the gradient: it is computed from scratch
        state.work[GRADIENT, 0] = math.inf


@compiled
def _set_ridge(state: FTRLState, row: int, x: Floats, value: float, cost: float) -> None:
    reals, rules, seen = state.reals[row], state.rules, state.counts[row, SEEN]
    reals[SQUARES] += dot(x, x, x.shape[0])
    if rules[ETA] > 0.0:
        reals[RIDGE] = 1.0 / rules[ETA]
    elif rules[ETA] == THEOREM:
        reals[LOWEST] = min(reals[LOWEST], value)
        lipschitz = max(cost, rules[RADIUS] - reals[LOWEST] - cost)
        reals[LIPSCHITZ] = max(reals[LIPSCHITZ], lipschitz)
        reals[RIDGE] = theorem_ridge(reals[LIPSCHITZ], rules[RADIUS], rules[HORIZON])
    elif (seen & (seen - 1)) == 0:
        reals[RIDGE] = automatic_ridge(seen, reals[SQUARES], x.shape[0])
        if rules[ETA] == NOISE:
            reals[RIDGE] *= noise_share(state.spread, row)


# As it is: a function around it would be compiled once more
implements(settle_row, FTRLState)(minimise)
