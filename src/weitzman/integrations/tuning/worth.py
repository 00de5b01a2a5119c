"""The rule: stop when no configuration is expected to gain what it costs [Xie 2026].

A configuration x is a box that costs c(x), and its value is believed to be normal, f(x) ~ N(m, s²). With λ
the value of a unit of cost, its reservation value g(x) solves

    E(g(x) − f(x))⁺ = λ c(x),

and the study stops when min g(x) ≥ y, the best value so far; which is to say that no configuration gains more
than it costs, max E(y − f(x))⁺/c(x) ≤ λ.

*Theorem* [Xie 2026]. If what is believed is right and the configuration of the smallest g (or of the largest
E(y − f)⁺/c) is tried next, the expected best value plus λ times all costs is at most that of stopping
after the first trial. *Proof.* A trial that is made changes it by λ c(x) − E(y − f(x))⁺ < 0 in
expectation, since g(x) < y. ∎

A sampler that tries something else may leave the promising configuration alone for ever. Then what counts is
what its own trials promise: E(y − f(x))⁺ of each of the last ones, as it was before it was made, and what
they cost. The study also stops when on average they promised less than that.

A cost that is not known beforehand is log-normal: E c = exp(m + s²/2), for a process of log costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy

from weitzman.arrays import Flags, Floats
from weitzman.errors import InvalidInputError
from weitzman.integrations.tuning.attempts import Attempt, values_of
from weitzman.integrations.tuning.space import Space
from weitzman.integrations.tuning.surface import Surface, fit_parameters, fit_surface
from weitzman.search.laws.closed_forms import CLOSED
from weitzman.search.laws.parametric import LocationScale
from weitzman.search.reservation import expected_excess, reservation_value

_SPREAD = 1024
"""How many configurations are spread over all branches; a power of two, as Sobol's points are best so."""
_NEAR, _WIDTHS = 64, (0.2, 0.1, 0.05, 0.02, 0.01)
"""How many configurations stand near the best ones in each pass, and how near."""
_USUAL = 10
"""Of how many trials what the sampler's trials promise is the mean; half as many are enough to begin with."""
_GROWTH = 1.15
"""By what factor the trials have grown when the parameters of the kernels are fitted once more."""


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What one more trial promises, smaller values better.

    ``cutoff`` is the smallest reservation value; the configuration that has it is expected to improve
    ``best`` by ``gain``, and to cost ``cost``, of which a unit is worth ``price`` in units of the value. The
    last trials promised ``usual_gain`` on average and cost ``usual_cost``; NaN if that does not count.
    """

    trials: int
    best: float
    cutoff: float
    gain: float
    cost: float
    price: float
    settings: Mapping[str, float] = field(default_factory=dict)
    usual_gain: float = np.nan
    usual_cost: float = np.nan

    @property
    def is_exhausted(self) -> bool:
        """Whether no configuration is worth its cost."""
        return self.cutoff >= self.best

    @property
    def stops(self) -> bool:
        """Whether no configuration is worth its cost, or what the sampler tries is not."""
        return self.is_exhausted or self.usual_gain <= self.price * self.usual_cost


def index(mean: Floats, spread: Floats, price: Floats) -> Floats:
    """Return reservation values of normal values: g with E(g − f)⁺ = price.

    >>> index(np.array([0.0]), np.array([1.0]), np.array([np.exp(-3)])).round(5).tolist()
    [-1.25762]
    """
    return np.asarray(reservation_value(_normal(mean, spread), price))


class Outlooks:
    """Says what one more trial promises, of the finished trials of a study alone: same trials, same bits.

    ``price`` is what a unit of cost is worth, in units of the value. ``constant`` is the cost of every trial,
    if that is known. With ``noisy`` values a trial counts with the mean that is believed of it. Where the
    promising configuration is ``proposed``, and so tried, what the sampler's trials promise does not count.
    """

    def __init__(
        self,
        *,
        price: float,
        constant: float | None = None,
        noisy: bool = False,
        least: int = 10,
        proposed: bool = False,
    ) -> None:
        self.price, self.constant, self.noisy, self.least = price, constant, noisy, least
        self.proposed = proposed
        self._fitted: dict[str, tuple[bytes, Floats]] = {}

    def after(self, attempts: Sequence[Attempt]) -> Outlook | None:
        """Return the outlook after these attempts, in the order in which they ended; None if they are few."""
        complete = np.array([a.is_complete for a in attempts], dtype=np.bool_)
        if complete.sum() < self.least:
            return None
        values, space = values_of(attempts, noisy=self.noisy), Space(attempts)
        if np.isneginf(values.min()):
            best = float(values.min())
            return Outlook(
                trials=len(attempts), best=best, cutoff=best, gain=0.0, cost=0.0, price=self.price
            )
        columns = space.columns(space.points)
        surface = self._surface("value", columns, values)
        costs = self._costs(attempts, columns)
        best = self._best(surface, columns[complete], values[complete])
        configurations = Configurations(
            space, surface, costs, self.price, self.constant, self.noisy
        )
        point = configurations.find(best, values)
        if point is None:
            return Outlook(
                trials=len(attempts), best=best, cutoff=np.inf, gain=0.0, cost=0.0, price=self.price
            )
        (cutoff,), (gain,), (cost,) = configurations.weigh(point[None], best)
        usual_gain, usual_cost = self._usual(attempts, columns)
        return Outlook(
            trials=len(attempts),
            best=best,
            cutoff=float(cutoff),
            gain=float(gain),
            cost=float(cost),
            price=self.price,
            settings=space.settings(point),
            usual_gain=usual_gain,
            usual_cost=usual_cost,
        )

    def _usual(self, attempts: Sequence[Attempt], columns: Floats) -> tuple[float, float]:
        """Return what the last trials promised before they were made, and cost, on average."""
        last = min(_USUAL, len(attempts) - self.least)
        if self.proposed or last < _USUAL // 2:
            return np.nan, np.nan
        gains, costs = [], []
        theta = self._fitted["value"][1]
        for n in range(len(attempts) - last, len(attempts)):
            cost = attempts[n].cost if self.constant is None else self.constant
            complete = np.array([a.is_complete for a in attempts[:n]], dtype=np.bool_)
            if cost is None or not complete.any():
                continue
            values = values_of(attempts[:n], noisy=self.noisy)
            surface = fit_surface(columns[:n], values, theta)
            best = self._best(surface, columns[:n][complete], values[complete])
            mean, spread = surface.new(columns[n : n + 1], noisy=self.noisy)
            gains.append(float(expected_excess(_normal(mean, spread), np.full(1, best))[0]))
            costs.append(cost)
        return (float(np.mean(gains)), float(np.mean(costs))) if costs else (np.nan, np.nan)

    def _best(self, surface: Surface, columns: Floats, values: Floats) -> float:
        return float(surface.at(columns)[0].min() if self.noisy else values.min())

    def _costs(self, attempts: Sequence[Attempt], columns: Floats) -> Surface | None:
        if self.constant is not None:
            return None
        known = np.array([a.cost is not None for a in attempts])
        if known.sum() < 2:
            rule = "be known of at least two finished trials"
            raise InvalidInputError("The cost", rule, int(known.sum()))
        logs = np.log([a.cost for a in attempts if a.cost is not None])
        return self._surface("cost", columns[known], logs)

    def _surface(self, name: str, columns: Floats, values: Floats) -> Surface:
        """Return the surface; its parameters are those of the trials at the last time of fitting."""
        count = float(self.least)
        while count * _GROWTH <= len(values):
            count *= _GROWTH
        first = min(int(count), len(values))
        key = columns[:first].tobytes() + values[:first].tobytes()
        if self._fitted.get(name, (b"", None))[0] != key:
            self._fitted[name] = key, fit_parameters(columns[:first], values[:first])
        return fit_surface(columns, values, self._fitted[name][1])


@dataclass(frozen=True, eq=False)
class Configurations:
    """What may be tried next, and what it promises: a value, normal by one surface, at a cost, by another."""

    space: Space
    surface: Surface
    costs: Surface | None
    price: float
    constant: float | None
    noisy: bool

    def weigh(self, points: Floats, best: float) -> tuple[Floats, Floats, Floats]:
        """Return reservation values, expected gains and expected costs."""
        columns = self.space.columns(points)
        mean, spread = self.surface.new(columns, noisy=self.noisy)
        if self.costs is None:
            cost = np.full(len(points), self.constant)
        else:
            middle, wide = self.costs.at(columns)
            cost = np.exp(middle + 0.5 * wide * wide)
        gain = expected_excess(_normal(mean, spread), np.full(len(points), best))
        return index(mean, spread, self.price * cost), np.asarray(gain), cost

    def find(self, best: float, values: Floats) -> Floats | None:
        """Return the configuration of the smallest reservation value; None if everything has been tried."""
        rng = np.random.default_rng(0)
        branches = self.space.branches
        each = max(_SPREAD >> (len(branches) - 1).bit_length(), 64)
        spread = []
        for branch in branches:
            count = max(len(branch.names), 1)
            units = scipy.stats.qmc.Sobol(count, rng=rng).random(each)
            spread.append(self.space.spread(branch, units))
        tried = self.space.points
        good = tried[np.argsort(values, kind="stable")[:8]]
        near = [self.space.near(good, width, rng) for width in _WIDTHS * 4]
        points = self._new(np.concatenate([*spread, *near]))
        if not len(points):
            return None
        cutoffs = self.weigh(points, best)[0]
        for width in _WIDTHS:
            top = np.argsort(cutoffs, kind="stable")[:4]
            beside = np.repeat(points[top], _NEAR // 4, axis=0)
            more = self._new(self.space.near(beside, width, rng))
            points = np.concatenate([points[top], more])
            cutoffs = (
                np.concatenate([cutoffs[top], self.weigh(more, best)[0]])
                if len(more)
                else cutoffs[top]
            )
        return np.asarray(points[cutoffs.argmin()])

    def _new(self, points: Floats) -> Floats:
        """Return the points without those that were tried, if trying them again shows nothing new."""
        if self.noisy or not len(points):
            return points
        tried = {row.tobytes() for row in _rounded(self.space.points)}
        keep: Flags = np.array([row.tobytes() not in tried for row in _rounded(points)])
        return points[keep]


def _normal(mean: Floats, spread: Floats) -> LocationScale:
    return LocationScale(CLOSED["norm"], (), mean, spread, "norm")


def _rounded(points: Floats) -> Floats:
    return np.round(points, 9) + 0.0
