"""A caller that costs little, so that the service has the machine to itself; and the truth of a journal."""

import http.client
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from weitzman.ledger.event import Event
from weitzman.ledger.snapshots import FileSnapshots, resume
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.ledger.state.fold import State, digest


class Answer(NamedTuple):
    """A status and what came with it."""

    status: int
    body: Any


class Caller:
    """One connection to whatever listens on a port now.

    Parameters
    ----------
    port
        Tells the port; asked before every connection, as a service may come back on another.
    """

    def __init__(self, port: Callable[[], int]) -> None:
        self._port = port
        self._connection: http.client.HTTPConnection | None = None

    def call(
        self, method: str, path: str, body: object = None, key: str | None = None
    ) -> Answer | None:
        """Return the answer; None if there was none."""
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        content = None if body is None else json.dumps(body).encode()
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection(
                    "127.0.0.1", self._port(), timeout=30.0
                )
            self._connection.request(method, path, content, headers)
            answer = self._connection.getresponse()
            told = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            return None
        return Answer(answer.status, told)

    def insist(
        self, method: str, path: str, body: object = None, key: str | None = None
    ) -> tuple[Answer, int]:
        """Call again until there is an answer that is not 503; return it, and how often it took."""
        deadline, tries = time.monotonic() + 120.0, 0
        while time.monotonic() < deadline:
            tries += 1
            answer = self.call(method, path, body, key)
            if answer is not None and answer.status != 503:
                return answer, tries
            time.sleep(0.05)
        raise TimeoutError(path)

    def digest(self) -> tuple[int, str]:
        """Return the events and the hash of the state of the service as it is."""
        answer, _ = self.insist("GET", "/v1/digest")
        assert answer.status == 200, answer
        return answer.body["events"], answer.body["digest"]

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class Truth(NamedTuple):
    """What a journal says: its events, their fold from nothing, and the digests of it and from a snapshot."""

    events: list[Event]
    state: State
    folded: str
    resumed: str
    snapshot: int


def truth_of(data: Path) -> Truth:
    """Return what the journal of a service that has ended says."""
    journal = SqliteJournal(data)
    try:
        events = list(journal.read())
        state = resume(journal).state
        resumed = resume(journal, FileSnapshots(data))
    finally:
        journal.close()
    return Truth(events, state, digest(state), digest(resumed.state), resumed.snapshot)
