"""A box: an alternative that costs something to look at, with a known law of its value."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError
from weitzman.search.contents import Draws, NormalDraws, Stage, Successes
from weitzman.search.laws.conversion import ValueLike, as_distribution
from weitzman.search.laws.discrete import Empirical
from weitzman.search.laws.distribution import Distribution
from weitzman.search.numbers import checked_cost, finite_number


@dataclass(frozen=True)
class Box:
    """An alternative: its name, what looking into it costs, and the law of what is found.

    Parameters
    ----------
    name
        What the box is called.
    cost
        What looking into it costs: a finite number >= 0, or its law if it is random. A random cost
        counts by its mean, in simulations too.
    value
        The law of the value; a list or an array is a sample of it. For a box ``after`` another one perhaps
        its law for each value of that one. A value without a law there leaves this box closed. For a box
        that can be opened again and again :class:`Draws`, :class:`Successes` or :class:`NormalDraws`.
    stages
        In place of cost and value: the stages of a box that is looked into step by step.
    after
        The name of the box that has to be opened before; or several names, which all have to be.
    time
        How long looking takes; it matters only with a discount.

    Examples
    --------
    >>> Box("a", cost=1.0, value=3.5).cost
    1.0
    >>> Box("b", stages=[Stage("test", 1.0, {"good": 0.5, "bad": 0.5}),
    ...                  Stage("trial", 4.0, {"good": 20.0})]).plain
    False
    """

    name: str
    cost: ValueLike = math.nan
    value: (
        ValueLike | ArrayLike | Mapping[Any, ValueLike] | Draws | Successes | NormalDraws | None
    ) = None
    stages: Sequence[Stage] = ()
    after: str | Sequence[str] | None = None
    time: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInputError("The name of a box", "be a text that is not empty", self.name)
        _ = self.before
        if self.stages:
            if self.value is not None or self.cost == self.cost:
                rule = "leave cost and value to its stages"
                raise InvalidInputError(f"Box {self.name!r}", rule, (self.cost, self.value))
        else:
            _ = self.expected_cost
            if isinstance(self.value, Draws):
                as_distribution(self.value.value, f"The value of box {self.name!r}")
            elif not isinstance(self.value, Successes | NormalDraws):
                _ = self.laws if isinstance(self.value, Mapping) and self.value else self.law
        if finite_number(self.time, f"The time of box {self.name!r}", _TIME) < 0.0:
            raise InvalidInputError(f"The time of box {self.name!r}", _TIME, self.time)

    @property
    def plain(self) -> bool:
        """Whether the box is opened at once, whatever else is open."""
        special = isinstance(self.value, Mapping | Draws | Successes | NormalDraws)
        return not (self.stages or special or self.before)

    @cached_property
    def before(self) -> tuple[str, ...]:
        """The names of the boxes that have to be opened before."""
        given = (self.after,) if self.after is None or isinstance(self.after, str) else self.after
        if isinstance(given, Iterable):
            names = tuple(dict.fromkeys(name for name in given if name is not None))
            if all(isinstance(name, str) for name in names):
                return names
        rule = "be one name or several"
        raise InvalidInputError(f"The box before {self.name!r}", rule, self.after)

    @property
    def parent(self) -> str | None:
        """The one box that has to be opened before, if there is one."""
        return self.before[0] if self.before else None

    @cached_property
    def expected_cost(self) -> float:
        """What looking into the box costs on average."""
        return expected_cost(self.cost, self.name)

    @cached_property
    def law(self) -> Distribution:
        """The law of the value."""
        value: Any = self.value
        subject = f"The value of box {self.name!r}"
        if isinstance(value, list | tuple) or (hasattr(value, "__array__") and np.ndim(value) == 1):
            return Empirical(value, subject=subject)
        return as_distribution(value, subject)

    @cached_property
    def laws(self) -> dict[float, Distribution]:
        """The law of the value for each value of the box before."""
        subject = f"The value of box {self.name!r}"
        if not isinstance(self.value, Mapping) or len(self.before) != 1:
            rule = "be one law, or with after= a law for each value of the one box before"
            raise InvalidInputError(subject, rule, self.value)
        return {
            finite_number(before, f"{subject}, given a value,"): as_distribution(law, subject)
            for before, law in self.value.items()
        }


_TIME = "be a finite number >= 0"


def expected_cost(cost: Any, box: str) -> float:
    """Return a cost, or the mean of one that is random."""
    if not hasattr(cost, "cdf"):
        return checked_cost(cost, box)
    law = as_distribution(cost, f"The cost of box {box!r}")
    if float(law.support()[0]) < 0.0:
        raise InvalidInputError(f"The cost of box {box!r}", "be >= 0", cost)
    return checked_cost(float(law.mean()), box)
