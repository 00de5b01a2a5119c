"""Rules as arrays: what an open round goes on with in another process.

A rule is fixed when its round is opened, so it cannot be made again from a player that has learned
since. Its state, under the name of its kind, is kept instead. Arrays of a state may be those of the
rule: they are read, never written.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.policies.aware_rule import AwareRule
from weitzman.learn.policies.exploring import ExploringRule
from weitzman.learn.policies.joint_rule import JointRule
from weitzman.learn.policies.portfolio.both import Both
from weitzman.learn.policies.ski_rental import SkiRentalRule
from weitzman.learn.policies.unit_rule import UnitRule
from weitzman.learn.policy import State, joined, parted
from weitzman.search.rule import Rule, WeitzmanRule

KINDS: Final[dict[str, Any]] = {
    "aware": AwareRule,
    "index": WeitzmanRule,
    "law": JointRule,
    "ski": SkiRentalRule,
}
"""The kinds of rules that can be kept; each has ``state`` and ``restored``."""


def rule_state(rule: Rule) -> State:
    """Return the state of a rule, under the name of its kind.

    Examples
    --------
    >>> rule_state(WeitzmanRule(np.array([3.0, 1.0])))
    {'index.sigma': array([3., 1.])}
    """
    if type(rule) is Both:
        own: State = {"least": np.array([rule.least])}
        both = {"first": rule_state(rule.first), "second": rule_state(rule.second)}
        return joined({**both, "both": own})
    if type(rule) is ExploringRule:
        parts = {"first": rule_state(rule.first)}
        if rule.needs is not None:
            parts["needs"] = rule_state(rule.needs)
        draw: State = {"draw": np.array([rule.chance, float(rule.drawn)])}
        return joined({**parts, "exploring": draw})
    if type(rule) is UnitRule:
        return joined({"units": rule.state()}) | rule_state(rule.prepared)
    for kind, known in KINDS.items():
        if type(rule) is known:
            return joined({kind: rule.state()})
    raise InvalidInputError("A rule that is kept", f"be one of {list(KINDS)}", rule)


def rule_from(state: Mapping[str, NDArray[np.generic]]) -> Rule:
    """Return the rule whose :func:`rule_state` this is."""
    kinds = {key.partition(".")[0] for key in state}
    if "exploring" in kinds:
        chance, drawn = np.array(state["exploring.draw"], dtype=np.float64).tolist()
        needs = rule_from(parted(state, "needs")) if "needs" in kinds else None
        first = rule_from(parted(state, "first"))
        return ExploringRule(first, needs, chance=chance, drawn=drawn == 1.0)
    if "both" in kinds:
        first, second = (rule_from(parted(state, name)) for name in ("first", "second"))
        return Both(first, second, float(np.array(state["both.least"], dtype=np.float64)[0]))
    if "units" in kinds:
        left = {key: array for key, array in state.items() if not key.startswith("units.")}
        return UnitRule.restored(rule_from(left), parted(state, "units"))
    if len(kinds) != 1 or not kinds <= KINDS.keys():
        raise InvalidInputError("A rule that is kept", f"be one of {list(KINDS)}", kinds)
    (kind,) = kinds
    rule: Rule = KINDS[kind].restored(parted(state, kind))
    return rule
