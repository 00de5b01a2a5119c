"""Plans from samples, with an expected total that holds out of sample.

The laws D_i are unknown; of each there is a sample of independent values. Planning with the empirical
laws promises too much: reservation values are chosen for what the sample happens to show.
:func:`plan_from_samples` plans with laws E_i that are worse than the D_i, all of them with confidence
1 − δ (:mod:`weitzman.search.laws.pessimistic`, δ/n for each box), and prints their expected total.
It is a promise about the rule that is played, by

**Strong monotonicity** [Guo 2021]. Smaller values better. Let every D_i be stochastically smaller than
E_i, boxes independent, σ_i the reservation values of the E_i. Weitzman's rule at σ has on the D_i at
most the expected total that it has on the E_i.

*Proof.* The expected total on laws D is (:mod:`weitzman.search.exact_total`)

    R(σ; D) = E_D min(o, min_i max(v_i, σ_i)) + Σ_i q_i (c_i − E_D(σ_i − v_i)⁺).

What stands in the first expectation increases in every v_i, so it is at most E_E min(o, min_i max(v_i,
σ_i)). In the sum, (σ − v)⁺ decreases in v, so E_D(σ_i − v_i)⁺ ≥ E_E(σ_i − v_i)⁺ = c_i, and no term is
positive. On E the sum is zero. ∎

**Several to keep.** The same holds where k boxes are kept and the rule goes on until the k-th best in hand
is at most the next σ. A box with v_i < σ_i that was opened stays among the k best: another one is opened
only while the k-th best is above its σ_j ≥ σ_i > v_i, so fewer than k values are at most v_i before, and at
most k after. So R has the sum of the k smallest max(v_i, σ_i) in its first term, which increases in every
v_i too, and the sum as it stands.

So with chance at least 1 − δ over the samples, the rule's expected total on new rounds, and the
optimum's, is at most the one printed. The samples of different boxes may stem from the same rounds.
The band needs the worst possible value of each box, since what a sample of m does not show may be
anything; it may be left out if there is an outside option, which then stands for all worse values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.laws.discrete import Empirical
from weitzman.search.laws.pessimistic import pessimistic
from weitzman.search.numbers import checked_outside, finite_array, finite_number
from weitzman.search.plan import Plan
from weitzman.search.reservation import Sense, check_sense
from weitzman.search.round import Search

if TYPE_CHECKING:
    from weitzman.search.variants.forest.plan import ForestPlan

Worst = float | Mapping[str, float] | Literal["sample"] | None


def plan_from_samples(
    samples: Mapping[str, ArrayLike],
    costs: Mapping[str, float],
    *,
    worst: Worst = None,
    confidence: float = 0.95,
    keep: int = 1,
    sense: Sense = "min",
    outside: float | None = None,
) -> "GuaranteedPlan":
    """Return a plan whose expected total holds on new rounds, with a stated confidence.

    Parameters
    ----------
    samples
        By box, at least one value that was found in it, drawn independently.
    costs
        By box, what opening it costs.
    worst
        The worst value that is possible, for all boxes or by box: the largest, or for ``"max"`` the
        smallest. ``"sample"`` says that nothing can be worse than what the box's sample shows.
        It may be None with an outside option only.
    confidence
        The chance, over samples, that the guaranteed total is true; at least 0.5 and below 1.
    keep
        How many boxes are kept. With more than one there is no outside option.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    outside
        A value that can be had without opening anything. None: at least one box is opened.

    Examples
    --------
    >>> quotes = {"a": [3.0, 5.0, 4.0, 9.0] * 25, "b": [6.0, 2.0, 7.0, 8.0] * 25}
    >>> made = plan_from_samples(quotes, {"a": 0.5, "b": 0.5}, worst=10.0)
    >>> round(made.plain_total, 3), round(made.guaranteed_total, 3)
    (4.938, 5.906)
    """
    names = list(samples)
    if set(costs) != set(names) or not names:
        raise InvalidInputError("The costs", f"be for the boxes {names}, at least one", list(costs))
    number = finite_number(confidence, "The confidence", "be a number from 0.5 to 1, below 1")
    if not 0.5 <= number < 1.0:
        raise InvalidInputError("The confidence", "be a number from 0.5 to 1, below 1", confidence)
    sign = 1.0 if check_sense(sense) == "min" else -1.0
    outside = checked_outside(outside)
    if keep != 1 and outside is not None:
        rule = "be left out where several boxes are kept from samples"
        raise InvalidInputError("The outside option", rule, outside)
    error = (1.0 - number) / len(names)
    careful, plain = [], []
    for name in names:
        sample = _sample(samples[name], name)
        end = sign * _worst(worst, sample, name, sign=sign, outside=outside)
        law = pessimistic(sign * sample, worst=end, error=error)
        careful.append(Box(name, costs[name], law.affine(scale=sign)))
        plain.append(Box(name, costs[name], Empirical(sample)))
    return GuaranteedPlan(
        plan=_planned(careful, sense, outside, keep),
        plain=_planned(plain, sense, outside, keep),
        confidence=number,
    )


def _planned(
    boxes: Sequence[Box], sense: Sense, outside: float | None, keep: int
) -> "Plan | ForestPlan":
    if keep == 1:
        return Plan(boxes=tuple(boxes), sense=sense, outside=outside, _given=None)
    from weitzman.search.variants.choose import Asked, forest_plan

    return forest_plan(boxes, Asked(sense, outside, keep))


def _sample(values: ArrayLike, name: str) -> Floats:
    subject, rule = f"The sample of box {name!r}", "be a list of at least one finite number"
    sample = finite_array(values, subject, rule)
    if sample.ndim != 1 or sample.size == 0:
        raise InvalidInputError(subject, rule, values)
    return sample


def _worst(worst: Worst, sample: Floats, name: str, *, sign: float, outside: float | None) -> float:
    """Return the worst possible value of a box."""
    seen = sign * float(np.max(sign * sample))
    if worst is None:
        if outside is None:
            rule = "be given, or be 'sample', where there is no outside option"
            raise InvalidInputError("The worst possible value", rule, worst)
        # No total changes with what is worse than the outside option
        return sign * max(sign * seen, sign * float(outside))
    if worst == "sample":
        return seen
    if isinstance(worst, Mapping):
        if name not in worst:
            raise InvalidInputError("The worst possible values", f"have box {name!r}", list(worst))
        worst = worst[name]
    end = finite_number(worst, f"The worst possible value of box {name!r}")
    if sign * end < sign * seen:
        subject = f"The sample of box {name!r}"
        raise InvalidInputError(subject, f"have no value worse than {end!r}", seen)
    return end


@dataclass(frozen=True, eq=False, repr=False)
class GuaranteedPlan:
    """A plan from samples, with the expected total that it guarantees; made by :func:`plan_from_samples`.

    Attributes
    ----------
    plan
        The plan that is played: its laws are worse than the true ones, with the stated confidence.
    plain
        The plan that takes the samples for the laws, for comparison; it guarantees nothing.
    confidence
        The chance, over samples, that ``guaranteed_total`` is true.
    """

    plan: "Plan | ForestPlan"
    plain: "Plan | ForestPlan"
    confidence: float

    @property
    def guaranteed_total(self) -> float:
        """What the plan's expected total on new rounds is at most (``"max"``: at least)."""
        return self.plan.expected_total

    @property
    def plain_total(self) -> float:
        """The optimum if the samples were the laws: a plain estimate, usually too good."""
        return self.plain.expected_total

    def search(self) -> Search[str]:
        """Begin a live search by the plan."""
        return self.plan.search()

    def __repr__(self) -> str:
        bound = "at most" if self.plan.sense == "min" else "at least"
        what = "expected total" if self.plan.sense == "min" else "expected net value"
        return (
            f"{self.plan!r}\n"
            f"on new rounds the {what} is {bound} {self.guaranteed_total:.6g} "
            f"with {100.0 * self.confidence:g} % confidence; plain estimate {self.plain_total:.6g}"
        )
