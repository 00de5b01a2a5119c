"""Commands on rounds: open, see, close.

Each may be sent again. A round that was opened with the same id and content is returned as it was; a look
that is known already is passed over; a round that is closed keeps its outcome. What contradicts the
stored truth is refused, and the first stays.
"""

import math
import secrets
from collections.abc import Collection, Mapping
from typing import TypeVar

from weitzman.errors import InvalidInputError
from weitzman.ledger.bodies import LARGEST, Closed, Opened, Seen
from weitzman.ledger.state.deciding import draw_of
from weitzman.ledger.state.open_round import OpenRound
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.round_history import RoundHistory, round_history
from weitzman.search.numbers import LIMIT
from weitzman.serve.commands.round_input import check_box_value, round_input
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal, from_input_error
from weitzman.serve.messages.schema import (
    CloseRequest,
    NewRound,
    Outcome,
    RoundReply,
    SeeReply,
    SeeRequest,
)

V = TypeVar("V", float, float | None)
_RULE = (
    "Open the boxes in this order. Stop as soon as the best value in hand is at {} the "
    "reservation value of the next box; without a value in hand, open."
)
_RULES = {
    "again": "The policy decides again after every look: report each value, and ask for the next box.",
    "all": "A draw opens every box: open them in this order.",
    "more": "A draw opens more boxes: report each value, and ask for the next box.",
    "min": _RULE.format("most"),
    "max": _RULE.format("least"),
}
_SECOND = 1e-6


def open_round(engine: Engine, problem: Problem, ask: NewRound) -> RoundReply:
    """Open a round, or return again the one that was opened with this id and content."""
    want = round_input(problem, ask)
    if ask.id is not None:
        before = round_history(problem, engine.find(problem.name, ask.id))
        if before is not None:
            body = before.body
            opened_with = (body.places, body.contexts, body.guessed, body.outside)
            same = (want.places, want.rows, want.guessed, want.outside) == opened_with
            # Costs that nobody said may be expected to be others by now
            if not same or (want.costs != body.costs and not want.guessed):
                text = f"The round {ask.id!r} was opened with another content."
                raise Refusal("conflict", text, "id")
            opened = problem.rounds.get(ask.id)
            fresh = OpenRound.begin(
                body,
                given=before.round.given,
                at=before.round.at,
                waiting=problem.settings.waiting if opened is None else opened.until - opened.at,
                sign=problem.sign,
                rule=None if opened is None else opened.rule,
            )
            if opened is not None:
                fresh.exploring = opened.exploring
            return _reply(problem, ask.id, fresh, body)
    if problem.archived:
        raise Refusal("conflict", f"The problem {problem.name!r} is archived.", "problem")
    if len(problem.rounds) >= engine.settings.rounds_limit:
        raise Refusal("too-many", f"{len(problem.rounds)} rounds of the problem are open.")
    try:
        sigma = problem.propose(want.places, want.contexts, want.costs, want.outside)
    except InvalidInputError as error:
        raise from_input_error(error, "contexts") from None
    body = Opened(
        contexts=want.rows,
        costs=want.costs,
        reservation_values=sigma,
        outside=want.outside,
        places=want.places,
        guessed=want.guessed,
        draw=draw_of(problem.settings, problem.tally.opened),
        unknown=want.unknown,
    )
    # Ids that grow with time keep the index of the journal together
    name = ask.id or f"{engine.now():013x}{secrets.token_hex(3)}"
    engine.happen(problem.name, body, name)
    opened = problem.rounds[name]
    engine.watch(problem.name, name, opened.until)
    return _reply(problem, name, opened, body)


def see_values(engine: Engine, problem: Problem, name: str, ask: SeeRequest) -> SeeReply:
    """Take in looks: of an open round, or late ones."""
    opened = _open(engine, problem, name)
    if opened is None:
        history = known_history(engine, problem, name)
        seen = {**history.round.looks, **history.late}
        new = _new_values(problem, history.round, seen, ask.values)
        if unpaid := _new_costs(problem, history.round, seen, ask.costs):
            text = "The round has ended: what was paid stays as it is."
            box = box_name(problem, history.round, unpaid[0][0])
            raise Refusal("conflict", text, f"costs.{box}")
        if new:
            engine.happen(problem.name, Seen(new, late=True), name)
        best = _turned(problem, history.round.state.best)
        return SeeReply(round=name, next=None, stop=True, best=best, late=True)
    looks = opened.looks
    new = _new_values(problem, opened, looks, ask.values)
    costs = _new_costs(problem, opened, [*looks, *dict(new)], ask.costs) if ask.costs else []
    if opened.guessed:
        known = {**opened.state.spent, **dict(costs)}
        for place, value in new:
            if value is not None and place not in known:
                text = "The round was opened without costs: each look must say what it cost."
                raise Refusal("invalid", text, f"costs.{box_name(problem, opened, place)}")
    if new or costs:
        engine.happen(problem.name, Seen(new, costs=costs), name)
    row = opened.next()
    return SeeReply(
        round=name,
        next=None if row is None else box_name(problem, opened, row),
        stop=row is None,
        best=_turned(problem, opened.state.best),
        late=False,
    )


def close_round(engine: Engine, problem: Problem, name: str, ask: CloseRequest) -> Outcome:
    """End a round, or return again how it ended."""
    opened = _open(engine, problem, name)
    if opened is None:
        history = known_history(engine, problem, name)
        assert history.closed is not None
        assert history.closed_at is not None
        if ask.values and _shown(problem, history.round, ask) != history.closed.shown:
            raise Refusal("conflict", f"The round {name!r} has ended with other values.", "values")
        return outcome_of(problem, name, history.round, history.closed, history.closed_at)
    body = opened.ended(_shown(problem, opened, ask))
    at = engine.happen(problem.name, body, name)
    return outcome_of(problem, name, opened, body, at)


def known_history(engine: Engine, problem: Problem, name: str) -> RoundHistory:
    """Return the history of a round, which must be there."""
    history = round_history(problem, engine.find(problem.name, name))
    if history is None:
        text = f"The problem {problem.name!r} has no round {name!r}."
        raise Refusal("unknown", text, "round")
    return history


def outcome_of(
    problem: Problem, name: str, ended: OpenRound, closed: Closed, closed_at: int
) -> Outcome:
    """Return the outcome of a round that has ended."""
    state, names = ended.state, _names(problem, ended)
    would = None
    if problem.settings.shadow and ended.sigma:
        would = ended.would(ended.known([(row, problem.sign * v) for row, v in closed.shown]))
    return Outcome(
        round=name,
        opened=[names[row] for row in state.opened],
        chosen=None if state.kept is None else names[state.kept],
        value=_turned(problem, state.best),
        paid=state.paid,
        total=_turned(problem, state.total),
        learned=len(state.values) + len(closed.shown),
        closed=closed_at * _SECOND,
        waited=closed.waited,
        rule_opened=None if would is None else [names[row] for row in would.opened],
        rule_total=None if would is None else _turned(problem, would.total),
        chances={name: closed.chances[row] for row, name in enumerate(names)}
        if closed.chances
        else None,
    )


def box_name(problem: Problem, opened: OpenRound, row: int) -> str:
    """Return the name of the box of a row."""
    return problem.settings.boxes[row if opened.places is None else opened.places[row]]


def _names(problem: Problem, opened: OpenRound) -> list[str]:
    """Return the names of the boxes of a round by row."""
    boxes, places = problem.settings.boxes, opened.places
    return boxes if places is None else [boxes[place] for place in places]


def _open(engine: Engine, problem: Problem, name: str) -> OpenRound | None:
    """Return a round that is open; it is closed first if its waiting time is over."""
    opened = problem.rounds.get(name)
    if opened is not None and opened.until <= engine.now():
        engine.happen(problem.name, opened.ended([], waited=True), name)
        return None
    return opened


def _row(problem: Problem, opened: OpenRound, box: str, field: str = "values") -> int:
    place = problem.place.get(box)
    if place is not None:
        if opened.places is None:
            return place
        if place in opened.places:
            return opened.places.index(place)
    raise Refusal("unknown", f"The round has no box {box!r}.", f"{field}.{box}")


def _new_values(
    problem: Problem, opened: OpenRound, seen: dict[int, float | None], values: Mapping[str, V]
) -> list[tuple[int, V]]:
    """Return the values that are not known yet; one that contradicts what is known is refused."""
    new: list[tuple[int, V]] = []
    for box, value in values.items():
        row = _row(problem, opened, box)
        if value is not None:
            check_box_value(problem, value, "values", box)
        known = seen.get(row)
        if row not in seen or (known is None and value is not None):
            new.append((row, value))
        elif known is not None and (value is None or problem.sign * value != known):
            text = f"The box {box!r} has shown {problem.sign * known!r} before."
            raise Refusal("conflict", text, f"values.{box}")
    return new


def _new_costs(
    problem: Problem, opened: OpenRound, looked_at: Collection[int], costs: Mapping[str, float]
) -> list[tuple[int, float]]:
    """Return the real costs that are not known yet; one that contradicts what is known is refused."""
    new: list[tuple[int, float]] = []
    for box, cost in costs.items():
        field = f"costs.{box}"
        row = _row(problem, opened, box, "costs")
        known = opened.state.spent.get(row)
        if row not in looked_at:
            raise Refusal("invalid", f"The box {box!r} was not looked at.", field)
        if not 0.0 <= cost <= LIMIT:
            raise Refusal("invalid", f"Expected a number from 0 to {LIMIT:g}.", field)
        if known is None:
            new.append((row, cost))
        elif known != cost:
            text = f"The look at the box {box!r} has cost {known!r} before."
            raise Refusal("conflict", text, field)
    return new


def _shown(problem: Problem, opened: OpenRound, ask: CloseRequest) -> list[tuple[int, float]]:
    if ask.values and problem.settings.feedback != "full":
        text = "Values at the end of a round come only under feedback 'full'."
        raise Refusal("invalid", text, "values")
    return _new_values(problem, opened, opened.looks, ask.values) if ask.values else []


def _reply(problem: Problem, name: str, opened: OpenRound, body: Opened) -> RoundReply:
    names = _names(problem, opened)
    row = opened.next()
    order = sigma = None
    drawn, rule = body.draw is not None and body.draw[1], "again"
    if opened.sigma:
        rule = problem.settings.sense
        if drawn:
            rule = "all" if problem.settings.explore_for is None else "more"
    if opened.sigma and rule != "more":
        order = [names[r] for r in opened.order]
        # Who goes on without asking opens all of them
        given = [-problem.sign * LARGEST] * len(names) if drawn else body.reservation_values
        sigma = dict(zip(names, given, strict=True))
    return RoundReply(
        round=name,
        next=None if row is None else names[row],
        stop=row is None,
        best=_turned(problem, opened.state.outside),
        order=order,
        reservation_values=sigma,
        rule=_RULES[rule],
        waits_until=opened.until * _SECOND,
        drawn=drawn,
        unknown_levels=body.unknown,
    )


def _turned(problem: Problem, value: float) -> float | None:
    """Return a value or total in the problem's direction; None if there is none."""
    return None if value == math.inf else problem.sign * value
