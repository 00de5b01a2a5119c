"""The supervisor: the life of a service, from its start to its end.

It makes the state from snapshot and journal, warms up, and starts the engine. While the engine runs it closes
rounds whose waiting time is over and writes snapshots. When events cannot be stored, it drops the engine and
makes the state again; until then every caller is asked to come back.
"""

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from weitzman.errors import InvalidInputError, JournalFormatError, LedgerError
from weitzman.ledger.event import Event
from weitzman.ledger.journal import Journal
from weitzman.ledger.snapshots import Resumed, Snapshot, Snapshots, repair, resume
from weitzman.ledger.state.arrays import pack
from weitzman.serve.engine.background import run_in_background
from weitzman.serve.engine.engine import Engine
from weitzman.serve.engine.warmup import WarmUp
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.metrics import Metrics
from weitzman.serve.settings import Settings

if TYPE_CHECKING:
    from weitzman.serve.engine.peers import Peers

_PAYS = 2_000
"""How many bytes of a snapshot an event pays for: the larger the state, the rarer are its snapshots."""

_LONG = 3.0  # seconds of a start after which it says what it does


async def _nothing_more(engine: Engine) -> None:
    """Have nothing ready."""


class Supervisor:
    """Starts the engine, and another when it fails.

    ``on_ready`` is awaited before the first engine is there for callers. ``on_lost`` is called when there can
    be no engine: the journal cannot be read, or what is to be ready cannot be. ``refused`` is why there
    will be none any more. ``peers`` are other processes that share the journal, if they may.
    """

    def __init__(self, *, journal: Journal, snapshots: Snapshots, settings: Settings) -> None:
        self.engine: Engine | None = None
        self.settings = settings
        self.metrics = Metrics()
        self.warm_up = WarmUp()
        self.snapshot_seq = 0
        self._snapshot_size = 0
        self._journal, self._snapshots = journal, snapshots
        self.on_lost: Callable[[Exception], None] = lambda error: None
        self.on_ready: Callable[[Engine], Awaitable[None]] = _nothing_more
        self.refused: JournalFormatError | None = None
        self.peers: Peers | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._snapshotting = False
        self._closing = False

    def why_closed(self) -> Refusal:
        """Return the refusal of everything while there is no engine."""
        if self.refused is not None:
            return Refusal("unavailable", f"The service reads its journal no more: {self.refused}")
        return Refusal("unavailable", "The service is not ready yet: it reads its journal.")

    def start(self) -> None:
        """Begin to make the state; the engine is there when it is done."""
        self._spawn(self._open())
        self._spawn(self._look_at_the_clock())
        if self.peers is not None:
            self._spawn(self.peers.follow())

    async def close(self) -> None:
        """Store what has happened, write a snapshot, and let go of the journal."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        engine, self.engine = self.engine, None
        if engine is not None:
            await engine.close()
            if engine.failed is None and engine.head.seq > self.snapshot_seq:
                await self._snapshot(engine)
        if self.peers is not None:
            await self.peers.close()
        await asyncio.to_thread(self._journal.close)
        log("stopped")

    async def _open(self, failed: Engine | None = None) -> None:
        """Start an engine, beginning with what is right in the state of one that failed."""
        wait = 0.1
        if failed is not None:
            await failed.close()
        while not self._closing:
            try:
                resumed = await asyncio.to_thread(self._resume, failed)
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
            engine = Engine(
                state=resumed.state,
                head=resumed.head,
                journal=self._journal,
                settings=self.settings,
                warm_up=self.warm_up,
                on_stored=self._stored,
                on_failed=self._failed,
                leads=self._leads,
            )
            if failed is None:
                try:
                    await self.on_ready(engine)
                except InvalidInputError as error:
                    log("cannot start", error=str(error))
                    self.on_lost(error)
                    return
            self.engine = engine
            self.snapshot_seq, self._snapshot_size = resumed.snapshot, resumed.size
            gc.freeze()
            log(
                "ready",
                events=resumed.head.seq,
                snapshot=resumed.snapshot,
                replayed=resumed.replayed,
                problems=len(resumed.state.present()),
            )
            return

    def _resume(self, failed: Engine | None) -> Resumed:
        if failed is not None and failed.lost is not None:
            try:
                return repair(
                    self._journal, self._snapshots, failed.state, failed.head, failed.lost
                )
            except (JournalFormatError, ValueError) as error:
                log("not mended", error=str(error))
                failed.lost = None
        gc.set_threshold(20_000, 50, 100)
        try:
            resumed = resume(self._journal, self._snapshots)
        finally:
            # What is there now stays: the collector, off since the start, need never look at it
            gc.freeze()
            gc.enable()
        # Only what problems need: a quarter of the memory of a service without any would be loops
        long = threading.Timer(_LONG, log, ["warming up"])
        long.daemon = True
        long.start()
        for problem in resumed.state.present():
            self.warm_up.run(problem.settings)
        long.cancel()
        return resumed

    def _stored(self, events: list[Event]) -> None:
        self.metrics.commits += 1
        self.metrics.events += len(events)
        engine = self.engine
        least = max(self.settings.snapshot_every, self._snapshot_size // _PAYS)
        due = events[-1].seq - self.snapshot_seq >= least
        if engine is not None and due and not self._snapshotting:
            self._snapshotting = True
            self._spawn(self._snapshot(engine))

    def _failed(self, error: LedgerError) -> None:
        self.metrics.failures += 1
        log("not stored", error=str(error))
        engine, self.engine = self.engine, None
        self._spawn(self._open(engine))

    async def _refuse(self, error: JournalFormatError) -> None:
        """Have no engine any more: others, of a later version perhaps, write what is not understood here."""
        log("refused", error=str(error))
        self.refused = error
        if self.peers is not None:
            await self.peers.close()

    async def _snapshot(self, engine: Engine) -> None:
        """Take records one after the other between requests; keep them when all in them is stored."""
        self._snapshotting = True
        try:
            head = engine.head
            service, records = pack(engine.state.service), []
            for name in list(engine.state.problems):
                await engine.locks.wait_until_free(name)
                if engine.failed is not None:
                    return  # the state is being repaired
                records.append(engine.state.problems[name].record())
                await asyncio.sleep(0)
            pending = engine.pending()
            if pending is not None:
                await asyncio.wait([pending])
            if engine.failed is not None:
                return
            taken = Snapshot(head=head, until=engine.until, service=service, problems=records)
            await asyncio.to_thread(self._snapshots.write, taken)
            self.snapshot_seq, self._snapshot_size = head.seq, taken.size
        except LedgerError:
            return  # the events of the records were not stored
        except OSError as error:
            self.snapshot_seq = engine.head.seq  # not again at once
            log("snapshot not written", error=str(error))
        finally:
            self._snapshotting = False

    async def _look_at_the_clock(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            engine = self.engine
            if engine is not None and engine.failed is None:
                try:
                    engine.close_overdue()
                    while engine.overdue:
                        name, key = engine.overdue.pop()
                        await run_in_background(
                            engine, name, partial(engine.close_waited, name, key)
                        )
                    await self._lead_what_is_left(engine)
                except (LedgerError, Refusal, RuntimeError) as error:
                    log("not closed", error=str(error))

    async def _lead_what_is_left(self, engine: Engine) -> None:
        """Lead the problems that have rounds over time, unless somebody else does."""
        while engine.left and self.peers is not None:
            name = engine.left.pop()
            if await self.peers.lead(name):
                for key, opened in engine.problem(name).rounds.items():
                    engine.watch(name, key, opened.until)

    def _leads(self, problem: str) -> bool:
        return self.peers is None or self.peers.leads(problem)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
