"""What reading a box file gives: boxes, each with the place it stands at, for messages."""

import math
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.search.box import Box
from weitzman.search.reservation import Sense

Where = Callable[[str], str]
"""Of a column or key to its place: ``quotes.csv, line 3, column 'cost'``."""


@dataclass(frozen=True)
class Entry:
    """A box, perhaps one with a partial look, and the place of the law of its value."""

    box: Any
    place: str

    @classmethod
    def of(cls, name: str, cost: float, value: Any, place: str, **more: Any) -> "Entry":
        """Return a box of these parts; a value that it refuses has its place in the message."""
        try:
            return cls(Box(name, cost, value, **more), place)
        except InvalidInputError as error:
            raise wrong(place, f"the value of box {name!r}", error.rule, error.got) from None


@dataclass(frozen=True)
class BoxFile:
    """The content of a box file; None for what the file does not say.

    ``settings`` are those of :func:`~weitzman.search.planning.plan` that ask for a variant.
    """

    entries: tuple[Entry, ...]
    sense: Sense | None = None
    outside: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def boxes(self) -> list[Any]:
        """The boxes, in the order of the file."""
        return [e.box for e in self.entries]


class Words(str):
    """What was found, for a message: shown as it is, without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def wrong(place: str, subject: str, rule: str, got: object) -> InvalidFileError:
    """Return the error of one place of a file."""
    return InvalidFileError(f"{place}: {subject}", rule, got)


def checked_name(name: str, where: Where) -> str:
    """Return the name of a box if it can be printed."""
    # A control character changes the terminal, a lone surrogate cannot be written at all.
    if not name or any(unicodedata.category(c) in {"Cc", "Cs"} for c in name):
        raise wrong(where("box"), "the name of a box", "be text without control characters", name)
    return name


def checked_cost(cost: float | None, box: str, where: Where, got: object) -> float:
    """Return the cost of a box if it is one; None stands for what is no number."""
    if cost is None or not (math.isfinite(cost) and cost >= 0.0):
        rule = "be a finite number >= 0"
        raise wrong(where("cost"), f"the cost of box {box!r}", rule, got)
    return cost
