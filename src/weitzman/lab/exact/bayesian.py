"""A Bayesian who knows a world's laws and how its weights were drawn: a reference for learners.

Before the first look the weights w of a box have the law from which the world draws them. A look at x with
value v has the likelihood of v under the law that the world gives to σ = w·x, and with the posterior of w

    σ(x) is the root of E_w E[(σ − v)⁺ | w·x] = c,

the reservation value of the predictive law. No learner is given as much. It is no bound: it opens nothing to
learn, and a policy that does may be better in the end. Boxes are independent, as their weights are.

**The posterior** is that of ``particles`` points per box with weights. Each look multiplies the weights by
its likelihood. When they are uneven (an effective number below half), points are drawn again by their
weights, and move: w + γ(a − b), γ = 2.38/√(2d), for two points a and b of the other half, accepted by the
ratio of the posterior densities over all looks [ter Braak 2006]. A look costs O(particles · looks · d).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.lab.worlds.drawing import ball, lowest
from weitzman.lab.worlds.paper import Orthant, Shifted, Signed, signed_end
from weitzman.lab.worlds.spread import Agree
from weitzman.learn.learners.plain_bank import PlainBank
from weitzman.search.numbers import whole_number

Ends = tuple[Floats, Floats]
_SWEEPS: Final = 4
_HALVINGS: Final = 60


def _signed(world: Any, index: Floats) -> Ends:
    end = signed_end(index, world.cost)
    return np.minimum(end, 0.0), np.maximum(end, 0.0)


def _orthant(world: Any, index: Floats) -> Ends:
    return _signed(world, np.maximum(index, world.cost))


def _placed(width: float) -> Callable[[Any, Floats], Ends]:
    def ends(world: Any, index: Floats) -> Ends:
        lower = lowest(index, width * world.cost, world.cost)
        return lower, lower + width * world.cost

    return ends


_LAWS: Final[dict[type, Callable[[Any, Floats], Ends]]] = {
    Signed: _signed,
    Orthant: _orthant,
    Shifted: _placed(2.0),
    Agree: _placed(8.0),
}
"""The ends of a uniform value at w·x, for each world whose prior is known here."""


@dataclass(frozen=True, kw_only=True)
class Bayesian:
    """The reservation values of the predictive laws of a world whose prior is known.

    Parameters
    ----------
    world
        ``signed``, ``orthant``, ``shifted`` or ``agree``.
    particles
        How many points hold the posterior of a box.
    seed
        The seed of the points.
    """

    world: Any = field(default_factory=Shifted)
    particles: int = 1000
    seed: int = 0

    def start(self, *, boxes: int, dimension: int) -> PlainBank:
        """Return a bank that has seen nothing."""
        if type(self.world) not in _LAWS:
            known = [cast("Any", kind).name for kind in _LAWS]
            raise InvalidInputError("The world of a Bayesian", f"be one of {known}", self.world)
        whole_number(self.particles, "The particles", least=4)
        model = Posteriors(self, boxes, dimension)
        return PlainBank(model=model, boxes=boxes, dimension=dimension)


class Posteriors:
    """The posteriors of the boxes, as points with weights, and the looks that they follow from."""

    def __init__(self, spec: Bayesian, rows: int, dimension: int) -> None:
        self._spec = spec
        self._dimension = dimension
        self._points = np.empty((0, spec.particles, dimension))
        self._weights = np.empty((0, spec.particles))
        # Row, context and value of each look
        self._looks = np.empty((0, dimension + 2))
        self.resize(rows)

    def predict(self, rows: Ints, contexts: Floats, costs: Floats) -> Floats:
        """Return the reservation values of the predictive laws."""
        index = np.einsum("kpd,kd->kp", self._points[rows], contexts)
        lower, upper = _LAWS[type(self._spec.world)](self._spec.world, index)
        weights = self._weights[rows]
        # E(s − v)⁺ ≤ s − lower, and ≥ s − upper
        low, high = lower.min(axis=1), upper.max(axis=1) + costs
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            short = (weights * _excess(middle[:, None], lower, upper)).sum(axis=1) < costs
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return np.asarray(0.5 * (low + high))

    def widths(self, rows: Ints, contexts: Floats) -> Floats:
        """Return the deviation of w·x."""
        index = np.einsum("kpd,kd->kp", self._points[rows], contexts)
        weights = self._weights[rows]
        mean = (weights * index).sum(axis=1, keepdims=True)
        return np.asarray(np.sqrt((weights * (index - mean) ** 2).sum(axis=1)))

    def learn(self, rows: Ints, contexts: Floats, values: Floats, costs: Floats) -> None:
        """Take looks into the posteriors."""
        for row, x, value in zip(rows, contexts, values, strict=True):
            look = np.concatenate([[row], x, [value]])
            self._looks = np.concatenate([self._looks, look[None]])
            chance = self._weights[row] * np.exp(self._logs(self._points[row], look[None]))
            if not chance.any():
                # No point is left: they move from where they are until one is inside
                chance = np.ones_like(chance)
            self._weights[row] = chance / chance.sum()
            if (self._weights[row] ** 2).sum() * len(chance) > 2.0:
                self._move(int(row))

    def resize(self, rows: int) -> None:
        """Let boxes join whose weights have their prior."""
        drawn = [self._points]
        for row in range(len(self._points), rows):
            rng = np.random.default_rng([self._spec.seed, row, 0])
            points = self._spec.world.radius * ball(rng, self._spec.particles, self._dimension)
            drawn.append((np.abs(points) if self._is_positive else points)[None])
        self._points = np.concatenate(drawn)
        count = self._spec.particles
        uniform = np.full((rows - len(self._weights), count), 1.0 / count)
        self._weights = np.concatenate([self._weights, uniform])

    def state(self) -> Arrays:
        """Return points, weights and looks."""
        return {
            "points": self._points.copy(),
            "weights": self._weights.copy(),
            "looks": self._looks.copy(),
        }

    def restore(self, rows: int, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        size = (rows, self._spec.particles)
        shapes = {"points": (*size, self._dimension), "weights": size}
        got = {name: array.shape for name, array in state.items() if name != "looks"}
        if got != shapes or "looks" not in state:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        self._points = np.array(state["points"], dtype=np.float64)
        self._weights = np.array(state["weights"], dtype=np.float64)
        self._looks = np.array(state["looks"], dtype=np.float64)

    @property
    def _is_positive(self) -> bool:
        return isinstance(self._spec.world, Orthant)

    def _logs(self, points: Floats, looks: Floats) -> Floats:
        """Return the logarithm of the likelihood of looks for each point."""
        index = points @ looks[:, 1:-1].T
        lower, upper = _LAWS[type(self._spec.world)](self._spec.world, index)
        value, width = looks[:, -1], upper - lower
        # A value that is certain has a chance where others have a density: the chance counts alone
        certain = width == 0.0
        possible = np.where(certain.any(axis=0) & (value == lower), certain, ~certain)
        inside = possible & (lower <= value) & (value <= upper)
        logs = np.where(inside, -np.log(np.where(certain, 1.0, width)), -math.inf)
        return np.asarray(logs.sum(axis=1))

    def _move(self, row: int) -> None:
        """Draw the points of a row again by their weights, and move them."""
        looks = self._looks[self._looks[:, 0] == row]
        count, dimension = self._spec.particles, self._dimension
        rng = np.random.default_rng([self._spec.seed, row, len(looks)])
        # One uniform number for all: every point is drawn about as often as its weight says
        places = (rng.random() + np.arange(count)) / count
        chosen = np.searchsorted(np.cumsum(self._weights[row]), places).clip(max=count - 1)
        points = self._points[row, chosen]
        logs = self._logs(points, looks)
        halves = rng.permutation(count)
        step = 2.38 / math.sqrt(2.0 * dimension)
        for sweep in range(_SWEEPS * 2):
            own, others = np.array_split(halves, 2)[:: 1 - 2 * (sweep % 2)]
            pairs = others[rng.integers(len(others), size=(2, len(own)))]
            length = step * rng.uniform(0.2, 1.0, size=(len(own), 1))
            moved = points[own] + length * (points[pairs[0]] - points[pairs[1]])
            new = np.where(self._is_prior(moved), self._logs(moved, looks), -math.inf)
            # From where the posterior is nothing everything is better
            gain = new - np.maximum(logs[own], -1e300)
            better = np.log(rng.random(len(own))) < gain
            points[own[better]], logs[own[better]] = moved[better], new[better]
        self._points[row] = points
        inside = (logs > -math.inf).astype(np.float64)
        self._weights[row] = inside / inside.sum() if inside.any() else 1.0 / count

    def _is_prior(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points are where the prior is, which is uniform there."""
        inside = (points**2).sum(axis=1) <= self._spec.world.radius**2
        return np.asarray(inside & (points >= 0.0).all(axis=1) if self._is_positive else inside)


def _excess(s: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return E(s − v)⁺ of uniform values."""
    inside = np.clip(s - lower, 0.0, upper - lower)
    width = np.maximum(upper - lower, 1e-300)
    return np.asarray(inside * inside / (2.0 * width) + np.maximum(s - upper, 0.0))
