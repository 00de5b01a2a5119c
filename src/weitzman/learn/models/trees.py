"""Trees: which past rounds are like this one.

A forest (:mod:`weitzman.learn.models.forest`) is grown on the past, and says how much each past round weighs.

*Named boxes*. One forest for all boxes: the context of a round is the contexts of all its boxes side by
side, with columns that are the same in all boxes once and 0 for an absent box; it predicts all values
jointly, each standardised, the mean for a missing one.

*Boxes without history*. One forest on rows: context of a box against the rank of its value. Each row has
a law of its own, and there is no joint one.

A forest is grown on the last 8,192 rounds at most, again whenever the past has grown by √2. Where rounds come
prepared, it is grown again whenever the past has grown by a fifth, and finds out itself how far down its
trees are good; and a tree must be grown within one round: then these are at most :data:`LARGEST` numbers,
counted as rounds × columns × values.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from weitzman.arrays import Flags
from weitzman.learn.models.forest import LEAF, Forest, Rows, extra_trees, growing, weigh
from weitzman.learn.models.history import History
from weitzman.learn.models.kept import KeptContexts
from weitzman.learn.models.refits import Fitting, Refitted, nothing
from weitzman.learn.models.sample import strongest
from weitzman.learn.models.sample_steps import lowest
from weitzman.learn.policy import Floats, Ints, Round

GROWTH = 1.2
"""By what factor the past grows between refits of prepared rounds."""

EARLIER_GROWTH = 1.41
"""The same where rounds do not come prepared."""

MOST = 8192
"""The most rounds that a forest is grown on."""

LARGEST = 1 << 21
"""The most rounds × columns × values that a tree of prepared rounds is grown on."""


def filled(values: Floats) -> Floats:
    """Return values, (T, n), with the box's mean where there is none; the mean of all, if it has none."""
    known = ~np.isnan(values)
    counts = known.sum(axis=0)
    sums = np.where(known, values, 0.0).sum(axis=0)
    overall = sums.sum() / max(int(counts.sum()), 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    return np.where(known, values, means)


@dataclass(frozen=True, kw_only=True, eq=False)
class Grown:
    """The forest of a past.

    Attributes
    ----------
    first, end
        It knows the rounds from one of these numbers to the other.
    forest
        The trees; None if there was too little to grow them on.
    common
        Which columns are the same in all boxes of each of these rounds, (d,).
    values
        Of boxes without history, the values of the rows.
    expected
        Of named boxes whose rounds come prepared, the held-out means of the values of these rounds, (m, n),
        NaN where there is none.
    """

    first: int
    end: int
    forest: Forest | None
    common: Flags
    values: Floats
    expected: Floats | None = None


class Trees:
    """The forest of a past, grown again as it grows."""

    def __init__(self, history: History) -> None:
        extra_trees()
        self._history = history
        self._grown: Refitted[Grown] = Refitted(
            history.refits(GROWTH if history.unit_free else EARLIER_GROWTH),
            self._begin,
            sliced=history.unit_free,
        )
        self.forget()

    def forget(self) -> None:
        """Let the forest go: the past is another one."""
        self._grown.forget()
        self._asked: tuple[Round | None, int, Floats] = (None, 0, np.empty(0))
        self._held: Ints | None = None

    def grown(self) -> Grown:
        """Return the forest in force."""
        grown = self._grown.current(self._history.count)
        return self._none(0, 0) if grown is None else grown

    def rounds(self, shown: Round) -> tuple[int, Floats]:
        """Return the first round that the forest knows, and weights of the rounds from there on."""
        grown, (asked, count, weights) = self.grown(), self._asked
        if asked is not shown or count != self._history.count:
            weights = np.ones(grown.end - grown.first)
            if grown.forest is not None:
                weights = weigh(grown.forest, self._row(shown, grown.common))
            self._asked, self._held = (shown, self._history.count, weights), None
        return grown.first, weights

    def heaviest(self, shown: Round, begin: int, end: int, most: int) -> Ints:
        """Return which of the rounds from one number to another weigh most, counted from the first."""
        first, weights = self.rounds(shown)
        if (begin, end) != (first, first + len(weights)):
            return strongest(weights[begin - first : end - first], most)
        if self._held is None:
            self._held = strongest(weights, most)
        return self._held

    def _row(self, shown: Round, common: Flags) -> Floats:
        """Return the contexts of a round as one row."""
        rows, places, boxes = self._history.prepared(shown), shown.places, self._history.boxes
        if self._history.unit_free:
            own = np.zeros((boxes, int((~common).sum())))
            own[places] = rows[:, ~common]
            return np.concatenate([rows[0, common], own.ravel()])
        contexts = np.full((1, boxes, self._history.dimension), np.nan)
        contexts[0, places] = rows
        return np.asarray(_joined(contexts, common)[0])

    def rows(self, shown: Round) -> tuple[Floats, Floats]:
        """Return means and reservation values of the rows of a round; 0 and c if nothing was seen."""
        grown = self.grown()
        means, sigma = np.zeros(len(shown.costs)), shown.costs.copy()
        if grown.forest is None:
            return means, sigma
        for row, context in enumerate(self._history.prepared(shown)):
            weights = weigh(grown.forest, context)
            held = np.flatnonzero(weights)
            values, weights = grown.values[held], weights[held]
            whole = float(weights.sum())
            means[row] = weights @ values / whole
            order = np.argsort(values, kind="stable")
            price = whole * float(shown.costs[row])
            sigma[row] = lowest(values[order], order, weights, price, np.inf)
        return means, sigma

    def _none(self, first: int, end: int) -> Grown:
        common = np.zeros(self._history.dimension, dtype=np.bool_)
        return Grown(first=first, end=end, forest=None, common=common, values=np.empty(0))

    def _begin(self, end: int) -> Fitting[Grown]:
        window = self._history.window(end).last(MOST)
        none = self._none(window.first, end)
        known = ~np.isnan(window.values)
        if self._history.shared:
            if not known.any():
                return nothing(none)
            values = window.values[known]
            rows, free = window.whole()[known], self._history.unit_free
            growing_ = growing(rows, _ranks(values), fixed=not free)
            return Fitting(growing_.tasks, _named(growing_, replace(none, values=values)))
        if end < 2 * LEAF or not known.any():
            return nothing(none)
        if isinstance(window.contexts, KeptContexts):
            joined: Rows
            common, joined = window.contexts.joined()
            most = max(LARGEST // (joined.shape[1] * window.values.shape[1]), 2 * LEAF)
            window, joined = window.last(most), joined[-most:]
        else:
            common = _common(window.contexts)
            joined = _joined(window.contexts, common)
        targets = filled(window.values)
        means, deviations = targets.mean(axis=0), targets.std(axis=0)
        targets = (targets - means) / np.where(deviations > 0.0, deviations, 1.0)
        growing_ = growing(joined, targets, fixed=not self._history.unit_free)
        none = replace(none, first=window.first, common=common)
        return Fitting(growing_.tasks, _named(growing_, none, means, deviations))


def _named(
    growing: Fitting[Forest],
    none: Grown,
    means: Floats | None = None,
    deviations: Floats | None = None,
) -> Generator[None, None, Grown]:
    """Grow a forest, and say what it was grown on, with the means and deviations of its targets."""
    forest = yield from growing.work
    expected = None
    if forest.held_out is not None and means is not None and deviations is not None:
        expected = means + deviations * forest.held_out
    return replace(none, forest=forest, expected=expected)


def _joined(contexts: Floats, common: Flags) -> Floats:
    """Return the contexts of rounds, (T, n, d), as one row each."""
    own = np.nan_to_num(contexts[:, :, ~common])
    # Of a common column every box that is there has the number
    held = np.nan_to_num(contexts[:, :, common])
    present = ~np.isnan(contexts[:, :, :1])
    once = held.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return np.concatenate([once, own.reshape(len(contexts), -1)], axis=1)


def _common(contexts: Floats) -> Flags:
    """Return which columns are the same in all boxes of every round."""
    lowest_there = np.where(np.isnan(contexts), np.inf, contexts).min(axis=1)
    highest = np.where(np.isnan(contexts), -np.inf, contexts).max(axis=1)
    same: Flags = (highest - lowest_there <= 1e-9).all(axis=0)
    return same


def _ranks(values: Floats) -> Floats:
    """Return (rank of each value)/m, the mean rank for equal ones."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(values) / len(values)
    return ranks
