"""The regularised Gram matrix of the contexts that a row has seen, and its inverse.

V = ρ I + Σ_s q_s x_s x_sᵀ and P = V⁻¹, with the width of a context ‖x‖_P = √(xᵀ P x): small where
many similar contexts have been seen. P follows each context by a rank-one change and is computed
from scratch when ρ changes, when a change is refused, and after 64 d changes, long before rounding
errors could add up.
"""

import math
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import dot, invert, rank_one, symmetric_product


class Cover(NamedTuple):
    """Per row: Σ q x xᵀ, the inverse with ρ, and (ρ in the inverse, changes since it was computed)."""

    gram: Floats
    inverse: Floats
    ridge: Floats


def blank_cover(rows: int, size: int) -> Cover:
    """Return the cover of rows that have seen nothing."""
    return Cover(np.zeros((rows, size, size)), np.zeros((rows, size, size)), np.zeros((rows, 2)))


@compiled
def cover_add(cover: Cover, row: int, x: Floats, factor: float, work: Floats) -> None:
    """Add factor · x xᵀ."""
    size = x.shape[0]
    for k in range(size):
        for j in range(size):
            cover.gram[row, k, j] += factor * (x[k] * x[j])
    if cover.ridge[row, 0] > 0.0:
        cover.ridge[row, 1] += 1.0
        if cover.ridge[row, 1] > 64 * size or not rank_one(cover.inverse[row], x, factor, work):
            cover.ridge[row, 0] = 0.0


@compiled
def cover_scale(cover: Cover, row: int, factor: float) -> None:
    """Multiply Σ q x xᵀ by a factor."""
    size = cover.gram.shape[1]
    for k in range(size):
        for j in range(size):
            cover.gram[row, k, j] *= factor
    cover.ridge[row, 0] = 0.0


@compiled
def cover_settle(cover: Cover, row: int, ridge: float, square: Floats) -> None:
    """Make the inverse that of ρ I + Σ q x xᵀ."""
    if cover.ridge[row, 0] == ridge:
        return
    size = square.shape[0]
    for k in range(size):
        for j in range(size):
            square[k, j] = cover.gram[row, k, j]
        square[k, k] += ridge
    invert(square, cover.inverse[row])
    cover.ridge[row, 0] = ridge
    cover.ridge[row, 1] = 0.0


@compiled
def cover_width(cover: Cover, row: int, x: Floats, work: Floats) -> float:
    """Return √(xᵀ P x); +∞ before anything is seen."""
    if cover.ridge[row, 0] == 0.0:
        return math.inf
    symmetric_product(cover.inverse[row], x, work)
    return math.sqrt(max(dot(x, work, x.shape[0]), 0.0))


@compiled
def cover_reach(cover: Cover, row: int, context: Floats) -> float:
    """Return ‖x‖ / √ρ, which no width exceeds; +∞ before anything is seen."""
    ridge = cover.ridge[row, 0]
    intercept = float(cover.gram.shape[1] - context.shape[0])
    squares = dot(context, context, context.shape[0]) + intercept
    return math.sqrt(squares / ridge) if ridge > 0.0 else math.inf
