"""A partial or a full look: a cheap signal first, or the value at once.

A full look at box i costs c^F and shows the value v. A partial look costs c^P and shows a signal t, on
which the law of v depends; a full look may follow. Unlike stages, the first step may be skipped, and
that makes the problem hard [Aouad 2025]. Smaller values better. Thresholds, with x in hand:

    σ^F      E(σ − v)⁺ = c^F                               where a full look is just worth it
    σ^t      E((σ − v)⁺ | t) = c^F                         the same after the signal t
    σ^P      E_t(E((σ − v)⁺ | t) − c^F)⁺ = c^P             where a partial look is just worth it
    σ^{F/P}  E_t(c^F − E((σ − v)⁺ | t))⁺ = c^P             below it a partial look is better than a full one

**Committing.** Decide beforehand for every box how it is looked at first. Then it is a box or a chain of
two stages, with κ^F = max(v, σ^F) or κ^P = max(v, σ^t, σ^P); opening by the smallest σ is optimal and
costs E min(outside, min_i κ_i). ``committing`` is the best of the 2ⁿ choices up to twelve boxes, and
beyond a choice that no change of a single box makes better.

**Indices.** The index of a closed box is min(σ^F, σ^P), after a signal σ^t; the smallest goes on until
what is in hand is at most all. ``index`` looks at a closed box in the way that attains its index;
``turning`` looks partially below σ^{F/P}, with x the better of what is in hand and the next box's index.

**Looking one step ahead.** ``whittle`` does what is best now if what follows is worth the bound below, which
is Whittle's integral; it stops where that is no better than what is in hand. ``single`` does what is best
if no other box is looked at afterwards: it stops where ``index`` does, but goes where the gain is largest.

**What no search can do better.** Alone against o in hand a closed box is worth V(o) = min(E min(o,
κ^F), E min(o, κ^P)), concave with slopes in [0, 1], hence E min(o, W) for a law W.
With independent W_j the optimum is at least E min(o, min_j W_j): the induction of
:mod:`~weitzman.search.variants.hard.optional_inspection`, with the law W given
the signal, max(v, σ^t), after a partial look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.laws.conversion import ValueLike, as_distribution
from weitzman.search.laws.discrete import Discrete
from weitzman.search.numbers import checked_cost, finite_number
from weitzman.search.reservation import Sense, mirrored
from weitzman.search.variants.hard.batches import smallest
from weitzman.search.variants.hard.opened_sets import discrete_laws

_MOST_CHOICES = 12


@dataclass(frozen=True)
class PartialBox:
    """A box that may be looked at partially first.

    Parameters
    ----------
    name
        What the box is called.
    cost
        What a full look costs.
    partial_cost
        What a partial look costs.
    signals
        What a partial look may show: for each signal its chance and the law of the value given it, with
        finitely many outcomes.

    Examples
    --------
    >>> PartialBox("a", 2.0, 0.5, {"good": (0.3, 1.0), "bad": (0.7, 9.0)}).partial_cost
    0.5
    """

    name: str
    cost: float
    partial_cost: float
    signals: Mapping[Any, tuple[float, ValueLike]]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidInputError("The name of a box", "be a text that is not empty", self.name)
        signals: Any = self.signals
        if not isinstance(signals, Mapping):
            rule = "be a mapping to chances and laws"
            raise InvalidInputError(f"The signals of box {self.name!r}", rule, signals)
        checked_cost(self.cost, self.name)
        checked_cost(self.partial_cost, self.name)
        subject = f"The chances of the signals of box {self.name!r}"
        chances = [
            finite_number(p, subject, "be numbers > 0 of sum 1") for p, _ in self.signals.values()
        ]
        if not chances or min(chances) <= 0.0 or abs(sum(chances) - 1.0) > 1e-9:
            raise InvalidInputError(subject, "be numbers > 0 of sum 1", chances)
        _ = self.laws

    @cached_property
    def chances(self) -> Floats:
        """The chances of the signals."""
        chances = np.array([p for p, _ in self.signals.values()], dtype=np.float64)
        return np.asarray(chances / chances.sum())

    @cached_property
    def laws(self) -> list[Discrete]:
        """The laws of the value, by signal."""
        subject = f"The value of box {self.name!r}"
        laws = [as_distribution(law, subject) for _, law in self.signals.values()]
        return discrete_laws(laws, f"box {self.name!r}")


@dataclass(frozen=True, eq=False)
class Looks:
    """The laws and thresholds of a box, smaller values better."""

    box: PartialBox
    sense: Sense

    @cached_property
    def laws(self) -> list[Discrete]:
        """The laws of the value, by signal."""
        return discrete_laws([mirrored(law, self.sense) for law in self.box.laws], self.box.name)

    @cached_property
    def whole(self) -> Discrete:
        """The law of the value before any look."""
        return mixed(self.box.chances, self.laws)

    @cached_property
    def full(self) -> float:
        """σ^F."""
        return _root(self.whole, self.box.cost)

    @cached_property
    def after(self) -> list[float]:
        """σ^t, by signal."""
        return [_root(law, self.box.cost) for law in self.laws]

    @cached_property
    def partial(self) -> float:
        """σ^P."""
        capped = [at_least(law, s) for law, s in zip(self.laws, self.after, strict=True)]
        return _root(mixed(self.box.chances, capped), self.box.partial_cost)

    @cached_property
    def turn(self) -> float:
        """σ^{F/P}: what must be in hand for a full look to be as good as a partial one."""
        if self.box.partial_cost >= self.box.cost:
            return -np.inf
        x = np.unique(np.concatenate([*(law.values for law in self.laws), self.after]))
        left = np.array([np.maximum(self.box.cost - law.excess_below(x), 0.0) for law in self.laws])
        # Falls along straight lines from the cost of a full look to 0
        gain = self.box.chances @ left
        last = int(np.argmax(gain <= 1e-15 * self.box.cost))
        return float(np.interp(-self.box.partial_cost, -gain[: last + 1], x[: last + 1]))

    @cached_property
    def kappa_full(self) -> Discrete:
        """The law of κ^F."""
        return at_least(self.whole, self.full)

    @cached_property
    def kappa_partial(self) -> Discrete:
        """The law of κ^P."""
        pairs = zip(self.laws, self.after, strict=True)
        capped = [at_least(law, max(s, self.partial)) for law, s in pairs]
        return mixed(self.box.chances, capped)

    @cached_property
    def worth(self) -> Discrete:
        """The law of W."""
        return lower_envelope(self.kappa_full, self.kappa_partial)


def _root(law: Discrete, cost: float) -> float:
    return float(law.solve_below(cost)) if cost > 0.0 else float(law.values[0])


def at_least(law: Discrete, s: float) -> Discrete:
    """Return the law of max(v, s)."""
    return Discrete(np.maximum(law.values, s), law.probabilities)


def mixed(chances: Floats, laws: Sequence[Discrete]) -> Discrete:
    """Return the law that follows each of the laws with its chance."""
    values = np.concatenate([law.values for law in laws])
    masses = [p * law.probabilities for p, law in zip(chances, laws, strict=True)]
    return Discrete(values, np.concatenate(masses))


def lower_envelope(a: Discrete, b: Discrete) -> Discrete:
    """Return the law W with E min(o, W) = min(E min(o, a), E min(o, b)) for every o.

    >>> lower_envelope(Discrete([0.0, 4.0]), Discrete([1.5])).values.tolist()
    [0.0, 3.0]
    """
    x = np.union1d(a.values, b.values)
    gap = a.excess_below(x) - b.excess_below(x)
    turns = np.flatnonzero(gap[:-1] * gap[1:] < 0.0)
    share = gap[turns] / (gap[turns] - gap[turns + 1])
    x = np.union1d(x, x[turns] + share * (x[turns + 1] - x[turns]))
    middle = 0.5 * (x[:-1] + x[1:])
    slopes = np.where(a.excess_below(middle) > b.excess_below(middle), a.sf(middle), b.sf(middle))
    # Between points that are equal but for rounding the wrong one may seem lower: slopes never rise
    slopes = np.maximum.accumulate(slopes[::-1])[::-1]
    return Discrete(x, -np.diff(slopes, prepend=1.0, append=0.0))


def expected_smallest(laws: Sequence[Discrete], outside: float) -> float:
    """Return E min(outside, min_i of independent values)."""
    law = smallest(laws)
    if np.isinf(outside):
        return float(law.mean())
    return float(outside - law.excess_below(outside))


def best_commitment(looks: Sequence[Looks], outside: float) -> tuple[bool, ...]:
    """Return which boxes are best looked at partially first, if that is decided beforehand."""

    def total(choice: Sequence[bool]) -> float:
        laws = [
            look.kappa_partial if partial else look.kappa_full
            for look, partial in zip(looks, choice, strict=True)
        ]
        return expected_smallest(laws, outside)

    if len(looks) <= _MOST_CHOICES:
        return min(product([False, True], repeat=len(looks)), key=total)
    choice = tuple(look.partial < look.full for look in looks)
    least = total(choice)
    improved = True
    while improved:
        improved = False
        for i in range(len(looks)):
            other = (*choice[:i], not choice[i], *choice[i + 1 :])
            if (new := total(other)) < least:
                choice, least, improved = other, new, True
    return choice


def checked_looks(boxes: Sequence[Any], sense: Sense) -> list[Looks]:
    """Return the thresholds of boxes, all of which may be looked at partially."""
    for box in boxes:
        if not isinstance(box, PartialBox):
            rule = "be a PartialBox: boxes with partial looks do not combine with others"
            raise InvalidInputError(f"Box {box.name!r}", rule, box)
    return [Looks(box, sense) for box in boxes]
