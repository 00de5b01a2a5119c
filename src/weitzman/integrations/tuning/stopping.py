"""Whether another trial is worth its cost, and why: what a callback or stopper of any tool asks."""

from collections.abc import Sequence
from math import inf
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.integrations.tuning.attempts import Attempt
from weitzman.integrations.tuning.worth import Outlook, Outlooks
from weitzman.search.numbers import positive_number, whole_number

SHORTEST = 1e-6
"""The least that a trial takes, in seconds."""


class StoppingRule:
    """The rule with what a user says of it; the settings are those of all tools.

    ``cost`` is where a tool finds what a trial cost, or a number, the same for all; ``seconds`` are the names
    that mean seconds. ``value_of_a_unit`` is what an improvement by 1 is worth in units of the cost.
    """

    def __init__(
        self,
        *,
        value_of_a_unit: float,
        cost: str | float,
        least: int,
        noisy: bool = False,
        proposed: bool = False,
        seconds: Sequence[str] = (),
    ) -> None:
        self.value_of_a_unit = positive_number(value_of_a_unit, "The value of a unit")
        self.cost = cost if isinstance(cost, str) else positive_number(cost, "The cost")
        self._unit = " s" if self.cost in seconds else ""
        self._outlooks = Outlooks(
            price=1.0 / self.value_of_a_unit,
            constant=None if isinstance(self.cost, str) else self.cost,
            noisy=noisy,
            least=whole_number(least, "The least number of trials", least=3),
            proposed=proposed,
        )

    def after(self, attempts: Sequence[Attempt]) -> Outlook | None:
        """Return what one more trial promises, smaller values better; None while trials are few."""
        return self._outlooks.after(attempts)

    def history(self, attempts: Sequence[Attempt]) -> list[Outlook]:
        """Return the outlook after every trial, in the order in which they ended."""
        found = [self.after(attempts[: n + 1]) for n in range(len(attempts))]
        return [outlook for outlook in found if outlook is not None]

    def cost_of(self, trial: object, found: Any) -> float:
        """Return what a trial cost: what a tool has ``found`` of it, or the same for all."""
        if not isinstance(self.cost, str):
            return self.cost
        if found is None:
            raise InvalidInputError(f"Trial {trial}", f"say its cost as {self.cost!r}", None)
        return positive_number(found, f"The cost of trial {trial}")

    def why(self, outlook: Outlook) -> str:
        """Return an outlook in one sentence."""
        if outlook.cutoff == inf:
            return f"Every configuration has been tried, in {outlook.trials} trials."
        worth, unit = self.value_of_a_unit, self._unit
        said = "is not worth its cost" if outlook.stops else "is worth its cost"
        if outlook.stops and not outlook.is_exhausted:
            gain, cost = outlook.usual_gain, outlook.usual_cost
            return (
                f"After {outlook.trials} trials another one {said}: the last ones promised to improve the "
                f"best value by {gain:.3g} each, worth {gain * worth:.3g}{unit}, and cost {cost:.3g}{unit}."
            )
        gain, cost = outlook.gain, outlook.cost
        return (
            f"After {outlook.trials} trials another one {said}: the most promising is expected to improve "
            f"the best value by {gain:.3g}, worth {gain * worth:.3g}{unit}, and to cost {cost:.3g}{unit}."
        )
