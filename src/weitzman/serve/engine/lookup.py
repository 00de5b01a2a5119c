"""Looking up past events of a journal that is a network away, without holding up the event loop.

A command that asks for such events breaks off, having changed nothing; they are read on a thread, and the
command is begun again with them at hand. What is stored here in between is added to them: to the command it
is as if it had asked at that very moment. A journal on this machine is asked directly.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

from weitzman.ledger.event import Event
from weitzman.ledger.journal import Journal
from weitzman.serve.engine.background import BACKGROUND_DRAFTS

T = TypeVar("T")
_Hand = dict[tuple[str, str], list[Event]]


class NotAtHandError(Exception):
    """The events of a problem with a key are wanted, its arguments, and have to be read first."""


class LookUps:
    """What commands have asked of a journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._hand: _Hand = {}
        self._hands: dict[int, _Hand] = {}

    def find(self, problem: str, key: str) -> list[Event]:
        """Return the stored events of a problem with a key; NotAtHandError if they have to be read.

        A command on a thread of its own reads them there.
        """
        if not self._journal.is_far or BACKGROUND_DRAFTS.get() is not None:
            return self._journal.find(problem, key)
        if not self._journal.may_hold(problem, key):
            return []
        found = self._hand.get((problem, key))
        if found is None:
            raise NotAtHandError(problem, key)
        return found

    def stored(self, events: Iterable[Event]) -> None:
        """Take note of events that were stored just now."""
        if self._hands:
            for event in events:
                for hand in self._hands.values():
                    if (event.problem, event.key) in hand:
                        hand[event.problem, event.key].append(event)

    async def carry_out(self, command: Callable[[], T]) -> T:
        """Return what a command returns, with everything at hand that it asks for."""
        hand: _Hand = {}
        self._hands[id(hand)] = hand
        try:
            while True:
                self._hand = hand
                try:
                    return command()
                except NotAtHandError as missing:
                    wanted = missing.args
                finally:
                    self._hand = {}
                meanwhile = hand[wanted] = []
                found = await asyncio.to_thread(self._journal.find, *wanted)
                last = found[-1].seq if found else 0
                hand[wanted] = [*found, *(e for e in meanwhile if e.seq > last)]
        finally:
            del self._hands[id(hand)]
