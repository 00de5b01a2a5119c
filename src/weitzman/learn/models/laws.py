"""The law of a round, of one kind: vectors of past rounds, with weights, put on the means of this one.

:mod:`weitzman.learn.policies.joint` says what the kinds are.
"""

import numpy as np

from weitzman.learn.models.history import History
from weitzman.learn.models.means import GROWTH, Means
from weitzman.learn.models.sample import Sample, sorted_rows
from weitzman.learn.models.stacked import Stack, Stacked
from weitzman.learn.models.trees import Trees, filled
from weitzman.learn.policy import Floats, Ints, Round

CAP = 512
"""The most vectors of a law."""


class Laws:
    """The laws of rounds, of one kind, over a history.

    Parameters
    ----------
    history
        The past.
    kind
        ``"past"``, ``"linear"``, ``"trees"``, ``"trees+linear"`` or ``"stacked"``.
    """

    def __init__(self, history: History, kind: str) -> None:
        self._history = history
        self._kind = kind
        self._refits = history.refits(GROWTH)
        self._equal = np.empty(0)
        if "trees" in kind:
            history.model(Trees)
        if kind == "stacked":
            history.model(Stacked)
        self.forget()

    def forget(self) -> None:
        """Let the vectors go: the past is another one."""
        self._made_at = 0
        # The number of the first round of the vectors
        self._first = 0
        self._kept: tuple[Floats, Ints] | None = None
        self._of: Stack | None = None

    def of(self, shown: Round) -> Sample | None:
        """Return the law of a round; None if nothing was seen yet."""
        if self._kind == "stacked":
            return self._stacked(shown)
        kept, places, history = self._vectors(), shown.places, self._history
        if kept is None:
            return None
        means = history.model(Means).predict(shown) if "linear" in self._kind else None
        if "trees" in self._kind:
            values, _ = kept
            trees = history.model(Trees)
            first, weights = trees.rounds(shown)
            # What both the forest and the vectors know
            begin = max(self._first, first)
            held = trees.heaviest(
                shown, begin, min(self._first + values.shape[1], first + len(weights)), CAP
            )
            if not len(held):
                return None
            columns, heavy = held + (begin - self._first), weights[held + (begin - first)]
            if not history.unit_free:
                return Sample.of(values[np.ix_(places, columns)], heavy, means)
            return Sample.picked(*kept, places, columns, heavy, means)
        return self._equally(kept, places, means)

    def _equally(self, kept: tuple[Floats, Ints], places: Ints, means: Floats | None) -> Sample:
        """Return the law whose vectors weigh the same."""
        ranked, order = kept
        shift = np.zeros(len(places)) if means is None else means
        if len(self._equal) != ranked.shape[1]:
            self._equal = np.ones(ranked.shape[1])
        return Sample(ranked=ranked, order=order, rows=places, shift=shift, weights=self._equal)

    def _stacked(self, shown: Round) -> Sample | None:
        stacked, places = self._history.model(Stacked), shown.places
        stack = stacked.stack()
        if stack is None:
            return None
        if self._of is not stack or self._kept is None:
            rows = stack.residuals if stack.weighed else stack.residuals[-CAP:]
            self._of, self._kept = stack, sorted_rows(np.ascontiguousarray(rows.T))
        if not stack.weighed:
            return self._equally(self._kept, places, self._history.model(Means).predict(shown))
        trees = self._history.model(Trees)
        first, weights = trees.rounds(shown)
        held = trees.heaviest(shown, first, first + len(weights), CAP)
        means = stacked.predict(shown, stack, weights)
        return Sample.picked(*self._kept, places, held, weights[held], means)

    def _vectors(self) -> tuple[Floats, Ints] | None:
        """Return the values or residuals of the past rounds in use, one row per box.

        The rows are in increasing order, with that order; with trees they are not where all rounds are
        kept, of which few are used.
        """
        history = self._history
        fit = history.model(Means).fit() if "linear" in self._kind else None
        due = fit.end if fit is not None else self._due()
        if due != self._made_at:
            self._made_at = due
            window = history.window(due)
            self._first = window.first
            rows = filled(window.values) if fit is None else np.nan_to_num(fit.residuals)
            if "trees" not in self._kind:
                rows = rows[-CAP:]
            values = np.ascontiguousarray(rows.T)
            seen = "linear" not in self._kind and bool((history.seen > 0.0).any())
            self._kept = None
            if seen or fit is not None:
                plain = "trees" in self._kind and not history.unit_free
                self._kept = (values, np.empty((0, 0), np.int64)) if plain else sorted_rows(values)
        return self._kept

    def _due(self) -> int:
        """Return how many rounds the values in use are from."""
        if self._kind == "trees":
            return self._history.model(Trees).grown().end
        return self._refits.last(self._history.count)
