"""Why a round is searched as it is: each box's reservation value, taken apart."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weitzman.amounts import amount
from weitzman.arrays import Floats
from weitzman.learn.learner import Bank
from weitzman.learn.policy import Round
from weitzman.search.reservation import Sense
from weitzman.search.rule import Open, Rule, WeitzmanRule, advance, opening_order
from weitzman.search.state import RoundState

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True)
class BestPossible:
    """The best value that a box can hold, as it is used now.

    Attributes
    ----------
    value
        The value.
    times
        How often it was seen, if it was found by that; None if it was said.
    sense
        Whether smaller or larger values are better.
    unit
        What values are counted in, if that was said.
    """

    value: float
    times: int | None
    sense: str
    unit: str = ""

    @classmethod
    def known(cls, bound: float, player: Any, sense: Sense, unit: str) -> "BestPossible | None":
        """Return what was said, or where values pile up for a player; smaller is better in both.

        None if neither is known.
        """
        sign, times = 1.0 if sense == "min" else -1.0, None
        pile: tuple[float, int] | None = getattr(player, "pile", None)
        if bound == -math.inf and pile is not None:
            bound, times = pile
        # Without the sign of a turned zero
        return None if bound == -math.inf else cls(sign * bound + 0.0, times, sense, unit)

    def __str__(self) -> str:
        """Return it as a sentence."""
        value = amount(self.value, self.unit, f"{self.value:g}")
        if self.times is None:
            return f"{value} is the best possible value, as was said."
        beyond = "below" if self.sense == "min" else "above"
        return (
            f"{value} is taken for the best possible value: it was seen {self.times} times and "
            f"nothing {beyond} it."
        )


@dataclass(frozen=True, eq=False)
class BoxExplanation:
    """One box of an explained round.

    Attributes
    ----------
    box, cost
        Its name and cost.
    reservation_value
        What the search goes by: ``prediction`` moved towards better values by ``optimism``, no further than
        the best possible value and the cost allow.
    prediction
        What the learner predicts.
    optimism
        How far the prediction is moved because the box is little known, ≥ 0.
    looks
        How many values of the box were learned; None where nobody counts.
    contributions
        What each feature adds to the prediction, weight times feature, then what is there without them, the
        cost of the look included, if it is learned; None for a learner whose prediction is not such a sum.
    """

    box: Hashable
    cost: float
    reservation_value: float
    prediction: float
    optimism: float = 0.0
    looks: int | None = None
    contributions: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """An explained round.

    Attributes
    ----------
    boxes
        Its boxes, in opening order.
    sense
        Whether smaller or larger values are better.
    best_possible
        The best possible value, if it is known.
    searches
        Whether anything is opened at all; only an outside option makes it false.
    looks_again
        Whether the rule decides again after every look. The order and the reservation values are then those
        before the first look.
    unit
        What values and costs are counted in, if that was said.
    """

    boxes: tuple[BoxExplanation, ...]
    sense: str
    best_possible: BestPossible | None = None
    searches: bool = True
    looks_again: bool = False
    unit: str = ""

    def led_by(
        self,
        rule: Rule,
        names: Sequence[Hashable],
        shown: Round,
        best_possible: BestPossible | None,
        unit: str,
    ) -> "Explanation":
        """Return the same with what the rule does first, and with what a searcher knows beside its policy.

        A rule need not open the best reservation value first.
        """
        action = advance(rule, RoundState(shown.costs.tolist(), shown.outside))
        boxes = self.boxes
        if isinstance(action, Open):
            boxes = tuple(sorted(boxes, key=lambda box: box.box != names[action.box]))
        return replace(
            self,
            boxes=boxes,
            best_possible=best_possible,
            unit=unit,
            searches=isinstance(action, Open),
            looks_again=not isinstance(getattr(rule, "inner", rule), WeitzmanRule),
        )

    def __str__(self) -> str:
        """Return what is done, in sentences."""
        remarks = [] if self.best_possible is None else [str(self.best_possible)]
        if not self.searches:
            lines = ["Open nothing: no look is worth its cost with the outside option in hand."]
            return "\n".join([*lines, *remarks])
        worse = "above" if self.sense == "min" else "below"
        never, always = (math.inf, -math.inf) if self.sense == "min" else (-math.inf, math.inf)
        lines = [f"Open {self.boxes[0].box!r} first."]
        for before, box in zip(self.boxes, self.boxes[1:], strict=False):
            if box.reservation_value == never:
                lines.append("Open no other box.")
                break
            cut_off = self._amount(box.reservation_value)
            condition = f"only while the best value in hand is {worse} {cut_off}"
            if box.reservation_value == always:
                condition = "whatever was found"
            cost = self._amount(box.cost)
            lines.append(f"After {before.box!r}, open {box.box!r} (cost {cost}) {condition}.")
        if self.looks_again:
            lines.append(
                "After every look the rule decides again: what was found moves these numbers."
            )
        return "\n".join([*lines, *remarks])

    def _amount(self, number: float) -> str:
        """Return a number with its unit, if it is one: nothing is counted in an infinite one."""
        return amount(number, self.unit if math.isfinite(number) else "", f"{number:.4g}")

    def _repr_html_(self) -> str:
        from weitzman.search.html import as_html

        return as_html(str(self), self.__rich__())

    def __rich__(self) -> "Table":
        """Return the boxes as a table for rich."""
        from rich.table import Table

        headings = ("box", "cost", "reservation value", "prediction", "optimism", "looks")
        table = Table(*headings, "largest contributions (feature: amount)")
        for b in self.boxes:
            parts = sorted(enumerate(b.contributions or ()), key=lambda kv: -abs(kv[1]))[:3]
            terms = ", ".join(f"{k}: {v:+.3g}" for k, v in parts) or "–"
            looks = "–" if b.looks is None else str(b.looks)
            numbers = (b.cost, b.reservation_value, b.prediction, b.optimism)
            table.add_row(str(b.box), *map(self._amount, numbers), looks, terms)
        return table


def explain_round(
    bank: Bank, names: Sequence[Hashable], shown: Round, used: Floats, sign: float
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
    moved = plain - used
    bound = shown.least if shown.given is None else shown.given.least
    if bound > -math.inf:
        # What is possible may be worse than what is predicted
        used, moved = np.maximum(used, bound + costs), np.maximum(moved, 0.0)
    boxes = []
    for row in opening_order(used):
        parts = None
        if weights is not None:
            x = np.append(contexts[row], 1.0)[: weights.shape[1]]
            each = sign * weights[row] * x
            if units is not None:
                each = np.roll(units.scale * each, -1)
                # What features do not explain: the constant, and what the cost of the look makes
                each[-1] = sign * plain[row] - math.fsum(each[:-1])
            parts = tuple(each.tolist())
        boxes.append(
            BoxExplanation(
                box=names[row],
                cost=float(costs[row]),
                reservation_value=float(sign * used[row]),
                prediction=float(sign * plain[row]),
                optimism=float(moved[row]),
                looks=int(looks[row]),
                contributions=parts,
            )
        )
    return Explanation(tuple(boxes), "min" if sign > 0.0 else "max")


def explain_order(
    names: Sequence[Hashable], costs: Floats, sigma: Floats, sense: Sense
) -> Explanation:
    """Return the explanation of a round that is searched by these σ, smaller values better."""
    sign = 1.0 if sense == "min" else -1.0
    boxes = [
        BoxExplanation(
            box=names[row],
            cost=float(costs[row]),
            reservation_value=float(sign * sigma[row]),
            prediction=float(sign * sigma[row]),
        )
        for row in opening_order(sigma)
    ]
    return Explanation(tuple(boxes), sense)
