"""Compiled ridge regression for several strengths at once; no BLAS, so the same bits everywhere.

The eigenvectors of ZᵀZ come from cyclic Jacobi rotations [Golub 2013]: each rotation makes one
off-diagonal number 0, and sweeps go on until none is above rounding. In plain Python the same operations are
made in the same order on whole rows.
"""

import math

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import checked
from weitzman.compiled.plain import added, instead

Floats = NDArray[np.float64]

_SWEEPS = 60
_ROUNDING = 1e-15


@checked
def eigen(matrix: Floats, vectors: Floats) -> None:
    """Leave the eigenvalues of a symmetric matrix on its diagonal; set the columns of vectors."""
    size = matrix.shape[0]
    trace = 0.0
    for i in range(size):
        trace += abs(matrix[i, i])
        for j in range(size):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(_SWEEPS):
        largest = 0.0
        for p in range(size - 1):
            for q in range(p + 1, size):
                off = matrix[p, q]
                largest = max(largest, abs(off))
                if abs(off) <= _ROUNDING * trace / size:
                    continue
                theta = (matrix[q, q] - matrix[p, p]) / (2.0 * off)
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                t = -t if theta < 0.0 else t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(size):
                    a, b = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
                for k in range(size):
                    a, b = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
                    a, b = vectors[k, p], vectors[k, q]
                    vectors[k, p], vectors[k, q] = c * a - s * b, s * a + c * b
        if largest <= _ROUNDING * trace / size:
            return


@checked
def _moments(x: Floats, y: Floats, centre: Floats, gram: Floats, moment: Floats) -> float:
    """Set the mean of x, ZᵀZ and Zᵀ(y − ȳ), for Z = x minus its mean; return ȳ."""
    count, size = x.shape
    level, z = 0.0, np.empty(size)
    for s in range(count):
        level += y[s] / count
        for k in range(size):
            centre[k] += x[s, k] / count
    for s in range(count):
        for k in range(size):
            z[k] = x[s, k] - centre[k]
            moment[k] += z[k] * (y[s] - level)
        for k in range(size):
            for j in range(k, size):
                gram[k, j] += z[k] * z[j]
    for k in range(size):
        for j in range(k):
            gram[k, j] = gram[j, k]
    return level


@checked
def _leave_one_out(
    x: Floats,
    apart: Floats,
    centre: Floats,
    basis: Floats,
    shrink: Floats,
    inner: Floats,
    least: float,
    residuals: Floats,
) -> None:
    """Set the residuals (L, m) of values minus their mean, by the coordinates of x in the basis."""
    count, size = x.shape
    number = shrink.shape[0]
    turned, fit, leverage = np.empty(size), np.empty(number), np.empty(number)
    shrink, inner = shrink.T.copy(), inner.T.copy()
    for s in range(count):
        turned[:] = 0.0
        fit[:], leverage[:] = 0.0, 1.0 / count
        # Along rows, here and below, so that the additions do not wait for each other
        for j in range(size):
            for k in range(size):
                turned[k] += basis[j, k] * (x[s, j] - centre[j])
        for k in range(size):
            for m in range(number):
                fit[m] += inner[k, m] * turned[k]
                leverage[m] += turned[k] * turned[k] * shrink[k, m]
        for m in range(number):
            residuals[m, s] = (apart[s] - fit[m]) / max(1.0 - leverage[m], least)


@checked
def ridge_path_rows(
    x: Floats,
    y: Floats,
    strengths: Floats,
    least: float,
    slopes: Floats,
    levels: Floats,
    residuals: Floats,
) -> None:
    """Set w (L, d), intercepts (L,) and leave-one-out residuals (L, m) of all L strengths."""
    size, number = x.shape[1], strengths.shape[0]
    centre, moment = np.zeros(size), np.zeros(size)
    gram, basis = np.zeros((size, size)), np.empty((size, size))
    level = _moments(x, y, centre, gram, moment)
    eigen(gram, basis)
    shrink, inner = np.empty((number, size)), np.empty((number, size))
    for m in range(number):
        levels[m] = level
        slopes[m] = 0.0
        for k in range(size):
            along = 0.0
            for j in range(size):
                along += basis[j, k] * moment[j]
            shrink[m, k] = 1.0 / (max(gram[k, k], 0.0) + strengths[m])
            inner[m, k] = along * shrink[m, k]
            for j in range(size):
                slopes[m, j] += basis[j, k] * inner[m, k]
        for j in range(size):
            levels[m] -= slopes[m, j] * centre[j]
    _leave_one_out(x, y - level, centre, basis, shrink, inner, least, residuals)


@instead(eigen)
def _eigen(matrix: Floats, vectors: Floats) -> None:
    size, trace = matrix.shape[0], np.float64(0.0)
    for one in np.abs(np.diagonal(matrix)):
        trace += one
    both = np.concatenate([matrix, np.eye(size)])
    least = _ROUNDING * trace / size
    for _ in range(_SWEEPS):
        largest = 0.0
        for p in range(size - 1):
            for q in range(p + 1, size):
                off = both[p, q]
                largest = max(largest, abs(off))
                if abs(off) <= least:
                    continue
                theta = (both[q, q] - both[p, p]) / (2.0 * off)
                t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                t = -t if theta < 0.0 else t
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                turn = np.array([[-s], [s]])
                # A pair of rows, then a pair of columns
                for pair in (both[p : q + 1 : q - p], both.T[p : q + 1 : q - p]):
                    pair[:] = c * pair + turn * pair[::-1]
        if largest <= least:
            break
    matrix[:], vectors[:] = both[:size], both[size:]


@instead(ridge_path_rows)
def _ridge_path(
    x: Floats,
    y: Floats,
    strengths: Floats,
    least: float,
    slopes: Floats,
    levels: Floats,
    residuals: Floats,
) -> None:
    count, size = x.shape
    level, centre = np.float64(0.0), np.zeros(size)
    for s in range(count):
        level += y[s] / count
        centre += x[s] / count
    z = x - centre
    moment, gram = added(z * (y - level)[:, np.newaxis]), np.zeros((size, size))
    for row in z:
        gram += row[:, np.newaxis] * row
    basis = np.empty((size, size))
    _eigen(gram, basis)
    squares = np.diagonal(gram)
    shrink = 1.0 / (np.where(squares < 0.0, 0.0, squares) + strengths[:, np.newaxis])
    inner = added(basis * moment[:, np.newaxis]) * shrink
    for m in range(len(strengths)):
        slopes[m] = added(basis.T * inner[m, :, np.newaxis])
    levels[:] = added(-(slopes * centre).T, level)
    for s in range(count):
        turned = added(basis * z[s, :, np.newaxis])
        fit = added(inner.T * turned[:, np.newaxis])
        room = 1.0 - added((turned * turned)[:, np.newaxis] * shrink.T, 1.0 / count)
        residuals[:, s] = (y[s] - level - fit) / np.where(least > room, least, room)
