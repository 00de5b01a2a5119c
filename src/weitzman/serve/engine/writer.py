"""Group commit: events of many requests, stored together.

The event loop gathers drafts in a batch. One thread stores one batch after the other; while it waits for
the disk, the next batch gathers. Whoever has a draft in a batch, or has looked at what one says, waits for
the batch before answering.

A commit costs as much as several requests, on a quick disk too, and while it is made its thread and the
event loop take the interpreter from each other. So a batch gathers on as long as every turn of the loop
brings more, for four milliseconds at most; one that nobody adds to is stored at once.

If a batch cannot be stored, it fails and so does the one that gathers, which may rest on it: nobody hears
that it happened, and the state has to be made again from the journal.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from time import perf_counter
from typing import Final

from weitzman.errors import LedgerError
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.journal import Journal

Then = Callable[[LedgerError | None], None]
"""What is called when a batch is stored, or with the reason why it cannot be."""

_LONGEST: Final = 0.004
"""For how many seconds a batch gathers on."""


class Batch:
    """Drafts that are stored together; ``done`` is set, and ``after`` called, when they are or cannot be."""

    __slots__ = ("after", "begun", "by_key", "done", "drafts", "seen")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.drafts: list[Draft] = []
        self.by_key: dict[tuple[str, str], list[Draft]] = {}
        self.done: asyncio.Future[None] = loop.create_future()
        self.after: list[Then] = []
        self.begun = 0.0
        self.seen = 0

    def add(self, draft: Draft) -> None:
        if not self.drafts:
            self.begun = perf_counter()
        self.drafts.append(draft)
        if draft.key:
            self.by_key.setdefault((draft.problem, draft.key), []).append(draft)


class Writer:
    """Stores drafts in batches, on a thread of its own.

    On the event loop, ``stored`` is called with the events of each batch that was stored, and ``failed`` when
    a batch was not, with the problems of all that is lost.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        stored: Callable[[list[Event]], None],
        failed: Callable[[LedgerError, set[str]], None],
    ) -> None:
        self._journal = journal
        self._stored, self._failed = stored, failed
        self._loop = asyncio.get_running_loop()
        self._gathering = Batch(self._loop)
        self._flying: Batch | None = None
        self._called = False
        self._work: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def add(self, draft: Draft) -> None:
        """Store a draft with the next batch."""
        self._gathering.add(draft)
        if self._flying is None:
            self._look_later()

    def pending(self) -> "asyncio.Future[None] | None":
        """Return what to wait for before telling of anything that was added; None if all is stored."""
        if self._gathering.drafts:
            return self._gathering.done
        return None if self._flying is None else self._flying.done

    def after(self, then: Then) -> bool:
        """Call back when what was added is stored, or cannot be; False if all is stored."""
        batch = self._gathering if self._gathering.drafts else self._flying
        if batch is None:
            return False
        batch.after.append(then)
        return True

    def find(self, problem: str, key: str) -> list[Draft]:
        """Return the drafts with a key that are not stored yet."""
        found: list[Draft] = []
        for batch in (self._flying, self._gathering):
            if batch is not None:
                found += batch.by_key.get((problem, key), ())
        return found

    async def close(self) -> None:
        """Store what was added, and end."""
        while (pending := self.pending()) is not None:
            await asyncio.wait([pending])
        self._work.put(None)
        await asyncio.to_thread(self._thread.join)

    def _look_later(self) -> None:
        """Look at what has gathered after what else is ready to run now."""
        if not self._called:
            self._called = True
            self._loop.call_soon(self._look)

    def _look(self) -> None:
        """Store what has gathered, unless more comes with every look."""
        self._called = False
        batch = self._gathering
        if self._flying is not None or not batch.drafts:
            return
        if len(batch.drafts) > batch.seen and perf_counter() < batch.begun + _LONGEST:
            batch.seen = len(batch.drafts)
            self._look_later()
            return
        self._flying, self._gathering = batch, Batch(self._loop)
        self._work.put(batch)

    def _run(self) -> None:
        while (batch := self._work.get()) is not None:
            events: list[Event] = []
            error: LedgerError | None = None
            try:
                events = self._journal.append(batch.drafts)
            except LedgerError as caught:
                error = caught
            except Exception as caught:
                error = LedgerError(f"The journal has a fault: {caught!r}.")
            try:
                self._loop.call_soon_threadsafe(self._land, batch, events, error)
            except RuntimeError:
                return  # the loop is gone

    def _land(self, batch: Batch, events: list[Event], error: LedgerError | None) -> None:
        self._flying = None
        if error is None:
            self._stored(events)
            # The next batch first: the disk works while answers are sent
            self._look()
            if not batch.done.done():
                batch.done.set_result(None)
            self._tell(batch, None)
            return
        rest, self._gathering = self._gathering, Batch(self._loop)
        self._failed(error, {draft.problem for draft in (*batch.drafts, *rest.drafts)})
        for lost in (batch, rest):
            if not lost.done.done():
                lost.done.set_exception(error)
                lost.done.exception()  # somebody may have gone away without waiting
            self._tell(lost, error)

    def _tell(self, batch: Batch, error: LedgerError | None) -> None:
        for then in batch.after:
            try:
                then(error)
            except Exception as fault:
                # The others are called all the same
                self._loop.call_exception_handler(
                    {"message": "not called back", "exception": fault}
                )
