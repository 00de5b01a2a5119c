"""The plan to search boxes whose values have known laws.

:class:`Plan` computes each box's reservation value and what the search costs on average, exactly
(:mod:`weitzman.search.exact_total`). With larger values better everything is computed for −v and
turned back, so that ``expected_total`` is then the expected net value, best value minus costs.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.box import Box
from weitzman.search.exact_total import Evaluation, Laws, certificate, l1_bound
from weitzman.search.reservation import Sense, mirrored
from weitzman.search.round import Search, search_by
from weitzman.search.simulation import Simulation, simulated

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Group


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """The order to look in, when to stop, and what it costs on average; made by :func:`plan`.

    All numbers are computed when first asked for, and kept.
    """

    boxes: tuple[Box, ...]
    sense: Sense
    outside: float | None
    _given: Floats | None
    kind: str = "exact"

    @cached_property
    def _laws(self) -> Laws:
        return Laws([mirrored(b.law, self.sense) for b in self.boxes])

    @property
    def _sign(self) -> float:
        return 1.0 if self.sense == "min" else -1.0

    @cached_property
    def _outside(self) -> float:
        return math.inf if self.outside is None else self._sign * self.outside

    @cached_property
    def _costs(self) -> Floats:
        return np.array([b.expected_cost for b in self.boxes], dtype=np.float64)

    def _evaluate(self, reservation_values: Floats) -> Evaluation:
        return Evaluation(self._laws, self._costs, reservation_values, self._outside)

    @cached_property
    def _truth(self) -> Evaluation:
        return self._evaluate(self._laws.reservation_values(self._costs))

    @cached_property
    def _used(self) -> Evaluation:
        return self._truth if self._given is None else self._evaluate(self._given)

    def _named(self, numbers: Floats) -> dict[str, float]:
        # Adding 0 turns the -0 of a turned sign into 0.
        return {b.name: float(x) + 0.0 for b, x in zip(self.boxes, numbers, strict=True)}

    @cached_property
    def reservation_values(self) -> dict[str, float]:
        """The reservation values that the plan uses, by box."""
        return self._named(self._sign * self._used.reservation_values)

    @cached_property
    def optimal_reservation_values(self) -> dict[str, float]:
        """The true reservation values, by box; the same as those used unless others were given."""
        return self._named(self._sign * self._truth.reservation_values)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The boxes in the order in which they are opened, while the rule goes on."""
        return tuple(self.boxes[i].name for i in self._used.order)

    @cached_property
    def expected_total(self) -> float:
        """The exact expectation of the total (best value plus costs; minus them for ``"max"``)."""
        return self._sign * self._used.expected_total

    @cached_property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened."""
        return self._named(self._used.open_probabilities)

    @cached_property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that the value of each box is kept."""
        from weitzman.search.variants.forest.plain import keep_probabilities

        return self._named(keep_probabilities(self._used))

    @cached_property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""
        return float(np.sum(self._used.open_probabilities))

    @cached_property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""
        return float(np.sum(self._used.open_probabilities * self._costs))

    @cached_property
    def optimal_total(self) -> float:
        """The expected total at the true reservation values; no rule does better."""
        return self._sign * self._truth.expected_total

    @cached_property
    def regret(self) -> float:
        """How much worse the plan is than the optimum, ≥ 0; 0 for a plan at the true values."""
        return self._sign * (self.expected_total - self.optimal_total)

    @cached_property
    def certificate(self) -> float:
        """An upper bound on the regret, from the open probabilities at both reservation values."""
        return certificate(self._truth, self._used)

    @cached_property
    def l1_bound(self) -> float:
        """The paper's upper bound on the regret, the sum of the distances of c_D(s) from c."""
        return l1_bound(self._used)

    @cached_property
    def single_totals(self) -> dict[str, float]:
        """The expected total of opening one given box and no other, by box."""
        if self.outside is None:
            kept = self._laws.means()
        else:
            far = np.full(len(self.boxes), self._outside)
            kept = self._outside - self._laws.excess(far)
        return self._named(self._sign * (kept + self._costs))

    @cached_property
    def best_single(self) -> str:
        """The box to open if only one may be opened."""
        totals = self.single_totals
        return min(totals, key=lambda name: self._sign * totals[name])

    @cached_property
    def all_total(self) -> float:
        """The expected total of opening all boxes."""
        everything = self._evaluate(np.full(len(self.boxes), -np.inf))
        return self._sign * everything.expected_total

    @property
    def searches(self) -> bool:
        """Whether anything is opened at all; only an outside option makes it false."""
        return float(self._used.open_probabilities.max()) > 0.0

    def search(self) -> Search[str]:
        """Begin a live search by this plan."""
        return search_by(
            boxes=[b.name for b in self.boxes],
            costs=self._costs.tolist(),
            reservation_values=list(self.reservation_values.values()),
            sense=self.sense,
            outside=self.outside,
        )

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on values drawn from the boxes' laws; ``rng`` may be a seed."""
        names = tuple(b.name for b in self.boxes)
        return simulated(names, self._used, rounds, rng, sign=self._sign)

    def plot(self) -> "Figure":
        """Return a picture of the plan, a matplotlib figure; needs ``weitzman[plot]``."""
        from weitzman.search.picture import draw_plan

        return draw_plan(self)

    def __rich__(self) -> "Group":
        """Return the plan as a table for rich."""
        from weitzman.search.table import plan_table

        return plan_table(self)

    def _repr_html_(self) -> str:
        from weitzman.search.html import as_html

        return as_html(self.__rich__())

    def __repr__(self) -> str:
        from weitzman.search.table import plan_text

        return plan_text(self)
