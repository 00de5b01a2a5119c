"""What a searcher runs: Weitzman's rule over a learner, or any policy, behind the same calls.

Values and outside options are as if smaller were better; names are those that the caller has.
"""

import inspect
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.byindex import ByIndex
from weitzman.learn.explanation import Explanation
from weitzman.learn.learners.play import Played
from weitzman.learn.live import LiveSearch
from weitzman.learn.policy import Floats, Ints, Player, Policy, Round, State
from weitzman.learn.settings import checked_optimism, started

if TYPE_CHECKING:
    from weitzman.learn.searcher import Searcher

__all__ = ["Running", "run"]


class Running(Protocol):
    """What a searcher runs."""

    @property
    def boxes(self) -> int:
        """The number of boxes."""

    @property
    def every(self) -> Ints:
        """The numbers of all boxes."""

    def open(
        self,
        number: int,
        boxes: Sequence[Hashable],
        known: tuple[Floats, Floats, Ints],
        outside: float,
    ) -> LiveSearch[Hashable]:
        """Begin a round with its number, from contexts, costs and places."""

    def reopen(
        self,
        boxes: Sequence[Hashable],
        round: Round,  # noqa: A002
        state: State,
    ) -> LiveSearch[Hashable]:
        """Return the search of a round as it was when it was opened."""

    def reservation_values(self, round: Round) -> Floats:  # noqa: A002
        """Return what a round would be searched by."""

    def explain(self, names: Sequence[Hashable], round: Round) -> Explanation:  # noqa: A002
        """Return why a round would be searched in its order."""

    def play(
        self,
        number: int,
        contexts: ArrayLike,
        costs: ArrayLike,
        values: Floats,
        *,
        outside: ArrayLike,
        predictions: bool,
    ) -> Played:
        """Play recorded rounds, the first of which has this number."""

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""

    def state(self) -> State:
        """Return everything that was learned."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""


def run(searcher: "Searcher") -> Running:
    """Return what a searcher runs, by its settings; it has seen nothing."""
    boxes, dimension = len(searcher.names), searcher.dimension
    if searcher.learner is not None:
        return ByIndex(
            started(searcher.learner, searcher.sense, boxes=boxes, dimension=dimension),
            feedback=searcher.feedback,
            optimism=checked_optimism(searcher.optimism, searcher.feedback),
            block=searcher.block,
            seed=searcher.rng,
            sense=searcher.sense,
        )
    # Policies need more of the room than a learner does
    from weitzman.learn.bypolicy import ByPolicy

    return ByPolicy(
        _started(cast("Policy", searcher.policy), boxes=boxes, dimension=dimension),
        boxes=boxes,
        dimension=dimension,
        feedback=searcher.feedback,
        sense=searcher.sense,
    )


def _started(policy: Policy, *, boxes: int, dimension: int) -> Player:
    """Return a player that has seen nothing, of what is really a policy."""
    start = getattr(policy, "start", None)
    known = set() if start is None else set(inspect.signature(start).parameters)
    player: Any = None
    if "self" not in known and known >= {"boxes", "dimension"}:
        player = policy.start(boxes=boxes, dimension=dimension)
    # A learner starts in the same way
    if not hasattr(player, "propose"):
        raise InvalidInputError("The policy", "be a Policy or 'default'", policy)
    return cast("Player", player)
