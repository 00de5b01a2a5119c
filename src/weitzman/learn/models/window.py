"""A window of the past: the rounds that a model is fitted to."""

from typing import NamedTuple

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.learn.models.kept import KeptContexts


class Window(NamedTuple):
    """The rounds that a model is fitted to: the last M of the first a.

    Attributes
    ----------
    first
        How many rounds were closed before them.
    costs, values, outside
        As those of a history, (m, n), (m, n) and (m,).
    contexts
        Their contexts, (m, n, d), or what is kept of them.
    """

    first: int
    costs: Floats
    values: Floats
    outside: Floats
    contexts: Floats | KeptContexts

    @property
    def dimension(self) -> int:
        """The length d of a context."""
        if isinstance(self.contexts, np.ndarray):
            return int(self.contexts.shape[2])
        return len(self.contexts.common)

    def whole(self) -> Floats:
        """Return the contexts, (m, n, d); NaN where a box was absent."""
        return self.contexts if isinstance(self.contexts, np.ndarray) else self.contexts.whole()

    def last(self, count: int) -> "Window":
        """Return the last of these rounds, at least one."""
        if count >= len(self.outside):
            return self
        few, first = slice(-count, None), self.first + len(self.outside) - count
        contexts = self.contexts
        held = contexts[few] if isinstance(contexts, np.ndarray) else contexts.last(count)
        return Window(first, self.costs[few], self.values[few], self.outside[few], held)

    def of_box(self, rounds: Ints | slice, box: int) -> Floats:
        """Return the contexts of one box in some of the rounds."""
        if isinstance(self.contexts, np.ndarray):
            return np.ascontiguousarray(self.contexts[rounds, box])
        return self.contexts.of_box(rounds, box)
