"""Plain dynamic programmes in rational arithmetic, from the definition of each problem alone.

They recurse over what was opened, one outcome at a time; they share no code with the library, which
works on a grid of numbers. :func:`play_all` plays a rule on every combination of values.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product

import numpy as np

import weitzman as wz
from tests.search.brute import ExactBox, Sense
from weitzman.search.rule import STOP, Rule, Take, advance
from weitzman.search.state import RoundState


@dataclass(frozen=True)
class Limits:
    """Who may be taken unopened, which sets may be open, how many are opened at once, at what price."""

    blind: frozenset[int] = frozenset()
    allowed: Callable[[frozenset[int]], bool] = field(default=lambda opened: True)
    at_once: int = 1
    price: Fraction = Fraction(0)


def optimum(
    boxes: Sequence[ExactBox], sense: Sense, outside: Fraction | None, limits: Limits
) -> Fraction:
    """Return the best expected total of all searches."""
    sign = 1 if sense == "min" else -1
    known: dict[tuple[frozenset[int], Fraction | None], Fraction] = {}

    def value(opened: frozenset[int], best: Fraction | None) -> Fraction:
        if (opened, best) in known:
            return known[opened, best]
        closed = [i for i in range(len(boxes)) if i not in opened]
        options = [] if best is None else [best]
        means = {i: sum(p * sign * v for v, p in boxes[i].outcomes) for i in closed}
        options += [Fraction(means[i]) for i in closed if i in limits.blind]
        for size in range(1, limits.at_once + 1):
            for some in combinations(closed, size):
                after = opened | set(some)
                if limits.allowed(after):
                    options.append(opening(some, after, best))
        known[opened, best] = min(options)
        return known[opened, best]

    def opening(some: Sequence[int], after: frozenset[int], best: Fraction | None) -> Fraction:
        total = limits.price + sum(boxes[i].cost for i in some)
        for outcomes in product(*(boxes[i].outcomes for i in some)):
            chance = math.prod((p for _, p in outcomes), start=Fraction(1))
            found = min(sign * v for v, _ in outcomes)
            total += chance * value(after, found if best is None else min(best, found))
        return total

    return sign * value(frozenset(), None if outside is None else sign * outside)


def random_boxes(rng: np.random.Generator, most: int, *, least: int = 1) -> list[ExactBox]:
    """Return boxes of few outcomes >= 0, with ties, atoms and costs of 0."""
    boxes = []
    for _ in range(int(rng.integers(least, most + 1))):
        outcomes = rng.choice(16, size=int(rng.integers(1, 4)), replace=False)
        weights = rng.choice([1, 1, 2, 3, 5], size=outcomes.size)
        parts = [
            (Fraction(int(v), 2), Fraction(int(w), int(weights.sum())))
            for v, w in zip(outcomes, weights, strict=True)
        ]
        boxes.append(ExactBox(Fraction(int(rng.integers(0, 9)), 8), tuple(parts)))
    return boxes


def random_outside(rng: np.random.Generator) -> Fraction | None:
    """Return an outside option, or none."""
    return None if rng.random() < 0.5 else Fraction(int(rng.integers(0, 16)), 2)


def as_boxes(
    boxes: Sequence[ExactBox], needs: Sequence[Sequence[int]] | None = None
) -> list[wz.Box]:
    """Return the boxes of the library; ``needs`` are the rows before each."""
    return [
        wz.Box(
            f"b{i}",
            float(box.cost),
            wz.Discrete([float(v) for v, _ in box.outcomes], [float(p) for _, p in box.outcomes]),
            after=None if needs is None else [f"b{j}" for j in needs[i]],
        )
        for i, box in enumerate(boxes)
    ]


def play_all(
    rule: Rule, boxes: Sequence[ExactBox], sense: Sense, outside: Fraction | None
) -> tuple[float, list[float], list[float], list[RoundState]]:
    """Return a rule's expected total, the chances to be opened and kept, and all final states."""
    sign = 1 if sense == "min" else -1
    start = math.inf if outside is None else float(sign * outside)
    total, opened, kept, ends = 0.0, [0.0] * len(boxes), [0.0] * len(boxes), []
    for outcomes in product(*(box.outcomes for box in boxes)):
        chance = float(math.prod((p for _, p in outcomes), start=Fraction(1)))
        state = RoundState([float(box.cost) for box in boxes], start)
        while (action := advance(rule, state)) is not STOP:
            assert not isinstance(action, Take) or action.box not in state.opened
            state.see(action.box, float(sign * outcomes[action.box][0]))
            if isinstance(action, Take):
                break
        total += chance * state.total
        for i in state.opened:
            opened[i] += chance
        if state.kept is not None:
            kept[state.kept] += chance
        ends.append(state)
    return sign * total, opened, kept, ends
