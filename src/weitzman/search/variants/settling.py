"""What a round gives when several values are kept, or when what comes later counts less."""

import math
from functools import partial

from weitzman.arrays import Floats
from weitzman.search.state import RoundState
from weitzman.search.variants.face import Settle, Settled
from weitzman.search.variants.forest.rule import found_values
from weitzman.search.variants.keep import MatroidRule


def settle_most(count: int) -> Settle:
    """Keep the best so many values, with the outside option in place of the worse."""
    return partial(_most, count)


def _most(count: int, state: RoundState) -> Settled:
    # Stable: of equal values the one found first
    best = sorted(found_values(state), key=lambda found: found[1])[:count]
    kept = [(row, value) for row, value in best if value < state.outside]
    return _sum(state, kept, count)


def settle_basis(rule: MatroidRule, rank: int) -> Settle:
    """Keep the best values that may be kept together."""

    def settle(state: RoundState) -> Settled:
        kept = [(row, state.values[row]) for row, _ in rule.walk(state, [])]
        return _sum(state, kept, rank)

    return settle


def _sum(state: RoundState, kept: list[tuple[int, float]], places: int) -> Settled:
    left = places - len(kept)
    value = math.fsum(value for _, value in kept) + (left * state.outside if left else 0.0)
    return Settled(tuple(row for row, _ in kept), value, state.paid, value + state.paid)


def settle_later(discounts: Floats) -> Settle:
    """Count what comes later less, by the discount of each row that was opened before."""
    factors: list[float] = discounts.tolist()

    def settle(state: RoundState) -> Settled:
        factor, paid = 1.0, 0.0
        for row in state.opened:
            paid, factor = paid + factor * state.cost(row), factor * factors[row]
        kept = () if state.kept is None else (state.kept,)
        value = factor * state.best
        return Settled(kept, value, paid, value + paid)

    return settle
