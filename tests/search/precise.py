"""Expected excesses to some forty digits, and by quadrature: what the library is held against.

The closed families are summed as power series in :mod:`decimal`, from the textbook definitions of the
distributions. Everything else is the area under the cdf, panel by panel, by Gauss's rule.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

Side = Callable[[Decimal], Decimal]
DIGITS = 60
_HALF, _ONE = Decimal("0.5"), Decimal(1)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")


@cache
def _bernoulli_numbers(count: int) -> list[Fraction]:
    numbers = [Fraction(1)]
    for m in range(1, count):
        total, choose = Fraction(0), 1
        for k in range(m):
            total += choose * numbers[k]
            choose = choose * (m + 1 - k) // (k + 1)
        numbers.append(-total / (m + 1))
    return numbers


@cache
def gamma_function(z: Decimal) -> Decimal:
    """Return Γ(z) for z > 0, by Stirling's series at z + 120."""
    product, x = _ONE, z
    while x < 120:
        product *= x
        x += 1
    log = (x - _HALF) * x.ln() - x + (2 * _PI).ln() / 2
    for n, b in enumerate(_bernoulli_numbers(60)[2::2], start=1):
        log += Decimal(b.numerator) / b.denominator / (2 * n * (2 * n - 1)) / x ** (2 * n - 1)
    return log.exp() / product


def normal_cdf(x: Decimal) -> Decimal:
    """Return Φ(x); exactly 0 or 1 beyond 40."""
    if abs(x) > 40:
        return Decimal(0) if x < 0 else _ONE
    term = total = x
    k = 1
    while abs(term) > Decimal("1e-75") and k < 20000:
        term *= x * x / (2 * k + 1)
        total += term
        k += 1
    return _HALF + (-x * x / 2).exp() / (2 * _PI).sqrt() * total


def gamma_cdf(a: Decimal, x: Decimal) -> Decimal:
    """Return P(a, x)."""
    if x <= 0:
        return Decimal(0)
    if x > a + 60 * a.sqrt() + 300:
        return _ONE
    term = total = _ONE
    n = 1
    while term > total * Decimal("1e-65"):
        term *= x / (a + n)
        total += term
        n += 1
    if a > 150:
        log = a * x.ln() - x - _log_gamma_large(a + 1)
        return log.exp() * total
    return x**a * (-x).exp() / gamma_function(a + 1) * total


def _log_gamma_large(x: Decimal) -> Decimal:
    log = (x - _HALF) * x.ln() - x + (2 * _PI).ln() / 2
    for n, b in enumerate(_bernoulli_numbers(60)[2::2], start=1):
        log += Decimal(b.numerator) / b.denominator / (2 * n * (2 * n - 1)) / x ** (2 * n - 1)
    return log


def beta_cdf(a: Decimal, b: Decimal, x: Decimal) -> Decimal:
    """Return I_x(a, b)."""
    if x <= 0:
        return Decimal(0)
    if x >= 1:
        return _ONE
    if x > _HALF:
        return _ONE - beta_cdf(b, a, _ONE - x)
    term, total, n = _ONE, _ONE / a, 0
    while abs(term) > Decimal("1e-70") and n < 2000:
        term *= (n + 1 - b) * x / (n + 1)
        n += 1
        total += term / (a + n)
    return x**a * total * gamma_function(a + b) / (gamma_function(a) * gamma_function(b))


def _uniform(y: Decimal) -> Decimal:
    inside = min(max(y, Decimal(0)), _ONE)
    return inside * inside / 2 + max(y - 1, Decimal(0))


def _normal(y: Decimal) -> Decimal:
    density = (-y * y / 2).exp() / (2 * _PI).sqrt() if abs(y) < 40 else Decimal(0)
    return y * normal_cdf(y) + density


def _exponential(y: Decimal) -> Decimal:
    return y - 1 + (-y).exp() if y > 0 else Decimal(0)


def _logistic(y: Decimal) -> Decimal:
    return (1 + y.exp()).ln() if y < 0 else y + (1 + (-y).exp()).ln()


def _bernoulli(y: Decimal, p: Decimal) -> Decimal:
    return (1 - p) * max(y, Decimal(0)) + p * max(y - 1, Decimal(0))


def _gamma(y: Decimal, a: Decimal) -> Decimal:
    return y * gamma_cdf(a, y) - a * gamma_cdf(a + 1, y) if y > 0 else Decimal(0)


def _beta(y: Decimal, a: Decimal, b: Decimal) -> Decimal:
    if y <= 0:
        return Decimal(0)
    return y * beta_cdf(a, b, y) - a / (a + b) * beta_cdf(a + 1, b, y)


def _lognormal(y: Decimal, s: Decimal) -> Decimal:
    if y <= 0:
        return Decimal(0)
    depth = y.ln() / s
    return y * normal_cdf(depth) - (s * s / 2).exp() * normal_cdf(depth - s)


def _pareto(y: Decimal, b: Decimal) -> Decimal:
    if y <= 1:
        return Decimal(0)
    return (y - 1) - (y.ln() if b == 1 else (y ** (1 - b) - 1) / (1 - b))


def _weibull(y: Decimal, c: Decimal) -> Decimal:
    if y <= 0:
        return Decimal(0)
    z, a = y**c, 1 + 1 / c
    return y * (1 - (-z).exp()) - gamma_function(a) * gamma_cdf(a, z)


_BELOW: dict[str, Callable[..., Decimal]] = {
    "uniform": _uniform,
    "norm": _normal,
    "expon": _exponential,
    "logistic": _logistic,
    "bernoulli": _bernoulli,
    "gamma": _gamma,
    "beta": _beta,
    "lognorm": _lognormal,
    "pareto": _pareto,
    "weibull_min": _weibull,
}
_MEANS: dict[str, Callable[..., Decimal]] = {
    "uniform": lambda: _HALF,
    "norm": lambda: Decimal(0),
    "expon": lambda: _ONE,
    "logistic": lambda: Decimal(0),
    "bernoulli": lambda p: p,
    "gamma": lambda a: a,
    "beta": lambda a, b: a / (a + b),
    "lognorm": lambda s: (s * s / 2).exp(),
    "pareto": lambda b: b / (b - 1),
    "weibull_min": lambda c: gamma_function(1 + 1 / c),
}
FAMILIES = tuple(_BELOW)


def family_excess(
    family: str, shapes: tuple[float, ...], loc: float, scale: float, s: float, sense: str = "min"
) -> Decimal:
    """Return E(s − v)⁺, or E(v − s)⁺ for ``max``, of loc + scale·Y, as if all floats were exact."""
    with localcontext() as context:
        context.prec = DIGITS
        exact = [Decimal(a) for a in shapes]
        y = (Decimal(s) - Decimal(loc)) / Decimal(scale)
        below = _BELOW[family](y, *exact)
        if sense == "min":
            return Decimal(scale) * below
        return Decimal(scale) * (_MEANS[family](*exact) - y + below)


def normal_excess(s: float, loc: float = 0.0, scale: float = 1.0, sense: str = "min") -> Decimal:
    """Return the expected excess of a normal value."""
    return family_excess("norm", (), loc, scale, s, sense)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def area(f: Callable[[Any], Any], start: float, width: float, *, end: float = np.inf) -> float:
    """Return ∫ f from ``start`` to ``end`` > start, over panels of doubling width.

    Each panel is an eightfold Gauss rule of 24 points; f is smooth on the scale of ``width``.
    """
    total, a = 0.0, start
    with np.errstate(all="ignore"):
        for _ in range(1000):
            b = min(a + width, end)
            part = _panel(f, a, b)
            total += part
            if b >= end or part <= 1e-19 * total:
                break
            a, width = b, 2.0 * width
    return total


def _panel(f: Callable[[Any], Any], a: float, b: float) -> float:
    edges = np.linspace(a, b, 9)
    half = 0.5 * np.diff(edges)[:, None]
    x = edges[:-1, None] + half * (1.0 + _NODES)
    return float(np.sum(f(x) * half * _WEIGHTS))
