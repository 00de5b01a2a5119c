"""Policies in plain words: what a saved searcher may hold.

A policy is a frozen dataclass of numbers, texts, learners and other such dataclasses. Its description is
the name of its class and its parameters, nested; it is read back through a table of known classes, so
nothing in a file is ever executed.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, cast

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.learn.policies.aware import Aware
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.panel import Chosen
from weitzman.learn.policies.portfolio import Portfolio
from weitzman.learn.policies.simple import Simple
from weitzman.learn.policies.weitzman import Index
from weitzman.learn.policy import Policy
from weitzman.learn.storage.learners import LEARNERS

__all__ = ["PARTS", "described_policy", "policy_from"]

PARTS: Final[dict[str, type[Any]]] = {
    c.__name__: c for c in (Aware, Chosen, Index, Law, Portfolio, Simple)
}
"""What policies are made of, beside learners."""

_POLICIES = (Chosen, Portfolio)


def described_policy(policy: Policy) -> dict[str, Any]:
    """Return a policy as JSON has it; one that :func:`policy_from` could not read is refused.

    Examples
    --------
    >>> described_policy(Chosen(panel=Simple(rules=("all",)), rule="all"))["panel"]
    {'class': 'Simple', 'rules': ['all']}
    """
    if not isinstance(policy, _POLICIES):
        raise _refusal(policy)
    return cast("dict[str, Any]", _plain(policy))


def policy_from(described: Mapping[str, Any]) -> Policy:
    """Return the policy of a description."""
    policy = _made(described)
    if not isinstance(policy, _POLICIES):
        raise _refusal(described)
    return policy


def _known(name: Any) -> type[Any] | None:
    return PARTS.get(name) or cast("dict[Any, type[Any]]", LEARNERS).get(name)


def _plain(thing: Any) -> Any:
    if isinstance(thing, np.ndarray | np.generic):
        return thing.tolist()
    if thing is None or isinstance(thing, str | bool | int | float):
        return thing
    if isinstance(thing, list | tuple):
        return [_plain(part) for part in thing]
    kind = type(thing)
    if _known(kind.__name__) is not kind:
        raise _refusal(thing)
    return {
        "class": kind.__name__,
        **{f.name: _plain(getattr(thing, f.name)) for f in fields(kind)},
    }


def _made(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_made(part) for part in plain)
    if not isinstance(plain, Mapping):
        return plain
    kind = _known(plain.get("class"))
    if kind is None:
        raise _refusal(dict(plain))
    return kind(**{name: _made(part) for name, part in plain.items() if name != "class"})


def _refusal(got: Any) -> InvalidInputError:
    return InvalidInputError("A saved policy", f"be made of {[*PARTS, *LEARNERS]}", got)
