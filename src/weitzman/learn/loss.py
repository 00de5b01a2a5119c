"""The linear-quadratic loss, whose expectation is least at the reservation value.

With z = σ − v and the cost c,

    H_c(z) = ½ (z⁺)² − c z,   H_c′(z) = z⁺ − c.

d/dσ E[H_c(σ − v)] = E(σ − v)⁺ − c, which is zero at the reservation value of v at the cost c,
whatever the distribution of v. H is convex, its slope is continuous and its curvature is 1 where z
> 0 and 0 where z < 0; at z = 0 it is taken as 0. Reference: Atsidakou, Caramanis, Gergatsouli,
Papadigenopoulos, Tzamos, *Contextual Pandora's Box*.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def loss(z: ArrayLike, cost: ArrayLike) -> Any:
    """Return H_c(z).

    >>> float(loss(2.0, cost=0.5))
    1.0
    """
    z = np.asarray(z, dtype=np.float64)
    return np.maximum(z, 0.0) ** 2 / 2.0 - np.asarray(cost) * z


def slope(z: ArrayLike, cost: ArrayLike) -> Any:
    """Return H_c′(z).

    >>> float(slope(2.0, cost=0.5))
    1.5
    """
    return np.maximum(np.asarray(z, dtype=np.float64), 0.0) - np.asarray(cost)


def curvature(z: ArrayLike) -> Any:
    """Return H_c″(z).

    >>> curvature([-1.0, 0.0, 2.0])
    array([0., 0., 1.])
    """
    return (np.asarray(z, dtype=np.float64) > 0.0).astype(np.float64)
