"""Reservation values against a feature, from the newest closed rounds in the journal.

The state keeps no contexts: the rounds are read where they are stored, on a thread of their own.
"""

import asyncio

from weitzman.ledger.event import Event
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.round_history import round_history
from weitzman.serve.commands.rounds import box_name
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.report_schema import (
    FeaturePoints,
)

__all__ = ["feature_points", "read_newest"]

_POINTS = 2_000


async def read_newest(engine: Engine, problem: Problem) -> list[list[Event]]:
    """Return the events of the newest closed rounds that are stored, newest first."""
    most = max(1, _POINTS // len(problem.settings.boxes))
    names = [ended.name for ended in problem.tally.recent[: -most - 1 : -1]]
    return await asyncio.to_thread(
        lambda: [engine.journal.find(problem.name, name) for name in names]
    )


def feature_points(problem: Problem, place: str, rounds: list[list[Event]]) -> FeaturePoints:
    """Return one point per round and box; ``place`` is that of the feature, counted from 0."""
    features = problem.settings.features
    known = len(place) < 10 and place.isascii() and place.isdigit() and int(place) < len(features)
    if not known:
        text = f"The problem {problem.name!r} has no feature at place {place[:20]!r}."
        raise Refusal("unknown", text, "place")
    points = FeaturePoints(problem.name, features[int(place)], [], [], [], [], [], [])
    sign = problem.sign
    for events in rounds:
        history = round_history(events, sign=sign, waiting=problem.settings.waiting)
        if history is None:
            continue
        for row, sigma in enumerate(history.body.reservation_values):
            value = history.round.looks.get(row)
            points.boxes.append(box_name(problem, history.round, row))
            points.contexts.append(history.body.contexts[row][int(place)])
            points.reservation_values.append(sigma)
            points.values.append(None if value is None else sign * value)
            points.opened.append(row in history.round.looks)
            points.rounds.append(events[0].key)
    return points
