"""The clairvoyant: the best policy that knows the laws, but not the values, of each round.

**Independent boxes.** Weitzman's rule at the true reservation values is optimal [Weitzman 1979].

**Common states that one look reveals.** Suppose that for every box the intervals of two different
states are disjoint. No outside option is there, so every policy opens some box i first, and the value
seen tells the state k. From then on the boxes are independent, with their laws given k, and the
value in hand is an outside option: by Weitzman's theorem the rule at the reservation values
σ_{j,k} of the conditional laws is optimal. Its expected total given i first and state k is that of
the rule at s_i = −∞ and s_j = σ_{j,k}, with independent boxes; so the best policy opens first the box
that minimises

    Σ_k p_k E[total of the rule at s_i = −∞, s_j = σ_{j,k} | k],

an exact number for each i, and goes on by the rule at σ_{·,k}. States that one look may leave open are
refused.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.lab.exact.expected import expected_totals
from weitzman.lab.worlds.instance import Instance


@dataclass(frozen=True, kw_only=True, eq=False)
class Clairvoyant:
    """What the clairvoyant does in each round: its total, and how many boxes it opens.

    ``expected_totals`` are the exact expectations of the totals, at the laws of each round.
    """

    totals: Floats
    expected_totals: Floats
    opened_count: Ints


def clairvoyant(instance: Instance) -> Clairvoyant:
    """Return what the best policy that knows the laws of each round does."""
    from weitzman.lab.exact.kernels import play_rounds, play_states

    if len(instance.shares) == 1:
        sigma = np.ascontiguousarray(instance.reservation_values)
        totals, opened = play_rounds(sigma, instance.costs, np.ascontiguousarray(instance.values))
        expected = expected_totals(instance, sigma)
        return Clairvoyant(totals=totals, expected_totals=expected, opened_count=opened)
    _check_revealed(instance)
    sigma = conditional_reservation_values(instance)
    first, expected = _best_first(instance, sigma)
    hidden: Any = map(np.ascontiguousarray, (instance.values, instance.lower, instance.upper))
    totals, opened = play_states(first, sigma, instance.costs, *hidden)
    return Clairvoyant(totals=totals, expected_totals=expected, opened_count=opened)


def conditional_reservation_values(instance: Instance) -> Floats:
    """Return the reservation values of the boxes given each state, K×T×n."""
    width = instance.upper - instance.lower
    wide = np.sqrt(2.0 * instance.costs * width)
    narrow = instance.costs + 0.5 * width
    return np.asarray(instance.lower + np.where(width < 2.0 * instance.costs, narrow, wide))


def _best_first(instance: Instance, sigma: Floats) -> tuple[Ints, Floats]:
    """Return the box to open first in each round, and the expected total of the best policy."""
    bottom = instance.lower.min(axis=(0, 2)) - 1.0
    boxes = instance.values.shape[1]
    expected = np.zeros((boxes, len(instance)))
    for k, share in enumerate(instance.shares):
        only = slice(k, k + 1)
        lower, upper = instance.lower[only], instance.upper[only]
        given = replace(instance, lower=lower, upper=upper, shares=np.ones(1))
        for box in range(boxes):
            s = sigma[k].copy()
            s[:, box] = bottom
            expected[box] += share * expected_totals(given, s)
    first = expected.argmin(axis=0)
    return first, expected[first, np.arange(len(instance))]


def _check_revealed(instance: Instance) -> None:
    order = np.argsort(instance.lower, axis=0)
    lower = np.take_along_axis(instance.lower, order, axis=0)
    upper = np.take_along_axis(instance.upper, order, axis=0)
    if not (lower[1:] > upper[:-1]).all():
        gap = float((lower[1:] - upper[:-1]).min())
        rule = "have disjoint intervals for every box, so that one look reveals the state"
        raise InvalidInputError("The common states of an instance", rule, f"a gap of {gap:.6g}")
