"""Peers: processes on several hosts that share one journal.

Each has the whole state: what others write it reads in the journal and takes in. Commands for a problem are
carried out by the one process that leads it (:mod:`weitzman.ledger.postgres.election`), so that each is
decided on all that happened before. A process that gets a command

1. carries the command out, if it leads the problem;
2. takes the lead if nobody has it, reads the journal to its end, and carries the command out;
3. forwards the request to the leader, and its answer to the caller.

If the leader dies, its lead is free as soon as the database sees its session end: whoever is asked next takes
it. Between those, a caller is kept waiting for some seconds before it is asked to come back. A request that
broke on its way to the leader may have been carried out, so it is not tried again: that is for the caller,
whose idempotency key tells the same request from a new one.

After forwarding, a process takes in what the leader has stored before it answers: a caller that stays with
one process sees what it has written.
"""

import asyncio
import time
from typing import TYPE_CHECKING, Final

import httpx

from weitzman.errors import JournalUnavailableError, LedgerError
from weitzman.ledger.bodies import Created, decode
from weitzman.ledger.event import Event
from weitzman.ledger.postgres.election import Election
from weitzman.ledger.postgres.journal import PostgresJournal
from weitzman.ledger.postgres.listener import Listener
from weitzman.serve.engine.engine import Engine
from weitzman.serve.logs import log
from weitzman.serve.messages.refusal import Refusal

if TYPE_CHECKING:
    from weitzman.serve.engine.supervisor import Supervisor

FORWARDED: Final = b"x-weitzman-forwarded"
"""The header of a request that was forwarded once; it is not forwarded again."""

_MISDIRECTED: Final = 421
_PATIENCE: Final = 4.0
_PAUSE: Final = 0.02
_GLANCE: Final = 1.0
_WAIT: Final = 0.25
_BATCH: Final = 200
_TURN: Final = 0.01  # seconds for which taking in may hold up requests
_KEPT: Final[tuple[bytes, ...]] = (b"authorization", b"content-type", b"idempotency-key")


class Peers:
    """What a process, which has a supervisor, knows of the others and does for them."""

    def __init__(self, journal: PostgresJournal, supervisor: "Supervisor") -> None:
        self._journal = journal
        self._supervisor = supervisor
        self._election = Election(journal.place, address=supervisor.settings.own_address)
        self._listener = Listener(journal.place)
        self._client: httpx.AsyncClient | None = None
        self._leaders: dict[str, str] = {}
        self._terms: dict[str, int] = {}
        self._taking = asyncio.Lock()
        self._closed = False
        self._leading: dict[str, asyncio.Lock] = {}

    def leads(self, problem: str) -> bool:
        """Return whether this process leads a problem and has taken in all that happened before."""
        term = self._terms.get(problem)
        return term == self._election.term and self._election.leads(problem)

    async def lead(self, problem: str) -> bool:
        """Take the lead of a problem if nobody else has it; return whether this process leads."""
        async with self._leading.setdefault(problem, asyncio.Lock()):
            if self.leads(problem):
                return True
            if not await asyncio.to_thread(self._election.lead, problem):
                return False
            term, engine = self._election.term, self._supervisor.engine
            if engine is None:
                raise Refusal("unavailable", "The service is not ready yet.")
            head = await asyncio.to_thread(self._journal.settled_head)
            await self._take_in(engine, head.seq)
            self._terms[problem] = term
            log("leads", problem=problem, events=engine.head.seq)
            return True

    async def forward(
        self, problem: str, *, method: str, path: str, headers: dict[bytes, bytes], content: bytes
    ) -> tuple[int, bytes] | None:
        """Return status and content of the leader's answer to a request; None if this process leads."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            if self.leads(problem):
                return None
            if FORWARDED in headers or problem not in self._leaders:
                if await self.lead(problem):
                    return None
                if FORWARDED in headers:
                    raise Refusal("misdirected", "Another process leads the problem.")
            answer = await self._ask_leader(problem, method, path, headers, content)
            if answer is not None:
                engine = self._supervisor.engine
                if engine is not None and answer[0] < 500:
                    head = await asyncio.to_thread(self._journal.head)
                    await self._take_in(engine, head.seq)
                return answer
            if time.monotonic() > deadline:
                raise Refusal("unavailable", "The leader of the problem does not answer.")
            await asyncio.sleep(_PAUSE)

    async def follow(self) -> None:
        """Take in what others write, until it is closed."""
        while not self._closed:
            engine = self._supervisor.engine
            if engine is None or engine.failed is not None:
                await asyncio.sleep(_PAUSE)
                continue
            try:
                seq = await asyncio.to_thread(self._listener.wait, engine.head.seq, _WAIT)
                await self._take_in(engine, seq)
                await asyncio.sleep(_PAUSE)  # others may write often; the newest is enough
            except JournalUnavailableError as error:
                log("cannot follow", error=str(error))
                await asyncio.sleep(1.0)
            except LedgerError as error:
                if not self._closed:
                    log("cannot follow", error=str(error))
                    engine.fail(error)

    async def close(self) -> None:
        """Give up every lead, so that others take it at once; may be called again."""
        self._closed = True
        await asyncio.to_thread(self._election.close)
        await asyncio.to_thread(self._listener.close)
        if self._client is not None:
            await self._client.aclose()

    async def _ask_leader(
        self, problem: str, method: str, path: str, headers: dict[bytes, bytes], content: bytes
    ) -> tuple[int, bytes] | None:
        """Return what the leader answers; None if there was none to be asked."""
        address = self._leaders.get(problem)
        if address is None:
            address = await asyncio.to_thread(self._election.leader, problem)
            if address is None:
                return None
            self._leaders[problem] = address
        if self._client is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
            timeout = httpx.Timeout(None, connect=1.0)
            self._client = httpx.AsyncClient(limits=limits, timeout=timeout, trust_env=False)
        kept = {name: headers[name] for name in _KEPT if name in headers}
        kept[FORWARDED] = b"1"
        try:
            request = self._client.build_request(
                method, address + path, headers=kept, content=content
            )
            reply = await self._reply(problem, address, request)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            self._leaders.pop(problem, None)  # it has heard nothing
            return None
        except httpx.HTTPError as error:
            self._leaders.pop(problem, None)
            text = f"The leader of the problem broke off: {type(error).__name__}."
            raise Refusal("unavailable", text) from None
        if reply.status_code in (_MISDIRECTED, 503):
            self._leaders.pop(problem, None)
        return None if reply.status_code == _MISDIRECTED else (reply.status_code, reply.content)

    async def _reply(self, problem: str, address: str, request: httpx.Request) -> httpx.Response:
        """Return the answer of the leader, for as long as it is the leader."""
        assert self._client is not None
        sent = asyncio.ensure_future(self._client.send(request))
        try:
            while not (await asyncio.wait([sent], timeout=_GLANCE))[0]:
                if await asyncio.to_thread(self._election.leader, problem) != address:
                    raise httpx.ReadTimeout("it leads no more")
            return sent.result()
        finally:
            sent.cancel()

    async def _take_in(self, engine: Engine, seq: int) -> None:
        """Bring the state to an event of the journal, or beyond."""
        async with self._taking:
            while engine.head.seq < seq and engine.failed is None:
                until = min(seq, engine.head.seq + _BATCH)
                events = await asyncio.to_thread(self._read, engine, until)
                began = time.monotonic()
                for event in events:
                    await engine.locks.wait_until_free(event.problem)
                    if self._supervisor.engine is not engine:
                        return  # its state is being repaired
                    engine.take_in(event)
                    if time.monotonic() > began + _TURN:
                        await asyncio.sleep(0)
                        began = time.monotonic()

    def _read(self, engine: Engine, until: int) -> list[Event]:
        events = list(self._journal.read(engine.head, until=until))
        for event in events:
            if event.kind == "created":
                body = decode(event.kind, event.body)
                assert isinstance(body, Created)
                self._supervisor.warm_up.run(body)
        return events
