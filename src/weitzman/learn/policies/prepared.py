"""Policies over a learner that may be given prepared contexts: alone, and in a portfolio.

Such a policy has a ``player``, which takes contexts as they are given, and says by ``standardise`` whether
that is [1, z], with z as :mod:`weitzman.learn.preparation` prepares the context. Alone it prepares its
contexts itself; in a portfolio the history that all candidates share has prepared them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.history import History
from weitzman.learn.policies.family import PlayerMembers
from weitzman.learn.policy import Feedback, Floats, Player, Round, State, joined, parted
from weitzman.learn.preparation import Preparation, with_constant
from weitzman.search.rule import Rule

__all__ = ["LearnerFamily", "PreparedPlayer", "started"]


def started(policy: Any, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> Player:
    """Return a player of the policy alone that has seen nothing."""
    size = dimension + int(policy.standardise)
    player: Player = policy.player(boxes=boxes, dimension=size, feedback=feedback, seed=seed)
    return PreparedPlayer(player, dimension) if policy.standardise else player


class PreparedPlayer:
    """A player that is given [1, z], the prepared context, in place of the context itself."""

    def __init__(self, inner: Any, dimension: int) -> None:
        self._inner = inner
        self._preparation = Preparation(dimension)

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        rule: Rule = self._inner.rule(self._given(shown))
        return rule

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round, and take its contexts in."""
        self._inner.learn(self._given(shown), values)
        self._preparation.add(shown)

    def state(self) -> State:
        """Return the player's state and the preparation's."""
        preparation = self._preparation.state()
        return joined({"inner": self._inner.state(), "preparation": preparation})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._preparation.restore(parted(state, "preparation"))
        self._inner.restore(parted(state, "inner"))

    def _given(self, shown: Round) -> Round:
        return shown._replace(contexts=with_constant(self._preparation.rows(shown)), gaps=False)


@dataclass(frozen=True)
class LearnerFamily:
    """A policy over a learner, as a family of one."""

    policy: Any

    @property
    def names(self) -> Sequence[str]:
        """The name of the policy."""
        return (self.policy.name,)

    def start(self, history: History, *, seed: int) -> PlayerMembers:
        """Return the player, over a history without rounds."""
        prepared = self.policy.standardise
        player = self.policy.player(
            boxes=history.boxes,
            dimension=history.dimension + int(prepared),
            feedback=history.feedback,
            seed=seed,
        )
        return PlayerMembers(self.policy.name, player, history if prepared else None)
