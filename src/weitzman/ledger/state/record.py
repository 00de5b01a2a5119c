"""A problem as it is saved, in snapshots and for digests."""

from typing import Any

import msgspec
from numpy.typing import NDArray

from weitzman.ledger.state.open_round import RoundRecord
from weitzman.ledger.state.tally import Tally


class ProblemRecord(msgspec.Struct, omit_defaults=True):
    """A problem as it is saved; fields with a default are left out where there is nothing to say.

    The settings are those of ``Created`` by name: as many bytes as they say, however many there might be.
    """

    name: str
    events: int
    at: int
    archived: bool
    settings: dict[str, Any]
    tally: Tally
    rounds: dict[str, RoundRecord]
    learned: dict[str, NDArray[Any]]
    uploaded: dict[str, Any] | None = None
    costs: NDArray[Any] | None = None
    first: int = 1
    deleted: bool = False
    needs: dict[str, NDArray[Any]] | None = None
    lived: int = 0
