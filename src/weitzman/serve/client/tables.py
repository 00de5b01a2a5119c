"""Tables and series of a caller, as the service reads them: by label, as a searcher takes them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.learn.features import Encoding, is_gap
from weitzman.learn.intake.given import (
    given_numbers,
    given_values,
    is_series,
    is_table,
    table_rows,
)


def has_labels(contexts: Any, costs: Any) -> bool:
    """Whether what is given for a round may go by labels that only a problem's names make sense of."""
    return is_table(contexts) or is_table(costs) or is_series(costs)


def sent_contexts(contexts: Any, features: Sequence[str], boxes: Sequence[Hashable]) -> Any:
    """Return contexts as they are, or the rows of a table by name of feature, in the order of the boxes."""
    if not is_table(contexts):
        return contexts
    rows = table_rows(contexts, Encoding.named(features), boxes)
    return [{name: _cell(given) for name, given in row.items()} for row in rows]


def sent_costs(costs: Any, boxes: Sequence[Hashable]) -> Any:
    """Return costs as they are, or those of a series in the order of the boxes."""
    return given_numbers(costs, boxes, "The costs") if has_labels(None, costs) else costs


def sent_values(values: Any) -> dict[str, float] | None:
    """Return the values at the end of a round by name of box, without those that are missing."""
    named = given_values(values)
    if named is None:
        return None
    if not isinstance(named, Mapping):
        rule = "be a mapping, or a series whose labels are boxes"
        raise InvalidInputError("The values of close", rule, values)
    return {box: x for box, x in named.items() if _cell(x) is not None}


def _cell(given: Any) -> Any:
    return None if is_gap(given) else given
