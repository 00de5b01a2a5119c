"""Several rank-one changes of a matrix, one after the other: the same bits as one by one, in fewer passes.

A matrix of many features does not fit into the first cache. So all that comes to a line is done while it is
near: the changes of a Gram matrix line by line, and a change of an inverse together with the product that the
next one begins with. The changes are picked rows of an array, each with its factor behind x.
"""

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import compiled
from weitzman.compiled.linalg import (
    add_outer_by_rows,
    dot,
    is_safe,
    rank_one_by_rows,
    symmetric_product,
)
from weitzman.compiled.plain import instead


@compiled
def add_outers(high: Floats, low: Floats, rows: Floats, picked: Ints, factor_at: int) -> None:
    """Do :func:`~weitzman.compiled.linalg.add_outer` for picked rows, one after the other."""
    size = high.shape[0]
    for k in range(size):
        # All that comes to a line at once, while it is near
        above, below = high[k], low[k]
        for i in range(picked.shape[0]):
            x = rows[picked[i]]
            factor, along = x[factor_at], x[k]
            for j in range(size):
                term = factor * (along * x[j])
                old = above[j]
                new = old + term
                part = new - old
                below[j] += (old - (new - part)) + (term - part)
                above[j] = new


@instead(add_outers)
def _add_outers(high: Floats, low: Floats, rows: Floats, picked: Ints, factor_at: int) -> None:
    for x in rows[picked]:
        add_outer_by_rows(high, low, x, x[factor_at])


@compiled
def _change_and_multiply(
    inverse: Floats, ratio: float, along: Floats, x: Floats, out: Floats
) -> None:
    """Take ratio · along alongᵀ off a symmetric matrix, and set out to what comes out times x."""
    size = inverse.shape[0]
    for j in range(size):
        out[j] = 0.0
    for k in range(size):
        scaled, factor, line = ratio * along[k], x[k], inverse[k]
        for j in range(size):
            line[j] -= scaled * along[j]
            out[j] += factor * line[j]


@compiled
def rank_ones(inverse: Floats, rows: Floats, picked: Ints, factor_at: int, work: Floats) -> int:
    """Do :func:`~weitzman.compiled.linalg.rank_one` for picked rows in turn; return how many were not safe.

    What one row changes is multiplied by the next one while it is near. ``work`` is room for two vectors.
    """
    size, count, refused = inverse.shape[0], picked.shape[0], 0
    if count > 0:
        symmetric_product(inverse, rows[picked[0]], work[0])
    for i in range(count):
        x, product, after = rows[picked[i]], work[i % 2], work[(i + 1) % 2]
        growth = x[factor_at] * dot(x, product, size)
        safe = is_safe(growth)
        ratio = x[factor_at] / (1.0 + growth) if safe else 0.0
        if not safe:
            refused += 1
            if i + 1 < count:
                symmetric_product(inverse, rows[picked[i + 1]], after)
        elif i + 1 < count:
            _change_and_multiply(inverse, ratio, product, rows[picked[i + 1]], after)
        else:
            for k in range(size):
                scaled, line = ratio * product[k], inverse[k]
                for j in range(size):
                    line[j] -= scaled * product[j]
    return refused


@instead(rank_ones)
def _rank_ones(inverse: Floats, rows: Floats, picked: Ints, factor_at: int, work: Floats) -> int:
    changes = [rank_one_by_rows(inverse, x, x[factor_at], work[0]) for x in rows[picked]]
    return changes.count(False)
