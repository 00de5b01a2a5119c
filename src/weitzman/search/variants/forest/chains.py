"""Reservation values of many chains at once.

Behind a *chain* every branch holds one value, one further chain or nothing, without a discount. Then
M is a mixture of values v_l, each capped at f_l, the largest σ on the way to it, and

    E(s − M)⁺ = Σ_l chance_l · (E(s − v_l)⁺ − E(f_l − v_l)⁺)⁺

is a sum of closed forms. Nodes of one height depend on those below alone and are solved together.
"""

from collections.abc import Sequence

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.exact_total import Laws
from weitzman.search.laws.roots import solve_excess
from weitzman.search.variants.forest.parts import Leaf, Way


def leaves_of(discount: float, ways: Sequence[Way]) -> list[Leaf] | None:
    """Return the values behind a node, or None if it is not a chain."""
    if discount < 1.0:
        return None
    found: list[Leaf] = []
    for way in ways:
        if len(way.parts) > 1:
            return None
        for part in way.parts:
            if part.chain is None:
                return None
            found += [
                Leaf(way.chance * leaf.chance, leaf.law, max(leaf.floor, part.sigma))
                for leaf in part.chain
            ]
    return found


def solved(costs: Sequence[float], nodes: Sequence[Sequence[Leaf]]) -> list[float]:
    """Return σ of nodes given by their leaves, at costs > 0."""
    leaves = [leaf for node in nodes for leaf in node]
    owner = np.repeat(np.arange(len(nodes)), [len(node) for node in nodes])
    laws = Laws([leaf.law for leaf in leaves])
    chance = np.array([leaf.chance for leaf in leaves])
    floor = np.array([leaf.floor for leaf in leaves])
    base = laws.excess(floor)
    cost = np.array(costs)

    def gathered(each: Floats) -> Floats:
        return np.asarray(np.bincount(owner, chance * each, len(nodes)), dtype=np.float64)

    def excess(s: Floats) -> Floats:
        return gathered(np.maximum(laws.excess(np.maximum(s[owner], floor)) - base, 0.0))

    def slope(s: Floats) -> Floats:
        return gathered(np.where(s[owner] >= floor, laws.cdf(s[owner]), 0.0))

    middle = np.maximum(laws.quantiles(np.full(1, 0.5))[:, 0], floor)
    upper = np.full(len(nodes), -np.inf)
    np.maximum.at(upper, owner, middle)
    lower = np.full(len(nodes), np.inf)
    np.minimum.at(
        lower, owner, np.maximum([float(leaf.law.support()[0]) for leaf in leaves], floor)
    )
    step = 2.0 * cost
    while (short := excess(upper) < cost).any():
        upper = np.where(short, upper + step, upper)
        step = 2.0 * step
    return [float(s) for s in solve_excess(excess, slope, cost, upper, lower)]
