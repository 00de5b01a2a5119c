"""Looking takes time, and what comes later counts less: Weitzman's own problem of 1979.

Opening box i takes the time t_i; its cost is paid at the beginning, and everything afterwards, the
value kept and the costs of later boxes, counts β_i = δ^{t_i} of what it would now, with δ the
discount of one unit of time.

**Theorem** [Weitzman 1979]. With larger values better let z_i solve z = −c_i + β_i E max(v_i, z).
Opening boxes by decreasing z, until the best value in hand is at least all of them, is optimal.

With smaller values better, σ = −z solves (1 − β)σ + β E(σ − v)⁺ = c. The same holds for stages and
for boxes after others, with M for v: they are bandits whose reward is the flow of the value kept,
forever, and stages are their states [Gittins 1979; Whittle 1981 for boxes that become available].
The optimal total as a function Φ(o) of the outside option has Φ'(o) = Π E β^{T_i} 1{κ_i > o}, T_i the
time spent on i if nothing else were there [Whittle 1980]; this is the total for the capped laws of
:mod:`~weitzman.search.variants.forest.capped`, where a discount is a chance 1 − β of ending at σ.
"""

from weitzman.errors import InvalidInputError
from weitzman.search.numbers import finite_number


def checked_discount(discount: float) -> float:
    """Return a discount per unit of time.

    >>> checked_discount(0.9)
    0.9
    """
    number = finite_number(discount, "The discount", "be a number above 0, at most 1")
    if not 0.0 < number <= 1.0:
        raise InvalidInputError("The discount", "be a number above 0, at most 1", discount)
    return number
