"""The Python client of the service, with the face of a searcher; for asyncio, with :mod:`.aclient`.

::

    from weitzman.serve.client import Client

    with Client("http://127.0.0.1:8080") as client:
        problem = client.problem("quotes")
        search = problem.open(contexts, costs, outside=9.0)
        for box in search:
            search.see(ask(box))
        outcome = search.close()

    from weitzman.serve.client import AsyncClient

    async with AsyncClient("http://127.0.0.1:8080") as client:
        search = await client.problem("quotes").open(contexts, costs)
        async for box in search:
            await search.see(await ask(box))
        outcome = await search.close()

Every command has an idempotency key, made once: a request that got no answer, or was told to come back, is
sent again with the same key, and is carried out once. What the service refuses raises
:class:`~weitzman.serve.client.common.RefusedError`, with its status, field and text.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import httpx

from weitzman.serve.client.common import Progress, Request, UnreachableError, pause, reply_of
from weitzman.serve.messages.report_schema import (
    Diagnostics,
    Report,
    RoundView,
)
from weitzman.serve.messages.schema import (
    Outcome,
    ProblemList,
    ProblemView,
    RoundReply,
    SeeReply,
    Wire,
)

__all__ = ["Client", "RemoteProblem", "RemoteSearch"]

W = TypeVar("W", bound=Wire)


def key_header(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key}"}


def round_body(
    contexts: Any,
    costs: Any,
    outside: float | None,
    boxes: Sequence[str] | None,
    round_id: str | None,
) -> dict[str, Any]:
    told = {"costs": costs, "outside": outside, "boxes": boxes, "id": round_id}
    return {"contexts": contexts, **{k: v for k, v in told.items() if v is not None}}


class Client:
    """A connection to a service.

    Parameters
    ----------
    url
        Where it is: ``http://127.0.0.1:8080``.
    key
        A key, if it needs one.
    retries
        How often a request is sent again that got no answer or was told to come back.
    timeout
        How many seconds an answer may take.
    """

    def __init__(
        self, url: str, *, key: str | None = None, retries: int = 8, timeout: float = 30.0
    ) -> None:
        self._http = httpx.Client(base_url=url, headers=key_header(key), timeout=timeout)
        self._retries = retries

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def create_problem(self, **settings: Any) -> "RemoteProblem":
        """Create a problem with these settings, or find it if it is there with the same ones."""
        request = Request.make("POST", ("problems",), ProblemView, settings)
        return RemoteProblem(self, (self.send(request)).name)

    def problems(self) -> list[ProblemView]:
        """Return all problems."""
        return (self.send(Request.make("GET", ("problems",), ProblemList))).problems

    def problem(self, name: str) -> "RemoteProblem":
        """Return a problem by its name."""
        return RemoteProblem(self, name)

    def send(self, request: Request[W]) -> W:
        """Send a request, again and again if need be, and return the reply."""
        trouble = ""
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(pause(attempt))
            try:
                answer = self._http.request(
                    request.method, request.path, content=request.content, headers=request.headers
                )
            except httpx.TransportError as error:
                trouble = repr(error)
                continue
            reply = reply_of(request, answer.status_code, answer.content)
            if reply is not None:
                return reply
            trouble = answer.text
        raise UnreachableError(f"The service gave no answer to {request.path}: {trouble}")


class RemoteProblem:
    """A problem of the service; ``name`` is its name."""

    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client = client
        self._sign: float | None = None

    def open(
        self,
        contexts: Any,
        costs: Any = None,
        *,
        outside: float | None = None,
        boxes: Sequence[str] | None = None,
        round_id: str | None = None,
        alone: bool = False,
    ) -> "RemoteSearch":
        """Begin a round.

        Parameters
        ----------
        contexts, costs, outside, boxes
            As of :meth:`weitzman.Searcher.open`; contexts and costs may also go by name of box.
        round_id
            The id of the round; chosen by the service if None.
        alone
            Whether the search goes on by the rule without asking, and reports once when it is closed.
        """
        if alone and self._sign is None:
            self._sign = 1.0 if (self.describe()).sense == "min" else -1.0
        body = round_body(contexts, costs, outside, boxes, round_id)
        request = Request.make("POST", ("problems", self.name, "rounds"), RoundReply, body)
        reply = self._client.send(request)
        progress = Progress(reply, alone=alone, sign=1.0 if self._sign is None else self._sign)
        return RemoteSearch(self._client, self.name, progress)

    def describe(self) -> ProblemView:
        """Return its settings and counts."""
        return self._client.send(Request.make("GET", ("problems", self.name), ProblemView))

    def archive(self) -> ProblemView:
        """Let it take no more rounds."""
        parts = ("problems", self.name, "archive")
        return self._client.send(Request.make("POST", parts, ProblemView))

    def round(self, round_id: str) -> RoundView:
        """Return a round: its boxes, and what happened step by step."""
        parts = ("problems", self.name, "rounds", round_id)
        return self._client.send(Request.make("GET", parts, RoundView))

    def report(self) -> Report:
        """Return what it came to."""
        parts = ("problems", self.name, "report")
        return self._client.send(Request.make("GET", parts, Report))

    def diagnostics(self) -> Diagnostics:
        """Return the health of its feedback."""
        parts = ("problems", self.name, "diagnostics")
        return self._client.send(Request.make("GET", parts, Diagnostics))


class RemoteSearch:
    """A round of the service: iterate over it to be handed boxes, and tell what each holds."""

    def __init__(self, client: Client, problem: str, progress: Progress) -> None:
        self._client = client
        self._parts = ("problems", problem, "rounds", progress.reply.round)
        self._progress = progress

    @property
    def round_id(self) -> str:
        """The id of the round."""
        return self._progress.reply.round

    @property
    def reservation_values(self) -> dict[str, float] | None:
        """By what the boxes are searched; None if the policy decides anew after every look."""
        return self._progress.reply.reservation_values

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        box = self._progress.hand_out()
        if box is None:
            raise StopIteration
        return box

    def see(self, value: float) -> None:
        """Say what the box just handed out holds."""
        self._tell(value)

    def miss(self) -> None:
        """Say that the value of the box just handed out did not come."""
        self._tell(None)

    def close(self, values: Mapping[str, float] | None = None) -> Outcome:
        """End the round; ``values`` are those that feedback ``"full"`` shows."""
        self._progress.ready_to_close()
        if self._progress.untold:
            self._send_values(self._progress.untold)
        body = {"values": dict(values or {})}
        request = Request.make("POST", (*self._parts, "close"), Outcome, body)
        self._progress.outcome = self._client.send(request)
        return self._progress.outcome

    def _tell(self, value: float | None) -> None:
        box = self._progress.awaited()
        if self._progress.alone:
            self._progress.see_alone(value)
        else:
            self._progress.told(self._send_values({box: value}))

    def _send_values(self, values: Mapping[str, float | None]) -> SeeReply:
        body = {"values": dict(values)}
        request = Request.make("POST", (*self._parts, "values"), SeeReply, body)
        return self._client.send(request)
