"""A rule in a round of which some boxes are hidden: what it would have paid, and how likely that is known.

Let S be the boxes that the rule opens. They are followed one by one as long as they are known. The round is
*covered* if all of S are. Over draws alone, with the chances p_i of the log,

    P(covered) = min_{i ∈ S} p_i     if one draw decides for all boxes of a round,
                 Π_{i ∈ S} p_i       if each box has a draw of its own,
                 p_i or 0            if one box is opened and no other, for S = {i} or a larger S,

which is computed whenever the round is covered: then every box of S is known, and has its chance.

**Bounds.** Where S leaves the plain boxes, at box k, with w the price paid so far and v in hand, the
total lies between

    w + c_k + min(v, floor)      and      max_j (w + c_k + … + c_j + min(v_j, ceiling)),

with v_j the best of v and of the plain values up to box j. The maximum is over where the rule may stop if no
hidden box holds anything better: a better value only ends the search sooner, and with less in hand. Of a rule
whose order depends on values the upper bound is that of all boxes left. Both bounds are functions of plain
boxes: they do not depend on the draw.
"""

import math
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import kernel, whole
from weitzman.learn.policy import Round
from weitzman.replays.judgement.seen import Seen
from weitzman.search.kernels import play_round
from weitzman.search.rule import STOP, Rule, WeitzmanRule, advance
from weitzman.search.state import RoundState

COLUMNS = ("totals", "chances", "low", "high", "spent", "hand", "missing", "looks")


class Frame(NamedTuple):
    """What one round shows of its boxes, row by row, and what holds for all rounds.

    ``plain_values`` are the values of plain boxes, NaN elsewhere.
    """

    prices: Floats
    values: Floats
    plain_values: Floats
    known: Flags
    plain: Flags
    chances: Floats
    together: bool
    floor: float
    ceiling: float


def frame_of(seen: Seen, number: int, places: Ints) -> Frame:
    """Return what a log shows of one round, of the boxes that are there."""
    return Frame(
        seen.prices[number, places], seen.values[number, places], seen.plain_values[number, places],
        seen.known[number, places], seen.plain[number, places], seen.chances[number, places],
        seen.together, seen.floor, seen.ceiling,
    )  # fmt: skip


@kernel
def walk_index(
    order: Ints, sigma: Floats, outside: float, prices: Floats, values: Floats, plain_values: Floats,
    known: Flags, plain: Flags, chances: Floats, together: bool, floor: float, ceiling: float, out: Floats,
) -> None:  # fmt: skip
    """Set out to :data:`COLUMNS` for Weitzman's rule; NaN for the total of a round that is not covered."""
    best, paid, _, count = play_round(order, sigma, prices, values, outside)
    chance, covered, missing = 1.0, True, 0.0
    for row in order[:count]:
        if not plain[row]:
            missing += prices[row]
        # A hidden box showed nothing: what follows it is not what the rule does
        covered = covered and known[row]
        if covered:
            chance = min(chance, chances[row]) if together else chance * chances[row]
    best = min(best, ceiling)
    out[0], out[1] = (best + paid, chance) if covered else (math.nan, math.nan)
    out[2], out[3], out[4], out[5], out[6], out[7] = out[0], out[0], paid, best, missing, count
    if covered and chance == 1.0:
        return
    # The longest search: no box that is not plain shows anything
    _, _, _, longest = play_round(order, sigma, prices, plain_values, outside)
    out[7] = longest
    spent, hand, inside = 0.0, outside, True
    for row in order[:longest]:
        spent += prices[row]
        if inside and not plain[row]:
            inside = False
            out[2] = out[3] = spent + min(hand, floor)
            out[4], out[5] = spent, min(hand, ceiling)
        # A value that did not come is NaN, and not smaller
        if plain_values[row] < hand:  # noqa: PLR1730
            hand = plain_values[row]
        if not inside:
            out[3] = max(out[3], spent + min(hand, ceiling))


@whole
@kernel
def _walk_all(
    orders: Ints, sigma: Floats, outside: float, prices: Floats, values: Floats, plain_values: Floats,
    known: Flags, plain: Flags, chances: Floats, together: bool, floor: float, ceiling: float, out: Floats,
) -> None:  # fmt: skip
    for rule in range(sigma.shape[0]):
        walk_index(
            orders[rule], sigma[rule], outside, prices, values, plain_values, known, plain, chances,
            together, floor, ceiling, out[rule],
        )  # fmt: skip


def walk_many(sigma: Floats, shown: Round, frame: Frame) -> Floats:
    """Return :data:`COLUMNS` for Weitzman's rule at each row of σ."""
    out = np.empty((len(sigma), len(COLUMNS)))
    orders = np.argsort(sigma, axis=1, kind="stable")
    _walk_all(orders, sigma, shown.outside, *frame, out)
    return out


@whole
@kernel
def walk_rounds(
    sigma: Floats, outside: Floats, prices: Floats, values: Floats, plain_values: Floats, known: Flags,
    plain: Flags, chances: Floats, together: bool, floor: float, ceiling: float, out: Floats,
) -> None:  # fmt: skip
    """Set out, (k, 8, T), to :data:`COLUMNS` for Weitzman's rule at σ, (T, k, n), of rounds of n boxes.

    A box that is absent has the σ +∞, so nobody opens it.
    """
    columns = np.empty(out.shape[1])
    for t in range(sigma.shape[0]):
        for rule in range(sigma.shape[1]):
            order = np.argsort(sigma[t, rule], kind="mergesort")
            walk_index(
                order, sigma[t, rule], outside[t], prices[t], values[t], plain_values[t], known[t],
                plain[t], chances[t], together, floor, ceiling, columns,
            )  # fmt: skip
            out[rule, :, t] = columns


def walk_rule(rule: Rule, shown: Round, frame: Frame) -> Floats:
    """Return :data:`COLUMNS` for any rule.

    A search that ends with nothing in hand is counted with the largest value of the log.
    """
    out = np.empty(len(COLUMNS))
    if isinstance(rule, WeitzmanRule):
        walk_index(rule.order, rule.sigma, shown.outside, *frame, out)
        return out
    state = RoundState(shown.costs.tolist(), shown.outside)
    chance, inside = 1.0, True
    out[6], out[7] = 0.0, len(frame.prices)
    while (action := advance(rule, state)) is not STOP:
        row = action.box
        if inside and not frame.plain[row]:
            inside = False
            out[2:6] = _all_left(state, row, frame)
        out[6] += 0.0 if frame.plain[row] or state.taken is not None else frame.prices[row]
        if not frame.known[row]:
            out[:2] = math.nan
            return out
        drawn = float(frame.chances[row])
        chance = min(chance, drawn) if frame.together else chance * drawn
        value = float(frame.values[row])
        if math.isnan(value):
            state.miss()
        else:
            state.see(row, value)
        if state.taken is not None:
            break
    best = frame.ceiling if math.isnan(state.best) else min(state.best, frame.ceiling)
    spent = float(frame.prices[state.opened].sum())
    out[0], out[1] = best + spent, chance
    if inside:
        out[2:6] = out[0], out[0], spent, best
        out[7] = len(state.opened)
    return out


def _all_left(state: RoundState, row: int, frame: Frame) -> tuple[float, float, float, float]:
    """Return the bounds, what is paid with the box that is asked for, and what is in hand."""
    spent = float(frame.prices[state.opened].sum())
    if state.taken is not None:
        # A box that is kept unopened is all that counts
        return spent + frame.floor, spent + frame.ceiling, spent, frame.ceiling
    hand = min(state.best, frame.ceiling)
    return spent + min(hand, frame.floor), float(frame.prices.sum()) + hand, spent, hand
