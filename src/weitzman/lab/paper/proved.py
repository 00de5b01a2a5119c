"""Which proved bound applies to a world, and whether it says anything there.

The theorems ask for boxes that are independent and for σ* = w·x with fixed weights w in the ball of radius M.
Whether that holds is found from drawn rounds: one state, and for every box a least-squares w that
reproduces all its σ*. M is the world's radius, or the largest ‖w‖ found where it states none; the
Lipschitz constant takes the lowest value that the drawn laws allow. No theorem covers the feedback
``opened``.

A bound is vacuous where it exceeds what any policy can lose on these rounds, see
:mod:`weitzman.lab.paper.bounds`; the mean over seeds counts, as regret is a mean too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from weitzman.lab.paper.bounds import bound, lipschitz, most_to_lose
from weitzman.lab.study.charts import Bounds, DrawnBound
from weitzman.lab.study.summary import Curve
from weitzman.lab.worlds import World
from weitzman.lab.worlds.instance import Instance
from weitzman.learn.probing import block_length

if TYPE_CHECKING:
    from weitzman.feedback import Feedback

_TOLERANCE = 1e-6
_SEEDS, _ROUNDS = 3, 3000


@dataclass(frozen=True, kw_only=True)
class Applicable:
    """What the bounds need to know of a world: n, c, M and L; no theorem applies without M.

    ``most`` is the most that any policy can lose in a round, on average over rounds and seeds.
    """

    boxes: int
    cost: float
    radius: float | None
    slope: float
    most: float

    def at(self, feedback: str, rounds: int) -> float | None:
        """Return the bound after so many rounds, None where no theorem applies."""
        if self.radius is None:
            return None
        block = block_length(horizon=rounds, cost=self.cost, radius=self.radius)
        return bound(
            cast("Feedback", feedback),
            boxes=self.boxes,
            rounds=rounds,
            radius=self.radius,
            cost=self.cost,
            slope=self.slope,
            block=block,
        )

    def vacuous(self, feedback: str, rounds: int) -> bool:
        """Return whether the bound exceeds what any policy can lose in so many rounds."""
        regret = self.at(feedback, rounds)
        return regret is not None and regret >= self.most * rounds


def applicable(world: World, rounds: int, seeds: Iterable[int]) -> Applicable:
    """Return what the bounds need to know, from the rounds that these seeds draw."""
    drawn = [world.draw(rounds, seed) for seed in seeds]
    norms = [_largest_weight(instance) for instance in drawn]
    radius: float | None = None
    if all(norm is not None for norm in norms):
        radius = float(getattr(world, "radius", 0.0)) or max(n for n in norms if n is not None)
    length = max(float(np.linalg.norm(i.contexts, axis=2).max()) for i in drawn)
    lowest = min(float(i.lower.min()) for i in drawn)
    cost = max(float(i.costs.max()) for i in drawn)
    return Applicable(
        boxes=world.boxes,
        cost=cost,
        radius=radius,
        slope=lipschitz(cost=cost, radius=radius or 0.0, lowest=lowest, length=length),
        most=float(np.mean([most_to_lose(instance).mean() for instance in drawn])),
    )


def drawn_bound(known: Applicable, feedback: str, rounds: int) -> DrawnBound | None:
    """Return the bound to draw into a panel; None where no theorem applies."""
    at = np.unique(np.geomspace(1, rounds, 60).astype(np.int64))
    values = [known.at(feedback, int(t)) for t in at]
    if any(v is None for v in values):
        return None
    return DrawnBound(
        at=at.astype(np.float64),
        values=np.array(values, dtype=np.float64),
        vacuous=known.vacuous(feedback, rounds),
    )


def drawn_bounds(known: Mapping[str, Applicable], curves: Iterable[Curve]) -> Bounds:
    """Return the bounds of all panels of the curves; a world that is not known has none."""
    found = {
        (c.world, c.feedback): drawn_bound(known[c.world], c.feedback, c.rounds)
        for c in sorted(curves, key=lambda c: c.rounds)  # the longest is the last word
        if c.world in known
    }
    return {key: bound for key, bound in found.items() if bound is not None}


def study_bounds(worlds: Mapping[str, World], curves: Iterable[Curve]) -> Bounds:
    """Return the bounds of all panels of the curves, known from a few of the seeds of their worlds."""
    longest = {c.world: c for c in sorted(curves, key=lambda c: c.rounds) if c.world in worlds}
    known = {
        name: applicable(worlds[name], min(c.rounds, _ROUNDS), c.seeds[:_SEEDS].tolist())
        for name, c in longest.items()
    }
    return drawn_bounds(known, curves)


def _largest_weight(instance: Instance) -> float | None:
    """Return the largest ‖w‖ if every box has σ* = w·x in all rounds and there is one state."""
    if instance.shares.size > 1:
        return None
    largest = 0.0
    for box in range(instance.values.shape[1]):
        x, sigma = instance.contexts[:, box], instance.reservation_values[:, box]
        w = np.linalg.lstsq(x, sigma, rcond=None)[0]
        scale = max(1.0, float(np.abs(sigma).max()))
        if np.abs(x @ w - sigma).max() > _TOLERANCE * scale:
            return None
        largest = max(largest, float(np.linalg.norm(w)))
    return largest
