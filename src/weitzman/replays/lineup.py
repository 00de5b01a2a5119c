"""The line-up of a replay: the policies that play, by name, and what they are compared with."""

from collections.abc import Mapping, Sequence

from weitzman.errors import InvalidInputError
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.policies.portfolio import policy_name
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Policy, as_policy
from weitzman.learn.storage.registry import named_policy

Lineup = Mapping[str, Policy]
"""Policies by name; the first is the one that a replay is about."""

PAPER = "FTRL"
"""The name of the paper's rule, in any units, among the policies that others are compared with."""

SIMPLE = (*RULES, PAPER)
"""What a policy is compared with."""


def lineup_of(
    policies: Sequence[Policy | str] = ("default",), *, shared: bool, trees: bool = True
) -> Lineup:
    """Return policies by name, and after them what they are compared with.

    A policy may be named, as for :func:`weitzman.learn.storage.registry.named_policy`.
    """
    lineup: dict[str, Policy] = {}
    for given in policies:
        policy = given
        if isinstance(policy, str):
            policy = named_policy(policy, shared=shared, trees=trees)
        name = policy_name(as_policy(policy, "A policy of a replay"))
        if name in lineup:
            raise InvalidInputError("The policies", "have distinct names", name)
        lineup[name] = policy
    if not lineup:
        raise InvalidInputError("The policies", "be at least one", policies)
    rivals: list[Policy] = [Simple(rule, shared) for rule in RULES]
    rivals.append(Weitzman(FTRL(shared=shared)))
    return {**lineup, **{policy_name(p): p for p in rivals if policy_name(p) not in lineup}}
