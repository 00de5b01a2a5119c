"""What was done with each option over many rounds: checked first, checked at all, kept, paid, found.

The table of a replay and that of the service are this one: a replay counts what a policy did on a log, the
service what was done live.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weitzman.arrays import Flags, Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Option:
    """What was done with one option, as shares of all rounds.

    ``paid`` is what checking it cost per round, and ``value`` the mean of what was found, in the user's
    sense; NaN if nothing was.
    """

    name: str
    first: float
    checked: float
    kept: float
    paid: float
    value: float


def options_of(
    names: Sequence[str],
    *,
    places: Ints,
    is_first: Flags,
    paid: Floats,
    values: Floats,
    kept: Ints,
) -> list[Option]:
    """Return what was done with each option, those that are checked first most on top.

    Each look has the place of its box, whether it was the first of its round, what was ``paid`` and what was
    found, NaN where nothing came. ``kept`` has one place per round, negative where no option was kept.

    Examples
    --------
    >>> found = options_of(
    ...     ["a", "b"],
    ...     places=np.array([0, 1, 1]),
    ...     is_first=np.array([True, False, True]),
    ...     paid=np.array([1.0, 0.5, 0.5]),
    ...     values=np.array([9.0, 3.0, 5.0]),
    ...     kept=np.array([1, 1]),
    ... )
    >>> [(o.name, o.first, o.checked, o.kept, o.paid, o.value) for o in found]
    [('b', 0.5, 1.0, 1.0, 0.5, 4.0), ('a', 0.5, 0.5, 0.0, 0.5, 9.0)]
    """
    n, rounds = len(names), max(1, len(kept))
    came = ~np.isnan(values)
    checked = np.bincount(places, minlength=n)
    first = np.bincount(places[is_first], minlength=n)
    keeps = np.bincount(kept[kept >= 0], minlength=n)
    # Added one after the other, as they come
    spent = np.bincount(places, weights=paid, minlength=n)
    with np.errstate(invalid="ignore"):
        total = np.bincount(places[came], weights=values[came], minlength=n)
        mean = total / np.bincount(places[came], minlength=n)
    return [
        Option(
            name=names[k],
            first=float(first[k] / rounds),
            checked=float(checked[k] / rounds),
            kept=float(keeps[k] / rounds),
            paid=float(spent[k] / rounds),
            value=float(mean[k]),
        )
        for k in np.lexsort((-checked, -first))
    ]
