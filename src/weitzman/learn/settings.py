"""What a searcher is given when it is made, checked."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.feedback import FEEDBACKS, Feedback
from weitzman.learn.bank_input import name_list
from weitzman.learn.features import Encoding, Feature
from weitzman.learn.learner import Learner
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.policies.weitzman import Weitzman, kappa_of
from weitzman.learn.policy import Player, Policy, as_policy
from weitzman.learn.revealed import check_learns
from weitzman.search.numbers import LIMIT, finite_number, whole_number
from weitzman.search.reservation import Sense

if TYPE_CHECKING:
    from weitzman.learn.searcher import Searcher

MOST_BOXES = 10_000_000
"""More are a slip of the finger, and their names would fill the memory."""

LONGEST_UNIT = 40
"""So many characters may say what values and costs are counted in."""

_USUAL: dict[Feedback, str | None] = {"chosen": None, "total": "explore-then-commit"}
"""What decides where nobody says it and not ``default``; None for the rule over a learner."""
_BETTER = {"min": "smaller", "max": "larger"}


def box_names(boxes: int | Sequence[Hashable]) -> list[Hashable]:
    """Return the names of the boxes; 0, 1, … for a number of them."""
    if isinstance(boxes, int | np.integer):
        return list(range(whole_number(boxes, "The number of boxes", least=1, most=MOST_BOXES)))
    names = name_list(boxes, "The boxes", "be a number of boxes, or a list of hashable names")
    if not names or len(set(names)) < len(names):
        raise InvalidInputError("The names of the boxes", "be distinct, at least one", boxes)
    return names


def bound_of(least: float | None, most: float | None, sense: Sense) -> float:
    """Return the best value that a box can hold, where smaller is better; −∞ if nobody said it.

    >>> bound_of(None, 20.0, "max")
    -20.0
    """
    named = {"least": least, "most": most}
    best, other = ("least", "most") if sense == "min" else ("most", "least")
    if named[other] is not None:
        rule = f"be left out where {_BETTER[sense]} values are better: {best}= is the best possible value"
        raise InvalidInputError(f"The setting {other!r}", rule, named[other])
    if named[best] is None:
        return -math.inf
    subject, rule = f"The setting {best!r}", f"be a number of at most {LIMIT:g} in size, or None"
    number = finite_number(named[best], subject, rule)
    if abs(number) > LIMIT:
        raise InvalidInputError(subject, rule, named[best])
    return number if sense == "min" else -number


def checked_unit(unit: str) -> str:
    """Return what values and costs are counted in, if it is a short text."""
    if not isinstance(unit, str) or len(unit) > LONGEST_UNIT:
        rule = f"be a text of at most {LONGEST_UNIT} characters, such as '$' or 's'"
        raise InvalidInputError("The setting 'unit'", rule, unit)
    return unit


def dimension_of(dimension: int | None, encoding: Encoding | None) -> int:
    """Return the length of a context, which the features say if there are any."""
    if encoding is None:
        if dimension is None:
            rule = "say the length of its contexts, dimension=…, or what they are, features=[…]"
            raise InvalidInputError("A searcher", rule, None)
        return whole_number(dimension, "The dimension", least=1)
    # Without features a context is a constant
    count = len(encoding.columns) or 1
    if dimension not in (None, count):
        rule = f"be left out, or be the number of the columns of the features, {count}"
        raise InvalidInputError("The dimension", rule, dimension)
    return count


def checked_policy(
    policy: Policy | str | None,
    *,
    learner: Learner | None,
    feedback: Feedback,
    optimism: float | Literal["auto"],
    block: int | None,
    explore: float | None = None,
    explore_for: Policy | str | None = None,
) -> Policy:
    """Return the policy that a searcher is given: ``default`` unless something else is asked for.

    ``learner=``, ``optimism=``, ``block=``, bought looks and feedback ``"chosen"`` ask for Weitzman's rule
    over a learner, and feedback ``"total"`` for :class:`weitzman.ExploreThenCommit`; ``explore=`` lets the
    policy open every box in a share of the rounds, or with ``explore_for=`` those that another policy would
    have needed.
    """
    if explore is None and explore_for is not None:
        rule = "come with the share of rounds to explore, explore="
        raise InvalidInputError("The policy to explore for", rule, explore_for)
    if explore is not None:
        if feedback not in ("full", "opened"):
            rule = "be 'full' or 'opened' where a share of the rounds is explored"
            raise InvalidInputError("The feedback", rule, feedback)
        decides = checked_policy(
            policy, learner=learner, feedback=feedback, optimism=optimism, block=block
        )
        # Draws: loaded where rounds are explored, not with the first searcher
        from weitzman.learn.policies.exploring import Exploring

        needs = explore_for
        if isinstance(needs, str):
            from weitzman.learn.storage.registry import named_policy

            needs = named_policy(needs, shared=False)
        return Exploring(decides, share=explore, needs=needs)
    if feedback not in FEEDBACKS:
        raise InvalidInputError("The feedback", f"be one of {list(FEEDBACKS)}", feedback)
    bought = "probe" in feedback or block is not None
    if policy is None and learner is None and optimism == "auto" and not bought:
        policy = _USUAL.get(feedback, "default")
    if policy is None:
        if ("probe" in feedback) != (block is not None):
            raise InvalidInputError("The block", f"fit the feedback {feedback!r}", block)
        kappa_of(optimism, feedback)
        chosen = FTRL() if learner is None else learner
        return Weitzman(chosen, optimism=optimism, block=block)
    if learner is not None:
        raise InvalidInputError("A searcher", "have a policy or a learner, not both", learner)
    if optimism != "auto" or block is not None:
        given = block if optimism == "auto" else optimism
        raise InvalidInputError(
            "The optimism and the block", "be left to the policy where there is one", given
        )
    if isinstance(policy, str):
        # All learners and policies: loaded where one is named, not with the first searcher
        from weitzman.learn.storage.registry import named_policy

        policy = named_policy(policy, shared=False)
    if "probe" in feedback and not isinstance(policy, Weitzman):
        raise InvalidInputError(
            "The feedback of a policy",
            "be 'full' or 'opened'; looks are bought by Weitzman(learner, block=…)",
            feedback,
        )
    return policy


def started(
    policy: Policy, *, boxes: int, dimension: int, feedback: Feedback, seed: int, sense: Sense
) -> Player:
    """Return a player that has seen nothing; where larger values are better it sees them turned."""
    given: Any = as_policy(policy)
    if sense == "max" and hasattr(given, "turned"):
        given = given.turned()
    player: Player = given.start(boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)
    check_learns(player, feedback)
    return player


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON has them: numpy's numbers and arrays as Python's."""
    arrays = (np.ndarray, np.generic, list, tuple)
    return {
        k: np.asarray(v).tolist() if isinstance(v, arrays) else v for k, v in parameters.items()
    }


def saved_settings(searcher: "Searcher") -> dict[str, Any]:
    """Return what a searcher was given and how many rounds it has had, as JSON has it."""
    kinds = {type(name) for name in searcher.names}
    if not kinds <= {str, int}:
        raise InvalidInputError("The names of a saved searcher", "be strings or integers", kinds)
    # All learners and policies: loaded when one is saved, not with the first searcher
    from weitzman.learn.storage.registry import described_policy, learner_name

    policy, block = searcher.policy, None
    optimism: float | str = "auto"
    decides: dict[str, Any]
    if isinstance(policy, Weitzman) and policy.prepares == "nothing":
        # As version 1 has it
        learner = cast("Any", policy.learner)
        # First: a learner of one's own need not be a dataclass
        name = learner_name(learner)
        decides = {"learner": name, "parameters": plain_parameters(asdict(learner))}
        optimism = policy.optimism if policy.optimism == "auto" else float(policy.optimism)
        block = None if policy.block is None else int(policy.block)
    else:
        decides = {"policy": described_policy(policy)}
    return {
        "names": searcher.names,
        "dimension": searcher.dimension,
        **decides,
        "feedback": searcher.feedback,
        "sense": searcher.sense,
        "optimism": optimism,
        "block": block,
        "rng": searcher.rng,
        "least": searcher.least,
        "most": searcher.most,
        "rounds": searcher.rounds,
        **({"unit": searcher.unit} if searcher.unit else {}),
        **_saved_features(searcher.encoding),
    }


def _saved_features(encoding: Encoding | None) -> dict[str, Any]:
    if encoding is None:
        return {}
    return {"features": [[f.name, f.levels, f.optional] for f in encoding.features]}


def features_from(saved: Any) -> Encoding | None:
    """Return the features of a saved searcher; None if it does not say."""
    if saved is None:
        return None
    each = (
        Feature(name=name, levels=None if levels is None else tuple(levels), optional=optional)
        for name, levels, optional in saved
    )
    return Encoding(features=tuple(each))
