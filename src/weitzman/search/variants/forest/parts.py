"""What a branch leads to: values and further nodes, of which the smallest is reached."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from weitzman.arrays import Floats
from weitzman.search.exact_total import Laws
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.quadrature import areas

# Points that no panel may span unseen: where a cdf does its rising
_LEVELS = np.array([0.01, 0.25, 0.5, 0.75, 0.99])


Leaves = list[tuple[float, Distribution]]
"""Values, each with the σ below which it is not looked for."""


class Worth(Protocol):
    """The law of what a part of a branch is worth: of a value that is found, or a node's κ.

    ``plain`` says that it is a value; ``closed`` that E(s − κ)⁺ is a closed form; ``leaves`` are the
    values that it is the smallest of, None if there is no such product; ``chain`` those of a chain.
    """

    plain: bool
    chain: "list[Leaf] | None"

    @property
    def low(self) -> float: ...
    @property
    def top(self) -> float: ...
    @property
    def sigma(self) -> float: ...
    @property
    def closed(self) -> bool: ...
    @property
    def leaves(self) -> Leaves | None: ...
    @property
    def edges(self) -> Floats: ...
    def sf(self, x: Floats) -> Floats: ...
    def cdf(self, x: Floats) -> Floats: ...
    def excess(self, s: Floats) -> Floats: ...


class Part:
    """The law of a value that is found."""

    plain = True
    closed = True
    sigma = -np.inf

    def __init__(self, law: Distribution) -> None:
        self.law = law
        self.low, self.top = (float(end) for end in law.support())
        self.leaves: Leaves | None = [(-np.inf, law)]
        self.chain: list[Leaf] | None = [Leaf(1.0, law, -np.inf)]

    def sf(self, x: Floats) -> Floats:
        """Return P(v > x)."""
        return self.law.sf(x)

    def cdf(self, x: Floats) -> Floats:
        """Return P(v ≤ x)."""
        return self.law.cdf(x)

    def excess(self, s: Floats) -> Floats:
        """Return E(s − v)⁺."""
        return self.law.excess_below(s)

    @cached_property
    def edges(self) -> Floats:
        """Points where the cdf may jump or bend, and where it rises."""
        if self.law.is_step:
            return self.law.kinks()
        marks = np.concatenate([self.law.kinks(), np.ravel(self.law.quantile(_LEVELS))])
        return np.unique(marks[np.isfinite(marks)])


@dataclass(frozen=True)
class Leaf:
    """A value of a mixture: its chance, its law, and the σ that it is capped at."""

    chance: float
    law: Distribution
    floor: float


@dataclass(frozen=True, eq=False)
class Way:
    """One branch: its chance, and the parts of which the smallest is reached; none: nothing is."""

    chance: float
    parts: tuple[Worth, ...]

    @cached_property
    def closed(self) -> bool:
        """Whether E(s − M)⁺ is a closed form everywhere: of one part that has one, or of none."""
        return len(self.parts) < 2 and all(part.closed for part in self.parts)

    @cached_property
    def floor(self) -> float:
        """Up to it E(s − M)⁺ is a closed form: one value at most matters there."""
        if self.closed:
            return np.inf
        lows = sorted(part.low for part in self.parts if part.plain)
        return min([part.low for part in self.parts if not part.plain] + lows[1:2])

    @cached_property
    def leaves(self) -> Leaves | None:
        """All values behind this branch, by their σ; None if they are not one product."""
        found: Leaves = []
        for part in self.parts:
            if part.leaves is None:
                return None
            found += part.leaves
        return sorted(found, key=lambda leaf: leaf[0])

    @cached_property
    def _product(self) -> tuple[Floats, Laws] | None:
        if self.leaves is None or len(self.leaves) < 2:
            return None
        return np.array([s for s, _ in self.leaves]), Laws([law for _, law in self.leaves])

    def _rows(self, x: Floats, question: Literal["cdf", "sf"], neutral: float) -> Floats:
        """Return what each part answers: a row a part, or of a product a row a leaf."""
        if self._product is None:
            return np.array([getattr(part, question)(x) for part in self.parts])
        floors, laws = self._product
        active = np.searchsorted(floors, x, side="right")
        count = int(active.max(initial=1))
        rows = laws.ask(question, x, count)
        return np.where(np.arange(count) < active[:, None], rows, neutral).T

    def sf(self, x: Floats) -> Floats:
        """Return P(M > x) on this branch."""
        return np.asarray(self._rows(x, "sf", 1.0).prod(axis=0)) if self.parts else np.ones(x.shape)

    def cdf(self, x: Floats) -> Floats:
        """Return P(M ≤ x) on this branch, accurate where it is small."""
        if len(self.parts) == 1:
            return self.parts[0].cdf(x)
        if not self.parts:
            return np.zeros(x.shape)
        with np.errstate(divide="ignore"):
            logs = np.log1p(-self._rows(x, "cdf", 0.0)).sum(axis=0)
        return np.asarray(-np.expm1(logs))

    def excess(self, s: Floats) -> Floats:
        """Return E(s − M)⁺ up to the floor."""
        parts = self.parts if self.closed else [part for part in self.parts if part.plain]
        return np.asarray(sum((part.excess(s) for part in parts), np.zeros(s.shape)))

    def gain(self, a: Floats, b: Floats, whole: float) -> Floats:
        """Return E(b − M)⁺ − E(a − M)⁺ for panels from a to b that the floor does not divide."""
        alone = b <= self.floor
        result = np.zeros(a.shape)
        if alone.any():
            result[alone] = self.excess(b[alone]) - self.excess(a[alone])
        if not alone.all():
            result[~alone] = areas(self.cdf, a[~alone], b[~alone], whole=whole)
        return result
