"""Regrets that are known from elsewhere: the appendix experiment of the paper, run by others.

Two independent prototypes, agreeing within noise, with n = 10, d = 5, c = 1, M = 4, T = 300 and 20
repetitions; realised regret, mean. Their standard errors were not kept one by one: they were about
those of a run here, which has as many repetitions, so a difference has about √2 times ours.
"""

import math
from typing import Final

ROUNDS: Final = 300
"""The horizon that the regrets are for."""

_CELLS: Final = {
    ("signed", "full"): (48, 17, 36),
    ("signed", "opened"): (223, 157, 175),
    ("orthant", "full"): (83, 15, 72),
    ("orthant", "opened"): (261, 36, 93),
    ("shifted", "full"): (24, 8, 25),
    ("shifted", "opened"): (200, 105, 138),
}
REFERENCE: Final = {
    (world, feedback, searcher): float(mean)
    for (world, feedback), means in _CELLS.items()
    for searcher, mean in zip(("cpb-theorem", "cpb-tuned", "linear-regression"), means, strict=True)
}


def distance(mean: float, error: float, reference: float) -> float:
    """Return how many standard errors of their difference a mean is from a reference.

    Examples
    --------
    >>> round(distance(20.0, 1.0, 17.0), 3)
    2.121
    """
    away = mean - reference
    return away / (math.sqrt(2.0) * error) if error != 0.0 else math.copysign(math.inf, away)
