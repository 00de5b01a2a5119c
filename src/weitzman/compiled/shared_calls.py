"""Compiled calls that many banks share.

To find out the types of twenty arrays, and the machine code for them, takes half a millisecond: much for
a service that holds a thousand problems, each with a bank of its own. What one bank has found out serves all
whose arguments are of the same kinds.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from weitzman.compiled.decorators import Native

__all__ = ["SharedNative", "kind_of"]

_known: dict[Any, Callable[..., Any]] = {}


def kind_of(thing: Any) -> Any:
    """Return what the machine code for an argument depends on.

    >>> kind_of((np.zeros(2), 1)) == kind_of((np.ones(5), 7))
    True
    >>> kind_of(np.zeros(2)) == kind_of(np.zeros((2, 2)))
    False
    """
    if isinstance(thing, np.ndarray):
        flags = thing.flags
        order = flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned
        return thing.dtype, thing.ndim, order
    if isinstance(thing, tuple):
        return type(thing), tuple(map(kind_of, thing))
    return type(thing)


class SharedNative(Native):
    """An entry whose argument types are looked at once for all that have the same kinds of arguments."""

    def _first_call(self, *arguments: Any) -> Any:
        kind = self._function, kind_of(arguments)
        found = _known.get(kind)
        if found is None:
            result = super()._first_call(*arguments)
            _known[kind] = self.call
            return result
        self.call = found
        return found(*arguments)
