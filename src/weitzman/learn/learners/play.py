"""Play a recorded sequence: predict, search and learn, round after round.

A round, for given reservation values σ of the boxes that are present:

1. σ is lowered by :mod:`weitzman.learn.learners.parts.optimism` if κ > 0;
2. boxes are opened by increasing σ (equal σ by position) for as long as
   :func:`weitzman.search.rule.next_box` names one, starting with the outside option in hand;
3. the total is the best value in hand plus what was paid;
4. the learner learns from the boxes that the feedback reveals: all (``full``), those opened
   (``opened``), those bought to learn (``probe``), or opened and bought (``opened+probe``).
   What is bought costs its price unless it was opened anyway, and may be kept.

A box with a NaN in its context is absent in that round. A value that is NaN is missing: the box is
paid for if opened, shows nothing, and is not learned. If no value is in hand the total is +∞ and
the chosen box is −1, as it is for the outside option.

The round is bit for bit that of ``predict``, the live search and ``update``: the functions are the
same. A compiled bank plays all rounds in one compiled call; any other is asked round by round.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Bank
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.parts.kernels import LIMIT
from weitzman.learn.learners.parts.loop import FULL, OPENED, PROBED, play_rounds
from weitzman.search.numbers import float_array

__all__ = ["FEEDBACKS", "Feedback", "Played", "checked_record", "play"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Marks = NDArray[np.bool_]
Feedback = Literal["full", "opened", "probe", "opened+probe"]

_CODES = {"full": FULL, "opened": OPENED, "probe": PROBED, "opened+probe": OPENED | PROBED}
FEEDBACKS = tuple(_CODES)


@dataclass(frozen=True, kw_only=True)
class Played:
    """What happened in each round of a played sequence.

    Attributes
    ----------
    totals, paid
        The total, and the costs that are part of it.
    chosen
        The box whose value is kept; −1 for the outside option.
    opened_count
        How many boxes were opened, bought looks included.
    reservation_values
        What the search went by, (T, n), NaN where a box is absent; None if they were not asked for.
    """

    totals: Array
    paid: Array
    chosen: Ints
    opened_count: Ints
    reservation_values: Array | None = None

    def turned(self) -> "Played":
        """Return the same rounds told for a problem where larger is better."""
        sigma = self.reservation_values
        return replace(
            self,
            totals=-self.totals + 0.0,
            reservation_values=None if sigma is None else -sigma,
        )


def play(
    bank: Bank,
    contexts: ArrayLike,
    costs: ArrayLike,
    values: ArrayLike,
    *,
    outside: ArrayLike = math.inf,
    feedback: Feedback = "full",
    optimism: float = 0.0,
    probes: ArrayLike | None = None,
    predictions: bool = False,
) -> Played:
    """Play a recorded sequence and learn from it.

    Parameters
    ----------
    contexts, costs, values
        Arrays (T, n, d), one number or (n,) or (T, n), and (T, n).
    outside
        The value of the outside option, one for all rounds or one per round; +∞ if there is none.
    feedback
        What the learner learns from.
    optimism
        κ, how far little-known boxes are lowered.
    probes
        Which boxes are bought to learn, (T, n), if the feedback says so.
    predictions
        Whether to return the reservation values of all rounds.
    """
    x, c, v, o = checked_record(bank.boxes, bank.dimension, contexts, costs, values, outside)
    if feedback not in _CODES:
        raise InvalidInputError("The feedback", f"be one of {list(_CODES)}", feedback)
    rounds = x.shape[0]
    marks = (
        np.zeros((1, bank.boxes), dtype=np.bool_) if probes is None else np.asarray(probes, bool)
    )
    if _CODES[feedback] & PROBED and marks.shape != v.shape:
        raise InvalidInputError("The probes", f"have the shape {v.shape}", marks.shape)
    played = Played(
        totals=np.empty(rounds),
        paid=np.empty(rounds),
        chosen=np.empty(rounds, dtype=np.int64),
        opened_count=np.empty(rounds, dtype=np.int64),
        reservation_values=np.empty(v.shape) if predictions else None,
    )
    if isinstance(bank, CompiledBank):
        _play_compiled(bank, x, c, v, o, marks, _CODES[feedback], optimism, played)
    else:
        _play_rounds(bank, x, c, v, o, marks, _CODES[feedback], optimism, played)
    return played


def _play_compiled(
    bank: CompiledBank,
    x: Array,
    c: Array,
    v: Array,
    o: Array,
    marks: Marks,
    code: int,
    kappa: float,
    played: Played,
) -> None:
    rounds = x.shape[0]
    kept = played.reservation_values
    if kept is None:
        kept = np.empty((0, bank.boxes))
    per_round = bank.boxes if bank.shared else 1
    done = 0
    while done < rounds:
        # Memory doubles with what is learned, never beyond: the kernel returns for more
        bank.reserve(per_round)
        now = slice(done, min(rounds, done + bank.room() // per_round))
        play_rounds(
            bank.arrays,
            x[now],
            c if len(c) == 1 else c[now],
            v[now],
            o if len(o) == 1 else o[now],
            marks if len(marks) == 1 else marks[now],
            code,
            kappa,
            bank.shared,
            played.totals[now],
            played.paid[now],
            played.chosen[now],
            played.opened_count[now],
            kept[now],
            np.empty(bank.boxes),
            np.empty(bank.boxes, dtype=np.bool_),
            np.empty(bank.boxes, dtype=np.bool_),
            np.empty(1, dtype=np.int64),
        )
        done = now.stop


def _play_rounds(
    bank: Bank,
    x: Array,
    c: Array,
    v: Array,
    o: Array,
    marks: Marks,
    code: int,
    kappa: float,
    played: Played,
) -> None:
    from weitzman.search.kernels import play_round
    from weitzman.search.rule import opening_order

    present: Marks = ~np.asarray(np.isnan(x).any(axis=2))
    kept = played.reservation_values
    if kept is not None:
        kept.fill(np.nan)
    for t in range(x.shape[0]):
        rows = np.flatnonzero(present[t])
        contexts, costs, found = x[t, rows], c[t % len(c), rows], v[t, rows]
        sigma = bank.predict_arrays(contexts, costs, rows, kappa, float(o[t % len(o)]))
        order = opening_order(sigma)
        best, paid, pick, looks = play_round(order, sigma, costs, found, float(o[t % len(o)]))
        shown = np.full(len(rows), bool(code & FULL))
        if code & OPENED:
            shown[order[:looks]] = True
        if code & PROBED:
            bought = marks[t, rows]
            for row in np.flatnonzero(bought & ~np.isin(np.arange(len(rows)), order[:looks])):
                paid += costs[row]
                looks += 1
                if found[row] < best:
                    best, pick = found[row], int(row)
            shown |= bought
        bank.update_arrays(rows, contexts, np.where(shown, found, np.nan), costs)
        played.totals[t], played.paid[t] = best + paid, paid
        played.chosen[t], played.opened_count[t] = (-1 if pick < 0 else rows[pick]), looks
        if kept is not None:
            kept[t, rows] = sigma


def checked_record(
    boxes: int,
    dimension: int,
    contexts: ArrayLike,
    costs: ArrayLike,
    values: ArrayLike,
    outside: ArrayLike,
) -> tuple[Array, Array, Array, Array]:
    """Return contexts, costs, values and outside options of recorded rounds as arrays.

    Costs are (T, n), or (1, n) if they are the same in all rounds; outside options (T,) or (1,).
    """
    x, v = float_array(contexts, "The contexts", "fiub"), float_array(values, "The values")
    c = float_array(costs, "The costs")
    o = np.atleast_1d(float_array(outside, "The outside option"))
    c = np.atleast_2d(c if c.ndim else np.full(boxes, float(c)))
    if x.ndim == 3 and c.shape == x.shape[:2] and np.isnan(c).any():
        # A box that is absent costs nothing, and need not have a cost
        c = np.where(np.isnan(x).any(axis=2) & np.isnan(c), 0.0, c)
    _check(boxes, dimension, x, c, v, o)
    return x, c, v, o


def _check(n: int, dimension: int, x: Array, c: Array, v: Array, o: Array) -> None:
    if x.ndim != 3 or x.shape[1:] != (n, dimension):
        raise InvalidInputError("The contexts", f"have the shape (T, {n}, {dimension})", x.shape)
    if v.shape != x.shape[:2]:
        raise InvalidInputError("The values", f"have the shape {x.shape[:2]}", v.shape)
    if c.shape not in {(1, n), v.shape}:
        raise InvalidInputError("The costs", f"have the shape ({n},) or {v.shape}", c.shape)
    if o.shape not in {(1,), x.shape[:1]}:
        raise InvalidInputError("The outside option", "be one number or one per round", o.shape)
    # A NaN is not above the limit, and it is allowed
    if (np.abs(x) > LIMIT).any():
        raise InvalidInputError("The contexts", f"be at most {LIMIT:g} in size, or NaN", x)
    if (np.abs(v) > LIMIT).any():
        raise InvalidInputError("The values", f"be at most {LIMIT:g} in size, or NaN", v)
    if not ((c >= 0.0) & (c <= LIMIT)).all():
        raise InvalidInputError("The costs", f"be numbers from 0 to {LIMIT:g}", c)
    if np.isnan(o).any() or np.isneginf(o).any():
        raise InvalidInputError("The outside option", "be finite, or +inf for none", o)
