"""Expected costs in the arrays of a saved searcher, beside what its player has learned."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Player, State

_KEY = "searcher.costs"


def saved_state(player: Player, costs: CostMeans) -> State:
    """Return what a player has learned, and what looks cost, where that is known."""
    state = player.state()
    return {**state, _KEY: costs.state()} if costs.is_known else state


def restore_state(
    player: Player, costs: CostMeans, state: Mapping[str, NDArray[np.generic]]
) -> None:
    """Let both go on from what :func:`saved_state` returned."""
    if _KEY in state:
        costs.restore(state[_KEY])
    player.restore({name: array for name, array in state.items() if name != _KEY})
