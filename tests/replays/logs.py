"""Logs drawn from known laws."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from weitzman.logs.log import Log, read_log

__all__ = ["log_of", "normal_log"]

Floats = NDArray[np.float64]


def log_of(
    values: Floats,
    costs: Floats,
    features: dict[str, Floats] | None = None,
    *,
    outside: float | None = None,
    opened: NDArray[np.bool_] | None = None,
    shared: bool = False,
) -> Log:
    """Return the log of (T, n) arrays; a box is absent where its cost is NaN."""
    rounds, boxes = (a.ravel() for a in np.indices(values.shape))
    columns = {"round": rounds, "box": np.array([f"b{k}" for k in boxes])}
    columns |= {"cost": costs.ravel(), "value": values.ravel()}
    columns |= {name: x.ravel() for name, x in (features or {}).items()}
    if outside is not None:
        columns["outside"] = np.full(values.size, outside)
    if opened is not None:
        columns["opened"] = opened.ravel()
    there = ~np.isnan(costs.ravel())
    table = pa.table({name: pa.array(c[there], from_pandas=True) for name, c in columns.items()})
    return read_log(table, shared=shared)


def normal_log(
    rho: float, *, rounds: int = 400, boxes: int = 5, absent: float = 0.0, seed: int = 0
) -> Log:
    """Return values 3 + k + x + noise of deviation 1 + k/4 and correlation ρ ≥ 0 between boxes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rounds, boxes))
    common, own = rng.normal(size=(rounds, 1)), rng.normal(size=(rounds, boxes))
    k = np.arange(boxes)
    noise = (np.sqrt(rho) * common + np.sqrt(1.0 - rho) * own) * (1.0 + k / 4.0)
    costs = np.where(rng.uniform(size=x.shape) < absent, np.nan, 0.2)
    costs[:2] = 0.2
    return log_of(3.0 + k + x + noise, costs, {"x_a": x})
