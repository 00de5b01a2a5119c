"""A box: an alternative that costs something to look at, with a known law of its value."""

from dataclasses import dataclass
from functools import cached_property

from weitzman.search.laws.conversion import ValueLike, as_distribution
from weitzman.search.laws.distribution import Distribution
from weitzman.search.numbers import checked_cost


@dataclass(frozen=True)
class Box:
    """An alternative: its name, what looking into it costs, and the law of what is found.

    Examples
    --------
    >>> Box("a", cost=1.0, value=3.5).cost
    1.0
    """

    name: str
    cost: float
    value: ValueLike

    def __post_init__(self) -> None:
        checked_cost(self.cost, self.name)
        _ = self.law

    @cached_property
    def law(self) -> Distribution:
        """The law of the value."""
        return as_distribution(self.value, f"The value of box {self.name!r}")
