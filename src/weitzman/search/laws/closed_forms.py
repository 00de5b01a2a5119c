"""Families of values in standard form: location 0, scale 1.

A :class:`Standard` answers for Y what a law must answer for v = loc + scale·Y. The table
:data:`CLOSED` holds the families of scipy.stats whose expected excess has a closed form, written so
that small tails keep their digits. With φ, Φ the normal density and cdf, and I, P, Q the
regularised incomplete beta and gamma functions:

================  =====================================================================
uniform           ½y² on [0, 1]
norm              y Φ(y) + φ(y)
expon             y − 1 + e⁻ʸ
logistic          log(1 + eʸ)
bernoulli         (1 − p) y on [0, 1]
gamma             y P(a, y) − a P(a + 1, y)
beta              y I_y(a, b) − a/(a + b) I_y(a + 1, b)
lognorm           y Φ(log y / s) − exp(s²/2) Φ(log y / s − s)
pareto            ∫₁ʸ (1 − x⁻ᵇ) dx
weibull_min       y (1 − e⁻ᶻ) − Γ(1 + 1/c) P(1 + 1/c, z), z = yᶜ
================  =====================================================================

uniform, logistic, bernoulli and, from above, expon also have a closed root; norm and expon have a
start so good that a fixed number of Newton steps reaches the last digit. Every other family goes
through :mod:`weitzman.search.laws.numeric`.

Powers are ``np.power``: of two numbers ``**`` is the power of the C library, of arrays it is numpy's
own, and with AVX-512 the two differ in the last bit.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy  # scipy.special takes 0.3 s to load: scipy loads it when it is first named

from weitzman.arrays import Floats
from weitzman.search.laws.family import Standard
from weitzman.search.laws.normal import normal_excess, normal_root

# Beyond this a tail is zero, and a product with it too; +∞ would make it NaN.
_FAR = 1e300


def _uniform_excess(y: Floats) -> Floats:
    inside = np.clip(y, 0.0, 1.0)
    return 0.5 * inside * inside + np.maximum(y - 1.0, 0.0)


def _uniform_root(k: Floats) -> Floats:
    return np.where(k < 0.5, np.sqrt(2.0 * k), k + 0.5)


def _exponential_below(y: Floats) -> Floats:
    y = np.maximum(y, 0.0)
    # The Taylor series where y − 1 + e⁻ʸ would cancel; its next term is below 1e-17 of the first.
    small = np.minimum(y, 0.02)
    series = np.zeros_like(small)
    for k in range(9, 1, -1):
        series = (1.0 - series) * small / k
    return np.where(y < 0.02, small * series, y + np.expm1(-y))


def _exponential_root(k: Floats) -> Any:
    """Return y with y − 1 + e⁻ʸ = k, by Newton from the two ends of its range."""
    y = np.where(k < 1.0, np.sqrt(2.0 * k) + k / 3.0, k + 1.0)
    for _ in range(5):
        y = y + (k - _exponential_below(y)) / -np.expm1(-y)
    return y


def _logistic_root(k: Floats) -> Floats:
    return k + np.log(-np.expm1(-k))


def _bernoulli_root(k: Floats, p: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(k < 1.0 - p, k / (1.0 - p), k + p)


def _gamma_below(y: Floats, a: Floats) -> Any:
    z = np.clip(y, 0.0, _FAR)
    return z * scipy.special.gammainc(a, z) - a * scipy.special.gammainc(a + 1.0, z)


def _gamma_above(y: Floats, a: Floats) -> Any:
    z = np.clip(y, 0.0, _FAR)
    tail = a * scipy.special.gammaincc(a + 1.0, z) - z * scipy.special.gammaincc(a, z)
    return tail + np.maximum(z - y, 0.0)


def _beta_below(y: Floats, a: Floats, b: Floats) -> Any:
    z = np.clip(y, 0.0, 1.0)
    inside = z * scipy.special.betainc(a, b, z) - a / (a + b) * scipy.special.betainc(a + 1.0, b, z)
    return inside + np.maximum(y - 1.0, 0.0)


def _lognormal_parts(y: Floats, s: Floats) -> tuple[Floats, Floats, Floats]:
    z = np.clip(y, 0.0, _FAR)
    with np.errstate(divide="ignore"):
        return z, np.log(z) / s, np.exp(0.5 * s * s)


def _lognormal_below(y: Floats, s: Floats) -> Any:
    z, depth, mean = _lognormal_parts(y, s)
    return z * scipy.special.ndtr(depth) - mean * scipy.special.ndtr(depth - s)


def _lognormal_above(y: Floats, s: Floats) -> Any:
    z, depth, mean = _lognormal_parts(y, s)
    tail = mean * scipy.special.ndtr(s - depth) - z * scipy.special.ndtr(-depth)
    return tail + np.maximum(z - y, 0.0)


def _pareto_below(y: Floats, b: Floats) -> Any:
    # boxcox1p-like: (y^(1−b) − 1)/(1 − b), which is log y at b = 1.
    z = np.maximum(y, 1.0)
    return (z - 1.0) - scipy.special.boxcox(z, 1.0 - b)


def _pareto_above(y: Floats, b: Floats) -> Floats:
    z = np.maximum(y, 1.0)
    with np.errstate(divide="ignore"):
        tail = np.where(b > 1.0, np.power(z, 1.0 - b) / (b - 1.0), np.inf)
    return tail + np.maximum(1.0 - y, 0.0)


def _pareto_mean(b: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.where(b > 1.0, b / (b - 1.0), np.inf)


def _weibull_parts(y: Floats, c: Floats) -> tuple[Floats, Floats, Floats, Any]:
    z, shape = np.clip(y, 0.0, _FAR), 1.0 + 1.0 / c
    with np.errstate(over="ignore"):
        return z, np.power(z, c), shape, scipy.special.gamma(shape)


def _weibull_below(y: Floats, c: Floats) -> Any:
    z, t, shape, mean = _weibull_parts(y, c)
    return -z * np.expm1(-t) - mean * scipy.special.gammainc(shape, t)


def _weibull_above(y: Floats, c: Floats) -> Any:
    z, t, shape, mean = _weibull_parts(y, c)
    tail = mean * scipy.special.gammaincc(shape, t) - z * np.exp(-t)
    return tail + np.maximum(z - y, 0.0)


def _between(low: float, high: float) -> Callable[..., tuple[float, float]]:
    return lambda *shapes: (low, high)


CLOSED: Final[dict[str, Standard]] = {
    "uniform": Standard(
        cdf=lambda y: np.clip(y, 0.0, 1.0),
        sf=lambda y: np.clip(1.0 - y, 0.0, 1.0),
        below=_uniform_excess,
        above=lambda y: _uniform_excess(1.0 - y),
        mean=lambda: 0.5,
        quantile=lambda p: p,
        support=_between(0.0, 1.0),
        solve_below=_uniform_root,
        solve_above=lambda k: 1.0 - _uniform_root(k),
    ),
    "norm": Standard(
        cdf=lambda y: scipy.special.ndtr(y),
        sf=lambda y: scipy.special.ndtr(-y),
        below=normal_excess,
        above=lambda y: normal_excess(-y),
        mean=lambda: 0.0,
        quantile=lambda p: scipy.special.ndtri(p),
        support=_between(-np.inf, np.inf),
        solve_below=normal_root,
        solve_above=lambda k: -normal_root(k),
    ),
    "expon": Standard(
        cdf=lambda y: -np.expm1(-np.maximum(y, 0.0)),
        sf=lambda y: np.exp(-np.maximum(y, 0.0)),
        below=_exponential_below,
        above=lambda y: np.where(y > 0.0, np.exp(-np.maximum(y, 0.0)), 1.0 - y),
        mean=lambda: 1.0,
        quantile=lambda p: -np.log1p(-p),
        support=_between(0.0, np.inf),
        solve_below=_exponential_root,
        solve_above=lambda k: np.where(k < 1.0, -np.log(k), 1.0 - k),
    ),
    "logistic": Standard(
        cdf=lambda y: scipy.special.expit(y),
        sf=lambda y: scipy.special.expit(-y),
        below=lambda y: np.logaddexp(0.0, y),
        above=lambda y: np.logaddexp(0.0, -y),
        mean=lambda: 0.0,
        quantile=lambda p: scipy.special.logit(p),
        support=_between(-np.inf, np.inf),
        solve_below=_logistic_root,
        solve_above=lambda k: -_logistic_root(k),
    ),
    "bernoulli": Standard(
        cdf=lambda y, p: np.where(y < 0.0, 0.0, np.where(y < 1.0, 1.0 - p, 1.0)),
        sf=lambda y, p: np.where(y < 0.0, 1.0, np.where(y < 1.0, p, 0.0)),
        atom=lambda y, p: np.where(y == 0.0, 1.0 - p, np.where(y == 1.0, p, 0.0)),
        below=lambda y, p: (1.0 - p) * np.clip(y, 0.0, 1.0) + np.maximum(y - 1.0, 0.0),
        above=lambda y, p: p * np.clip(1.0 - y, 0.0, 1.0) + np.maximum(-y, 0.0),
        mean=lambda p: p,
        quantile=lambda u, p: np.where(u <= 1.0 - p, 0.0, 1.0),
        support=lambda p: (np.where(p < 1.0, 0.0, 1.0), np.where(p > 0.0, 1.0, 0.0)),
        kinks=(0.0, 1.0),
        is_step=True,
        solve_below=_bernoulli_root,
        solve_above=lambda k, p: 1.0 - _bernoulli_root(k, 1.0 - p),
    ),
    "gamma": Standard(
        cdf=lambda y, a: scipy.special.gammainc(a, np.maximum(y, 0.0)),
        sf=lambda y, a: scipy.special.gammaincc(a, np.maximum(y, 0.0)),
        below=_gamma_below,
        above=_gamma_above,
        mean=lambda a: a,
        quantile=lambda p, a: scipy.special.gammaincinv(a, p),
        support=_between(0.0, np.inf),
    ),
    "beta": Standard(
        cdf=lambda y, a, b: scipy.special.betainc(a, b, np.clip(y, 0.0, 1.0)),
        sf=lambda y, a, b: scipy.special.betaincc(a, b, np.clip(y, 0.0, 1.0)),
        below=_beta_below,
        above=lambda y, a, b: _beta_below(1.0 - y, b, a),
        mean=lambda a, b: a / (a + b),
        quantile=lambda p, a, b: scipy.special.betaincinv(a, b, p),
        support=_between(0.0, 1.0),
    ),
    "lognorm": Standard(
        cdf=lambda y, s: scipy.special.ndtr(_lognormal_parts(y, s)[1]),
        sf=lambda y, s: scipy.special.ndtr(-_lognormal_parts(y, s)[1]),
        below=_lognormal_below,
        above=_lognormal_above,
        mean=lambda s: np.exp(0.5 * s * s),
        quantile=lambda p, s: np.exp(s * scipy.special.ndtri(p)),
        support=_between(0.0, np.inf),
    ),
    "pareto": Standard(
        cdf=lambda y, b: -np.expm1(-b * np.log(np.maximum(y, 1.0))),
        sf=lambda y, b: np.power(np.maximum(y, 1.0), -b),
        below=_pareto_below,
        above=_pareto_above,
        mean=_pareto_mean,
        quantile=lambda p, b: np.exp(-np.log1p(-p) / b),
        support=_between(1.0, np.inf),
    ),
    "weibull_min": Standard(
        cdf=lambda y, c: -np.expm1(-np.power(np.maximum(y, 0.0), c)),
        sf=lambda y, c: np.exp(-np.power(np.maximum(y, 0.0), c)),
        below=_weibull_below,
        above=_weibull_above,
        mean=lambda c: scipy.special.gamma(1.0 + 1.0 / c),
        quantile=lambda p, c: np.power(-np.log1p(-p), 1.0 / c),
        support=_between(0.0, np.inf),
    ),
}
"""The closed families, by their name in scipy.stats."""
