"""A rule that is made for a prepared round, applied to the round as it was given."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Arrays
from weitzman.learn.policy import Floats, Round, course
from weitzman.learn.units import Units
from weitzman.search.rule import Action, Rule, WeitzmanRule
from weitzman.search.state import RoundState


class UnitRule:
    """A rule that is made for a prepared round, in the round as it was given.

    Parameters
    ----------
    rule
        What decides, over prepared numbers.
    units, costs, outside
        Of the prepared round.
    """

    def __init__(self, rule: Rule, *, units: Units, costs: Floats, outside: float) -> None:
        self.prepared = rule
        self._units = units
        self._costs = costs.tolist()
        self._outside = outside

    def next(self, state: RoundState) -> Action:
        """Return what the rule says of the same state in prepared numbers."""
        seen = RoundState(self._costs, self._outside)
        for row, value in zip(state.opened, self._counted(state.found), strict=True):
            seen.open(row)
            if row in state.values:
                seen.see(row, value)
        return self.prepared.next(seen)

    def _counted(self, found: Sequence[float]) -> list[float]:
        values: list[float] = self._units.values(np.array(found, dtype=np.float64)).tolist()
        return values

    def course(self, values: Floats, outside: float) -> Sequence[int]:
        """Return the rows that the rule opens in a round whose values are known."""
        return course(self.prepared, self._costs, self._units.values(values), self._outside)

    def reservation_values(self, opened: Sequence[int], found: Sequence[float]) -> Floats:
        """Return the reservation values of all rows, given those that are open, if the rule has them."""
        rule: Any = self.prepared
        seen = self._counted(found)
        return self._units.thresholds(rule.reservation_values(opened, seen))

    def state(self) -> Arrays:
        """Return the units, and what of the prepared round the rule is given."""
        return {
            "units": np.array([*self._units, self._outside]),
            "costs": np.array(self._costs),
        }

    @classmethod
    def restored(cls, rule: Rule, state: Mapping[str, NDArray[np.generic]]) -> "UnitRule":
        """Return the rule whose :meth:`state` this is, over what decides."""
        origin, scale, outside = np.array(state["units"], dtype=np.float64).tolist()
        costs = np.array(state["costs"], dtype=np.float64)
        return cls(rule, units=Units(origin, scale), costs=costs, outside=outside)


def in_units(rule: Rule, shown: Round) -> Rule:
    """Return a rule that is made for a prepared round as one for the round as it was given."""
    if shown.units is None:
        return rule
    inner: Any = getattr(rule, "inner", None)
    if inner is not None:
        # Looks that are bought afterwards stay the same
        bought: Any = rule
        return cast("Rule", type(bought)(in_units(inner, shown), bought.rows))
    if isinstance(rule, WeitzmanRule):
        return WeitzmanRule(shown.units.thresholds(rule.sigma))
    return UnitRule(rule, units=shown.units, costs=shown.costs, outside=shown.outside)
