"""An open search from its arrays: the other half of :meth:`weitzman.LiveSearch.state`."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.live import LiveSearch
from weitzman.learn.policy import Round, State
from weitzman.learn.running import Running
from weitzman.learn.storage.format import unpack

__all__ = ["reopened"]

_SUBJECT = "The state of a search"


def reopened(
    by: Running, names: Sequence[Hashable], dimension: int, state: State | bytes
) -> LiveSearch[Hashable]:
    """Return the search of a state, for what a searcher runs over boxes of these names."""
    given: State = state if isinstance(state, Mapping) else unpack(state, thing="search")[1]
    try:
        places = given["places"].astype(np.int64)
        round_ = Round(
            contexts=given["contexts"].astype(np.float64),
            costs=given["costs"].astype(np.float64),
            outside=float(given["hand"].astype(np.float64)[0]),
            places=places,
        )
        count = len(places)
        fits = count and 0 <= places.min() <= places.max() < len(names)
        if (
            not fits
            or round_.contexts.shape != (count, dimension)
            or round_.costs.shape != (count,)
        ):
            rule = f"be of {len(names)} boxes and contexts of {dimension} numbers"
            raise InvalidInputError(_SUBJECT, rule, {k: a.shape for k, a in given.items()})
        search = by.reopen([names[place] for place in places.tolist()], round_, given)
        search.restore(given)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidFileError(
            _SUBJECT, "be that of a search of this searcher", str(error)
        ) from None
    return search
