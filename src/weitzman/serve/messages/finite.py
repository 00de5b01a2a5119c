"""Numbers that JSON has not: where one stands in what is sent or was read."""

import math
from typing import Any

import numpy as np

__all__ = ["first_infinite"]


def first_infinite(thing: Any, path: str = "") -> tuple[str, float] | None:
    """Return the path of the first NaN or infinity and the number itself; None if there is none.

    >>> first_infinite({"values": {"a": 1.0, "b": [2.0, math.inf]}})
    ('values.b[1]', inf)
    """
    if isinstance(thing, np.ndarray | np.generic):
        thing = thing.tolist()
    if isinstance(thing, float):
        return None if math.isfinite(thing) else (path, thing)
    if isinstance(thing, dict):
        parts = ((f"{path}.{k}" if path else str(k), v) for k, v in thing.items())
    elif isinstance(thing, list | tuple):
        parts = ((f"{path}[{i}]", v) for i, v in enumerate(thing))
    else:
        return None
    return next((p for k, v in parts if (p := first_infinite(v, k)) is not None), None)
