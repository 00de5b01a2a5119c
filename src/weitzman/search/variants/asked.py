"""What a call of :func:`~weitzman.search.planning.plan` asks for beside its boxes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from weitzman.errors import InvalidInputError
from weitzman.search.reservation import Sense

if TYPE_CHECKING:
    from weitzman.search.variants.keep import Matroid


@dataclass(frozen=True)
class Asked:
    """What a plan is asked for; see :func:`~weitzman.search.planning.plan`."""

    sense: Sense = "min"
    outside: float | None = None
    reservation_values: Mapping[str, float] | ArrayLike | None = None
    keep: "int | Matroid" = 1
    discount: float = 1.0
    utility: Callable[[float], float] | None = None
    tail: float = 1.0
    recall: bool = True
    most: int | None = None
    budget: float | None = None
    at_once: int = 1
    price: float = 0.0
    unopened: bool | Sequence[str] = False
    arrivals: bool = False
    method: str | None = None

    @property
    def given(self) -> list[str]:
        """The settings beside sense and outside option that are not as usual."""
        return [
            each.name
            for each in fields(self)[2:]
            if _differ(getattr(self, each.name), each.default)
        ]

    def only(self, what: str, *allowed: str) -> None:
        """Refuse settings that do not combine with what is asked for."""
        for name in self.given:
            if name not in allowed:
                rule = f"be left out: it does not combine with {what}"
                raise InvalidInputError(name, rule, getattr(self, name))


def _differ(given: Any, usual: Any) -> bool:
    return given is not usual and not (isinstance(given, Real) and given == usual)


def chosen_method(method: str | None, *methods: str) -> str:
    """Return the method that is asked for, by default the first of those there are."""
    if method is not None and method not in methods:
        *others, last = (repr(one) for one in methods)
        rule = f"be {', '.join(others)}{' or ' if others else ''}{last}"
        raise InvalidInputError("The method", rule, method)
    return methods[0] if method is None else method
