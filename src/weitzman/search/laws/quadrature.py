"""Adaptive quadrature over many panels at once.

:func:`areas` applies the 15-point Gauss–Kronrod rule to every panel between given edges in one
call of the integrand, splits the panels whose error estimate is too large, and goes on with those
alone. The estimate is QUADPACK's: with K the Kronrod and G the embedded 7-point Gauss sum and V the
panel's mean absolute deviation, V·min(1, (200|K − G|/V)^1.5) [Piessens 1983]. A panel is accepted
when its estimate is below its share of the tolerance, or below what rounding leaves. Edges belong
where the integrand jumps or bends; what is missed there costs splits, unless it is
narrower than the nodes are apart.

:func:`integrate_tail` continues a non-increasing integrand to infinity over panels of doubling
width, until it is exactly zero or the numbers end; there the rest of a power tail is its geometric
series, and a tail whose panels no longer shrink has an infinite integral.
"""

from collections.abc import Callable

import numpy as np

from weitzman.arrays import Floats

Integrand = Callable[[Floats], Floats]

_HALF_NODES = np.array(
    [
        0.991455371120812639206854697526329,
        0.949107912342758524526189684047851,
        0.864864423359769072789712788640926,
        0.741531185599394439863864773280788,
        0.586087235467691130294144691693013,
        0.405845151377397166906606412076961,
        0.207784955007898467600689403773245,
    ]
)
_HALF_KRONROD = np.array(
    [
        0.022935322010529224963732008058970,
        0.063092092629978553290700663189204,
        0.104790010322250183839876322541518,
        0.140653259715525918745189590510238,
        0.169004726639267902826583426598550,
        0.190350578064785409913256402421014,
        0.204432940075298892414161999234649,
    ]
)
_HALF_GAUSS = np.array(
    [
        0.129484966168869693270611432679082,
        0.279705391489276667901467771423780,
        0.381830050505118944950369775488975,
    ]
)
_NODES = np.concatenate([-_HALF_NODES, [0.0], _HALF_NODES[::-1]])
_KRONROD = np.concatenate(
    [_HALF_KRONROD, [0.209482141084727828012999174891714], _HALF_KRONROD[::-1]]
)
_GAUSS = np.concatenate([_HALF_GAUSS, [0.417959183673469387755102040816327], _HALF_GAUSS[::-1]])
_EPS = float(np.finfo(np.float64).eps)
_LARGEST = 1e300
_TAIL_BLOCK = 64
_MOST_SPLITS = 256
# The last height before zero tells a tail that ends in rounding from one that decays or ends.
_ACCURATE, _ROUNDED, _DIGITS = 1e-30, 1e-13, 1e-11


def integrate(f: Integrand, edges: Floats, *, whole: float = 0.0) -> float:
    """Return ∫ f over the panels between the sorted ``edges``; ``whole`` as in :func:`areas`.

    Examples
    --------
    >>> round(integrate(np.exp, np.array([0.0, 1.0])), 12)
    1.718281828459
    """
    return float(np.sum(areas(f, edges[:-1], edges[1:], whole=whole, together=True)))


def areas(
    f: Integrand,
    left: Floats,
    right: Floats,
    *,
    whole: float | Floats = 0.0,
    together: bool = False,
    tolerance: float = 1e-14,
    levels: int = 60,
) -> Floats:
    """Return ∫ f over each panel from ``left`` to ``right``.

    Each error is about ``tolerance`` times the larger of the panel's own ∫ |f| and ``whole``, the
    size of a sum that it is a part of, one for all or one per panel. ``together`` says that the
    panels themselves are that sum.
    """
    result = np.zeros(left.shape)
    if left.size == 0:
        return result
    sizes = np.broadcast_to(np.asarray(whole, dtype=np.float64), left.shape)
    owner = np.arange(left.size)
    for _ in range(levels):
        kronrod, estimate, size = _panels(f, left, right)
        share = tolerance * sizes[owner]
        if together:
            share = np.maximum(share, tolerance * float(np.sum(size))) / result.size
        split = estimate > np.maximum(share, 50.0 * _EPS * size)
        np.add.at(result, owner[~split], kronrod[~split])
        if not split.any():
            return result
        if np.count_nonzero(split) > _MOST_SPLITS + result.size:
            # A jump or singularity splits a panel or two per level; noise splits them all.
            np.add.at(result, owner[split], kronrod[split])
            return result
        a, b, owner = left[split], right[split], np.tile(owner[split], 2)
        middle = 0.5 * (a + b)
        left, right = np.concatenate([a, middle]), np.concatenate([middle, b])
    # Panels this small (2^-levels of the first) hold a jump, not area.
    np.add.at(result, owner, _panels(f, left, right)[0])
    return result


def integrate_tail(f: Integrand, start: float, width: float) -> float:
    """Return ∫ f from ``start`` to +∞ for a non-increasing f ≥ 0; +∞ if it diverges.

    ``width`` is at most the scale on which f changes at ``start``; a smaller one costs a few panels.

    Examples
    --------
    >>> round(integrate_tail(lambda x: np.exp(-x), 0.0, 1.0), 12)
    1.0
    >>> integrate_tail(lambda x: 1.0 / (1.0 + x), 0.0, 1.0)
    inf
    """
    edges, rest = tail_panels(f, start, width)
    return integrate(f, edges) + rest


def tail_panels(f: Integrand, start: float, width: float) -> tuple[Floats, float]:
    """Return edges of panels of doubling width that cover the tail, and what lies beyond them."""
    edges = np.array([start])
    while True:
        steps = np.arange(edges.size - 1, edges.size + _TAIL_BLOCK)
        with np.errstate(over="ignore"):
            block = start + width * np.expm1(steps * np.log(2.0))
        block = block[block < _LARGEST]
        heights = f(block)
        alive = int(np.count_nonzero(heights > 0.0))
        edges = np.concatenate([edges[:-1], block[: alive + 1]])
        if alive < block.size:
            return _ended(f, edges)
        if block.size <= _TAIL_BLOCK:
            return edges, _power_rest(f, edges[-3:])


def _ended(f: Integrand, edges: Floats) -> tuple[Floats, float]:
    """Return a tail that has reached zero as far as it has digits, and what lies beyond.

    A function that is 1 minus something drops to zero from about 1e-16, whatever its tail is, and one
    that squares its argument does so at 1e154. If the panels do not shrink where it still has digits,
    the rest is that of a power tail. One that ends at a visible height has a bounded support.
    """
    heights = f(edges)
    last = heights[heights > 0.0][-1:]
    if last.size == 0 or last[0] > _ROUNDED:
        return edges, 0.0
    kept = edges[heights >= (_DIGITS if last[0] > _ACCURATE else last[0])]
    if kept.size < 3 or _ratio(f, kept[-3:])[0] < 0.5:
        return edges, 0.0
    return kept, _power_rest(f, kept[-3:])


def _panels(f: Integrand, left: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each panel's Kronrod sum, error estimate and ∫ |f|."""
    half = 0.5 * (right - left)
    x = (0.5 * (left + right))[:, None] + half[:, None] * _NODES
    y = f(x.ravel()).reshape(x.shape)
    mean = 0.5 * (y @ _KRONROD)
    kronrod = 2.0 * half * mean
    difference = np.abs(kronrod - half * (y[:, 1::2] @ _GAUSS))
    deviation = half * (np.abs(y - mean[:, None]) @ _KRONROD)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(deviation > 0.0, 200.0 * difference / deviation, 0.0)
    estimate = deviation * np.minimum(1.0, relative**1.5)
    return kronrod, estimate, half * (np.abs(y) @ _KRONROD)


def _ratio(f: Integrand, edges: Floats) -> tuple[float, float]:
    """Return the ratio of the areas of two panels, and the second area."""
    before, last = areas(f, edges[:2], edges[1:])
    return (float(last / before) if before > 0.0 else 0.0), float(last)


def _power_rest(f: Integrand, edges: Floats) -> float:
    """Return what a power tail holds beyond the last of three edges of doubling distance."""
    ratio, last = _ratio(f, edges)
    # A tail 1/x has ratio 1 up to rounding; so has every heavier one, or more.
    return float("inf") if ratio > 1.0 - 1e-6 else last * ratio / (1.0 - ratio)
