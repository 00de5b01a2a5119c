"""Exploration, planned: how many draws a given precision takes, and what they cost.

Over T rounds like these, each drawn with the chance φ, draws add to the variance of the doubly robust mean

    (1 − φ)/φ · R/T,      R = E (L − m)² over all rounds, 0 where the total is certain.

An interval of half-width h from it alone, at 95 %, takes (1 − φ)/φ · R/T = (h/z)², z = 1.96, that is

    φ = R / (R + T (h/z)²).

R is that of the rounds that were explored. Where none were, it is at most the mean of ((high − low)/2)², by
the bounds of the totals. A drawn round costs what its closed boxes do if all are opened; in *prefix
exploration* what those do that the rule would have needed, estimated over covered rounds with their weights,
or at most the price of the longest search that is possible.
"""

from dataclasses import dataclass

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.replays.judgement.judge import Judgement
from weitzman.search.numbers import finite_number

_Z = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """What it takes to know the mean total of a rule to ± ``half_width``, over as many rounds as the log has.

    Attributes
    ----------
    share, rounds
        The chance of a draw, and how many rounds are drawn on average.
    whole, prefix
        What the draws cost in all if they open everything, and if they open only what the rule needs.
    measured
        Whether the spread was measured in explored rounds; otherwise it is the most that bounds allow.
    """

    half_width: float
    share: float
    rounds: float
    whole: float
    prefix: float
    measured: bool


def exploration_for(judgement: Judgement, name: str, half_width: float) -> Exploration:
    """Return what it takes to know the mean total of a rule to ± ``half_width``."""
    if finite_number(half_width, "The half-width", "be a finite number > 0") <= 0.0:
        raise InvalidInputError("The half-width", "be a finite number > 0", half_width)
    judged = judgement.of(name)
    trace, count = judged.trace, judgement.rounds
    drawn = trace.covered & ~trace.certain
    measured = int(drawn.sum()) > 1
    if measured:
        weights = np.where(drawn, trace.weights, 0.0)
        known = np.where(drawn, trace.totals - judged.guesses, 0.0)
        spread = float((weights * known**2).mean())
        prefix = float((weights * trace.missing).mean())
    else:
        apart = np.where(trace.certain, 0.0, trace.high - trace.low)
        spread = float((0.25 * apart**2).mean())
        prefix = float(np.where(trace.certain, 0.0, trace.missing).mean())
    share = spread / (spread + count * (half_width / _Z) ** 2)
    return Exploration(
        half_width=half_width,
        share=share,
        rounds=share * count,
        whole=share * float(judgement.closed.sum()),
        prefix=share * count * prefix,
        measured=measured,
    )
