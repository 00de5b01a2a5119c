"""Finished trials of a study, as the rule needs them: settings, value, cost. Smaller values are better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Floats


@dataclass(frozen=True)
class Numeric:
    """A parameter between two numbers, on a logarithmic scale or in steps if it has them."""

    low: float
    high: float
    log: bool = False
    step: float | None = None


@dataclass(frozen=True)
class Choice:
    """A parameter that is one of so many things, known by their places."""

    count: int


Parameter = Numeric | Choice


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One finished trial.

    ``settings`` are numbers, or places of choices, of the parameters that it had. Without a ``value`` it
    failed; one that was ``pruned`` has none that can be kept. A cost may be unknown.
    """

    parameters: Mapping[str, Parameter]
    settings: Mapping[str, float]
    value: float | None
    cost: float | None
    pruned: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether it has a value that can be kept."""
        return self.value is not None and not self.pruned and self.value != np.inf


def values_of(attempts: Sequence[Attempt], *, noisy: bool = False) -> Floats:
    """Return the values that a model is fitted to, one for each attempt.

    How bad a bad value is does not matter: (best − v)⁺ is the same for v and for min(v, ceiling), as long as
    the ceiling is not below the best. Losses have a long tail, which a normal law would take for a spread on
    both sides and so for hope. So values end at the median, where failed and pruned attempts stand too; at
    the largest value, if half of them are as good as the best, or if a cut would move means: of noisy ones.
    """
    complete = [a.value for a in attempts if a.is_complete and a.value is not None]
    ceiling = float(np.median(complete))
    if noisy or ceiling == min(complete):
        ceiling = float(np.max(complete))
    return np.array([_value(attempt, ceiling) for attempt in attempts])


def _value(attempt: Attempt, ceiling: float) -> float:
    if attempt.value is None or attempt.pruned:
        return ceiling
    return min(attempt.value, ceiling)
