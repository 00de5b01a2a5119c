"""The types of arrays that all rooms use."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Arrays = dict[str, NDArray[np.generic]]
"""Arrays by name, such as a state that is saved."""
