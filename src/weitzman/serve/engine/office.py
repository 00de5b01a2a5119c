"""The office: the life of a service, from an empty chair to a desk and back.

It makes the state from snapshot and journal, warms up, and opens the desk. While the desk is open it closes
rounds whose waiting time is over and writes snapshots. When events cannot be stored, it clears the desk and
makes the state anew; until then everybody is told to come back.
"""

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from weitzman.errors import JournalFormatError, LedgerError
from weitzman.ledger.bodies import Created
from weitzman.ledger.event import Event
from weitzman.ledger.journal import Journal
from weitzman.ledger.snapshots.mend import mend
from weitzman.ledger.snapshots.snapshot import Resumed, Snapshot, Snapshots, resume
from weitzman.serve.engine.aside import carry_out_aside
from weitzman.serve.engine.desk import Desk
from weitzman.serve.engine.warm import Warmth
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.metrics import Metrics
from weitzman.serve.settings import Settings

if TYPE_CHECKING:
    from weitzman.serve.engine.colleagues import Colleagues

__all__ = ["Office"]

_PAYS = 2_000
"""How many bytes of a snapshot an event pays for: the larger the state, the rarer are its snapshots."""

_LONG = 3.0  # seconds of a start after which it says what it does
_USUAL = Created(boxes=["a"], features=["x"], sense="min", feedback="opened", waiting=1)


class Office:
    """Holds the desk, when there is one.

    Parameters
    ----------
    journal, snapshots
        Where events and snapshots are.
    settings
        The settings.
    on_lost
        Called when there can be no desk: the journal cannot be read.

    Attributes
    ----------
    desk
        The desk, while it is open.
    refused
        Why there will be no desk any more.
    colleagues
        Other processes that share the journal, if they may.
    """

    def __init__(
        self,
        *,
        journal: Journal,
        snapshots: Snapshots | None,
        settings: Settings,
        on_lost: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        self.desk: Desk | None = None
        self.settings = settings
        self.metrics = Metrics()
        self.warmth = Warmth()
        self.snapshot_seq = 0
        self._snapshot_size = 0
        self._journal, self._snapshots = journal, snapshots
        self.on_lost = on_lost
        self.refused: JournalFormatError | None = None
        self.colleagues: Colleagues | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._snapshotting = False
        self._closing = False

    def why_closed(self) -> Refusal:
        """Return what is told while there is no desk."""
        if self.refused is not None:
            return Refusal("unavailable", f"The service reads its journal no more: {self.refused}")
        text = "The service is not ready yet: it reads its journal"
        return Refusal("unavailable", f"{text}, and compiles its loops if it has never run before.")

    def start(self) -> None:
        """Begin to make the state; the desk is there when it is done."""
        self._spawn(self._open())
        self._spawn(self._look_at_the_clock())
        if self.colleagues is not None:
            self._spawn(self.colleagues.follow())

    async def close(self) -> None:
        """Store what has happened, write a snapshot, and let go of the journal."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        desk, self.desk = self.desk, None
        if desk is not None:
            await desk.close()
            if desk.failed is None and desk.head.seq > self.snapshot_seq:
                await self._snapshot(desk)
        if self.colleagues is not None:
            await self.colleagues.close()
        await asyncio.to_thread(self._journal.close)
        log("stopped")

    async def _open(self, left: Desk | None = None) -> None:
        """Open a desk, beginning with what is right of one that was left."""
        wait = 0.1
        while not self._closing:
            try:
                resumed = await asyncio.to_thread(self._resume, left)
            except LedgerError as error:
                if self.metrics.failures == 0:
                    log("cannot start", error=str(error))
                    self.on_lost(error)
                    return
                if isinstance(error, JournalFormatError):
                    await self._refuse(error)
                    return
                log("cannot read the journal", error=str(error))
                await asyncio.sleep(wait)
                wait = min(2.0 * wait, 5.0)
                continue
            except Exception as error:
                log("cannot start", error=repr(error))
                self.on_lost(error)
                raise
            self.desk = Desk(
                state=resumed.state,
                head=resumed.head,
                journal=self._journal,
                settings=self.settings,
                warmth=self.warmth,
                on_stored=self._stored,
                on_failed=self._failed,
                leads=self._leads,
            )
            self.snapshot_seq, self._snapshot_size = resumed.snapshot, resumed.size
            gc.freeze()
            log(
                "ready",
                events=resumed.head.seq,
                snapshot=resumed.snapshot,
                replayed=resumed.replayed,
                problems=len(resumed.state.problems),
            )
            return

    def _resume(self, left: Desk | None) -> Resumed:
        if left is not None and left.lost is not None:
            try:
                return mend(self._journal, self._snapshots, left.state, left.head, left.lost)
            except (JournalFormatError, ValueError) as error:
                log("not mended", error=str(error))
                left.lost = None
        long = threading.Timer(_LONG, log, ["compiling"], {"seconds": "about 60, once"})
        long.daemon = True
        long.start()
        self.warmth.warm(_USUAL)
        long.cancel()
        gc.set_threshold(20_000, 50, 100)
        try:
            resumed = resume(self._journal, self._snapshots)
        finally:
            # What is there now stays: the collector, off since the start, need never look at it
            gc.freeze()
            gc.enable()
        for problem in resumed.state.problems.values():
            self.warmth.warm(problem.settings)
        return resumed

    def _stored(self, events: list[Event]) -> None:
        self.metrics.commits += 1
        self.metrics.events += len(events)
        desk = self.desk
        least = max(self.settings.snapshot_every, self._snapshot_size // _PAYS)
        due = events[-1].seq - self.snapshot_seq >= least
        if desk is not None and due and not self._snapshotting:
            self._snapshotting = True
            self._spawn(self._snapshot(desk))

    def _failed(self, error: LedgerError) -> None:
        self.metrics.failures += 1
        log("not stored", error=str(error))
        desk, self.desk = self.desk, None
        self._spawn(self._open_again(desk))

    async def _open_again(self, desk: Desk | None) -> None:
        if desk is not None:
            await desk.close()
        await self._open(desk)

    async def _refuse(self, error: JournalFormatError) -> None:
        """Have no desk any more: others, of a later version perhaps, write what is not understood here."""
        log("refused", error=str(error))
        self.refused = error
        if self.colleagues is not None:
            await self.colleagues.close()

    async def _snapshot(self, desk: Desk) -> None:
        """Take records one after the other between requests; keep them when all in them is stored."""
        self._snapshotting = True
        try:
            if self._snapshots is None:
                self.snapshot_seq = desk.head.seq
                return
            head = desk.head
            service, records = desk.state.service.record(), []
            for name in list(desk.state.problems):
                await desk.holds.free(name)
                if desk.failed is not None:
                    return  # the state is being mended
                records.append(desk.state.problems[name].record())
                await asyncio.sleep(0)
            pending = desk.pending()
            if pending is not None:
                await asyncio.wait([pending])
            if desk.failed is not None:
                return
            taken = Snapshot(head.seq, head.chain, desk.until, service, records)
            await asyncio.to_thread(self._snapshots.write, taken)
            self.snapshot_seq, self._snapshot_size = head.seq, taken.size
        except LedgerError:
            return  # the events of the records were not stored
        except OSError as error:
            self.snapshot_seq = desk.head.seq  # not again at once
            log("snapshot not written", error=str(error))
        finally:
            self._snapshotting = False

    async def _look_at_the_clock(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            desk = self.desk
            if desk is not None and desk.failed is None:
                try:
                    desk.close_overdue()
                    while desk.overdue:
                        name, key = desk.overdue.pop()
                        await carry_out_aside(desk, name, partial(desk.close_waited, name, key))
                    await self._lead_what_is_left(desk)
                except (LedgerError, Refusal, RuntimeError) as error:
                    log("not closed", error=str(error))

    async def _lead_what_is_left(self, desk: Desk) -> None:
        """Lead the problems that have rounds over time, unless somebody else does."""
        while desk.left and self.colleagues is not None:
            name = desk.left.pop()
            if await self.colleagues.lead(name):
                for key, opened in desk.problem(name).rounds.items():
                    desk.watch(name, key, opened.until)

    def _leads(self, problem: str) -> bool:
        return self.colleagues is None or self.colleagues.leads(problem)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
