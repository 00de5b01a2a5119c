"""Small dense linear algebra in plain loops: the same bits on every machine.

Symmetric matrices are stored whole, so that y = Σ_k x_k A[k, :] runs along rows: every y_j is
summed in the order of k, and the compiler may still work on several j at once. A scalar product has
four fixed partial sums.

**Compensated sums.** A matrix or vector that points enter and leave is kept as high + low, with the
rounding error of every addition collected in low [Knuth 1997]. Leaving then
undoes entering to about 1e-32 of the largest term that was ever inside, however small the rest is.

**Rank-one change of an inverse** [Sherman 1950]: (A + q x xᵀ)⁻¹ = P − q (Px)(Px)ᵀ / (1
+ q xᵀPx), P = A⁻¹. It is refused where it would lose more than about four digits: then the caller
factorises.

**In plain Python**, where d² numbers would be gone through one by one, some have a body of array operations:
every number is made by the same operations in the same order.

**Inverse from scratch**: A = L Lᵀ, P = L⁻ᵀ L⁻¹. A pivot below 1e-15 of its diagonal is raised to
that, so that a matrix that is singular to working precision still gives a finite, positive inverse.
"""

import math
from typing import cast

import numpy as np

from weitzman.arrays import Floats
from weitzman.compiled.decorators import compiled, rare
from weitzman.compiled.lanes import LANES, sum_of_lanes
from weitzman.compiled.plain import added, instead

_LOG_2 = math.log(2.0)


@compiled
def dot(x: Floats, y: Floats, size: int) -> float:
    """Return Σ_{j < size} x_j y_j."""
    s0 = s1 = s2 = s3 = 0.0
    whole = size - size % 4
    for j in range(0, whole, 4):
        s0 += x[j] * y[j]
        s1 += x[j + 1] * y[j + 1]
        s2 += x[j + 2] * y[j + 2]
        s3 += x[j + 3] * y[j + 3]
    total = (s0 + s1) + (s2 + s3)
    for j in range(whole, size):
        total += x[j] * y[j]
    return total


def _dots(rows: Floats, y: Floats, size: int) -> Floats:
    """Return the scalar products of many rows with one vector, each as :func:`dot` has it."""
    whole = size - size % 4
    products = (rows[:, :whole] * y[:whole]).reshape(len(rows), whole // 4, 4)
    parts = added(products.transpose(1, 0, 2))
    total = (parts[:, 0] + parts[:, 1]) + (parts[:, 2] + parts[:, 3])
    for j in range(whole, size):
        total += rows[:, j] * y[j]
    return total


@instead(dot)
def _dot(x: Floats, y: Floats, size: int) -> float:
    return cast("float", _dots(x[np.newaxis], y, size)[0])


@compiled
def dot_in_lanes(x: Floats, y: Floats, size: int) -> float:
    """Return what :func:`dot` does, sooner where vectors are long."""
    whole = size - size % LANES
    total: float = sum_of_lanes(x, y, whole)
    for j in range(whole, size):
        total += x[j] * y[j]
    return total


instead(dot_in_lanes)(_dot)


@compiled
def linear(weights: Floats, context: Floats) -> float:
    """Return w·x, plus the last weight where there is one more than features (the intercept)."""
    total = dot(weights, context, context.shape[0])
    return total if weights.shape[0] == context.shape[0] else total + weights[-1]


@compiled
def load_row(context: Floats, row: Floats) -> None:
    """Copy a context into a row, followed by the constant 1 where the row is longer (the intercept)."""
    for j in range(context.shape[0]):
        row[j] = context[j]
    for j in range(context.shape[0], row.shape[0]):
        row[j] = 1.0


@compiled
def symmetric_product(matrix: Floats, x: Floats, out: Floats) -> None:
    """Set out to matrix · x, for a symmetric matrix."""
    size = out.shape[0]
    for j in range(size):
        out[j] = 0.0
    whole = size - size % 4
    for k in range(0, whole, 4):
        # Four rows at once, in the same order: out is read and written a quarter as often
        f0, f1, f2, f3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        a0, a1, a2, a3 = matrix[k], matrix[k + 1], matrix[k + 2], matrix[k + 3]
        for j in range(size):
            out[j] = (((out[j] + f0 * a0[j]) + f1 * a1[j]) + f2 * a2[j]) + f3 * a3[j]
    for k in range(whole, size):
        factor = x[k]
        for j in range(size):
            out[j] += factor * matrix[k, j]


@instead(symmetric_product)
def _symmetric_product(matrix: Floats, x: Floats, out: Floats) -> None:
    size = out.shape[0]
    out[:] = added(x[:size, np.newaxis] * matrix[:size, :size])


@compiled
def add_scaled(high: Floats, low: Floats, x: Floats, factor: float) -> None:
    """Add factor · x to the compensated vector high + low."""
    for j in range(high.shape[0]):
        term = factor * x[j]
        old = high[j]
        new = old + term
        part = new - old
        low[j] += (old - (new - part)) + (term - part)
        high[j] = new


@compiled
def add_outer(high: Floats, low: Floats, x: Floats, factor: float) -> None:
    """Add factor · x xᵀ to the compensated matrix high + low."""
    size = high.shape[0]
    for k in range(size):
        for j in range(size):
            # The product x_k x_j first: it is the same for (j, k), so the matrix stays symmetric
            term = factor * (x[k] * x[j])
            old = high[k, j]
            new = old + term
            part = new - old
            low[k, j] += (old - (new - part)) + (term - part)
            high[k, j] = new


@instead(add_outer)
def add_outer_by_rows(high: Floats, low: Floats, x: Floats, factor: float) -> None:
    """Do the same in plain Python."""
    size = high.shape[0]
    term = factor * (x[:size, np.newaxis] * x[:size])
    old = high.copy()
    new = old + term
    part = new - old
    low += (old - (new - part)) + (term - part)
    high[:] = new


@compiled
def is_safe(growth: float) -> bool:
    """Return whether a change that makes 1 + growth of a determinant may be followed in the inverse."""
    return -0.99 < growth < 1e4


@compiled
def rank_one(inverse: Floats, x: Floats, factor: float, work: Floats) -> bool:
    """Follow A + factor · x xᵀ in the inverse of A; False, and no change, where that is not safe."""
    size = inverse.shape[0]
    symmetric_product(inverse, x, work)
    growth = factor * dot(x, work, size)
    if not is_safe(growth):
        return False
    ratio = factor / (1.0 + growth)
    for k in range(size):
        scaled = ratio * work[k]
        for j in range(size):
            inverse[k, j] -= scaled * work[j]
    return True


@instead(rank_one)
def rank_one_by_rows(inverse: Floats, x: Floats, factor: float, work: Floats) -> bool:
    """Do the same in plain Python."""
    size = inverse.shape[0]
    _symmetric_product(inverse, x, work)
    growth = factor * _dot(x, work, size)
    if not (-0.99 < growth < 1e4):
        return False
    ratio = factor / (1.0 + growth)
    inverse -= (ratio * work[:size, np.newaxis]) * work[:size]
    return True


@rare
def invert(matrix: Floats, inverse: Floats) -> None:
    """Set inverse to matrix⁻¹, for a symmetric positive matrix, whose lower half is lost."""
    size = matrix.shape[0]
    for j in range(size):
        scale = matrix[j, j]
        pivot = scale - dot(matrix[j], matrix[j], j)
        root = math.sqrt(max(pivot, 1e-15 * scale, 1e-300))
        matrix[j, j] = root
        for i in range(j + 1, size):
            matrix[i, j] = (matrix[i, j] - dot(matrix[i], matrix[j], j)) / root
    # Rows of ``inverse`` hold the columns of L⁻¹, so that both products run along rows
    for j in range(size):
        for i in range(j):
            inverse[j, i] = 0.0
        inverse[j, j] = 1.0 / matrix[j, j]
        for i in range(j + 1, size):
            total = dot(matrix[i, j:], inverse[j, j:], i - j)
            inverse[j, i] = -total / matrix[i, i]
    for j in range(size):
        for i in range(j, size):
            total = dot(inverse[j, i:], inverse[i, i:], size - i)
            inverse[j, i] = total
    for j in range(size):
        for i in range(j):
            inverse[j, i] = inverse[i, j]


@instead(invert)
def _invert(matrix: Floats, inverse: Floats) -> None:
    size = matrix.shape[0]
    for j in range(size):
        scale = matrix[j, j]
        pivot = scale - _dot(matrix[j], matrix[j], j)
        root = np.sqrt(max(pivot, 1e-15 * scale, 1e-300))
        matrix[j, j] = root
        below = matrix[j + 1 :]
        below[:, j] = (below[:, j] - _dots(below, matrix[j], j)) / root
    inverse[:] = np.diag(1.0 / np.diagonal(matrix))
    for i in range(1, size):
        # Every fourth row at once: the same places go into the same partial sums, zeros before them
        for r in range(min(i, 4)):
            along = _dots(inverse[r:i:4, r:], matrix[i, r:], i - r)
            inverse[r:i:4, i] = -along / matrix[i, i]
    # Column by column: what is still to be read stands to the right of it
    for i in range(size):
        inverse[: i + 1, i] = _dots(inverse[: i + 1, i:], inverse[i, i:], size - i)
    lower = np.tril_indices(size, -1)
    inverse[lower] = inverse.T[lower]


@compiled
def fixed_log(x: float) -> float:
    """Return log x, x > 0, by the same operations on every machine; libm's last bit differs.

    x = m 2ᵉ with ½ ≤ m² < 2, and log m = 2 artanh z, z = (m − 1)/(m + 1), |z| < 0.172: ten terms.
    """
    m, e = math.frexp(x)
    if m * m < 0.5:
        m, e = 2.0 * m, e - 1
    z = (m - 1.0) / (m + 1.0)
    square, total = z * z, 0.0
    for k in range(21, 0, -2):
        total = total * square + 1.0 / k
    return e * _LOG_2 + 2.0 * z * total
