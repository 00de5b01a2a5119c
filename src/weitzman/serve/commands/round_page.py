"""The story of a round for its reader: its boxes, and what happened to it in sentences."""

import math

from weitzman.ledger.bodies import LARGEST
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.round_history import Story
from weitzman.serve.commands.rounds import box_name, outcome_of, story_of
from weitzman.serve.engine.desk import Desk
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.report_schema import (
    RoundStory,
    StoryBox,
    StoryStep,
)

__all__ = ["round_story"]

_SECOND = 1e-6


def round_story(desk: Desk, problem: Problem, name: str) -> RoundStory:
    """Return a round with its explanation."""
    story = story_of(desk, problem, name)
    if story is None:
        text = f"The problem {problem.name!r} has no round {name!r}."
        raise Refusal("unknown", text, "round")
    told = story.round
    if name in problem.rounds:
        told.rule = problem.rounds[name].rule
    row = None if story.closed is not None else told.next()
    best = told.best()
    outcome = None
    if story.closed is not None and story.closed_at is not None:
        outcome = outcome_of(problem, name, told, story.closed, story.closed_at)
    return RoundStory(
        round=name,
        problem=problem.name,
        opened_at=told.at * _SECOND,
        waits_until=told.until * _SECOND,
        closed=story.closed is not None,
        next=None if row is None else box_name(problem, told, row),
        best=None if math.isinf(best) else problem.sign * best,
        outside=story.body.outside,
        boxes=_story_boxes(problem, story),
        steps=_steps(problem, story),
        outcome=outcome,
    )


def _story_boxes(problem: Problem, story: Story) -> list[StoryBox]:
    sign, told = problem.sign, story.round
    shown = dict(story.closed.shown) if story.closed is not None else {}
    boxes = []
    for row in told.order:
        value = told.looks.get(row, story.late.get(row))
        known = shown.get(row) if value is None else sign * value
        boxes.append(
            StoryBox(
                box=box_name(problem, told, row),
                cost=told.costs[row],
                reservation_value=_finite(sign * told.sigma[row]) if told.sigma else None,
                context=dict(zip(problem.settings.features, story.body.contexts[row], strict=True)),
                opened=row in told.looks,
                value=known,
                late=row in story.late,
            )
        )
    return boxes


def _steps(problem: Problem, story: Story) -> list[StoryStep]:
    """Return the story in sentences."""
    told, sign = story.round, problem.sign
    best = "the policy decides anew after every look"
    if told.sigma:
        first = box_name(problem, told, told.order[0])
        sigma = _finite(sign * told.sigma[told.order[0]])
        best = f"{first} has the best reservation value, {sigma:.4g}"
    start = (
        "without an outside option"
        if told.outside is None
        else f"with {sign * told.outside:.4g} in hand"
    )
    steps = [
        StoryStep(
            at=told.at * _SECOND,
            text=f"Began {start}; {best}.",
        )
    ]
    for row, value in told.looks.items():
        what = "saw nothing" if value is None else f"saw {sign * value:.4g}"
        text = f"Opened {box_name(problem, told, row)} for {told.costs[row]:.4g}, {what}."
        steps.append(StoryStep(at=story.times[row] * _SECOND, text=text))
    if story.closed is not None and story.closed_at is not None:
        text = _why_it_ended(problem, told, waited=story.closed.waited)
        steps.append(StoryStep(at=story.closed_at * _SECOND, text=text))
    for row, late in story.late.items():
        text = f"{box_name(problem, told, row)} came late and is not learned"
        shown = "" if late is None else f": {sign * late:.4g}"
        steps.append(StoryStep(at=(story.closed_at or told.at) * _SECOND, text=f"{text}{shown}."))
    return steps


def _why_it_ended(problem: Problem, told: OpenRound, *, waited: bool) -> str:
    sign = problem.sign
    better, worse = ("lower", "higher") if sign > 0.0 else ("higher", "lower")
    if waited:
        return "Ended by itself: its waiting time was over."
    if len(told.looks) == len(told.costs):
        return "Stopped because every box was open."
    if not told.sigma:
        return "Stopped."
    row = told.next()
    if row is None:
        closed = next(r for r in told.order if r not in told.looks)
        same = told.sigma[closed] == told.best()
        why = (
            f"no other reservation value is {better}"
            if same
            else f"every other reservation value is {worse}"
        )
        return (
            f"Stopped because {why} than the best value in hand, {sign * told.best():.4g}; "
            f"the next is that of {box_name(problem, told, closed)}, {sign * told.sigma[closed]:.4g}."
        )
    return (
        f"The caller stopped; the rule would have opened {box_name(problem, told, row)}, "
        f"whose reservation value is {sign * told.sigma[row]:.4g}."
    )


def _finite(number: float) -> float:
    """Return a number as JSON has it."""
    return min(max(number, -LARGEST), LARGEST)
