"""Estimates of a mean total from rounds that are known by chance, and how sure they are.

With L the total of a rule in a round, P the chance that it is known, e whether it is, and m any guess that
does not depend on the draw,

    ips               s = e L/P                           E s = L
    doubly robust     s = m + e (L − m)/P                 E s = L, of the variance (L − m)² (1 − P)/P
    truncated         s = m + e min(1/P, √T) (L − m)      biased towards m where P < 1/√T
    self-normalised   Σ e L/P / Σ e/P                     biased by O(1/T)
    naive             the mean of L where e = 1           biased: known rounds are not like others

The expectations are over draws, given all values: boxes may depend on each other, and on contexts, as they
like. Where P = 1 every s is L.

**Bounds.** Where some rounds can be known by no draw, P = 0, take for m a bound of L by the plain boxes. Then

    E s = Σ_{P > 0} L + Σ_{P = 0} m,

a bound of the mean, and nobody need know which rounds these are.

**Intervals** are for rounds like these: the standard error is that of the block bootstrap of s
(:mod:`weitzman.replays.bootstrap`), which counts how rounds differ and what draws add. Few explored rounds
settle nothing: with V the variance of the mean, and V_d the part of it that draws add, by k explored rounds,
the interval is that of Student's t with

    ν = V² / (V_d²/(k − 1) + (V − V_d)²/(T − 1))

degrees of freedom [Satterthwaite 1946]. A loss that is rare may be in none of them. So one more explored
round counts in V_d, as far from its guess as the bounds of an average hidden round allow.
"""

import math
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Floats
from weitzman.replays.bootstrap import block_variances
from weitzman.replays.judgement.trace import Trace

METHODS = ("doubly robust", "ips", "self-normalised", "truncated", "naive")
"""The estimators, the first of which verdicts go by."""

LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A mean total per round: its standard error, and the ends of a 95 % interval."""

    mean: float
    se: float
    low: float
    high: float

    def turned(self) -> "Estimate":
        """Return the same of totals whose sign is turned."""
        # A zero has no sign
        mean, low, high = (0.0 - x for x in (self.mean, self.high, self.low))
        return Estimate(mean=mean, se=self.se, low=low, high=high)


NOTHING = Estimate(mean=math.nan, se=math.nan, low=-math.inf, high=math.inf)
"""What is said where nothing is known."""


def scores(trace: Trace, guesses: Floats, most: float = math.inf) -> Floats:
    """Return s of the doubly robust estimate, (T,), with weights up to ``most``.

    Examples
    --------
    >>> known, none = np.array([1.0, 4.0, np.nan]), np.zeros(3)
    >>> trace = Trace(known, np.array([1.0, 0.5, np.nan]), *[none] * 6)
    >>> scores(trace, np.zeros(3)), scores(trace, np.array([1.0, 3.0, 3.0]))
    (array([1., 8., 0.]), array([1., 5., 3.]))
    """
    apart = np.where(trace.covered, trace.totals - guesses, 0.0)
    found: Floats = guesses + np.minimum(trace.weights, most) * apart
    return found


def farthest(trace: Trace, guesses: Floats | float, most: float = math.inf) -> float:
    """Return what one more explored round adds, if it is as far from its guess as bounds allow."""
    drawn = trace.covered & ~trace.certain
    if not drawn.any():
        return 0.0
    apart = np.maximum(trace.high - guesses, guesses - trace.low)[~trace.certain]
    weight = float(np.minimum(trace.weights[drawn], most).mean())
    return weight * math.sqrt(float((apart**2).mean()))


def estimate(series: Floats, drawn: Floats, one_more: float = 0.0) -> Estimate:
    """Return the mean of a series, (T,), and how sure it is.

    ``drawn`` is what explored rounds add to it, one number for each of them, and ``one_more`` what another
    one might have added.
    """
    from scipy.stats import t as student

    rounds, mean = len(series), float(series.mean())
    if rounds < 2 or len(drawn) == 1:
        return Estimate(mean=mean, se=math.nan, low=-math.inf, high=math.inf)
    variance = float(block_variances(series[:, np.newaxis])[0])
    added = float((drawn**2).sum()) / rounds**2
    rest = max(variance - added, 0.0)
    added += (one_more / rounds) ** 2
    variance += (one_more / rounds) ** 2
    below = rest**2 / (rounds - 1) + (added**2 / (len(drawn) - 1) if len(drawn) else 0.0)
    freedom = (added + rest) ** 2 / below if below > 0.0 else math.inf
    reach = float(student.ppf(0.5 + 0.5 * LEVEL, freedom)) * math.sqrt(variance)
    return Estimate(mean=mean, se=math.sqrt(variance), low=mean - reach, high=mean + reach)


def estimates(trace: Trace, guesses: Floats) -> dict[str, Estimate]:
    """Return the estimates of a rule of which every round may be known, by name."""
    weights, covered, rounds = trace.weights, trace.covered, len(trace.totals)
    drawn = covered & ~trace.certain
    totals = np.where(covered, trace.totals, 0.0)
    found: dict[str, Estimate] = {}
    robust = scores(trace, guesses)
    found["doubly robust"] = estimate(robust, (robust - guesses)[drawn], farthest(trace, guesses))
    plain = weights * totals
    found["ips"] = estimate(plain, plain[drawn], farthest(trace, 0.0))
    found["self-normalised"] = _ratio(trace)
    most = math.sqrt(rounds)
    cut = scores(trace, guesses, most)
    found["truncated"] = estimate(cut, (cut - guesses)[drawn], farthest(trace, guesses, most))
    found["naive"] = naive(trace)
    return found


def naive(trace: Trace) -> Estimate:
    """Return the mean total of covered rounds."""
    known = trace.totals[trace.covered]
    return estimate(known, np.empty(0)) if len(known) else NOTHING


def _ratio(trace: Trace) -> Estimate:
    """Return Σ w L/Σ w; its error is that of w (L − mean)/w̄, which it is to first order."""
    weights = trace.weights
    if not weights.sum() > 0.0:
        return NOTHING
    totals = np.where(trace.covered, trace.totals, 0.0)
    mean = float((weights * totals).sum() / weights.sum())
    apart = weights * (totals - mean) / weights.mean()
    drawn = trace.covered & ~trace.certain
    return estimate(mean + apart, apart[drawn], farthest(trace, mean))
