"""The line-up of a replay: the policies that play, by name, and what they are compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.policies.portfolio.portfolio import policy_name, turned
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Policy, as_policy
from weitzman.learn.storage.registry import named_policy
from weitzman.search.reservation import Sense

Lineup = Mapping[str, Policy]
"""Policies by name; the first is the one that a replay is about."""

PAPER = "FTRL"
"""The name of the paper's rule, in any units, among the policies that others are compared with."""

SIMPLE = (*RULES, PAPER)
"""What a policy is compared with."""


def lineup_of(
    policies: Sequence[Policy | str] = ("default",),
    *,
    shared: bool,
    trees: bool = True,
    sense: Sense = "min",
) -> Lineup:
    """Return policies by name, and after them what they are compared with.

    A policy may be named, as for :func:`weitzman.learn.storage.registry.named_policy`. Two settings of one
    policy are told apart by what differs (:func:`distinct_names`). Where larger values are better, all play
    with their signs turned, as they do in a searcher.
    """
    given = [
        named_policy(one, shared=shared, trees=trees) if isinstance(one, str) else one
        for one in policies
    ]
    names = distinct_names([as_policy(one, "A policy of a replay") for one in given])
    lineup = dict(zip(names, given, strict=True))
    if not lineup:
        raise InvalidInputError("The policies", "be at least one", policies)
    rivals: list[Policy] = [Simple(rule, shared) for rule in RULES]
    rivals.append(Weitzman(FTRL(shared=shared)))
    lineup |= {policy_name(p): p for p in rivals if policy_name(p) not in lineup}
    return lineup if sense == "min" else {name: turned(p) for name, p in lineup.items()}


def simpler_than(policy: Policy) -> tuple[str, ...]:
    """Return what a policy is compared with that is simpler: simple rules, and for most the paper's."""
    if isinstance(policy, Simple):
        return ()
    return RULES if isinstance(policy, Weitzman) else SIMPLE


def distinct_names(policies: Sequence[Policy]) -> list[str]:
    """Return the names of policies; where they are alike, with the parameters that differ.

    Examples
    --------
    >>> from weitzman import Ridge
    >>> distinct_names([Weitzman(Ridge(eta=1.0)), Weitzman(Ridge(eta=10.0)), Simple("all")])
    ['Ridge eta=1', 'Ridge eta=10', 'all']
    """
    names = [policy_name(one) for one in policies]
    alike = {name: [p for p, n in zip(policies, names, strict=True) if n == name] for name in names}
    found = [
        " ".join([name, *_differing(one, alike[name])])
        for one, name in zip(policies, names, strict=True)
    ]
    for k, name in enumerate(found):
        if name in found[:k]:
            raise InvalidInputError("The policies", "have distinct names", name)
    return found


def _differing(policy: Policy, alike: Sequence[Policy]) -> list[str]:
    """Return the parameters of a policy that others of its name have too, with other values."""
    known = [_parameters(one) for one in alike]
    return [
        f"{path[-1]}={shown}"
        for path, shown in _parameters(policy).items()
        if len({one.get(path, shown) for one in known}) > 1
    ]


def _parameters(thing: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], str]:
    """Return the parameters of a policy and of its learner as text, by where they stand."""
    found: dict[tuple[str, ...], str] = {}
    for field in fields(thing) if is_dataclass(thing) else ():
        part, place = getattr(thing, field.name), (*path, field.name)
        if is_dataclass(part):
            found |= {place: type(part).__name__, **_parameters(part, place)}
        else:
            found[place] = f"{part:g}" if isinstance(part, float) else str(part)
    return found
