"""From boxes to their plan: the plain one here, those of variants by what is asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.numbers import checked_outside
from weitzman.search.plan import Plan
from weitzman.search.reservation import Sense, check_sense, reservation_value
from weitzman.search.samples import GuaranteedPlan, Worst, plan_from_samples

if TYPE_CHECKING:
    from weitzman.search.variants.face import AnyPlan
    from weitzman.search.variants.hard.scenarios import ScenarioPlan
    from weitzman.search.variants.keep import Matroid


@overload
def plan(
    boxes: Sequence[Box],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    reservation_values: Mapping[str, float] | ArrayLike | None = None,
) -> Plan: ...
@overload
def plan(
    boxes: Sequence[Box],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    keep: "int | Matroid" = 1,
    discount: float = 1.0,
    utility: Callable[[float], float] | None = None,
    tail: float = 1.0,
    recall: bool = True,
) -> "AnyPlan": ...
@overload
def plan(
    boxes: Mapping[str, ArrayLike],
    *,
    costs: Mapping[str, float],
    confidence: float,
    worst: Worst = None,
    keep: int = 1,
    sense: Sense = "min",
    outside: float | None = None,
) -> GuaranteedPlan: ...
@overload
def plan(
    *,
    scenarios: Mapping[str, ArrayLike],
    costs: Mapping[str, float],
    weights: ArrayLike | None = None,
    sense: Sense = "min",
    outside: float | None = None,
    method: str = "conditional",
) -> "ScenarioPlan": ...
def plan(
    boxes: Sequence[Box] | Mapping[str, ArrayLike] = (),
    *,
    sense: Sense = "min",
    outside: float | None = None,
    reservation_values: Mapping[str, float] | ArrayLike | None = None,
    keep: "int | Matroid" = 1,
    discount: float = 1.0,
    utility: Callable[[float], float] | None = None,
    tail: float = 1.0,
    recall: bool = True,
    **data: Any,
) -> Any:
    """Return the plan to search the boxes.

    A plan of boxes with stages, or after others, and of any of the settings from ``keep`` on, is an
    :class:`AnyPlan`: the exact plan of a variant of the problem, in explanation/variants. A type
    checker cannot see what boxes hold, and takes the plan of boxes alone for a :class:`Plan`.

    Parameters
    ----------
    boxes
        At least one :class:`Box`, with distinct names; values independent of each other.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    outside
        A value that can be had without opening anything. None: at least one box is opened.
    reservation_values
        One per box, by name or in the order of the boxes: the rule is run with these instead of the
        true ones. Finite, or infinite on the side of "open in any case". Not for variants.
    keep
        How many boxes are kept, or which may be kept together: a :class:`Matroid`.
    discount
        What something in one unit of time is worth of what it is worth now; boxes and stages say
        how long they take.
    utility
        What a value is worth, for laws with finitely many outcomes: the utility takes its place.
    tail
        Below 1 the average over this worst share of the rounds counts in place of the average of the
        value kept (CVaR), for laws with finitely many outcomes.
    recall
        False: boxes come in the order given; a value has to be taken at once or never.
    **data
        With ``confidence=`` the boxes are samples by name, and the other arguments are those of
        :func:`plan_from_samples`; with ``scenarios=`` those of :func:`plan_scenarios`.

    Examples
    --------
    >>> import scipy.stats
    >>> p = plan([Box("a", 1.0, scipy.stats.uniform(0, 8)), Box("b", 0.5, 4.0)])
    >>> p.order, p.reservation_values
    (('a', 'b'), {'a': 4.0, 'b': 4.5})
    >>> round(p.expected_total, 6)
    4.234375
    """
    if data or isinstance(boxes, Mapping):
        usual = (None, 1.0, None, 1.0, True)
        several = keep != 1 and "scenarios" in data
        if several or (reservation_values, discount, utility, tail, recall) != usual:
            rule = "be left out: they do not combine with samples and scenarios"
            raise InvalidInputError("The settings of variants", rule, sorted(data))
        return _plan_of_data(boxes, keep, {"sense": sense, "outside": outside, **data})
    boxes = _checked_boxes(boxes)
    outside = checked_outside(outside)
    plain = all(box.plain for box in boxes)
    if not (plain and keep == 1 and discount == tail == 1.0 and utility is None and recall):
        from weitzman.search.variants.choose import Asked, variant_plan

        if reservation_values is not None:
            rule = "be left out: only the plain problem takes others than the true ones"
            raise InvalidInputError("The reservation values", rule, reservation_values)
        asked = Asked(check_sense(sense), outside, keep, discount, utility, tail, recall)
        return variant_plan(boxes, asked)
    check_sense(sense)
    given = None
    if reservation_values is not None:
        names = [box.name for box in boxes]
        given = _reservation_values(reservation_values, names, check_sense(sense))
    made = Plan(boxes=boxes, sense=sense, outside=outside, _given=given)
    _check_laws(made)
    return made


def _checked_boxes(given: Any) -> tuple[Box, ...]:
    """Return the boxes, at least one, with distinct names."""
    boxes = tuple(given) if isinstance(given, Iterable) else (given,)
    if not isinstance(given, Iterable) or not all(isinstance(box, Box) for box in boxes):
        raise InvalidInputError("The boxes", "be a list of Box", given)
    if not boxes:
        raise InvalidInputError("The boxes", "be at least one", boxes)
    names = [box.name for box in boxes]
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise InvalidInputError("The names of the boxes", "be distinct", twice)
    return boxes


def _plan_of_data(boxes: Any, keep: Any, given: dict[str, Any]) -> Any:
    """Return the plan from samples, or from scenarios."""
    if "scenarios" in given and not boxes:
        from weitzman.search.variants.hard.scenarios import plan_scenarios

        return plan_scenarios(given.pop("scenarios"), given.pop("costs", {}), **given)
    if isinstance(boxes, Mapping) and "scenarios" not in given:
        return plan_from_samples(boxes, given.pop("costs", {}), keep=keep, **given)
    rule = "be a mapping of samples, with confidence=, or be left out, with scenarios="
    raise InvalidInputError("The boxes", rule, boxes)


def _check_laws(made: Plan) -> None:
    """Refuse a law without a reservation value now, and by the name of its box."""
    try:
        _ = made.optimal_reservation_values
    except InvalidInputError:
        for box in made.boxes:
            try:
                reservation_value(box.law, box.expected_cost, sense=made.sense)
            except InvalidInputError as error:
                subject = f"The value of box {box.name!r}"
                raise InvalidInputError(subject, error.rule, box.law) from None
        raise


def expected_total(
    boxes: Sequence[Box],
    reservation_values: ArrayLike,
    *,
    sense: Sense = "min",
    outside: float | None = None,
) -> float:
    """Return the exact expected total of Weitzman's rule run with any reservation values.

    Examples
    --------
    >>> expected_total([Box("a", 1.0, 3.0), Box("b", 1.0, 2.0)], [5.0, 9.0])
    4.0
    """
    p = plan(boxes, sense=sense, outside=outside, reservation_values=reservation_values)
    return p.expected_total


def _reservation_values(
    given: Mapping[str, float] | ArrayLike, names: Sequence[str], sense: Sense
) -> Floats:
    """Return reservation values, by name or in the order of the boxes, with smaller ones better."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            rule = f"be for the boxes {list(names)}"
            raise InvalidInputError("The reservation values", rule, list(given))
        given = [given[name] for name in names]
    numbers = np.asarray(given)
    if numbers.dtype.kind not in "fiu":
        raise InvalidInputError("The reservation values", "be numbers", given)
    sign = 1.0 if sense == "min" else -1.0
    turned = sign * numbers.astype(np.float64)
    if turned.shape != (len(names),):
        rule = f"be one number per box, {len(names)}"
        raise InvalidInputError("The reservation values", rule, np.shape(turned))
    if np.isnan(turned).any() or np.isposinf(turned).any():
        rule = f"be finite or {'-inf' if sense == 'min' else 'inf'}"
        raise InvalidInputError("The reservation values", rule, (sign * turned).tolist())
    return turned
