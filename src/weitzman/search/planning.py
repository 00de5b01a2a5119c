"""From boxes to their plan: the plain one here, those of variants by what is asked for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.numbers import checked_outside
from weitzman.search.plan import Plan
from weitzman.search.reservation import Sense, check_sense, given_values, reservation_value
from weitzman.search.samples import GuaranteedPlan, plan_from_samples, sampled_boxes
from weitzman.search.variants.asked import Asked, chosen_method
from weitzman.search.variants.careful import Worst

if TYPE_CHECKING:
    from weitzman.search.variants.face import AnyPlan
    from weitzman.search.variants.hard.bounded import BoundedPlan
    from weitzman.search.variants.hard.partial_look import PartialBox
    from weitzman.search.variants.keep import Matroid


class _Hard(TypedDict, total=False):
    """The settings of problems that no index solves."""

    most: int | None
    budget: float | None
    at_once: int
    price: float
    unopened: bool | Sequence[str]
    arrivals: bool
    scenarios: Mapping[str, ArrayLike] | None
    costs: Mapping[str, float] | None
    weights: ArrayLike | None
    method: str | None


@overload
def plan(  # type: ignore[overload-overlap]
    boxes: Sequence[Box],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    reservation_values: Mapping[str, float] | ArrayLike | None = None,
) -> Plan: ...
@overload
def plan(  # type: ignore[overload-overlap]
    boxes: Sequence[Box],
    *,
    sense: Sense = "min",
    outside: float | None = None,
    reservation_values: Mapping[str, float] | ArrayLike | None = None,
    keep: "int | Matroid" = 1,
    discount: float = 1.0,
    utility: Callable[[float], float] | None = None,
    tail: float = 1.0,
    recall: bool = True,
) -> "AnyPlan": ...
@overload
def plan(
    boxes: Sequence[Box] | Mapping[str, ArrayLike],
    *,
    confidence: float,
    worst: Worst = None,
    costs: Mapping[str, float] | None = None,
    keep: "int | Matroid" = 1,
    discount: float = 1.0,
    sense: Sense = "min",
    outside: float | None = None,
) -> GuaranteedPlan: ...
@overload
def plan(
    boxes: "Sequence[Box] | Sequence[PartialBox]" = (),
    *,
    sense: Sense = "min",
    outside: float | None = None,
    **hard: Unpack[_Hard],
) -> "BoundedPlan": ...
def plan(
    boxes: Any = (),
    *,
    sense: Sense = "min",
    outside: float | None = None,
    reservation_values: Mapping[str, float] | ArrayLike | None = None,
    keep: "int | Matroid" = 1,
    discount: float = 1.0,
    utility: Callable[[float], float] | None = None,
    tail: float = 1.0,
    recall: bool = True,
    most: int | None = None,
    budget: float | None = None,
    at_once: int = 1,
    price: float = 0.0,
    unopened: bool | Sequence[str] = False,
    arrivals: bool = False,
    scenarios: Mapping[str, ArrayLike] | None = None,
    weights: ArrayLike | None = None,
    confidence: float | None = None,
    worst: Worst = None,
    costs: Mapping[str, float] | None = None,
    method: str | None = None,
) -> Any:
    """Return the plan to search the boxes.

    A plan of plain boxes is a :class:`Plan`. With stages, boxes after others, and the settings from
    ``keep`` to ``recall``, it is an :class:`AnyPlan`, exact (explanation/variants); with those from
    ``most`` to ``scenarios``, several boxes before one, and partial looks, a :class:`BoundedPlan`, with a
    bound on what is lost (explanation/hard-variants); with ``confidence`` a :class:`GuaranteedPlan`.
    A type checker cannot see what boxes hold, and takes the plan of boxes alone for a :class:`Plan`.

    Parameters
    ----------
    boxes
        At least one :class:`Box` or :class:`PartialBox`, with distinct names; values independent of
        each other. With ``confidence=`` a mapping of samples by name will do; with ``scenarios=`` none.
    sense
        Whether smaller (``"min"``) or larger (``"max"``) values are better.
    outside
        A value that you have without opening anything. None: at least one box is opened.
    reservation_values
        One per box, by name or in the order of the boxes: the rule is run with these instead of the
        true ones. Finite, or infinite on the side of "open in any case". Of boxes with stages one per row
        of the plan's ``steps``, or by name for all stages of a box.
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
    most, budget
        The largest number of boxes that may be opened, or the largest sum of costs that may be paid.
    at_once, price
        How many boxes may be opened together, and what doing so costs on top of their costs; for laws
        with finitely many outcomes.
    unopened
        True, or the names of boxes: these may be taken without opening them.
    arrivals
        True: boxes arrive one by one in an order that is not known, and what is let go is gone. Larger
        values are better, and values and the outside option are >= 0.
    scenarios, weights
        In place of boxes, by name the values in each scenario, for boxes that depend on each other;
        scenarios are as likely as their weights, None for equal ones. Costs are given by ``costs``.
    confidence, worst
        What is an ``Empirical`` law in the boxes, and a ``Counter`` of signals in their stages, is a
        sample, and the expected total holds on new rounds with this confidence, from 0.5 to below 1.
        ``worst`` is the worst value that is possible, for all boxes or by box; ``"sample"`` says that none
        is worse than in the box's sample. It may be None with an outside option.
    costs
        For samples and scenarios, by box, what opening it costs.
    method
        ``"exact"`` for the optimum of small problems that no index solves; for partial looks also
        ``"committing"``, ``"index"``, ``"turning"``, ``"whittle"`` or ``"single"``.

    Examples
    --------
    >>> import scipy.stats
    >>> p = plan([Box("a", 1.0, scipy.stats.uniform(0, 8)), Box("b", 0.5, 4.0)])
    >>> p.order, p.reservation_values
    (('a', 'b'), {'a': 4.0, 'b': 4.5})
    >>> round(p.expected_total, 6)
    4.234375
    """
    outside = None if outside is None else checked_outside(outside)
    asked = Asked(
        sense=check_sense(sense),
        outside=outside,
        reservation_values=reservation_values,
        keep=keep,
        discount=discount,
        utility=utility,
        tail=tail,
        recall=recall,
        most=most,
        budget=budget,
        at_once=at_once,
        price=price,
        unopened=unopened,
        arrivals=arrivals,
        method=method,
    )
    if scenarios is not None:
        for name, other in (("confidence", confidence), ("worst", worst)):
            if other is not None:
                rule = "be left out: it does not combine with scenarios"
                raise InvalidInputError(name, rule, other)
        return _plan_of_scenarios(boxes, scenarios, costs, weights, asked)
    if isinstance(boxes, Mapping) and confidence is not None:
        boxes, costs = sampled_boxes(boxes, costs or {}), None
    for name, given in (("costs", costs), ("weights", weights)):
        if given is not None:
            raise InvalidInputError(name, "be left out where boxes are given", given)
    boxes = _checked_boxes(boxes)
    if confidence is not None:
        return plan_from_samples(boxes, asked, _planned, confidence=confidence, worst=worst)
    if worst is not None:
        raise InvalidInputError("worst", "be left out without confidence=", worst)
    return _planned(boxes, asked)


def _planned(boxes: Sequence[Box], asked: Asked) -> Any:
    """Return the plan of boxes with laws that are known."""
    if not all(getattr(box, "plain", False) for box in boxes) or (
        set(asked.given) - {"reservation_values", "method"}
    ):
        from weitzman.search.variants.choose import variant_plan

        return variant_plan(boxes, asked)
    chosen_method(asked.method, "exact")
    given = None
    if asked.reservation_values is not None:
        names = [box.name for box in boxes]
        given = given_values(asked.reservation_values, names, asked.sense)
    made = Plan(boxes=tuple(boxes), sense=asked.sense, outside=asked.outside, _given=given)
    _check_laws(made)
    return made


def _plan_of_scenarios(
    boxes: Any,
    scenarios: Mapping[str, ArrayLike],
    costs: Mapping[str, float] | None,
    weights: ArrayLike | None,
    asked: Asked,
) -> "BoundedPlan":
    from weitzman.search.variants.hard.scenarios import plan_scenarios

    if len(boxes):
        raise InvalidInputError("The boxes", "be left out with scenarios=", boxes)
    asked.only("scenarios", "method")
    method = chosen_method(asked.method, "conditional", "exact")
    return plan_scenarios(
        scenarios,
        costs or {},
        weights=weights,
        sense=asked.sense,
        outside=asked.outside,
        method=method,
    )


def _is_box(thing: Any) -> bool:
    if isinstance(thing, Box):
        return True
    from weitzman.search.variants.hard.partial_look import PartialBox

    return isinstance(thing, PartialBox)


def _checked_boxes(given: Any) -> tuple[Box, ...]:
    """Return the boxes, at least one, with distinct names."""
    boxes = tuple(given) if isinstance(given, Iterable) else (given,)
    if not isinstance(given, Iterable) or not all(_is_box(box) for box in boxes):
        raise InvalidInputError("The boxes", "be a list of Box", given)
    if not boxes:
        raise InvalidInputError("The boxes", "be at least one", boxes)
    names = [box.name for box in boxes]
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise InvalidInputError("The names of the boxes", "be distinct", twice)
    return boxes


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
