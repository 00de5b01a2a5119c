"""The client of :mod:`weitzman.serve.client.sync`, for asyncio.

Its methods are those described there, to be awaited.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar

import httpx

from weitzman.ledger.bodies import Scope
from weitzman.serve.client.common import (
    BaseProblem,
    BaseSearch,
    Request,
    UnreachableError,
    key_header,
    pause,
    reply_of,
)
from weitzman.serve.client.tables import sent_values
from weitzman.serve.messages.judgements import JudgementReport
from weitzman.serve.messages.keys import CreatedKey, KeyList, KeyView, NewKey
from weitzman.serve.messages.reports import Diagnostics, Report, RoundView
from weitzman.serve.messages.schema import (
    Outcome,
    ProblemList,
    ProblemView,
    SeeReply,
    Wire,
)
from weitzman.serve.messages.windows import RoundPage, WindowReport

W = TypeVar("W", bound=Wire)


class AsyncClient:
    """A connection to a service, for asyncio; made like :class:`~weitzman.serve.client.sync.Client`."""

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
        await self._http.aclose()

    async def create_problem(self, **settings: Any) -> "AsyncProblem":
        view = await self.send(Request.make("POST", ("problems",), ProblemView, settings))
        return AsyncProblem(self, view.name)

    async def problems(self) -> list[ProblemView]:
        return (await self.send(Request.make("GET", ("problems",), ProblemList))).problems

    def problem(self, name: str) -> "AsyncProblem":
        return AsyncProblem(self, name)

    async def create_key(
        self, name: str, scope: Scope = "write", *, problem: str | None = None
    ) -> CreatedKey:
        ask = NewKey(name, scope, problem)
        return await self.send(Request.make("POST", ("keys",), CreatedKey, ask))

    async def keys(self) -> list[KeyView]:
        return (await self.send(Request.make("GET", ("keys",), KeyList))).keys

    async def revoke_key(self, key_id: str) -> KeyView:
        return await self.send(Request.make("DELETE", ("keys", key_id), KeyView))

    async def send(self, request: Request[W]) -> W:
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


class AsyncProblem(BaseProblem[AsyncClient]):
    """A problem of the service; ``name`` is its name."""

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
        if self._has_to_ask(contexts, costs, alone=alone):
            self._known = await self.describe()
        request = self._opening(contexts, costs, boxes, outside=outside, id=round_id)
        reply = await self._client.send(request)
        return AsyncSearch(self, reply, alone=alone)

    async def describe(self) -> ProblemView:
        return await self._client.send(self._request("GET", ProblemView))

    async def archive(self) -> ProblemView:
        return await self._client.send(self._request("POST", ProblemView, "archive"))

    async def unarchive(self) -> ProblemView:
        return await self._client.send(self._request("POST", ProblemView, "unarchive"))

    async def change(self, **settings: Any) -> ProblemView:
        return await self._client.send(self._request("PATCH", ProblemView, body=settings))

    async def delete(self) -> ProblemView:
        return await self._client.send(self._request("DELETE", ProblemView))

    async def round(self, round_id: str) -> RoundView:
        return await self._client.send(self._request("GET", RoundView, "rounds", round_id))

    async def report(self) -> Report:
        return await self._client.send(self._request("GET", Report, "report"))

    async def window(
        self, *, rounds: int | None = None, seconds: float | None = None
    ) -> WindowReport:
        """Return what the newest rounds came to, or those that ended in the last seconds; else all."""
        query = {"rounds": rounds, "seconds": seconds}
        return await self._client.send(self._request("GET", WindowReport, "window", query=query))

    async def closed(self, **wanted: Any) -> RoundPage:
        """Return a page of closed rounds; ``wanted`` are fields of the route's question, such as ``kept``."""
        return await self._client.send(self._request("GET", RoundPage, "closed", query=wanted))

    async def judge(
        self, policies: Sequence[str], *, against: str | None = None, learn: float | None = None
    ) -> JudgementReport:
        query = {"policy": ",".join(policies), "against": against, "learn": learn}
        request = self._request("GET", JudgementReport, "judge", query=query)
        while not (told := await self._client.send(request)).done:
            pass
        return told

    async def diagnostics(self) -> Diagnostics:
        return await self._client.send(self._request("GET", Diagnostics, "diagnostics"))


class AsyncSearch(BaseSearch[AsyncClient]):
    """A round of the service: iterate over it to get boxes, and say what each holds."""

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        box = self._give_out()
        if box is None:
            raise StopAsyncIteration
        return box

    async def see(self, value: float, *, cost: float | None = None) -> None:
        await self._tell(value, cost)

    async def miss(self, *, cost: float | None = None) -> None:
        await self._tell(None, cost)

    async def close(self, values: Any = None) -> Outcome:
        self._check_nothing_awaited()
        if unreported := self._unreported():
            await self._client.send(self._request(SeeReply, "values", unreported, self._spent()))
        request = self._request(Outcome, "close", sent_values(values))
        self._outcome = await self._client.send(request)
        return self._outcome

    async def _tell(self, value: float | None, cost: float | None) -> None:
        box = self._awaited()
        if self._alone:
            self._see_alone(value, cost)
        else:
            costs = {} if cost is None else {box: cost}
            request = self._request(SeeReply, "values", {box: value}, costs)
            self._go_on(await self._client.send(request))
