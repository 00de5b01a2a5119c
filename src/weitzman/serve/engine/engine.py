"""The engine: commands against the state, without any network.

A command checks its request, says what happens as events, and answers; events are applied to the state
at once and given to the writer. A command that is refused has changed nothing. Whoever calls waits for
``pending()`` before passing the answer on: what it tells may rest on events that are not stored yet.

Commands with an idempotency key leave their answer in the journal beside their events. The same key and
request give the same answer again, also after a restart; the same key with another request is refused.
"""

import heapq
import math
import time
from asyncio import Future
from collections.abc import Callable, Sequence

import msgspec

from weitzman.errors import LedgerError
from weitzman.ledger.bodies import Answered, Body, decode, encode
from weitzman.ledger.event import Draft, Event
from weitzman.ledger.journal import Head, Journal
from weitzman.ledger.state.fold import SERVICE, State, apply
from weitzman.ledger.state.problem import Problem
from weitzman.serve.engine.apart import Apart
from weitzman.serve.engine.background import BACKGROUND_DRAFTS, ProblemLocks
from weitzman.serve.engine.histories import Histories
from weitzman.serve.engine.lookup import LookUps
from weitzman.serve.engine.warmup import WarmUp
from weitzman.serve.engine.writer import Then, Writer
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.settings import Settings

_NOT_LED = 5_000_000
"""After how many microseconds rounds over time of other leaders are looked at again."""
_LOCKED = 1_000_000
"""After how many microseconds those of a locked problem are."""


class Engine:
    """The state, the journal behind it, and what commands share.

    The supervisor makes it from a state and the ``head`` of the journal that this was made from, and is
    called with the events that were stored, and when some could not be; ``leads`` says whether a problem is
    led here: others close its rounds if it is not.

    The state holds the event ``head`` and all before, and ``until`` is the seq of the last stored event that
    it holds. By ``look_ups`` commands are carried out where the journal is far; ``locks`` are the problems
    that a command in the background has to itself. ``failed`` is why the state is no longer that of the
    journal, ``lost`` the problems of which alone this is so, if known. ``overdue`` are rounds over time, by
    problem and id, whose closing may take long, ``left`` problems that have such rounds and are not led here.
    """

    def __init__(
        self,
        *,
        state: State,
        head: Head,
        journal: Journal,
        settings: Settings,
        warm_up: WarmUp,
        on_stored: Callable[[list[Event]], None],
        on_failed: Callable[[LedgerError], None],
        leads: Callable[[str], bool],
    ) -> None:
        self.state = state
        self.head = head
        self.until = head.seq
        self.left: set[str] = set()
        self.overdue: list[tuple[str, str]] = []
        self.journal = journal
        self.settings = settings
        self.warm_up = warm_up
        self.failed: LedgerError | None = None
        self.lost: set[str] | None = None
        self._now = 0
        self._leads = leads
        self._on_stored, self._on_failed = on_stored, on_failed
        self.look_ups = LookUps(journal)
        self.locks = ProblemLocks()
        self.histories = Histories(self)
        self.apart = Apart()
        self._writer = Writer(journal, stored=self._stored, failed=self.lose)
        self._deadlines = [
            (opened.until, problem.name, key)
            for problem in state.problems.values()
            for key, opened in problem.rounds.items()
        ]
        heapq.heapify(self._deadlines)

    def now(self) -> int:
        """Return the time in microseconds since 1970, which never goes back."""
        self._now = now = max(self._now, time.time_ns() // 1_000)
        return now

    def pending(self) -> Future[None] | None:
        """Return what to wait for before telling anybody of the state; None if all of it is stored."""
        if self.failed is not None:
            raise self.failed
        return self._writer.pending()

    def after(self, then: Then) -> bool:
        """Call back when the state as it is now is stored, or cannot be; False if all of it is stored."""
        if self.failed is not None:
            raise self.failed
        return self._writer.after(then)

    def happen(self, problem: str, body: Body, key: str = "") -> int:
        """Let something happen: apply it, and have it stored. Return when it was."""
        if self.failed is not None:
            raise self.failed
        gathered = BACKGROUND_DRAFTS.get()
        at = self.now()
        kind, content = encode(body)
        draft = Draft(problem, self.state.events(problem) + 1, kind, at, key, content)
        try:
            apply(self.state, draft, body)
        except BaseException as error:
            # Half applied, perhaps: the state is made again from the journal
            text = f"An event could not be applied: {error!r}."
            if gathered is not None:
                gathered.clear()
                raise RuntimeError(text) from error
            self.fail(LedgerError(text))
            raise
        if gathered is None:
            self._writer.add(draft)
        else:
            gathered.append(draft)
        return at

    def add(self, drafts: Sequence[Draft]) -> None:
        """Have events stored that were applied already, unless the state was given up meanwhile."""
        if self.failed is None:
            for draft in drafts:
                self._writer.add(draft)

    def find(self, problem: str, key: str) -> list[Draft | Event]:
        """Return the events of a problem with a key, stored or not; of one with its name before, none."""
        if self.failed is not None:
            raise self.failed
        waiting: list[Draft | Event]
        if (gathered := BACKGROUND_DRAFTS.get()) is None:
            waiting = [*self._writer.find(problem, key)]
        else:
            # All that happened before is stored, or was when the thread began
            waiting = [d for d in gathered if (d.problem, d.key) == (problem, key)]
        stored = self.look_ups.find(problem, key)
        if not stored:
            return waiting
        # What is stored while we look is in both
        until = waiting[0].number if waiting else math.inf
        there = self.state.problems.get(problem)
        since = 1 if there is None else there.first
        return [*(e for e in stored if since <= e.number < until), *waiting]

    def problem(self, name: str) -> Problem:
        found = self.state.problem(name)
        if found is None:
            raise Refusal("unknown", f"There is no problem {name!r}.", "problem")
        return found

    def run_once(
        self,
        problem: str,
        *,
        key: str,
        request: str,
        command: Callable[[], tuple[int, bytes]],
    ) -> tuple[int, bytes]:
        """Carry out a command, or return what it answered to the same key before."""
        before = self.answered(problem, key=key, request=request)
        if before is not None:
            return before
        status, reply = command()
        home = problem if problem in self.state.problems else SERVICE
        self.happen(home, Answered(request, status, msgspec.Raw(reply)), key)
        return status, reply

    def answered(self, problem: str, *, key: str, request: str) -> tuple[int, bytes] | None:
        """Return what the same key was answered before; a refusal if that was another request."""
        for event in self.find(problem, key):
            if event.kind != "answered":
                continue  # the id of a round may be the same text
            before = decode(event.kind, event.body)
            assert isinstance(before, Answered)
            if before.request != request:
                text = f"The Idempotency-Key {key!r} came before, with another request."
                raise Refusal("key-reused", text, "Idempotency-Key")
            return before.status, bytes(before.reply)
        return None

    def watch(self, problem: str, key: str, until: int) -> None:
        """Close a round by itself when its waiting time is over."""
        heapq.heappush(self._deadlines, (until, problem, key))

    def close_overdue(self) -> None:
        """Close the rounds whose waiting time is over, but for those that may take long."""
        now = self.now()
        while self._deadlines and self._deadlines[0][0] <= now:
            _, name, key = heapq.heappop(self._deadlines)
            problem = self.state.problems.get(name)
            if problem is None or key not in problem.rounds:
                continue
            if name in self.locks:
                heapq.heappush(self._deadlines, (now + _LOCKED, name, key))
            elif not self._leads(name):
                self.left.add(name)
                heapq.heappush(self._deadlines, (now + _NOT_LED, name, key))
            elif problem.may_take_long:
                self.overdue.append((name, key))
            else:
                self.close_waited(name, key)

    def close_waited(self, name: str, key: str) -> None:
        """Close a round whose waiting time is over, unless it is closed."""
        problem = self.state.problems.get(name)
        if problem is not None and key in problem.rounds:
            self.happen(name, problem.rounds[key].ended([], waited=True), key)

    def take_in(self, event: Event) -> None:
        """Take in an event that others stored, or that came back from the journal."""
        if event.seq != self.head.seq + 1:
            return  # stored here meanwhile
        try:
            new = apply(self.state, event)
        except Exception as error:
            self.fail(LedgerError(f"An event could not be applied: {error!r}."))
            return
        self._now = max(self._now, event.at)
        if new and event.kind == "opened":
            opened = self.state.problems[event.problem].rounds[event.key]
            self.watch(event.problem, event.key, opened.until)
        self.head = Head(event.seq, event.chain)
        self.until = max(self.until, event.seq)

    async def close(self) -> None:
        """Store what has happened, and end."""
        await self.locks.wait_until_free()
        await self.histories.close()
        await self.apart.close()
        await self._writer.close()

    def _stored(self, events: list[Event]) -> None:
        if events[0].seq == self.head.seq + 1:
            self.head = Head(events[-1].seq, events[-1].chain)
        self.until = events[-1].seq
        self.look_ups.stored(events)
        self._on_stored(events)

    def lose(self, error: LedgerError, problems: set[str]) -> None:
        """Give up the state, which is wrong in these problems and those that are locked."""
        if self.failed is None:
            self.lost = problems | set(self.locks)
        self.fail(error)

    def fail(self, error: LedgerError) -> None:
        """Give up the state: it holds events that are not stored, or lacks some that are."""
        if self.failed is not None:
            return
        self.failed = error
        self._on_failed(error)


def checked_key(given: bytes) -> str:
    """Return an idempotency key as text."""
    text = given.decode("latin-1")
    if not (0 < len(text) <= 200 and text.isascii() and text.isprintable()):
        raise Refusal("invalid", "Expected 1 to 200 characters of ASCII.", "Idempotency-Key")
    return text
