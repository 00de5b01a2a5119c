"""The input of a round, brought into the one form that events have.

A caller may name boxes and features or go by their order; an event has rows.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar, cast

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.learn.features import PREFIX, Encoding
from weitzman.learn.intake.given import is_one_row
from weitzman.learn.record import bound_rule
from weitzman.ledger.state.problem import Problem
from weitzman.search.numbers import LIMIT, finite_number
from weitzman.serve.messages.refusal import Refusal, from_input_error
from weitzman.serve.messages.schema import Cell, Named, NewRound, Numbers

T = TypeVar("T")

_NAMED = 3  # how many of the features that are missing are named


class RoundInput(NamedTuple):
    """What a caller says about a round: rows in the order of the problem's boxes, or of those that are there.

    ``rows`` are the contexts as lists. ``guessed``: the caller says no costs, and neither does the problem.
    ``unknown`` are texts that are no levels of their features.
    """

    places: list[int] | None
    rows: list[Numbers]
    contexts: Floats
    costs: list[float]
    outside: float | None
    guessed: bool
    unknown: list[str]


def round_input(problem: Problem, ask: NewRound) -> RoundInput:
    """Return the rows of a round."""
    places = _places(problem, ask)
    rows = len(problem.settings.boxes) if places is None else len(places)
    unknown: list[str] = []
    plain, contexts = _contexts(problem, ask, places, rows, unknown)
    outside = ask.outside
    if outside is not None:
        checked_value(outside, "outside")
    costs = _costs(problem, ask, places, rows)
    guessed = costs is None
    if costs is None:
        costs = problem.expected_costs(places)
    return RoundInput(places, plain, contexts, costs, outside, guessed, unknown)


def checked_value(value: float, field: str) -> float:
    """Return a value that can be learned."""
    if not -LIMIT <= value <= LIMIT:
        raise Refusal("invalid", f"Expected a number of at most {LIMIT:g} in size.", field)
    return value


def check_box_value(problem: Problem, value: float, *field: str) -> None:
    """Refuse a value that no box of the problem can hold; ``field`` are the parts of its name."""
    if not -LIMIT <= value <= LIMIT:
        checked_value(value, ".".join(field))
    if problem.sign * value < problem.bound:
        rule = bound_rule(problem.bound, problem.sign)
        raise from_input_error(InvalidInputError("The value", rule, value), ".".join(field))


def _places(problem: Problem, ask: NewRound) -> list[int] | None:
    names: Sequence[str] | None = ask.boxes
    if (
        names is None
        and isinstance(ask.contexts, dict)
        and not is_one_row(ask.contexts, problem.place)
    ):
        names = None if len(ask.contexts) == len(problem.place) else list(ask.contexts)
    if names is None:
        return None
    if not names:
        raise Refusal("invalid", "Expected at least one box.", "contexts")
    for name in names:
        if name not in problem.place:
            raise Refusal("unknown", f"The problem has no box {name!r}.", "boxes")
    if len(set(names)) < len(names):
        raise Refusal("invalid", "The boxes of a round must be distinct.", "boxes")
    return [problem.place[name] for name in names]


def _contexts(
    problem: Problem, ask: NewRound, places: list[int] | None, rows: int, unknown: list[str]
) -> tuple[list[Numbers], Floats]:
    """Return the rows, as they came and as an array; what is unknown in them is added to the list."""
    given, features = ask.contexts, problem.settings.features
    if type(given) is list and len(given) == rows:
        # The usual case: rows of numbers, all of the right length
        try:
            plain_rows: Floats = np.array(given, dtype=np.float64)
        except (ValueError, TypeError):
            pass
        else:
            if plain_rows.shape == (rows, len(features)):
                return cast("list[Numbers]", given), plain_rows
    listed: Sequence[Numbers | Named]
    if isinstance(given, list):
        listed = given
    elif is_one_row(given, problem.place):
        one = _by_feature(features, cast("Named", given), "contexts", unknown)
        return [one] * rows, np.array([one] * rows, dtype=np.float64)
    else:
        listed = _rows_by_name(problem, given, places)
    if len(listed) != rows:
        raise Refusal(
            "invalid", f"Expected one row per box, {rows}; got {len(listed)}.", "contexts"
        )
    width = len(features)
    plain: list[Numbers] = []
    for i, row in enumerate(listed):
        field = f"contexts[{i}]"
        numbers = row if isinstance(row, list) else _by_feature(features, row, field, unknown)
        if len(numbers) != width:
            text = f"Expected {width} numbers; got {len(numbers)}."
            raise Refusal("invalid", text, field)
        plain.append(numbers)
    return plain, np.array(plain, dtype=np.float64)


def _rows_by_name(
    problem: Problem, given: Mapping[str, Numbers | Named | Cell], places: list[int] | None
) -> list[Numbers | Named]:
    rows: dict[str, Numbers | Named] = {}
    for name, row in given.items():
        if not isinstance(row, list | dict) and name in problem.place:
            text = (
                f"Expected a row for the box {name!r}, or one row by name of feature for all boxes."
            )
            raise Refusal("invalid", text, f"contexts.{name}")
        rows[name] = cast("Numbers | Named", row)
    return _by_name(problem, rows, places, "contexts")


def _by_name(
    problem: Problem, given: Mapping[str, T], places: list[int] | None, field: str
) -> list[T]:
    names = problem.settings.boxes
    wanted = names if places is None else [names[p] for p in places]
    for name in given:
        if name not in problem.place:
            raise Refusal("unknown", f"The problem has no box {name!r}.", f"{field}.{name}")
    for name in wanted:
        if name not in given:
            raise Refusal("invalid", f"The box {name!r} is missing.", field)
    if len(given) != len(wanted):
        raise Refusal("invalid", f"Expected the {len(wanted)} boxes of the round.", field)
    return [given[name] for name in wanted]


def _by_feature(features: list[str], row: Named, field: str, unknown: list[str]) -> Numbers:
    encoding = None
    if not all(row.get(name) is not None for name in features):
        # A log has a prefix before its features
        bare = {name: name.removeprefix(PREFIX) for name in row if name not in features}
        row = {name if bare.get(name) in row else bare.get(name, name): row[name] for name in row}
    if not all(row.get(name) is not None for name in features):
        # Texts and truth values stand for several numbers, and one may say that another is missing
        encoding = Encoding.of(features)
    names = features if encoding is None else [feature.name for feature in encoding.features]
    missing = [repr(name) for name in names if name not in row]
    if missing:
        other = next((x for x in row if x not in names), None)
        more = "" if other is None else f" The problem has no feature {other!r}."
        raise Refusal("invalid", f"{_are_missing(missing)}{more}", field)
    if len(row) != len(names):
        other = next(name for name in row if name not in names)
        raise Refusal("invalid", f"The problem has no feature {other!r}.", field)
    try:
        if encoding is not None:
            unknown += (x for x in encoding.unknown_levels([row]) if x not in unknown)
            return [None if math.isnan(x) else x for x in encoding.rows([row])[0].tolist()]
        return [finite_number(row[n], f"The feature {n!r}") for n in features]
    except InvalidInputError as error:
        raise from_input_error(error, field) from None


def _are_missing(names: list[str]) -> str:
    """Return a sentence about features, some of them by name.

    >>> _are_missing(["'words'"])
    "The feature 'words' is missing."
    >>> _are_missing(["'a'", "'b'", "'c'", "'d'", "'e'"])
    "The features 'a', 'b', 'c' and 2 more are missing."
    """
    if len(names) == 1:
        return f"The feature {names[0]} is missing."
    shown, left = names[:_NAMED], len(names) - _NAMED
    last = f"{left} more" if left > 0 else shown.pop()
    return f"The features {', '.join(shown)} and {last} are missing."


def _costs(
    problem: Problem, ask: NewRound, places: list[int] | None, rows: int
) -> list[float] | None:
    given = problem.settings.cost if ask.costs is None else ask.costs
    if given is None:
        return None
    if isinstance(given, dict):
        costs = _by_name(problem, given, places, "costs")
    elif isinstance(given, list):
        costs = given
    elif given <= LIMIT:
        return [given] * rows
    else:
        costs = [given] * rows
    if len(costs) != rows:
        raise Refusal("invalid", f"Expected one cost per box, {rows}; got {len(costs)}.", "costs")
    if not max(costs) <= LIMIT or math.isnan(sum(costs)):
        raise Refusal("invalid", f"Expected numbers of at most {LIMIT:g}.", "costs")
    return costs
