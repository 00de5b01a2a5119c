"""Events: what happened, numbered and chained.

An event says of one problem what happened when. Events of the service as a whole belong to the problem
``""``. Two numbers place it: ``seq`` counts all events of a journal, ``number`` those of the problem; both
begin at 1 and have no gaps. Whoever writes the n-th event of a problem has seen the n − 1 before: a second
writer that has not is refused by its number.

With ‖ for joining bytes, the *chain* after event k is

    chain_0 = SHA-256("weitzman.journal 1"),   chain_k = SHA-256(chain_{k−1} ‖ bytes of event k)

where the bytes are every column of the event, each with its length. A changed, lost, added or moved event
changes every chain after it.
"""

import hashlib
import struct
from collections.abc import Iterable

import msgspec

GENESIS = hashlib.sha256(b"weitzman.journal 1").digest()
"""The chain before the first event."""

_HEAD = struct.Struct(">QQqIIIQ")


class Draft(msgspec.Struct, frozen=True, gc=False):
    """An event that is not stored yet.

    Its kind and its body, which is JSON, are those of :mod:`weitzman.ledger.bodies`. ``at`` is in
    microseconds since 1970 UTC. It can be found by its ``key``: the id of a round, or the key of a request.
    """

    problem: str
    number: int
    kind: str
    at: int
    key: str
    body: bytes


class Event(msgspec.Struct, frozen=True, gc=False):
    """A stored event: a draft with its place ``seq`` in the journal and the ``chain`` after it."""

    seq: int
    problem: str
    number: int
    kind: str
    at: int
    key: str
    body: bytes
    chain: bytes


def link(previous: bytes, seq: int, event: Draft | Event) -> bytes:
    """Return the chain after an event.

    >>> link(GENESIS, 1, Draft("p", 1, "archived", 0, "", b"{}")).hex()[:8]
    '0c635e38'
    """
    problem, kind, key = event.problem.encode(), event.kind.encode(), event.key.encode()
    head = _HEAD.pack(
        seq, event.number, event.at, len(problem), len(kind), len(key), len(event.body)
    )
    return hashlib.sha256(b"".join((previous, head, problem, kind, key, event.body))).digest()


def follows(previous: bytes | None, event: Event) -> bool:
    """Return whether an event is whole and stands after this chain."""
    try:
        return previous is not None and link(previous, event.seq, event) == event.chain
    except (TypeError, AttributeError, struct.error):
        return False  # a column of another type than was stored


def chained(seq: int, chain: bytes, drafts: Iterable[Draft]) -> list[Event]:
    """Return drafts as the events that follow event ``seq``, after which the chain is ``chain``."""
    events = []
    for d in drafts:
        seq += 1
        chain = link(chain, seq, d)
        events.append(Event(seq, d.problem, d.number, d.kind, d.at, d.key, d.body, chain))
    return events
