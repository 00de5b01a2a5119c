"""Looking back at closed rounds: read from the journal on a thread, once, and then as they come.

The state has sums over all rounds and the newest hundred of them. What asks for more, such as a table for the
last hour, is answered from columns of closed rounds. They are made when somebody first asks, by reading the
problem's own events; later questions read only the events that came since.

*Bounds.* Nothing is read on the event loop. One problem is read at a time, in pieces of a few hundred events,
after each of which the thread lets others go first. A question waits for about a second at most: then it is
answered with what is read so far, and says which share of the events that is. The newest
``MOST`` rounds of a problem are kept, and ``IN_ALL`` of all problems together: those that nobody has asked
about for longest are dropped, and read again when somebody does.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from weitzman.ledger.event import Event
from weitzman.ledger.journal import Head
from weitzman.ledger.state.closed_rounds import ClosedRounds
from weitzman.ledger.state.problem import Problem

if TYPE_CHECKING:
    from weitzman.serve.engine.engine import Engine

T = TypeVar("T")
MOST: Final = 100_000
IN_ALL: Final = 200_000
_PATIENCE = 1.0  # seconds
_PIECE = 256  # events
_BREATH = 0.0005  # seconds in which others go first


@dataclass(eq=False)
class _History:
    """The closed rounds of one problem, and what reads them."""

    rounds: ClosedRounds
    lock: threading.Lock = field(default_factory=threading.Lock)
    reading: asyncio.Task[None] | None = None


class Histories:
    """The closed rounds of the problems that somebody looks back at."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._known: dict[tuple[str, int], _History] = {}
        self._one = asyncio.Lock()
        self._ended = False

    async def ask(self, problem: Problem, question: Callable[[ClosedRounds], T]) -> tuple[T, float]:
        """Return what the closed rounds of a problem answer, and which share of its events is read."""
        key = (problem.name, problem.first)
        # Asked about just now: the last to be dropped
        history = self._known.pop(key, None) or _History(
            ClosedRounds(first=problem.first, most=MOST)
        )
        self._known[key] = history
        self._drop()
        pending = self._engine.pending()
        if pending is not None:
            await asyncio.wait([pending])
        until = self._engine.head.seq
        reading = history.reading
        if reading is None and history.rounds.until < until:
            reading = history.reading = asyncio.create_task(self._read(key, history, until))
            # Whoever asked may have gone, or have been answered before the end
            reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        share = 1.0
        if reading is not None:
            done, _ = await asyncio.wait([reading], timeout=_PATIENCE)
            if done:
                reading.result()
            else:
                count = max(1, problem.events - problem.first + 1)
                share = min(1.0, max(0, history.rounds.number - problem.first + 1) / count)
        return await asyncio.to_thread(self._answer, history, question), share

    async def close(self) -> None:
        """Read no more."""
        self._ended = True
        readings = [h.reading for h in self._known.values() if h.reading is not None]
        if readings:
            await asyncio.wait(readings)

    def _answer(self, history: _History, question: Callable[[ClosedRounds], T]) -> T:
        with history.lock:
            return question(history.rounds)

    async def _read(self, key: tuple[str, int], history: _History, until: int) -> None:
        try:
            async with self._one:
                since = Head(history.rounds.until, b"")
                events = self._engine.journal.read(since, problem=key[0], until=until)
                await asyncio.to_thread(self._take, history, events)
            if not self._ended:
                history.rounds.until = until
        except BaseException:
            # Half a piece may have been taken in
            self._known.pop(key, None)
            raise
        finally:
            history.reading = None

    def _take(self, history: _History, events: Iterator[Event]) -> None:
        """Take in events, piece by piece."""
        while not self._ended and (piece := list(islice(events, _PIECE))):
            with history.lock:
                for event in piece:
                    history.rounds.take(event)
            time.sleep(_BREATH)

    def _drop(self) -> None:
        """Forget the problems that nobody has asked about for longest, where there are too many rounds."""
        held = sum(len(h.rounds) for h in self._known.values())
        for key in list(self._known)[:-1]:
            if held <= IN_ALL:
                return
            if self._known[key].reading is None:
                held -= len(self._known.pop(key).rounds)
