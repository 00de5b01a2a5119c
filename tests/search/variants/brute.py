"""Searches with stages, prerequisites, several values to keep and discounts, by brute force.

:func:`optimal` is the dynamic programme over what can be opened and what is in hand, in rational
arithmetic, from the definition of the problem alone: in every state stop, or open anything that can be
opened. :func:`enumerated` plays a live search on everything that can happen. Neither knows of
reservation values.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from weitzman.search.round import Outcome, Search

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class Option:
    """Something to open: its box, its cost, and all that may happen.

    ``ways`` are (chance, what is shown, value in hand or None, options from then on).
    """

    box: str
    cost: Fraction
    ways: tuple[tuple[Fraction, Any, Fraction | None, tuple["Option", ...]], ...]
    discount: Fraction = ONE


@dataclass(frozen=True)
class Terms:
    """What is kept: the sense, the outside option, how many, or which sets."""

    sense: str = "min"
    outside: Fraction | None = None
    keep: int = 1
    independent: Callable[[frozenset[str]], bool] | None = None

    @property
    def sign(self) -> int:
        return 1 if self.sense == "min" else -1

    def worth(self, hand: tuple[tuple[Fraction, str], ...], rank: int) -> Fraction | None:
        """Return the best sum of kept values, smaller better; None if there are too few."""
        best: Fraction | None = None
        for chosen in _subsets(hand):
            names = frozenset(box for _, box in chosen)
            if len(chosen) > rank or (self.independent and not self.independent(names)):
                continue
            if len(chosen) < rank and self.outside is None:
                continue
            total = sum((value for value, _ in chosen), ZERO)
            if len(chosen) < rank:
                assert self.outside is not None
                total += (rank - len(chosen)) * self.sign * self.outside
            if best is None or total < best:
                best = total
        return best


def _subsets(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for mask in range(1 << len(items)):
        yield tuple(item for i, item in enumerate(items) if mask >> i & 1)


def optimal(roots: tuple[Option, ...], terms: Terms, rank: int = 1) -> Fraction:
    """Return the best expected total of all policies."""
    known: dict[Any, Fraction | None] = {}
    single = rank == 1 and terms.independent is None

    def value(ready: frozenset[Option], hand: tuple[tuple[Fraction, str], ...]) -> Fraction | None:
        if (ready, hand) in known:
            return known[ready, hand]
        choices = [terms.worth(hand, rank)]
        for option in ready:
            total: Fraction | None = option.cost
            for chance, _, found, then in option.ways:
                after = hand if found is None else (*hand, (terms.sign * found, option.box))
                if single:
                    after = ((min(v for v, _ in after), ""),) if after else ()
                rest = value((ready - {option}) | set(then), tuple(sorted(after)))
                if rest is None:
                    total = None
                    break
                assert total is not None
                total += option.discount * chance * rest
            choices.append(total)
        possible = [choice for choice in choices if choice is not None]
        known[ready, hand] = min(possible) if possible else None
        return known[ready, hand]

    result = value(frozenset(roots), ())
    assert result is not None
    return terms.sign * result


@dataclass
class Played:
    """What a live search gives on average, and how often."""

    total: float = 0.0
    paid: float = 0.0
    steps: float = 0.0
    opened: dict[str, float] = field(default_factory=dict)
    kept: dict[str, float] = field(default_factory=dict)


def enumerated(begin: Callable[[], Search[str]], roots: tuple[Option, ...]) -> Played:
    """Play a search on everything that can happen."""
    played = Played()

    def follow(path: list[tuple[str, Any]], chance: Fraction, ready: Mapping[str, Option]) -> None:
        search = begin()
        for box, shown in path:
            assert next(search) == box
            search.see(shown)
        try:
            box = next(search)
        except StopIteration:
            _count(played, float(chance), search.close())
            return
        option = ready[box]
        for p, shown, _, then in option.ways:
            later = {name: other for name, other in ready.items() if name != box}
            later |= {other.box: other for other in then}
            follow([*path, (box, shown)], chance * p, later)

    follow([], ONE, {option.box: option for option in roots})
    return played


def _count(played: Played, chance: float, outcome: Outcome[str]) -> None:
    played.total += chance * outcome.total
    played.paid += chance * outcome.paid
    played.steps += chance * len(outcome.opened)
    for box in dict.fromkeys(outcome.opened):
        played.opened[str(box)] = played.opened.get(str(box), 0.0) + chance
    for box in outcome.kept:
        played.kept[box] = played.kept.get(box, 0.0) + chance


def check(plan: Any, roots: tuple[Option, ...], terms: Terms, rank: int = 1) -> None:
    """The plan's total is the optimum and what its live search gives; so are its chances."""
    best = float(optimal(roots, terms, rank))
    assert abs(plan.expected_total - best) <= 1e-12 * max(1.0, abs(best))
    check_played(plan, roots)


def check_played(plan: Any, roots: tuple[Option, ...]) -> None:
    """The plan's total and chances are what its live search gives, played on everything."""
    played = enumerated(plan.search, roots)
    scale = max(1.0, abs(played.total))
    assert abs(plan.expected_total - played.total) <= 1e-12 * scale
    assert abs(plan.expected_paid - played.paid) <= 1e-12 * scale
    assert abs(plan.expected_opened - played.steps) <= 1e-12
    for box in plan.boxes:
        assert abs(plan.open_probabilities[box.name] - played.opened.get(box.name, 0.0)) <= 1e-12
        assert abs(plan.keep_probabilities[box.name] - played.kept.get(box.name, 0.0)) <= 1e-12
