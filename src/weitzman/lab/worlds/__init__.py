"""Worlds to search in, by name."""

from weitzman.lab.worlds.adversarial import Adversarial
from weitzman.lab.worlds.bandit import Bandit
from weitzman.lab.worlds.correlated import Correlated
from weitzman.lab.worlds.drifting import Drifting
from weitzman.lab.worlds.noncontextual import NonContextual
from weitzman.lab.worlds.paper import Orthant, Shifted, Signed
from weitzman.lab.worlds.spread import Agree, Spread
from weitzman.lab.worlds.unrealizable import Unrealizable
from weitzman.lab.worlds.world import World

__all__ = ["WORLDS", "World"]

_ALL: tuple[type[World], ...] = (
    Signed,
    Orthant,
    Shifted,
    Spread,
    Agree,
    Adversarial,
    Drifting,
    Correlated,
    Unrealizable,
    Bandit,
    NonContextual,
)
WORLDS: dict[str, type[World]] = {world.name: world for world in _ALL}
"""The classes of the worlds by their names."""
