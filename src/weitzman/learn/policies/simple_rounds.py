"""Simple rules in many rounds at once: the reservation values that they have one round after the other.

A simple rule goes by sums that grow with every round, and by models that stay as they are until they are
fitted again (:mod:`weitzman.learn.models.refits`). So rounds in a row up to the next fit take one compiled
call. What they reveal is given, and does not depend on the rules. Numbers are those of
:class:`~weitzman.learn.policies.simple.SimpleMembers`, to the last bit.
"""

import math

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.compiled.decorators import kernel, whole
from weitzman.learn.models.empirical import NoContext
from weitzman.learn.models.fixed_set import FixedSet
from weitzman.learn.models.history import History
from weitzman.learn.models.means import GROWTH, Means
from weitzman.learn.policies.simple import BY_MEANS, codes_of, set_rows
from weitzman.learn.preparation import Preparation
from weitzman.learn.prepared_rounds import take_rounds
from weitzman.learn.units import threshold

_MOST = 4096  # rounds at once, where no fit is due


@whole
@kernel
def _set_rounds(
    codes: Ints, costs: Floats, outside: Floats, means: Floats, plain: Floats, sums: Floats,
    levels: Floats, chosen: Flags, shared: bool, least: Floats, origin: float, unit: float,
    floors: Floats, sigma: Floats,
) -> None:  # fmt: skip
    """Set σ, (T, k, n), in the units of the user; +∞ where a box is absent."""
    rounds, boxes = costs.shape
    rows = np.empty((codes.shape[0], boxes))
    for t in range(rounds):
        places = np.flatnonzero(~np.isnan(costs[t]))
        count = places.shape[0]
        paid, totals, new = costs[t][places], np.empty(count), np.zeros(count, dtype=np.bool_)
        for row in range(count):
            seen, total = sums[t, 0, places[row]], sums[t, 1, places[row]]
            totals[row] = total / max(seen, 1.0) + paid[row]
            if seen == 0.0:
                totals[row] = levels[t] + paid[row]
                new[row] = not shared
        here = rows[:, :count].copy()
        set_rows(
            codes, paid, outside[t], False, means[t][places], plain[t][places], totals,
            chosen[places], new, least[t], here,
        )  # fmt: skip
        sigma[t] = math.inf
        for rule in range(codes.shape[0]):
            for row in range(count):
                box = places[row]
                found = threshold(here[rule, row], origin, unit)
                sigma[t, rule, box] = max(found, floors[t, box])


class SimpleRounds:
    """Simple rules over one history, in rounds whose values do not depend on what the rules open.

    Parameters
    ----------
    names
        The rules.
    history, preparation
        Of rounds that are prepared whole; units are known.
    """

    def __init__(self, names: tuple[str, ...], history: History, preparation: Preparation) -> None:
        self._codes = codes_of(names)
        self._names = set(names)
        self._history = history
        self._preparation = preparation
        self._refits = history.refits(GROWTH)

    def ahead(self, closed: Flags) -> int:
        """Return how many of the next rounds, of which some are closed, go by the models in force."""
        history = self._history
        limit = self._refits.after(self._refits.last(history.count)) - history.count
        if not BY_MEANS.isdisjoint(self._names):
            limit = min(limit, history.model(Means).until() - history.count)
        over = np.flatnonzero(np.cumsum(closed[:_MOST]) >= limit)
        return int(over[0]) + 1 if len(over) else min(_MOST, len(closed))

    def learn(
        self, contexts: Floats, costs: Floats, values: Floats, outside: Floats, least: float,
        closed: Flags,
    ) -> None:  # fmt: skip
        """Learn any number of rounds."""
        for begin in range(0, len(costs), _MOST):
            few = slice(begin, begin + _MOST)
            given = contexts[few], costs[few], values[few], outside[few], least, closed[few]
            self._history.add_rounds(take_rounds(self._preparation, *given).some(closed[few]))

    def play(
        self, contexts: Floats, costs: Floats, values: Floats, outside: Floats, least: float,
        closed: Flags,
    ) -> Floats:  # fmt: skip
        """Return σ of rounds that :meth:`ahead` allows, (T, k, n), +∞ for absent boxes, and learn them."""
        history, names = self._history, self._names
        ready = take_rounds(self._preparation, contexts, costs, values, outside, least, closed)
        sums = history.sums_ahead(ready.values)[:-1]
        means = plain = np.zeros(costs.shape)
        chosen = np.zeros(costs.shape[1], dtype=np.bool_)
        if not BY_MEANS.isdisjoint(names):
            means = history.model(Means).predict_rounds(ready.contexts)
        if "no-context" in names:
            plain = history.model(NoContext).predict_rounds(ready.costs, sums[:, 0])
        if "fixed-set" in names:
            chosen = history.model(FixedSet).chosen()
        # Models are those of the rounds before
        history.add_rounds(ready.some(closed))
        origin, unit = self._preparation.units or (0.0, 1.0)
        floors = np.full(costs.shape, -math.inf) if least == -math.inf else least + costs
        levels = sums[:, 1].sum(axis=1) / sums[:, 0].sum(axis=1)
        sigma = np.empty((len(costs), len(self._codes), costs.shape[1]))
        _set_rounds(
            self._codes, ready.costs, ready.outside, means, plain, sums, levels,
            chosen, history.shared, ready.least, origin, unit, floors, sigma,
        )  # fmt: skip
        return sigma
