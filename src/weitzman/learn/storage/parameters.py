"""Parameters in plain words: whether JSON gives each the type that its class declares.

A dataclass stores what it is given, so ``"shared": "yes"`` would be taken for true. Whoever takes new
descriptions from outside asks here first; those that were stored before are read as they were.
"""

import math
from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from weitzman.errors import InvalidInputError
from weitzman.learn.storage.earlier import is_earlier
from weitzman.learn.storage.registry import LEARNERS, POLICIES

# What compiled code counts with; a float holds it too
_LARGEST = 2**62
_WORDS: dict[Any, str] = {
    NoneType: "null",
    bool: "true or false",
    int: "an integer",
    float: "a finite number",
    str: "a text",
}


def check_parameters(name: str, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of a learner or policy that it does not have, or of another type.

    What is in range, or not a plain thing at all, the class says itself. A name that is not known is passed
    over: what makes the policy refuses it.

    Examples
    --------
    >>> check_parameters("Simple", {"rule": "all", "shared": "yes"})
    Traceback (most recent call last):
        ...
    weitzman.errors.InvalidInputError: The parameter 'shared' of Simple must be true or false. Got 'yes'.
    """
    kind: Any = {**LEARNERS, **POLICIES}.get(name)
    if kind is None or is_earlier(parameters):
        return
    every = get_type_hints(kind)
    # What belongs to the class is no parameter
    hints = {field.name: every[field.name] for field in fields(kind)}
    if "prepare" in hints:
        # What it was called before
        hints["standardise"] = bool
    for key, value in parameters.items():
        if key not in hints:
            raise InvalidInputError(f"A parameter of {name}", f"be one of {list(hints)}", key)
        if not _fits(value, hints[key]):
            rule = f"be {' or '.join(_words(hints[key]))}"
            raise InvalidInputError(f"The parameter {key!r} of {name}", rule, value)
        if isinstance(value, int) and abs(value) > _LARGEST:
            rule = f"be at most {_LARGEST} in size"
            raise InvalidInputError(f"The parameter {key!r} of {name}", rule, value)
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                inner = {k: v for k, v in part.items() if k != "class"}
                check_parameters(str(part.get("class")), inner)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a plain thing is of a type; of what is not plain the class says it itself."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint is float:
        return _fits(value, int) or (isinstance(value, float) and math.isfinite(value))
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint) if hint in _WORDS else True


def _words(hint: Any) -> list[str]:
    if get_origin(hint) in (Union, UnionType):
        return [word for part in get_args(hint) for word in _words(part)]
    return [*map(repr, get_args(hint))] if get_origin(hint) is Literal else [_WORDS[hint]]
