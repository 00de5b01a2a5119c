"""What worlds share: seeds and blocks of rounds, points of a ball, laws with a given σ.

Rounds are drawn in blocks of :data:`BLOCK`, each with a generator of its own that is seeded by the
seed and the number of the block: any stretch of a run of any length can be drawn by itself.

**Laws with a given reservation value.** Let v be uniform on [a, a + A]. For a ≤ s ≤ a + A,
E(s − v)⁺ = (s − a)²/(2A), and for s ≥ a + A it is s − a − A/2. Hence E(σ − v)⁺ = c at

- σ = a + √(2cA)     if A ≥ 2c;
- σ = a + c + A/2    if A ≤ 2c: the mean plus the cost.

So any width A ≥ 0 can be placed such that σ is the reservation value, exactly.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.lab.worlds.instance import Instance
from weitzman.search.numbers import finite_number, whole_number

BLOCK = 256
"""The rounds of a block."""
_MOST_ROUNDS = BLOCK * 2**32
_WEIGHTS, _ROUNDS = 1, 2


def weights_rng(rng: int) -> np.random.Generator:
    """Return the generator of what is fixed for all rounds."""
    return np.random.default_rng([_WEIGHTS, 0, whole_number(rng, "The seed rng", least=0)])


def draw_blocks(
    draw: Callable[[int, np.random.Generator], Instance], rounds: int, rng: int, start: int
) -> Instance:
    """Return rounds from ``draw(first, generator)``, which gives the block that begins at ``first``."""
    seed = whole_number(rng, "The seed rng", least=0)
    start = whole_number(start, "The start", least=0, most=_MOST_ROUNDS)
    rounds = whole_number(rounds, "The rounds", least=1, most=_MOST_ROUNDS - start)
    first, last = start // BLOCK, (start + rounds - 1) // BLOCK
    blocks = [
        draw(BLOCK * block, np.random.default_rng([_ROUNDS, block, seed]))
        for block in range(first, last + 1)
    ]
    begin = start - BLOCK * first
    return _joined(blocks).part(begin, begin + rounds)


def _joined(blocks: list[Instance]) -> Instance:
    if len(blocks) == 1:
        return blocks[0]
    axes = {"contexts": 0, "values": 0, "reservation_values": 0, "lower": 1, "upper": 1}
    parts = {n: np.concatenate([getattr(b, n) for b in blocks], axis=a) for n, a in axes.items()}
    return replace(blocks[0], **parts)


def draw_linear(
    world: Any,
    law: Callable[[np.random.Generator, Floats, Floats], Instance],
    rounds: int,
    rng: int,
    start: int,
) -> Instance:
    """Return rounds with x uniform in the unit ball, w_i uniform in the ball of radius M, and σ* = w·x.

    ``law(generator, contexts, sigma)`` gives a block of them with its values.
    """
    weights = world.radius * ball(weights_rng(rng), world.boxes, world.dimension)

    def block(_: int, generator: np.random.Generator) -> Instance:
        contexts = ball(generator, BLOCK, world.boxes, world.dimension)
        return law(generator, contexts, dot(contexts, weights))

    return draw_blocks(block, rounds, rng, start)


def draw_with_one(
    world: Any,
    rounds: int,
    rng: int,
    start: int,
    *,
    weights: Floats,
    widths: Floats | float,
) -> Instance:
    """Return rounds with contexts (u, 1), u uniform in the unit ball, σ* = w·x and values of these widths."""

    def block(_: int, generator: np.random.Generator) -> Instance:
        points = ball(generator, BLOCK, world.boxes, world.dimension - 1)
        contexts = np.concatenate([points, np.ones((BLOCK, world.boxes, 1))], axis=-1)
        return placed(
            generator, world.cost, contexts=contexts, sigma=dot(contexts, weights), widths=widths
        )

    return draw_blocks(block, rounds, rng, start)


def independent(
    rng: np.random.Generator,
    cost: float,
    *,
    contexts: Floats,
    sigma: Floats,
    lower: Floats,
    upper: Floats,
) -> Instance:
    """Return a block of independent boxes with uniform values, which are drawn here."""
    return Instance(
        contexts=contexts,
        costs=np.full(lower.shape[1], float(cost)),
        values=uniform(rng, lower, upper),
        reservation_values=sigma,
        lower=lower[None],
        upper=upper[None],
        shares=np.ones(1),
    )


def placed(
    rng: np.random.Generator,
    cost: float,
    *,
    contexts: Floats,
    sigma: Floats,
    widths: Floats | float,
) -> Instance:
    """Return a block of independent boxes whose values have these widths, placed for their σ."""
    lower = lowest(sigma, widths, cost)
    return independent(rng, cost, contexts=contexts, sigma=sigma, lower=lower, upper=lower + widths)


def uniform(rng: np.random.Generator, lower: Floats, upper: Floats) -> Floats:
    """Return values drawn uniformly from the intervals."""
    return np.minimum(lower + (upper - lower) * rng.random(lower.shape), upper)


def ball(rng: np.random.Generator, *shape: int) -> Floats:
    """Return points drawn uniformly from the unit ball; the last axis holds the coordinates."""
    points = rng.standard_normal(shape)
    lengths = np.sqrt(dot(points, points))
    radii = rng.random(shape[:-1]) ** (1.0 / shape[-1])
    return np.asarray(points * (radii / lengths)[..., None])


def dot(left: Floats, right: Floats) -> Floats:
    """Return the sum of products over the last axis, added from the first coordinate to the last.

    A library's dot product adds in an order that depends on the processor.
    """
    total = left[..., 0] * right[..., 0]
    for k in range(1, left.shape[-1]):
        total = total + left[..., k] * right[..., k]
    return np.asarray(total)


def lowest(sigma: Floats, width: Floats | float, cost: float) -> Floats:
    """Return the lower end a at which a uniform value of this width has the reservation value σ."""
    width = np.asarray(width, dtype=np.float64)
    narrow = width < 2.0 * cost
    return np.asarray(sigma - np.where(narrow, cost + 0.5 * width, np.sqrt(2.0 * cost * width)))


def check(world: Any, *, dimension: int = 1, most_dimension: int = 2**62) -> None:
    """Refuse a world with too few boxes, a wrong dimension, or a number that is not > 0."""
    whole_number(world.boxes, f"The boxes of world {world.name!r}", least=1)
    subject = f"The dimension of world {world.name!r}"
    whole_number(world.dimension, subject, least=dimension, most=most_dimension)
    for field in fields(world):
        if field.type is float:
            subject, rule = f"The {field.name} of world {world.name!r}", "be a finite number > 0"
            value = getattr(world, field.name)
            if finite_number(value, subject, rule) <= 0.0:
                raise InvalidInputError(subject, rule, value)
