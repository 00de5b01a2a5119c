"""Learners and policies in plain words: the one list of what a file may hold.

A policy is a frozen dataclass of numbers, texts, learners and other such dataclasses. Its description is
the name of its class and its parameters, nested; it is read back through a table of known classes, so
nothing in a file is ever executed. Descriptions of earlier versions are read too
(:mod:`weitzman.learn.storage.earlier`).
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final, cast, get_args

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Learner
from weitzman.learn.learners.boosted import Boosted
from weitzman.learn.learners.fourier import Fourier
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.linearised import LinearisedFTRL
from weitzman.learn.learners.logistic import Logistic
from weitzman.learn.learners.newton import NewtonStep
from weitzman.learn.learners.residual import Residual
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.rivals.linucb import LinUCB
from weitzman.learn.learners.rivals.optimistic_law import OptimisticLaw
from weitzman.learn.learners.rivals.optimistic_residual import OptimisticResidual
from weitzman.learn.learners.rivals.thompson import Thompson
from weitzman.learn.policies.aware import Aware
from weitzman.learn.policies.explore_then_commit import ExploreThenCommit
from weitzman.learn.policies.exploring import Exploring
from weitzman.learn.policies.joint import Joint, Kind
from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policies.ski_rental import SkiRental
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.policy import Policy
from weitzman.learn.storage.earlier import as_now

LEARNERS: Final[dict[str, type[Learner]]] = {
    c.__name__: c
    for c in (
        Boosted,
        Fourier,
        FTRL,
        LinearisedFTRL,
        LinUCB,
        Logistic,
        NewtonStep,
        OptimisticLaw,
        OptimisticResidual,
        Residual,
        Ridge,
        Thompson,
    )
}
POLICIES: Final[dict[str, type[Policy]]] = {
    c.__name__: c
    for c in (Aware, ExploreThenCommit, Exploring, Joint, Portfolio, Simple, SkiRental, Weitzman)
}
_KNOWN: Final[dict[str, type[Any]]] = {**LEARNERS, **POLICIES}


def learner_name(learner: Learner) -> str:
    """Return the name under which a learner is saved."""
    name = type(learner).__name__
    if LEARNERS.get(name) is not type(learner):
        raise InvalidInputError("A saved learner", f"be one of {list(LEARNERS)}", learner)
    return name


def learner_from(name: str, parameters: dict[str, Any]) -> Learner:
    """Return the learner of this name and these parameters."""
    if name not in LEARNERS:
        raise InvalidInputError("A saved learner", f"be one of {list(LEARNERS)}", name)
    return LEARNERS[name](**parameters)


def described_policy(policy: Policy) -> dict[str, Any]:
    """Return a policy as JSON has it; one that :func:`policy_from` could not read is refused.

    Examples
    --------
    >>> described_policy(Simple("all"))
    {'class': 'Simple', 'rule': 'all', 'shared': False, 'prepare': 'all'}
    """
    if POLICIES.get(type(policy).__name__) is not type(policy):
        raise _refusal(policy)
    return cast("dict[str, Any]", _plain(policy))


def policy_from(described: Mapping[str, Any] | str) -> Policy:
    """Return the policy of a description, or of the name ``"default"``."""
    if described == "default":
        return default_policy()
    policy = _made(described)
    if not isinstance(policy, tuple(POLICIES.values())):
        raise _refusal(described)
    return cast("Policy", policy)


def named_policy(name: str, *, shared: bool, trees: bool = True) -> Policy:
    """Return the policy that tables call by this name.

    Names are ``"default"``; a simple rule; ``"aware"`` or the class of a learner; ``"paper"`` for the
    paper's, on rounds as they are given; ``"ski-rental"``; ``"explore-then-commit"``; or a joint law and the
    way to play it, such as ``"linear fixed"`` or ``"trees index 1"``. ``shared``: the boxes carry no
    history, and one model serves all of them. ``trees`` says whether candidates with trees take part in the
    default.

    Examples
    --------
    >>> named_policy("Ridge", shared=False).name
    'Ridge'
    >>> named_policy("trees greedy 0.5", shared=False)
    Joint(kind='trees', way='greedy', caution=0.5, shared=False, prepare='all')
    """
    if name == "default":
        return default_policy(shared=shared, trees=trees)
    if name in RULES:
        return Simple(name, shared)
    own: dict[str, Policy] = {
        "aware": Aware(FTRL(shared=shared), shared=shared),
        "paper": Weitzman(FTRL(intercept=False, shared=shared)),
        "ski-rental": SkiRental(shared),
        "explore-then-commit": ExploreThenCommit(),
    }
    if name in own:
        return own[name]
    learner: Any = LEARNERS.get(name)
    if learner is not None:
        return Weitzman(learner(shared=shared))
    kind, way, caution = [*name.split(" "), "1", "1"][:3]
    with suppress(ValueError):
        joint = Joint(cast("Any", kind), cast("Any", way), float(caution), shared)
        if joint.name == name:
            return joint
    rule = (
        f"be 'default'; one of {list(RULES)} or {list(own)}; a learner of {list(LEARNERS)}; or a law of "
        f"{list(get_args(Kind))} with 'fixed', 'one-shot', 'index z', 'greedy z' or 'moving z', such as "
        "'trees index 1'"
    )
    raise InvalidInputError("The name of a policy", rule, name)


def _plain(thing: Any) -> Any:
    if isinstance(thing, np.ndarray | np.generic):
        return thing.tolist()
    if thing is None or isinstance(thing, str | bool | int | float):
        return thing
    if isinstance(thing, list | tuple):
        return [_plain(part) for part in thing]
    kind = type(thing)
    if _KNOWN.get(kind.__name__) is not kind:
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
    kind = _KNOWN.get(plain.get("class", ""))
    if kind is None:
        raise _refusal(dict(plain))
    plain = as_now(plain)
    parts = {name: _made(part) for name, part in plain.items() if name != "class"}
    # A policy starts as a learner does, and would be taken for one
    if "learner" in parts and not isinstance(parts["learner"], tuple(LEARNERS.values())):
        raise InvalidInputError("A saved learner", f"be one of {list(LEARNERS)}", plain["learner"])
    return kind(**parts)


def _refusal(got: Any) -> InvalidInputError:
    return InvalidInputError("A saved policy", f"be made of {list(_KNOWN)}", got)
