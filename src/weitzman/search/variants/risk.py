"""A utility of the value, the worst share of the rounds, and costs that are random.

**Utility.** What is kept counts u(v) and costs add to it: that is the same problem with values u(v).

**CVaR.** With smaller values better, the average of the value kept over the worst share α of the
rounds is min_t t + E(V − t)⁺/α [Rockafellar 2000]. So the least of it plus expected costs is

    min_t  min over rules of  E u_t(V) + E Σ c,      u_t(v) = t + (v − t)⁺/α,

a plan for each t. For each rule the best t is a value that V takes, so that it is enough to try the
outcomes of all laws, and the outside option. With larger values better u_t(v) = t − (t − v)⁺/α and the
best t is the one of the largest expectation.

**Random costs.** A cost that is paid once, and that nothing later depends on, counts by its mean:
after any look the rule and what is still to come are as before. So :class:`~weitzman.search.box.Box`
takes the law of a cost and goes by its mean. In a live search what it really was can be said with
the value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from weitzman.errors import InvalidInputError
from weitzman.search.box import Box
from weitzman.search.laws.conversion import as_distribution
from weitzman.search.laws.discrete import Discrete
from weitzman.search.numbers import finite_number
from weitzman.search.reservation import Sense

Utility = Callable[[float], float]


def checked_tail(tail: float) -> float:
    """Return the share of the rounds that counts."""
    number = finite_number(tail, "The tail", "be a number above 0, at most 1")
    if not 0.0 < number <= 1.0:
        raise InvalidInputError("The tail", "be a number above 0, at most 1", tail)
    return number


def tail_utilities(
    boxes: Sequence[Box], sense: Sense, outside: float | None, tail: float
) -> Iterator[Utility]:
    """Yield u_t for every t that may be the best."""
    levels = {float(v) for law in _laws(boxes) for v in law.values}
    if outside is not None:
        levels.add(outside)
    for level in sorted(levels):
        yield _tail_utility(level, sense, tail)


def _tail_utility(level: float, sense: Sense, tail: float) -> Utility:
    if sense == "min":
        return lambda value: level + max(value - level, 0.0) / tail
    return lambda value: level - max(level - value, 0.0) / tail


def _laws(boxes: Sequence[Box]) -> Iterator[Discrete]:
    for box in boxes:
        shown: Any = box.stages[-1].shows if box.stages else box.value
        for given in shown.values() if isinstance(shown, Mapping) else [shown]:
            law = as_distribution(given, f"The value of box {box.name!r}")
            if not isinstance(law, Discrete):
                rule = "have finitely many outcomes, for a share of the worst rounds"
                raise InvalidInputError(f"The value of box {box.name!r}", rule, law)
            yield law
