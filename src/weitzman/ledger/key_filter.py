"""Which keys a journal certainly does not hold, without asking it: a Bloom filter.

A key marks k = 3 of m = 2²⁴ places, picked by its hash. A key of which one place is not marked was never
added. With n keys a new one is taken for known with probability about (1 − e^{−kn/m})³: 0.4 % at a million.
Whoever is told "perhaps" asks the journal, so that nothing depends on it but time.
"""

from collections.abc import Sequence

import numpy as np

__all__ = ["KeyFilter"]

_PLACES = 1 << 24
_MASK = _PLACES - 1


class KeyFilter:
    """Remembers keys of problems; may take a new one for known, never a known one for new.

    Attributes
    ----------
    is_complete
        Whether all keys have been added; until then every key is known, perhaps.

    Examples
    --------
    >>> keys = KeyFilter()
    >>> keys.add("p", "r1")
    >>> keys.is_complete = True
    >>> keys.may_hold("p", "r1"), keys.may_hold("p", "r2")
    (True, False)
    """

    def __init__(self) -> None:
        self.is_complete = False
        # One byte a place: threads may mark at the same time
        self._marks = bytearray(_PLACES)

    def add(self, problem: str, key: str) -> None:
        """Remember a key."""
        number = hash((problem, key))
        marks = self._marks
        marks[number & _MASK] = marks[number >> 20 & _MASK] = marks[number >> 40 & _MASK] = 1

    def add_all(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Remember many pairs of problem and key."""
        numbers = np.fromiter(map(hash, pairs), dtype=np.int64, count=len(pairs))
        marks = np.frombuffer(self._marks, dtype=np.uint8)
        for shift in (0, 20, 40):
            marks[numbers >> shift & _MASK] = 1

    def may_hold(self, problem: str, key: str) -> bool:
        """Return whether a key was perhaps added; False is certain."""
        if not self.is_complete:
            return True
        number = hash((problem, key))
        marks = self._marks
        return bool(
            marks[number & _MASK] and marks[number >> 20 & _MASK] and marks[number >> 40 & _MASK]
        )
