"""Calibration: whether the mean excess at σ really is the cost.

The reservation value of a box solves E(σ − v)⁺ = c. A rule that predicts σ round by round promises that,
on average over rounds, (σ − v)⁺ comes to c; nobody needs to know the distributions to see whether it does.
With D = (σ − v)⁺ − c over the boxes and rounds whose value is known and whose σ is finite,

    found/promised = Σ (σ − v)⁺ / Σ c,      too high by ≈ Σ D / #{v < σ}.

The second is one Newton step, as E(σ − v)⁺ grows with σ at the rate P(v < σ). Where σ is too low, a box looks
better than it is: it is opened too early and too often; where σ is too high, too late and too seldom.

*Calibrated* is what stays within three standard errors of the ratio 1. A box is called off if it is beyond
what a normal sum reaches in one log in 100, all boxes taken together. Standard errors are by the block
bootstrap (:mod:`weitzman.replays.bootstrap`): chance goes beyond three of them in one log in 400
if it is long, in one in 150 if 300 rounds are looked at.

Rules learn, so the first half of the rounds is left out. Calibration is measured with all values known, on
every box of every round, opened or not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Flags, Floats
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.policies.joint import Joint
from weitzman.learn.policies.portfolio.portfolio import Portfolio
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.revealed import sigma_of
from weitzman.logs.log import Log
from weitzman.logs.rounds import LogRounds
from weitzman.replays.bootstrap import block_ratios
from weitzman.replays.diagnosis.residuals import CLEAR

if TYPE_CHECKING:
    from weitzman.learn.policy import Policy

_BINS = 8
_CHANCE = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class Promise:
    """The σ of a rule, the values that came and the costs: (T, n) each, NaN if not known."""

    rule: str
    sigma: Floats
    values: Floats
    costs: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """Whether a rule keeps its promise: found over promised, with its standard error.

    σ is too high by ``shift``, in units of value. The same ratio is there for each box, (n,), NaN
    for one without cost or rounds, and within eighths of the rows by σ, whose means are ``at``. A
    box is called off if it is more than ``bar`` standard errors away from 1.
    """

    rule: str
    ratio: float
    error: float
    shift: float
    boxes: Floats
    box_errors: Floats
    at: Floats
    bins: Floats
    bin_errors: Floats
    bar: float

    @property
    def holds(self) -> bool:
        """Whether the mean excess is the cost, up to chance."""
        return abs(self.ratio - 1.0) <= CLEAR * self.error

    @property
    def off(self) -> list[int]:
        """The numbers of the boxes whose σ is off."""
        away = np.abs(self.boxes - 1.0) > self.bar * self.box_errors
        return [int(box) for box in np.flatnonzero(away)]


def calibration(promise: Promise) -> Calibration:
    """Return whether a rule's reservation values keep what they promise, on all rounds given."""
    from scipy.special import ndtri

    known = np.isfinite(promise.sigma) & ~np.isnan(promise.values)
    sigma, values = np.where(known, promise.sigma, 0.0), np.where(known, promise.values, 0.0)
    costs, excess = np.where(known, promise.costs, 0.0), np.maximum(sigma - values, 0.0)
    ratio, error = block_ratios(excess.sum(axis=1)[:, np.newaxis], costs.sum(axis=1)[:, np.newaxis])
    boxes, box_errors = block_ratios(excess, costs)
    below = int((known & (values < sigma)).sum())
    at, bins, bin_errors = _binned(sigma, known, excess, costs)
    return Calibration(
        rule=promise.rule,
        ratio=float(ratio[0]),
        error=float(error[0]),
        shift=float((excess - costs).sum()) / below if below else float("nan"),
        boxes=boxes,
        box_errors=box_errors,
        at=at,
        bins=bins,
        bin_errors=bin_errors,
        bar=float(-ndtri(_CHANCE / (2.0 * max(1, len(boxes))))),
    )


def promised(
    log: Log,
    *,
    cost_scale: float = 1.0,
    trees: bool = True,
    progress: Callable[[int], None] | None = None,
) -> list[Promise]:
    """Return the reservation values of rules that have them, learned online, beside what came."""
    rules: list[Policy] = [
        Weitzman(FTRL(shared=log.shared)),
        Simple("no-context", log.shared),
        Joint("linear", "fixed", shared=log.shared),
    ]
    if trees:
        rules.append(Joint("trees", "fixed", shared=log.shared))
    rounds = LogRounds(log, cost_scale)
    candidates = Portfolio(candidates=rules, shared=log.shared).started(
        boxes=rounds.boxes, dimension=rounds.dimension, feedback="full", seed=0
    )
    names = candidates.names
    sigma = np.full((len(names), len(rounds), rounds.boxes), np.nan)
    values, costs = np.full((2, len(rounds), rounds.boxes), np.nan)
    for t, (shown, found) in enumerate(rounds):
        values[t, shown.places], costs[t, shown.places] = found, shown.costs
        for k in range(len(names)):
            used = sigma_of(candidates.rule(shown, k))
            if used is not None:
                sigma[k, t, shown.places] = used
        candidates.learn(shown, found)
        if progress is not None:
            progress(1)
    late = slice(len(rounds) // 2, None)
    return [
        Promise(rule=name, sigma=sigma[k, late], values=values[late], costs=costs[late])
        for k, name in enumerate(names)
    ]


def _binned(
    sigma: Floats, known: Flags, excess: Floats, costs: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the mean σ of each bin, and found over promised with its error; empty bins are left out."""
    edges = np.quantile(sigma[known], np.arange(1, _BINS) / _BINS) if known.any() else np.empty(0)
    place = np.searchsorted(np.unique(edges), sigma, side="left")
    marks = [known & (place == b) for b in range(_BINS)]
    marks = [mark for mark in marks if mark.any()]
    if not marks:
        return np.empty(0), np.empty(0), np.empty(0)
    found, due = (np.stack([(x * m).sum(axis=1) for m in marks], axis=1) for x in (excess, costs))
    ratios, errors = block_ratios(found, due)
    return np.array([float(sigma[mark].mean()) for mark in marks]), ratios, errors
