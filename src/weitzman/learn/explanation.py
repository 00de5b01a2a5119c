"""Why a round is searched as it is: each box's reservation value, taken apart."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.learner import Bank
from weitzman.learn.policy import Round
from weitzman.search.reservation import Sense
from weitzman.search.rule import opening_order

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["BoxExplanation", "Explanation", "explain_order", "explain_round"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoxExplanation:
    """One box of an explained round.

    Attributes
    ----------
    box, cost
        Its name and cost.
    reservation_value
        What the search goes by: ``prediction`` moved towards better values by ``optimism``.
    prediction
        What the learner predicts.
    optimism
        How far the prediction is moved because the box is little known, ≥ 0.
    looks
        How many values of the box were learned; None where nobody counts.
    contributions
        What each feature adds to the prediction, weight times feature, then the intercept if there
        is one; None for a learner whose prediction is not such a sum.
    """

    box: Hashable
    cost: float
    reservation_value: float
    prediction: float
    optimism: float
    looks: int | None
    contributions: tuple[float, ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """An explained round: its boxes in opening order."""

    boxes: tuple[BoxExplanation, ...]
    sense: str

    def __str__(self) -> str:
        """Return the story in sentences."""
        worse = "above" if self.sense == "min" else "below"
        lines = [f"Open {self.boxes[0].box!r} first: its reservation value is the best."]
        for before, box in zip(self.boxes, self.boxes[1:], strict=False):
            lines.append(
                f"After {before.box!r}, open {box.box!r} (cost {box.cost:.4g}) only while the best value "
                f"in hand is {worse} {box.reservation_value:.4g}."
            )
        return "\n".join(lines)

    def __rich__(self) -> "Table":
        """Return the boxes as a table for rich."""
        from rich.table import Table

        table = Table("box", *(f"{h}" for h in ("cost", "reservation value", "prediction")))
        table.add_column("optimism")
        table.add_column("looks")
        table.add_column("largest contributions (feature: amount)")
        for b in self.boxes:
            parts = sorted(enumerate(b.contributions or ()), key=lambda kv: -abs(kv[1]))[:3]
            told = ", ".join(f"{k}: {v:+.3g}" for k, v in parts) or "–"
            looks = "–" if b.looks is None else str(b.looks)
            numbers = (b.cost, b.reservation_value, b.prediction, b.optimism)
            table.add_row(str(b.box), *(f"{x:.4g}" for x in numbers), looks, told)
        return table


def explain_round(
    bank: Bank,
    names: Sequence[Hashable],
    shown: Round,
    used: FloatArray,
    sign: float,
) -> Explanation:
    """Return the explanation of a round that is searched by the σ that are used.

    ``sign`` is −1 where larger values are better. Of a prepared round everything is said in the units of the
    user; its contexts begin with the constant.
    """
    contexts, costs, places = shown.contexts, shown.costs, shown.places
    plain = bank.predict(contexts, costs, places)
    looks = bank.looks(places)
    weights = bank.weights(places)
    units = shown.units
    if units is not None and shown.given is not None:
        plain, used = units.origin + units.scale * plain, units.thresholds(used)
        costs = shown.given.costs
    boxes = []
    for row in opening_order(used):
        parts = None
        if weights is not None:
            x = np.append(contexts[row], 1.0)[: weights.shape[1]]
            each = sign * weights[row] * x
            if units is not None:
                each = np.roll(units.scale * each, -1)
                each[-1] += sign * units.origin
            parts = tuple(each.tolist())
        boxes.append(
            BoxExplanation(
                box=names[row],
                cost=float(costs[row]),
                reservation_value=float(sign * used[row]),
                prediction=float(sign * plain[row]),
                optimism=float(plain[row] - used[row]),
                looks=int(looks[row]),
                contributions=parts,
            )
        )
    return Explanation(tuple(boxes), "min" if sign > 0.0 else "max")


def explain_order(
    names: Sequence[Hashable], costs: FloatArray, sigma: FloatArray, sense: Sense
) -> Explanation:
    """Return the explanation of a round that is searched by these σ, smaller values better."""
    sign = 1.0 if sense == "min" else -1.0
    boxes = [
        BoxExplanation(
            box=names[row],
            cost=float(costs[row]),
            reservation_value=float(sign * sigma[row]),
            prediction=float(sign * sigma[row]),
            optimism=0.0,
            looks=None,
            contributions=None,
        )
        for row in opening_order(sigma)
    ]
    return Explanation(tuple(boxes), sense)
