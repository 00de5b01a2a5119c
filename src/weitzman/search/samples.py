"""Plans from samples, with an expected total that holds out of sample.

The laws D are unknown; of each there is a sample of independent draws. Planning with the empirical laws
promises too much: reservation values are chosen for what the sample happens to show. With
``confidence=`` a plan is made for laws E that are worse than the D, all of them with confidence 1 − δ
(:mod:`weitzman.search.variants.careful`, δ/n for each box that was sampled), and its expected total is a
promise about the rule that is played, by

**Strong monotonicity** [Guo 2021]. Smaller values better. Let every D_i be stochastically smaller than
E_i, boxes independent, σ_i the reservation values of the E_i. Weitzman's rule at σ has on the D_i at
most the expected total that it has on the E_i.

*Proof.* The rule at σ is optimal for any laws at the costs E(σ_i − M_i)⁺, with M_i what opening i leads
to: the value, or for stages and boxes with others after them the best capped value behind
(:mod:`weitzman.search.variants.forest.capped`). So with q_i the chance to be opened its total at the true
costs is, on laws D,

    R(σ; D) = E_D W(κ) + Σ_i q_i (c_i − E_D(σ_i − M_i)⁺),      κ_i = max(σ_i, M_i),

where W(κ) is min(o, min_i κ_i), or where several are kept the weight of the lightest basis. If each M_i is
stochastically smaller on D than on E, then so are the κ_i, W increases in every κ_i, and E_D(σ_i − M_i)⁺ ≥
E_E(σ_i − M_i)⁺ = c_i: no term of the sum is positive. On E the sum is zero. ∎

M_i is stochastically smaller on D wherever it increases in independent parts that are:

* a *box*: M_i is the value. *Boxes after others*: M_i is the smallest of the value and the κ behind it,
  all independent of each other. With a discount κ is max(σ, M) with chance β, else σ: the same.
* *Stages*: P(M_i ≤ x) = Σ_s p_s P(κ_s ≤ x) over the signals s. With known p_s it is enough that each
  κ_s is smaller. With chances p′_s ≤ p_s on E, and the rest on what is worse than every κ_s, P_D(M_i ≤ x)
  ≥ Σ_s p′_s P_E(κ_s ≤ x) = P_E(M_i ≤ x).
* *A law that depends on the value of the box before* is such a signal, so it may be sampled for each value.
  The value that it depends on may not: a worse value there may lead to better ones behind it, so that
  moving mass to worse values makes M_i better. Such a sample is refused.
* Where a box comes *after several others* the rule is not optimal for any costs, and may cost more on
  better laws. Such boxes are refused.

So with chance at least 1 − δ over the samples, the rule's expected total on new rounds, and the
optimum's, is at most the one printed. The samples of different boxes may stem from the same rounds. Whether
a later stage was looked at may have depended on earlier signals of that box, not on what the stage shows.
The bands need the worst possible value of each box, since what a sample of m does not show may be
anything; it may be left out if there is an outside option, which then stands for all worse values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.laws.discrete import Empirical
from weitzman.search.numbers import finite_array, finite_number
from weitzman.search.reservation import Sense, sign_of
from weitzman.search.round import Search
from weitzman.search.simulation import Simulation
from weitzman.search.variants.asked import Asked
from weitzman.search.variants.careful import Worst, careful_boxes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WORSE = "exact for worse laws"


def plan_from_samples(
    boxes: Sequence[Any],
    asked: Asked,
    planned: Callable[[Sequence[Box], Asked], Any],
    *,
    confidence: float,
    worst: Worst,
) -> "GuaranteedPlan":
    """Return a plan whose expected total holds on new rounds; ``planned`` makes plans of known laws.

    >>> from weitzman import plan
    >>> quotes = {"a": [3.0, 5.0, 4.0, 9.0] * 25, "b": [6.0, 2.0, 7.0, 8.0] * 25}
    >>> made = plan(quotes, costs={"a": 0.5, "b": 0.5}, worst=10.0, confidence=0.95)
    >>> round(made.plain_total, 3), round(made.guaranteed_total, 3)
    (4.938, 5.906)
    """
    rule = "be a number from 0.5 to 1, below 1"
    number = finite_number(confidence, "The confidence", rule)
    if not 0.5 <= number < 1.0:
        raise InvalidInputError("The confidence", rule, confidence)
    asked.only("samples", "keep", "discount", "method")
    for box in boxes:
        if not isinstance(box, Box):
            rule = "be a Box: partial looks do not combine with samples"
            raise InvalidInputError(f"Box {box.name!r}", rule, box)
        if len(box.before) > 1:
            rule = "come after one box at most: several do not combine with samples"
            raise InvalidInputError(f"Box {box.name!r}", rule, list(box.before))
    careful = careful_boxes(
        boxes,
        worst=worst,
        error=1.0 - number,
        sign=sign_of(asked.sense),
        outside=asked.outside,
    )
    played = replace(planned(careful, asked), kind=_WORSE)
    return GuaranteedPlan(played, planned(boxes, asked), number)


def sampled_boxes(samples: Mapping[str, ArrayLike], costs: Mapping[str, float]) -> list[Box]:
    """Return boxes from a sample of values for each."""
    names = list(samples)
    if set(costs) != set(names) or not names:
        raise InvalidInputError("The costs", f"be for the boxes {names}, at least one", list(costs))
    return [Box(name, costs[name], Empirical(_sample(samples[name], name))) for name in names]


def _sample(values: ArrayLike, name: str) -> Floats:
    subject, rule = f"The sample of box {name!r}", "be a list of at least one finite number"
    sample = finite_array(values, subject, rule)
    if sample.ndim != 1 or sample.size == 0:
        raise InvalidInputError(subject, rule, values)
    return sample


@dataclass(frozen=True, eq=False, repr=False)
class GuaranteedPlan:
    """A plan from samples, with the expected total that it guarantees; made by :func:`plan`.

    Attributes
    ----------
    plan
        The plan that is played: its laws are worse than the true ones, with the stated confidence,
        and its numbers and its ``kind`` are of these laws.
    plain
        The plan that takes the samples for the laws, for comparison; it guarantees nothing.
    confidence
        The chance, over samples, that ``guaranteed_total`` is true.
    """

    plan: Any
    plain: Any
    confidence: float

    @property
    def guaranteed_total(self) -> float:
        """What the plan's expected total on new rounds is at most (``"max"``: at least)."""
        return float(self.plan.expected_total)

    @property
    def plain_total(self) -> float:
        """The optimum if the samples were the laws: a plain estimate, usually too good."""
        return float(self.plain.expected_total)

    @property
    def kind(self) -> str:
        """What is promised."""
        return f"holds with {100.0 * self.confidence:g} % confidence"

    @property
    def sense(self) -> Sense:
        """Whether smaller or larger values are better."""
        return self.plan.sense  # type: ignore[no-any-return]

    @property
    def outside(self) -> float | None:
        """The outside option; None if there is none."""
        return self.plan.outside  # type: ignore[no-any-return]

    @property
    def expected_total(self) -> float:
        """The total that is guaranteed."""
        return self.guaranteed_total

    @property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened, on the worse laws."""
        return dict(self.plan.open_probabilities)

    @property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept, on the worse laws."""
        return dict(self.plan.keep_probabilities)

    @property
    def reservation_values(self) -> dict[str, float]:
        """The reservation values that the plan uses, by box."""
        return dict(self.plan.reservation_values)

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened, on the worse laws."""
        return float(self.plan.expected_opened)

    @property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid, on the worse laws."""
        return float(self.plan.expected_paid)

    def search(self) -> Search[str]:
        """Begin a live search by the plan."""
        return self.plan.search()  # type: ignore[no-any-return]

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds of the plan on values drawn from the worse laws."""
        return self.plan.simulate(rounds, rng)  # type: ignore[no-any-return]

    def plot(self) -> "Figure":
        """Return a picture of the plan that is played, on the worse laws."""
        return self.plan.plot()  # type: ignore[no-any-return]

    def _promise(self) -> str:
        bound = "at most" if self.sense == "min" else "at least"
        what = "expected total" if self.sense == "min" else "expected net value"
        return (
            f"on new rounds the {what} is {bound} {self.guaranteed_total:.6g} "
            f"with {100.0 * self.confidence:g} % confidence; plain estimate {self.plain_total:.6g}"
        )

    def __rich__(self) -> Any:
        """Return the plan, and what it promises, for rich."""
        from rich.console import Group
        from rich.text import Text

        return Group(self.plan, Text(self._promise()))

    def __repr__(self) -> str:
        return f"{self.plan!r}\n{self._promise()}"
