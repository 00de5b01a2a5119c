"""An open search from its arrays: the other half of :meth:`weitzman.LiveSearch.state`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np

from weitzman.errors import InvalidFileError, InvalidInputError
from weitzman.learn.live import LiveSearch
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Player, Round, State, parted
from weitzman.learn.storage.format import unpack

if TYPE_CHECKING:
    from collections.abc import Hashable

    from weitzman.learn.searcher import Searcher

_SUBJECT = "The state of a search"


def reopened(
    searcher: "Searcher", player: Player, means: CostMeans, state: State | bytes
) -> "LiveSearch[Hashable]":
    """Return the search of a state, over the boxes of a searcher."""
    # Laws of rounds: loaded where a search is reopened, not with the first searcher
    from weitzman.learn.probing import Bought
    from weitzman.learn.storage.rules import rule_from

    if not isinstance(cast("object", state), Mapping | bytes):
        rule = "be what state() or to_bytes() of a search returned"
        raise InvalidInputError(_SUBJECT, rule, type(state))
    given: State = state if isinstance(state, Mapping) else unpack(state, thing="search")[1]
    names, dimension = searcher.names, searcher.dimension
    try:
        places = given["places"].astype(np.int64)
        shown = Round(
            contexts=given["contexts"].astype(np.float64),
            costs=given["costs"].astype(np.float64),
            outside=float(given["hand"].astype(np.float64)[0]),
            places=places,
            gaps=bool(np.isnan(given["contexts"].astype(np.float64)).any()),
            least=searcher.bound,
        )
        count = len(places)
        fits = count and 0 <= places.min() <= places.max() < len(names)
        if not fits or shown.contexts.shape != (count, dimension) or shown.costs.shape != (count,):
            rule = f"be of {len(names)} boxes and contexts of {dimension} numbers"
            raise InvalidInputError(_SUBJECT, rule, {k: a.shape for k, a in given.items()})
        rule_kept = rule_from(parted(given, "course"))
        bought = given["bought"].astype(np.int64).tolist()
        search = LiveSearch(
            boxes=[names[place] for place in places.tolist()],
            rule=Bought(rule_kept, bought) if "probe" in searcher.feedback else rule_kept,
            shown=shown,
            sense=searcher.sense,
            feedback=searcher.feedback,
            player=player,
            means=means,
            # Earlier versions know of no round without costs
            guessed=bool(given.get("guessed", np.zeros(1))[0]),
        )
        search.restore(given)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise InvalidFileError(
            _SUBJECT, "be that of a search of this searcher", str(error)
        ) from None
    return search
