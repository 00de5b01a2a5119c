"""A Gaussian process over the settings of a study, scikit-learn's with priors on its parameters.

The kernel is a²·Matérn(5/2) with a length for every column, and a nugget ν². With few trials the
likelihood alone says little about so many lengths, so they are found by the largest posterior density.
A length is log-normal around e^√2·√d, as distances grow with the number of columns d [Hvarfner 2024];
a² is log-normal around 1, ν² around e⁻⁴, both of standardised values.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
import scipy

from weitzman.arrays import Floats

_MANY = 300
"""The largest number of trials that one process is fitted to: the best third of them, and the latest."""
_STARTS = (0.5, 2.0)
"""Lengths that the search for the best ones begins at, as multiples of the middle of the prior."""
_LONGEST = 40


@dataclass(frozen=True, eq=False)
class Surface:
    """A function that is known at some points, and believed elsewhere to be near them.

    ``nugget`` is the variance that nearby points do not share: what a function has beside a smooth one, or
    the noise of its values.
    """

    process: Any
    middle: float
    scale: float
    nugget: float

    def at(self, columns: Floats) -> tuple[Floats, Floats]:
        """Return the mean and the standard deviation of a new value at each point."""
        mean, spread = self.process.predict(columns, return_std=True)
        return self.middle + self.scale * mean, self.scale * spread

    def new(self, columns: Floats, *, noisy: bool) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of what a trial may find: its value, or its mean if noisy."""
        mean, spread = self.at(columns)
        if noisy:
            spread = np.sqrt(np.maximum(spread * spread - self.nugget, 0.0))
        return mean, np.maximum(spread, 1e-12 * self.scale)


def fit_parameters(columns: Floats, values: Floats) -> Floats:
    """Return the parameters of the kernel with the largest posterior density, as logarithms."""
    columns, values = thinned(columns, values)
    width = columns.shape[1]
    middle = sqrt(2.0) + 0.5 * log(width)
    process = _process(columns, _standard(values)[0])

    def density(theta: Any) -> tuple[float, Floats]:
        likely, slope = process.log_marginal_likelihood(theta, True, clone_kernel=False)
        more, steeper = _against_prior(theta, middle)
        return more - float(likely), steeper - slope

    found = []
    for factor in _STARTS:
        start = np.array([0.0, *([middle - 1.5 + log(factor)] * width), -4.0])
        settings: Any = {"bounds": process.kernel.bounds, "options": {"maxiter": _LONGEST}}
        best = scipy.optimize.minimize(density, start, jac=True, method="L-BFGS-B", **settings)
        found.append(best)
    return np.asarray(min(found, key=lambda one: float(one.fun)).x)


def _against_prior(theta: Floats, middle: float) -> tuple[float, Floats]:
    """Return what the prior takes from the log density, and its slope."""
    # Densities of the parameters themselves, not of their logarithms: log p has −log ℓ beside the square
    centre = np.array([0.0, *([middle] * (theta.size - 2)), -4.0])
    variance = np.array([1.0, *([3.0] * (theta.size - 2)), 1.0])
    gap = theta - centre
    return float((0.5 * gap * gap / variance + theta).sum()), gap / variance + 1.0


def fit_surface(columns: Floats, values: Floats, theta: Floats) -> Surface:
    """Return the surface through values at points, with the parameters of its kernel."""
    columns, values = thinned(columns, values)
    standard, middle, scale = _standard(values)
    process = _process(columns, standard, theta)
    return Surface(process, middle, scale, scale * scale * float(np.exp(theta[-1])))


def _standard(values: Floats) -> tuple[Floats, float, float]:
    middle, scale = float(values.mean()), float(values.std())
    least = max(8.0 * float(np.spacing(np.abs(values).max())), 1e-200)
    if scale <= least:  # they are all the same
        return np.zeros(values.size), middle, least
    return (values - middle) / scale, middle, scale


def _process(columns: Floats, values: Floats, theta: Floats | None = None) -> Any:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    lengths = Matern(np.ones(columns.shape[1]), (2e-2, 1e3), nu=2.5)
    nugget = WhiteKernel(np.exp(-4.0), (1e-6, 1.0))
    kernel = ConstantKernel(1.0, (1e-2, 1e2)) * lengths + nugget
    if theta is not None:
        kernel = kernel.clone_with_theta(theta)
    return GaussianProcessRegressor(kernel, alpha=1e-10, optimizer=None).fit(columns, values)


def thinned(columns: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return at most so many points as a process can be fitted to in reasonable time."""
    if len(values) <= _MANY:
        return columns, values
    keep = np.zeros(len(values), dtype=np.bool_)
    keep[np.argsort(values, kind="stable")[: _MANY // 3]] = True
    latest = np.flatnonzero(~keep)[-(_MANY - _MANY // 3) :]
    keep[latest] = True
    return columns[keep], values[keep]
