"""Recorded rounds, and the loop over them: decide, follow, learn.

A box whose context is all NaN is absent in that round; a NaN beside numbers is a feature that is
missing. A value that is NaN is missing: the box is paid for if opened, shows nothing, and is not
learned. If no value is in hand the total is +∞ and the chosen box is −1, as it is for the outside option.

What a round reveals is the feedback (:mod:`weitzman.learn.revealed`). What is bought to learn costs its price
unless it was opened anyway, and may be kept.

:func:`play_record` is the loop in Python, for every player. A player may have a ``play`` of its own, all
in compiled code, which gives the same bits.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.bank_input import wrong_contexts
from weitzman.learn.policy import Floats, Ints, Player, Round, bounded, walk
from weitzman.learn.revealed import revealed, sigma_of, teach
from weitzman.search.numbers import LIMIT, float_array
from weitzman.search.rule import Rule
from weitzman.search.state import RoundState


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
        What the search was decided by, (T, n), NaN where a box is absent or a rule has none; None if
        they were not asked for.
    """

    totals: Floats
    paid: Floats
    chosen: Ints
    opened_count: Ints
    reservation_values: Floats | None = None

    @classmethod
    def blank(cls, record: "Record", *, predictions: bool) -> "Played":
        """Return arrays for the rounds of a record, to be filled."""
        count = len(record)
        return cls(
            totals=np.empty(count),
            paid=np.empty(count),
            chosen=np.empty(count, dtype=np.int64),
            opened_count=np.empty(count, dtype=np.int64),
            reservation_values=np.full(record.values.shape, np.nan) if predictions else None,
        )

    def turned(self) -> "Played":
        """Return the same rounds for a problem where larger is better."""
        sigma = self.reservation_values
        return replace(
            self,
            totals=-self.totals + 0.0,
            reservation_values=None if sigma is None else -sigma,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Record:
    """Recorded rounds, checked; smaller values are better.

    ``contexts`` are (T, n, d) and ``values`` (T, n). ``costs`` are (T, n) and ``outside``, +∞ for none, is
    (T,), with one row where all rounds have the same. ``least`` is the best value that a box can hold; −∞ if
    that was not said.
    """

    contexts: Floats
    costs: Floats
    values: Floats
    outside: Floats
    least: float = -np.inf

    def __len__(self) -> int:
        return len(self.contexts)

    def filled(self) -> "Record":
        """Return the same rounds with 0 for features that are missing."""
        missing = np.isnan(self.contexts)
        if not missing.any():
            return self
        gaps = missing & ~missing.all(axis=2, keepdims=True)
        return replace(self, contexts=np.where(gaps, 0.0, self.contexts))

    def round(self, t: int, *, number: int) -> tuple[Round, Floats]:
        """Return one round, under its number, with the values of its rows."""
        there = np.flatnonzero(~np.isnan(self.contexts[t]).all(axis=1))
        contexts = self.contexts[t, there]
        shown = Round(
            contexts=contexts,
            costs=self.costs[t % len(self.costs), there],
            outside=float(self.outside[t % len(self.outside)]),
            places=there,
            number=number,
            gaps=bool(np.isnan(contexts).any()),
            least=self.least,
        )
        return shown, self.values[t, there]


def play_known_round(
    player: Player, shown: Round, values: Floats, feedback: Feedback
) -> tuple[Rule, RoundState]:
    """Play a round whose values are known, and let the player learn what it reveals."""
    rule = bounded(player.rule(shown), shown)
    done = walk(rule, shown, values)
    # A round that ends with nothing is none, as in a live search
    if done.best != np.inf or not np.isnan(revealed(rule, done, values, feedback)).all():
        teach(player, shown, rule, done, values, feedback)
    return rule, done


def play_record(
    player: Player, record: Record, *, feedback: Feedback, first: int, predictions: bool
) -> Played:
    """Play recorded rounds, the first of which has this number, and learn from each."""
    played = Played.blank(record, predictions=predictions)
    for t in range(len(record)):
        shown, values = record.round(t, number=first + t)
        played.totals[t], played.paid[t] = shown.outside, 0.0
        played.chosen[t], played.opened_count[t] = -1, 0
        if not len(values):
            continue
        rule, done = play_known_round(player, shown, values, feedback)
        played.totals[t], played.paid[t] = done.total, done.paid
        played.opened_count[t] = len(done.opened)
        if done.kept is not None:
            played.chosen[t] = shown.places[done.kept]
        sigma = sigma_of(rule)
        if played.reservation_values is not None and sigma is not None:
            played.reservation_values[t, shown.places] = sigma
    return played


def play_at_once(
    player: Player, record: Record, feedback: Feedback, *, first: int, predictions: bool
) -> Played:
    """Play recorded rounds in the player's own way, or in a loop if it has none."""
    own: Any = getattr(player, "play", None)
    if own is None:
        return play_record(player, record, feedback=feedback, first=first, predictions=predictions)
    played: Played = own(record, first=first, predictions=predictions)
    return played


def checked_rows(
    contexts: ArrayLike, costs: ArrayLike, *, count: int, dimension: int
) -> tuple[Floats, Floats]:
    """Return the contexts and the costs of one round with ``count`` boxes.

    They are copies: the caller may use its arrays again before the round is closed.
    """
    rows = float_array(contexts, "The contexts", "fiub", copy=True)
    if rows.shape != (count, dimension):
        raise wrong_contexts(rows, count, dimension)
    prices = float_array(costs, "The costs", copy=True)
    if prices.ndim == 0:
        prices = np.full(count, float(prices))
    if prices.shape != (count,):
        rule = f"be one number, or one per box, {count}"
        raise InvalidInputError("The costs", rule, prices.shape)
    return rows, prices


def bound_rule(bound: float, sign: float) -> str:
    """Return what a value must be, where the best possible one is known."""
    named = f">= {bound:g}, the least" if sign > 0.0 else f"<= {-bound:g}, the most"
    return f"be {named} that a box can hold, as was said"


def checked_record(
    boxes: int,
    dimension: int,
    *,
    contexts: ArrayLike,
    costs: ArrayLike,
    values: ArrayLike,
    outside: ArrayLike | None,
    sign: float = 1.0,
    least: float = -np.inf,
) -> Record:
    """Return recorded rounds as arrays that are known to be good.

    ``sign`` is −1 where larger values are better: those of the record are turned.
    """
    x, v = float_array(contexts, "The contexts", "fiub"), float_array(values, "The values")
    c = float_array(costs, "The costs")
    nothing = sign * np.inf
    o = np.atleast_1d(float_array(nothing if outside is None else outside, "The outside option"))
    c = np.atleast_2d(c if c.ndim else np.full(boxes, float(c)))
    if x.ndim == 3 and c.shape == x.shape[:2] and np.isnan(c).any():
        # A box that is absent costs nothing, and need not have a cost
        c = np.where(np.isnan(x).all(axis=2) & np.isnan(c), 0.0, c)
    if sign < 0.0:
        v, o = -v, -o
    record = Record(contexts=x, costs=c, values=v, outside=o, least=least)
    _check(record, boxes, dimension)
    for t, box in np.argwhere(v < least)[:1].tolist():
        subject = f"The value of box {box} in round {t}"
        raise InvalidInputError(subject, bound_rule(least, sign), sign * float(v[t, box]))
    return record


def _check(record: Record, n: int, dimension: int) -> None:
    x, c, v, o = record.contexts, record.costs, record.values, record.outside
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
    if (np.abs(o[np.isfinite(o)]) > LIMIT).any():
        raise InvalidInputError("The outside option", f"be at most {LIMIT:g} in size", o)


def first_sigma(rule: Rule) -> Floats:
    """Return the reservation values by which a rule decides before the first look.

    A rule that decides again after every look says what they are now.
    """
    sigma = sigma_of(rule)
    if sigma is not None:
        return sigma
    ask: Any = getattr(rule, "reservation_values", None)
    if ask is None:
        demand = (
            "be asked for a rule that has them; open the round and ask the search for the next box"
        )
        raise InvalidInputError("Reservation values", demand, type(rule).__name__)
    return cast("Floats", ask((), ()))
