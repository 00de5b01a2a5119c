"""The client of :mod:`weitzman.serve.client.sync`, for asyncio."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeVar

import httpx

from weitzman.serve.client.common import Progress, Request, UnreachableError, pause, reply_of
from weitzman.serve.client.sync import key_header, round_body
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

__all__ = ["AsyncClient", "AsyncProblem", "AsyncSearch"]

W = TypeVar("W", bound=Wire)


class AsyncClient:
    """A connection to a service, for asyncio.

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
        self._http = httpx.AsyncClient(base_url=url, headers=key_header(key), timeout=timeout)
        self._retries = retries

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def create_problem(self, **settings: Any) -> "AsyncProblem":
        """Create a problem with these settings, or find it if it is there with the same ones."""
        request = Request.make("POST", ("problems",), ProblemView, settings)
        return AsyncProblem(self, (await self.send(request)).name)

    async def problems(self) -> list[ProblemView]:
        """Return all problems."""
        return (await self.send(Request.make("GET", ("problems",), ProblemList))).problems

    def problem(self, name: str) -> "AsyncProblem":
        """Return a problem by its name."""
        return AsyncProblem(self, name)

    async def send(self, request: Request[W]) -> W:
        """Send a request, again and again if need be, and return the reply."""
        trouble = ""
        for attempt in range(self._retries + 1):
            if attempt:
                await asyncio.sleep(pause(attempt))
            try:
                answer = await self._http.request(
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


class AsyncProblem:
    """A problem of the service; ``name`` is its name."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.name = name
        self._client = client
        self._sign: float | None = None

    async def open(
        self,
        contexts: Any,
        costs: Any = None,
        *,
        outside: float | None = None,
        boxes: Sequence[str] | None = None,
        round_id: str | None = None,
        alone: bool = False,
    ) -> "AsyncSearch":
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
            self._sign = 1.0 if (await self.describe()).sense == "min" else -1.0
        body = round_body(contexts, costs, outside, boxes, round_id)
        request = Request.make("POST", ("problems", self.name, "rounds"), RoundReply, body)
        reply = await self._client.send(request)
        progress = Progress(reply, alone=alone, sign=1.0 if self._sign is None else self._sign)
        return AsyncSearch(self._client, self.name, progress)

    async def describe(self) -> ProblemView:
        """Return its settings and counts."""
        return await self._client.send(Request.make("GET", ("problems", self.name), ProblemView))

    async def archive(self) -> ProblemView:
        """Let it take no more rounds."""
        parts = ("problems", self.name, "archive")
        return await self._client.send(Request.make("POST", parts, ProblemView))

    async def round(self, round_id: str) -> RoundView:
        """Return a round: its boxes, and what happened step by step."""
        parts = ("problems", self.name, "rounds", round_id)
        return await self._client.send(Request.make("GET", parts, RoundView))

    async def report(self) -> Report:
        """Return what it came to."""
        parts = ("problems", self.name, "report")
        return await self._client.send(Request.make("GET", parts, Report))

    async def diagnostics(self) -> Diagnostics:
        """Return the health of its feedback."""
        parts = ("problems", self.name, "diagnostics")
        return await self._client.send(Request.make("GET", parts, Diagnostics))


class AsyncSearch:
    """A round of the service: iterate over it to be handed boxes, and tell what each holds."""

    def __init__(self, client: AsyncClient, problem: str, progress: Progress) -> None:
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

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        box = self._progress.hand_out()
        if box is None:
            raise StopAsyncIteration
        return box

    async def see(self, value: float) -> None:
        """Say what the box just handed out holds."""
        await self._tell(value)

    async def miss(self) -> None:
        """Say that the value of the box just handed out did not come."""
        await self._tell(None)

    async def close(self, values: Mapping[str, float] | None = None) -> Outcome:
        """End the round; ``values`` are those that feedback ``"full"`` shows."""
        self._progress.ready_to_close()
        if self._progress.untold:
            await self._send_values(self._progress.untold)
        body = {"values": dict(values or {})}
        request = Request.make("POST", (*self._parts, "close"), Outcome, body)
        self._progress.outcome = await self._client.send(request)
        return self._progress.outcome

    async def _tell(self, value: float | None) -> None:
        box = self._progress.awaited()
        if self._progress.alone:
            self._progress.see_alone(value)
        else:
            self._progress.told(await self._send_values({box: value}))

    async def _send_values(self, values: Mapping[str, float | None]) -> SeeReply:
        body = {"values": dict(values)}
        request = Request.make("POST", (*self._parts, "values"), SeeReply, body)
        return await self._client.send(request)
