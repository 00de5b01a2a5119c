"""Which variant a call of :func:`~weitzman.search.planning.plan` asks for."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.contents import Draws, NormalDraws
from weitzman.search.reservation import sign_of
from weitzman.search.variants.asked import Asked, chosen_method
from weitzman.search.variants.draws import draws_plan
from weitzman.search.variants.face import AnyPlan
from weitzman.search.variants.hard.choose import hard_plan
from weitzman.search.variants.independent import forest_plan
from weitzman.search.variants.no_recall import NoRecallPlan
from weitzman.search.variants.normal_draws import normal_draws_plan
from weitzman.search.variants.risk import checked_tail, tail_utilities


def variant_plan(boxes: Sequence[Any], asked: Asked) -> AnyPlan:
    """Return the plan for a problem that is not plain."""
    hard = hard_plan(boxes, asked)
    return exact_plan(boxes, asked) if hard is None else hard


def exact_plan(boxes: Sequence[Box], asked: Asked) -> AnyPlan:
    """Return the plan for a problem that is solved at any size."""
    chosen_method(asked.method, "exact")
    asked = replace(asked, method=None)
    if any(isinstance(box.value, Draws) for box in boxes):
        asked.only("draws")
        return draws_plan(boxes, asked.sense, asked.outside)
    if any(isinstance(box.value, NormalDraws) for box in boxes):
        asked.only("draws")
        return normal_draws_plan(boxes, asked.sense, asked.outside)
    if not asked.recall:
        asked.only("a search without recall", "recall")
        for box in boxes:
            if not box.plain:
                rule = "be plain: stages and boxes after others do not combine with no recall"
                raise InvalidInputError(f"Box {box.name!r}", rule, box)
        plan = NoRecallPlan(tuple(boxes), asked.sense, asked.outside)
        _ = plan.expected_total
        return plan
    if checked_tail(asked.tail) < 1.0:
        asked.only("a tail", "tail")
        utilities = tail_utilities(boxes, asked.sense, asked.outside, asked.tail)
        plans = [forest_plan(boxes, replace(asked, tail=1.0, utility=u)) for u in utilities]
        return min(plans, key=lambda plan: sign_of(asked.sense) * plan.expected_total)
    return forest_plan(boxes, asked)
