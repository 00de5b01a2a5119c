"""Completions: what the boxes that were not opened may have held.

Which boxes are opened depends on contexts and on values seen in the same round, so the mean over opened boxes
is not the mean over rounds. But given the contexts and what was seen, it depends on nothing else (values are
*missing at random* [Rubin 1976]): what past rounds that looked alike held is what this one may have held.

A round is completed by *donors*, past rounds s of which some values are known. Of the numbers of a round,
r_i (below), those of the opened boxes are known. Donors begin with equal weights; for every opened box i,
with the deviation d of r_i among the donors that know it, k the effective number of these and h = d k^{−1/5},

    w_s ← w_s (g K_s / K̄ + 1 − g),      K_s = exp(−((r_si − r_i)/h)²/2),      g = k'/(k' + 1),

where K̄ is the weighted mean of K and k' the effective number of donors after the match: as in a law that is
reweighted after a look (:mod:`weitzman.learn.models.sample_steps`). A donor that does not know box i keeps
its weight.

Every unopened box takes the number of one donor that knows it, drawn with chances ∝ w by a race: donor s
arrives at −ln(u_s)/w_s, with one u_s for all boxes, and the first to arrive that knows the box gives. So
boxes take from the same donor as far as it knows them, and what belongs together stays together.

There are two completions, which fail in different ways:

- ``linear``: r = residuals of the ridge means (:mod:`weitzman.learn.models.means`), put on the means of
  this round;
- ``past``: r = values as they are.

A box that nobody knows takes its mean; one that was never seen takes the mean of all values. Donors are the
last 512 rounds; u is a hash of (seed, number of the round, donor). A value that was seen is never replaced.
"""

import math

import numpy as np

from weitzman.compiled.decorators import kernel
from weitzman.learn.models.history import History
from weitzman.learn.models.means import Means
from weitzman.learn.policy import Floats, Ints, Round
from weitzman.learn.probing import mix_one, mixed

DONORS = 512
"""The most donors."""


@kernel
def _spread(column: Floats, weights: Floats) -> tuple[float, float, float]:
    """Return Σ w, the effective number and the deviation of what donors know; NaN is not known."""
    whole, squares, mean, variance = 0.0, 0.0, 0.0, 0.0
    for s in range(column.shape[0]):
        if not math.isnan(column[s]):
            whole += weights[s]
            squares += weights[s] * weights[s]
            mean += weights[s] * column[s]
    if not whole > 0.0:
        return 0.0, 0.0, 0.0
    mean /= whole
    for s in range(column.shape[0]):
        if not math.isnan(column[s]):
            variance += weights[s] * (column[s] - mean) ** 2
    return whole, whole * whole / squares, math.sqrt(variance / whole)


@kernel
def match(donors: Floats, seen: Floats, weights: Floats) -> None:
    """Set the weights of donors, (m, K), for the numbers seen this round, (m,), NaN for what was not."""
    weights[:] = 1.0
    near = np.empty(donors.shape[1])
    for box in range(donors.shape[0]):
        if math.isnan(seen[box]):
            continue
        column = donors[box]
        whole, effective, deviation = _spread(column, weights)
        if not deviation > 0.0:
            continue
        h, least = deviation * effective**-0.2, math.inf
        for s in range(column.shape[0]):
            near[s] = ((column[s] - seen[box]) / h) ** 2
            if not math.isnan(column[s]):
                least = min(least, near[s])
        after, squares = 0.0, 0.0
        for s in range(column.shape[0]):
            if not math.isnan(column[s]):
                # The nearest donor keeps its weight, so that not all vanish
                near[s] = math.exp(-0.5 * (near[s] - least))
                after += weights[s] * near[s]
                squares += (weights[s] * near[s]) ** 2
        g = after * after / (after * after + squares)
        for s in range(column.shape[0]):
            if not math.isnan(column[s]):
                weights[s] *= g * near[s] * whole / after + 1.0 - g


@kernel
def _race(donors: Floats, arrivals: Floats, out: Floats) -> None:
    """Set out to what the first donor to arrive knows, box by box; NaN where nobody knows anything."""
    for box in range(donors.shape[0]):
        least, out[box] = math.inf, math.nan
        for s in range(arrivals.shape[0]):
            if arrivals[s] < least and not math.isnan(donors[box, s]):
                least, out[box] = arrivals[s], donors[box, s]


@kernel
def _complete(donors: Floats, places: Ints, seen: Floats, uniform: Floats, out: Floats) -> None:
    """Set out to one donor's number for each box, NaN where nobody knows one."""
    mine, weights = donors[places], np.empty(donors.shape[1])
    match(mine, seen, weights)
    for s in range(weights.shape[0]):
        weights[s] = -math.log(uniform[s]) / weights[s]
    _race(mine, weights, out)


@kernel
def _uniform(base: np.uint64, out: Floats) -> None:
    """Set out to numbers between 0 and 1, neither included: the hashes of base + s."""
    for s in range(out.shape[0]):
        drawn = mixed(base + np.uint64(s))
        out[s] = (np.float64(drawn >> np.uint64(12)) + 0.5) / 2.0**52


@kernel
def _both(
    residuals: Floats, values: Floats, places: Ints, revealed: Floats, means: Floats,
    seen: Floats, totals: Floats, whole: float, base: np.uint64, linear: Floats, plain: Floats,
) -> None:  # fmt: skip
    """Set the two completions; ``seen`` and ``totals`` are of all boxes, the rest of those in the round."""
    uniform = np.empty(residuals.shape[1])
    _uniform(base, uniform)
    apart = np.empty(len(places))
    for row in range(len(places)):
        if seen[places[row]] == 0.0:
            means[row] = whole
        apart[row] = revealed[row] - means[row]
    _complete(residuals, places, apart, uniform, linear)
    _complete(values, places, revealed, uniform, plain)
    for row in range(len(places)):
        box = places[row]
        level = totals[box] / seen[box] if seen[box] > 0.0 else whole
        if not math.isnan(revealed[row]):
            linear[row], plain[row] = revealed[row], revealed[row]
            continue
        linear[row] = means[row] + (0.0 if math.isnan(linear[row]) else linear[row])
        plain[row] = level if math.isnan(plain[row]) else plain[row]


class Completion:
    """Completions of a round by the rounds of a history."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.forget()

    def forget(self) -> None:
        """Let the donors go: the past is another one."""
        self._made = 0
        self._donors: tuple[Floats, Floats] | None = None

    def both(self, shown: Round, revealed: Floats, seed: int) -> tuple[Floats, Floats] | None:
        """Return the values of a round as they may have been, ``linear`` and ``past``.

        None if nothing was ever seen. ``revealed`` has NaN where a value was not.
        """
        donors = self._numbers()
        if donors is None:
            return None
        history, count = self._history, len(shown.places)
        linear, plain = np.empty(count), np.empty(count)
        whole = float(history.totals.sum() / history.seen.sum())
        base = np.uint64(mix_one(mix_one(seed) + history.count))
        _both(
            *donors, shown.places, revealed, history.model(Means).predict(shown).copy(),
            history.seen, history.totals, whole, base, linear, plain,
        )  # fmt: skip
        return linear, plain

    def _numbers(self) -> tuple[Floats, Floats] | None:
        """Return the donors' residuals and values, one row per box."""
        fit = self._history.model(Means).fit()
        if fit is None:
            return None
        due = fit.end
        if due != self._made:
            numbers = fit.residuals[-DONORS:], self._history.window(due).values[-DONORS:]
            self._donors = (
                np.ascontiguousarray(numbers[0].T),
                np.ascontiguousarray(numbers[1].T),
            )
            self._made = due
        return self._donors
