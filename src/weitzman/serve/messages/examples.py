"""One example of every body and name that a request can carry, as the OpenAPI document shows them.

Together they are one small story: make a problem, open a round, tell a value, close it; the same in a batch.
"""

from typing import Any, Final

from weitzman.serve.messages import schema

__all__ = ["BODIES", "NAMES"]

_CONTEXTS: Final = [[1.0, 0.5], [0.2, -1.0], [0.0, 2.0]]

BODIES: Final[dict[type[schema.Wire], dict[str, Any]]] = {
    schema.NewProblem: {
        "name": "prices",
        "boxes": ["a", "b", "c"],
        "dimension": 2,
        "cost": 0.5,
        "feedback": "full",
    },
    schema.NewRound: {"id": "r1", "contexts": _CONTEXTS, "outside": 4.0},
    schema.SeeRequest: {"values": {"a": 3.1}},
    schema.CloseRequest: {"values": {"b": 3.5}},
    schema.BatchRequest: {
        "commands": [
            {"open": {"id": "r2", "contexts": _CONTEXTS}},
            {"see": {"round": "r2", "values": {"c": 2.5}}},
            {"close": {"round": "r2"}},
        ]
    },
    schema.NewKey: {"name": "a reader", "scope": "read"},
}
"""Bodies by their struct."""

NAMES: Final = {
    "problem": "prices",
    "round": "r1",
    "place": "0",
    "key": "0123456789ab",
    "file": "palette.css",
}
"""Parts of paths by their name."""
