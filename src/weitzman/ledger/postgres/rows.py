"""Events as rows of a PostgreSQL table: text as bytes, so that any character can be stored."""

from collections.abc import Sequence
from typing import Any

from weitzman.ledger.event import Event, follows
from weitzman.ledger.journal import Head

__all__ = ["from_row", "to_row", "whole"]


def whole(rows: Sequence[Sequence[Any]], head: Head) -> list[Event]:
    """Return the events of rows, as far as they follow ``head`` and are whole."""
    events = []
    seq, chain = head
    for row in rows:
        event = from_row(row)
        if event is None or event.seq != seq + 1 or not follows(chain, event):
            break
        events.append(event)
        seq, chain = event.seq, event.chain
    return events


def to_row(event: Event) -> tuple[int, bytes, int, bytes, int, bytes, bytes, bytes]:
    """Return the columns of an event."""
    return (
        event.seq,
        event.problem.encode(),
        event.number,
        event.kind.encode(),
        event.at,
        event.key.encode(),
        event.body,
        event.chain,
    )


def from_row(row: Sequence[Any]) -> Event | None:
    """Return the event of a row; None if its text is none."""
    seq, problem, number, kind, at, key, body, chain = row
    try:
        return Event(seq, problem.decode(), number, kind.decode(), at, key.decode(), body, chain)
    except UnicodeDecodeError:
        return None
