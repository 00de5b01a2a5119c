"""The World protocol: a source of instances; and the numbers that most worlds have."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from weitzman.lab.worlds.instance import Instance


class World(Protocol):
    """A source of instances.

    A world is a frozen dataclass that holds numbers only; ``name`` is its key in
    :data:`weitzman.lab.worlds.WORLDS`. What it draws is a function of the world, the seed and the
    number of the round: a longer draw begins with the shorter one, and ``start`` continues it. The
    weights of the boxes come from the seed alone.
    """

    name: ClassVar[str]

    @property
    def boxes(self) -> int:
        """n, the number of boxes."""

    @property
    def dimension(self) -> int:
        """d, the length of a context."""

    @property
    def cost(self) -> float:
        """c, the cost of a look, the same for all boxes."""

    def draw(self, rounds: int, rng: int, *, start: int = 0) -> Instance:
        """Return the rounds ``start`` … ``start + rounds − 1`` of the seed ``rng``."""


@dataclass(frozen=True, kw_only=True)
class BallWorld:
    """The numbers of a world whose weights lie in the ball of radius M: n, d, c and M."""

    boxes: int = 10
    dimension: int = 5
    cost: float = 1.0
    radius: float = 4.0
