"""Which problem that no index solves a call of :func:`~weitzman.search.planning.plan` asks for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weitzman.search.variants.asked import Asked, chosen_method
from weitzman.search.variants.hard.arrivals import plan_arrivals
from weitzman.search.variants.hard.batches import plan_batches
from weitzman.search.variants.hard.bounded import BoundedPlan, Problem, checked_problem
from weitzman.search.variants.hard.limited import plan_limited
from weitzman.search.variants.hard.optional_inspection import plan_optional_inspection
from weitzman.search.variants.hard.partial_look import PartialBox
from weitzman.search.variants.hard.partial_plan import plan_partial
from weitzman.search.variants.hard.prerequisites import plan_prerequisites


@dataclass(frozen=True)
class Kind:
    """A problem: its words, the settings that ask for it, its methods, and its plan."""

    words: str
    settings: tuple[str, ...]
    methods: tuple[str, ...]
    plan: Callable[[Problem, Asked, str], BoundedPlan]


_KINDS = (
    Kind(
        "a cap or a budget",
        ("most", "budget"),
        ("subset", "exact"),
        lambda problem, asked, method: plan_limited(problem, asked.most, asked.budget, method),
    ),
    Kind(
        "boxes that are opened together",
        ("at_once", "price"),
        ("batches", "exact"),
        lambda problem, asked, method: plan_batches(problem, asked.at_once, asked.price, method),
    ),
    Kind(
        "boxes that may be taken unopened",
        ("unopened",),
        ("committing", "exact"),
        lambda problem, asked, method: plan_optional_inspection(problem, asked.unopened, method),
    ),
    Kind(
        "boxes that arrive",
        ("arrivals",),
        ("thresholds",),
        lambda problem, asked, method: plan_arrivals(problem),
    ),
)
_SEVERAL = Kind(
    "boxes after several others",
    (),
    ("bundles", "exact"),
    lambda problem, asked, method: plan_prerequisites(problem, method),
)


def hard_plan(boxes: Sequence[Any], asked: Asked) -> BoundedPlan | None:
    """Return the plan of a problem that no index solves; None if the problem is none of them."""
    if any(isinstance(box, PartialBox) for box in boxes):
        asked.only("partial looks", "method")
        methods = ("committing", "index", "turning", "whittle", "single", "exact")
        method = chosen_method(asked.method, *methods)
        return plan_partial(boxes, asked.sense, asked.outside, method)
    kinds = [kind for kind in _KINDS if set(kind.settings) & set(asked.given)]
    ordered = any(len(box.before) > 1 for box in boxes)
    if not kinds and not ordered:
        return None
    kind = kinds[0] if kinds else _SEVERAL
    asked.only(kind.words, *kind.settings, "method")
    method = chosen_method(asked.method, *kind.methods)
    problem = checked_problem(boxes, asked.sense, asked.outside, ordered=kind is _SEVERAL)
    return kind.plan(problem, asked, method)
