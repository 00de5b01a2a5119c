"""What each kind of event says: the format of the bodies, version 1.

A body is JSON. Boxes are given by their places, 0 … n − 1, in the order of the problem; the boxes of a
round by their *rows*, 0 … m − 1, as a round may be without some. Values and reservation values are in the
problem's own direction. JSON has no infinities: the largest double stands for +∞, its negative for −∞.

=============  =====================================================================
kind           what happened; ``key``
=============  =====================================================================
created        a problem began
archived       a problem ended
unarchived     ... and goes on
changed        settings of a problem became others
deleted        a problem was forgotten; one with its name may begin
opened         a round began, with its reservation values; its id
seen           values of looks of a round came; its id
closed         a round ended, and was learned; its id
imported       rounds of a log were learned
uploaded       what was learned was replaced by a saved state
key-created    somebody may use the service; the id of the key
key-revoked    ... and may no longer; the id of the key
answered       a request with an idempotency key was answered; that key
=============  =====================================================================
"""

import sys
from typing import Annotated, Any, Final, Literal

import msgspec

from weitzman.errors import JournalFormatError
from weitzman.feedback import FreeFeedback

LARGEST: Final = sys.float_info.max
"""What stands for +∞."""

Scope = Literal["read", "write", "admin"]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class Body(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an event says."""


class Created(Body, frozen=True):
    """A problem began.

    ``features`` are the names of the d numbers of a context. A look costs ``cost`` if a round does not say;
    None: every round says. ``parameters`` are those of the ``learner``, or of the ``policy``: that is
    ``"default"`` or the class of a policy of :mod:`weitzman.learn.storage.registry`, and decides instead of
    the rule over the learner's reservation values. A round that is open for longer than ``waiting``
    microseconds is closed by itself. ``shadow``: the caller decides, and the problem only tells what it would
    have done. ``defaults`` says of which release the defaults are that learner, policy and parameters leave
    out: 1 before rounds were prepared, 2 before FTRL explored by a box's own error, 3 since then. ``explore``
    is the share of rounds in which a draw opens more boxes: all, or those that the policy named
    ``explore_for`` would have needed; draws come from the ``seed`` and the round's number. ``unit`` is what
    values and costs are counted in, for people. The others are as of :class:`weitzman.Searcher`.
    """

    boxes: list[str]
    features: list[str]
    sense: Literal["min", "max"]
    feedback: FreeFeedback
    waiting: int
    learner: str = "FTRL"
    parameters: dict[str, Any] = {}
    policy: str | None = None
    optimism: float | Literal["auto"] = "auto"
    cost: float | None = None
    shadow: bool = False
    description: str = ""
    unit: str = ""
    defaults: Literal[1, 2, 3] = 1
    least: float | None = None
    most: float | None = None
    explore: float | None = None
    explore_for: str | None = None
    seed: int = 0


class Archived(Body, frozen=True):
    """A problem takes no more rounds; those that are open end as they would."""


class Unarchived(Body, frozen=True):
    """A problem takes rounds again."""


class Changed(Body, frozen=True):
    """Settings of a problem became others; those that are left out stay as they were.

    Rounds that are open keep what they began with.
    """

    waiting: int | msgspec.UnsetType = msgspec.UNSET
    cost: float | msgspec.UnsetType | None = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET
    least: float | msgspec.UnsetType | None = msgspec.UNSET
    most: float | msgspec.UnsetType | None = msgspec.UNSET
    explore: float | msgspec.UnsetType | None = msgspec.UNSET


class Deleted(Body, frozen=True):
    """A problem was forgotten, its open rounds too; its events stay in the journal."""


class Opened(Body, frozen=True):
    """A round began: one context, cost and reservation value per row; ``places`` None for all boxes.

    A context has None for a feature that is missing.
    There are no reservation values under a policy that decides again after every look. ``guessed``: nobody
    said the costs, they are what looks really cost so far. ``draw``: the chance with which a draw opens more
    boxes in this round, and whether it does. ``unknown``: texts that were no levels of their features.
    """

    contexts: list[list[float | None]]
    costs: list[float]
    reservation_values: list[float]
    outside: float | None = None
    places: list[_Count] | None = None
    guessed: bool = False
    draw: tuple[float, bool] | None = None
    unknown: list[str] = []


class Seen(Body, frozen=True):
    """Looks at rows and what they showed, None where nothing came; ``late``: after the end of the round.

    ``costs``: what looks really cost, where the caller said so, these or earlier ones.
    """

    looks: list[tuple[_Count, float | None]]
    late: bool = False
    costs: list[tuple[_Count, float]] = []


class Closed(Body, frozen=True):
    """A round ended; ``shown``: values of rows that were not looked at; ``waited``: it ended by itself.

    ``chances``: with what chance each row was opened, None where that is not known, as of closed boxes where
    the caller went another way than the rule and the draw; left out where no draw could open more.
    """

    shown: list[tuple[_Count, float]] = []
    waited: bool = False
    chances: list[float | None] = []


class PastRound(Body, frozen=True):
    """A round of a log: one context, cost and value per row, None for a feature or value that is missing.

    ``paid``: what looks at the rows really cost, where the log says so.
    """

    contexts: list[list[float | None]]
    costs: list[float]
    values: list[float | None]
    outside: float | None = None
    places: list[_Count] | None = None
    paid: list[float] | None = None


class Imported(Body, frozen=True):
    """Rounds of a log were learned, in order.

    ``lived``: the policy decided in them, and learned from what it would have seen. Before, all values that
    the log knew were learned.
    """

    rounds: list[PastRound]
    lived: bool = False


class Uploaded(Body, frozen=True):
    """What a saved searcher has learned took the place of what was learned."""

    state: bytes


class KeyCreated(Body, frozen=True):
    """A key with a name, a scope and the SHA-256 of its secret; it is for one ``problem``, or for all."""

    name: str
    scope: Scope
    sha256: str
    problem: str | None = None


class KeyRevoked(Body, frozen=True):
    """A key is no longer valid."""


class Answered(Body, frozen=True):
    """The reply to a request, known by its SHA-256, that came with an idempotency key."""

    request: str
    status: int
    reply: msgspec.Raw


KINDS: Final[dict[str, type[Body]]] = {
    "created": Created,
    "archived": Archived,
    "unarchived": Unarchived,
    "changed": Changed,
    "deleted": Deleted,
    "opened": Opened,
    "seen": Seen,
    "closed": Closed,
    "imported": Imported,
    "uploaded": Uploaded,
    "key-created": KeyCreated,
    "key-revoked": KeyRevoked,
    "answered": Answered,
}
_NAMES: Final = {body: kind for kind, body in KINDS.items()}
_DECODERS: Final = {kind: msgspec.json.Decoder(body) for kind, body in KINDS.items()}
_ENCODER: Final = msgspec.json.Encoder()


def encode(body: Body) -> tuple[str, bytes]:
    """Return the kind and the bytes of a body.

    >>> encode(Seen([(2, 0.5), (0, None)]))
    ('seen', b'{"looks":[[2,0.5],[0,null]]}')
    """
    return _NAMES[type(body)], _ENCODER.encode(body)


def decode(kind: str, body: bytes) -> Body:
    """Return the body of an event of this kind."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise JournalFormatError(
            f"An event has the kind {kind!r}; this weitzman knows {list(KINDS)}."
        )
    try:
        return decoder.decode(body)
    except msgspec.DecodeError as error:
        raise JournalFormatError(f"An event of kind {kind!r} cannot be read: {error}.") from None
