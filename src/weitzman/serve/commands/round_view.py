"""A round as its reader sees it: its boxes, and what happened to it in sentences."""

import math
from collections.abc import Iterator

from weitzman.ledger.bodies import LARGEST
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.round_history import RoundHistory
from weitzman.serve.commands.rounds import box_name, known_history, outcome_of
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.reports import RoundBox, RoundStep, RoundView

_SECOND = 1e-6


def round_view(engine: Engine, problem: Problem, name: str) -> RoundView:
    """Return a round with its explanation."""
    history = known_history(engine, problem, name)
    opened = history.round
    if name in problem.rounds:
        opened.rule, opened.exploring = problem.rounds[name].rule, problem.rounds[name].exploring
    row = None if history.closed is not None else opened.next()
    best = opened.state.best
    outcome = None
    if history.closed is not None and history.closed_at is not None:
        outcome = outcome_of(problem, name, opened, history.closed, history.closed_at)
    return RoundView(
        round=name,
        problem=problem.name,
        opened_at=opened.at * _SECOND,
        waits_until=opened.until * _SECOND,
        closed=history.closed is not None,
        next=None if row is None else box_name(problem, opened, row),
        best=None if math.isinf(best) else problem.sign * best,
        outside=history.body.outside,
        boxes=_boxes(problem, history),
        steps=[RoundStep(at=at * _SECOND, text=text) for at, text in _steps(problem, history)],
        outcome=outcome,
    )


def _boxes(problem: Problem, history: RoundHistory) -> list[RoundBox]:
    sign, opened = problem.sign, history.round
    shown = dict(history.closed.shown) if history.closed is not None else {}
    boxes = []
    for row in opened.order:
        value = opened.looks.get(row, history.late.get(row))
        known = shown.get(row) if value is None else sign * value
        boxes.append(
            RoundBox(
                box=box_name(problem, opened, row),
                cost=opened.costs[row],
                paid=opened.state.spent.get(row),
                reservation_value=_finite(sign * opened.sigma[row]) if opened.sigma else None,
                context=dict(
                    zip(problem.settings.features, history.body.contexts[row], strict=True)
                ),
                opened=row in opened.looks,
                value=known,
                late=row in history.late,
            )
        )
    return boxes


def _steps(problem: Problem, history: RoundHistory) -> Iterator[tuple[int, str]]:
    """Yield what happened in sentences, and when."""
    opened, sign = history.round, problem.sign
    best = "the policy decides again after every look"
    if opened.sigma:
        first = box_name(problem, opened, opened.order[0])
        sigma = opened.sigma[opened.order[0]]
        best = f"{first} is opened first"
        if abs(sigma) < LARGEST:
            best = f"{first} has the best reservation value, {sign * sigma:.4g}"
    start = (
        "without an outside option"
        if opened.outside is None
        else f"with {sign * opened.outside:.4g} in hand"
    )
    yield opened.at, f"Began {start}; {best}."
    if opened.draw is not None and opened.draw[1]:
        needs = problem.settings.explore_for
        more = "every box" if needs is None else f"what {needs} needs"
        yield opened.at, f"A draw, with the chance {opened.draw[0]:g}, opens {more}."
    for row, value in opened.looks.items():
        what = "saw nothing" if value is None else f"saw {sign * value:.4g}"
        box = box_name(problem, opened, row)
        price = f"{opened.state.cost(row):.4g}"
        if row in opened.state.spent:
            price += f" (expected: {opened.costs[row]:.4g})"
        yield history.times[row], f"Opened {box} for {price}, {what}."
    if history.closed is not None and history.closed_at is not None:
        yield history.closed_at, _why_it_ended(problem, opened, waited=history.closed.waited)
    for row, late in history.late.items():
        text = f"{box_name(problem, opened, row)} came late and is not learned"
        shown = "" if late is None else f": {sign * late:.4g}"
        yield history.closed_at or opened.at, f"{text}{shown}."


def _why_it_ended(problem: Problem, opened: OpenRound, *, waited: bool) -> str:
    sign = problem.sign
    better, worse = ("lower", "higher") if sign > 0.0 else ("higher", "lower")
    if waited:
        return "Ended by itself: its waiting time was over."
    if len(opened.looks) == len(opened.costs):
        return "Stopped because every box was open."
    if not opened.sigma:
        return "Stopped."
    row = opened.next()
    if row is not None:
        would = f"The caller stopped; the rule would have opened {box_name(problem, opened, row)}"
        if abs(opened.sigma[row]) < LARGEST:
            would += f", whose reservation value is {sign * opened.sigma[row]:.4g}"
        return f"{would}."
    closed = next(r for r in opened.order if r not in opened.looks)
    other = "the rule opens no other box"
    if opened.sigma[closed] < LARGEST:
        same = opened.sigma[closed] == opened.state.best
        why = (
            f"no other reservation value is {better}"
            if same
            else f"every other reservation value is {worse}"
        )
        other = (
            f"{why} than the best value in hand, {sign * opened.state.best:.4g}; "
            f"the next is that of {box_name(problem, opened, closed)}, {sign * opened.sigma[closed]:.4g}"
        )
    return f"Stopped because {other}."


def _finite(number: float) -> float:
    """Return a number as JSON has it."""
    return min(max(number, -LARGEST), LARGEST)
