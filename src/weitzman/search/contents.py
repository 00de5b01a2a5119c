"""What a box may hold beside one value: stages, and new draws with every look."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.search.laws.conversion import ValueLike
from weitzman.search.numbers import finite_number, whole_number

Signals = Mapping[Any, float]
"""Signals and their chances."""


@dataclass(frozen=True)
class Stage:
    """One stage of a box.

    Parameters
    ----------
    name
        What the stage is called.
    cost
        What it costs, known or on average; or one number for each signal of the stage before.
    shows
        A stage before the last shows a signal: the chance of each signal, or for each signal of the
        stage before the chances of this one's. The last stage shows the value: its law, or its law
        for each signal of the stage before. A signal that leads to nothing ends the box. A ``Counter``
        in place of chances says how often each signal was seen.
    time
        How long the stage takes; it matters only with a discount.

    Examples
    --------
    >>> Stage("phone screen", cost=1.0, shows={"good": 0.4, "bad": 0.6}).cost
    1.0
    """

    name: str
    cost: float | Mapping[Any, float]
    shows: Signals | Mapping[Any, Signals] | Mapping[Any, ValueLike] | ValueLike
    time: float = 1.0


@dataclass(frozen=True)
class Draws:
    """Every look is a new draw from a law that is known.

    >>> Draws(4.0).value
    4.0
    """

    value: ValueLike


@dataclass(frozen=True)
class Successes:
    """Every look succeeds with the same unknown chance, and then shows a value that is known.

    What is believed of the chance before the first look is Beta(a, b): as if a successes and b
    failures had been seen. A look that fails shows nothing.

    >>> Successes(value=10.0).chance(failures=1)
    0.3333333333333333
    """

    value: float
    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        finite_number(self.value, "The value of a success")
        for name, number in (("a", self.a), ("b", self.b)):
            if finite_number(number, f"The {name} of Successes", "be > 0") <= 0.0:
                raise InvalidInputError(f"The {name} of Successes", "be > 0", number)

    def chance(self, failures: int) -> float:
        """Return the chance that the next look succeeds after so many failures and no success."""
        return self.a / (self.a + self.b + failures)


@dataclass(frozen=True)
class NormalDraws:
    """Every look is a new draw from a normal law of which neither the mean nor the spread is known.

    What is believed before the first look is as if ``weight`` values, more than 1, with this mean and
    standard deviation had been seen. No more than ``most`` are drawn.

    >>> NormalDraws(mean=10.0, spread=2.0).weight
    2.0
    """

    mean: float
    spread: float
    weight: float = 2.0
    most: int = 50

    def __post_init__(self) -> None:
        finite_number(self.mean, "The mean of NormalDraws")
        for name, number, least in (("spread", self.spread, 0.0), ("weight", self.weight, 1.0)):
            subject, rule = f"The {name} of NormalDraws", f"be a finite number > {least:g}"
            if finite_number(number, subject, rule) <= least:
                raise InvalidInputError(subject, rule, number)
        whole_number(self.most, "The largest number of NormalDraws", least=1, most=1000)
