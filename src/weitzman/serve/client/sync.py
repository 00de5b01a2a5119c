"""The Python client of the service, with the face of a searcher; for asyncio, with :mod:`.aio`.

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

Every command has an idempotency key, made once: a request that got no answer, or was asked to come back, is
sent again with the same key, and is carried out once. What the service refuses raises
:class:`~weitzman.serve.client.common.RefusedError`, with its status, field and text.
"""

import time
from collections.abc import Iterator, Sequence
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


class Client:
    """A connection to a service.

    Parameters
    ----------
    url
        Where it is: ``http://127.0.0.1:8080``.
    key
        A key, if it needs one.
    retries
        How often a request is sent again that got no answer or was asked to come back.
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
        view = self.send(Request.make("POST", ("problems",), ProblemView, settings))
        return RemoteProblem(self, view.name)

    def problems(self) -> list[ProblemView]:
        """Return all problems."""
        return self.send(Request.make("GET", ("problems",), ProblemList)).problems

    def problem(self, name: str) -> "RemoteProblem":
        """Return a problem by its name."""
        return RemoteProblem(self, name)

    def create_key(
        self, name: str, scope: Scope = "write", *, problem: str | None = None
    ) -> CreatedKey:
        """Make a key, for one problem or for all; its text is shown here and never again."""
        ask = NewKey(name, scope, problem)
        return self.send(Request.make("POST", ("keys",), CreatedKey, ask))

    def keys(self) -> list[KeyView]:
        """Return all keys, without their secrets."""
        return self.send(Request.make("GET", ("keys",), KeyList)).keys

    def revoke_key(self, key_id: str) -> KeyView:
        """Make a key invalid, for ever."""
        return self.send(Request.make("DELETE", ("keys", key_id), KeyView))

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


class RemoteProblem(BaseProblem[Client]):
    """A problem of the service; ``name`` is its name."""

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
            As of :meth:`weitzman.Searcher.open`: lists, mappings by name, tables and series.
        round_id
            The id of the round; chosen by the service if None.
        alone
            Whether the search goes on by the rule without asking, and reports once when it is closed.
        """
        if self._has_to_ask(contexts, costs, alone=alone):
            self._known = self.describe()
        request = self._opening(contexts, costs, boxes, outside=outside, id=round_id)
        reply = self._client.send(request)
        return RemoteSearch(self, reply, alone=alone)

    def describe(self) -> ProblemView:
        """Return its settings and counts."""
        return self._client.send(self._request("GET", ProblemView))

    def archive(self) -> ProblemView:
        """Let it take no more rounds."""
        return self._client.send(self._request("POST", ProblemView, "archive"))

    def unarchive(self) -> ProblemView:
        """Let it take rounds again."""
        return self._client.send(self._request("POST", ProblemView, "unarchive"))

    def change(self, **settings: Any) -> ProblemView:
        """Change its waiting time, cost, description, unit, least, most or explore; None ends one."""
        return self._client.send(self._request("PATCH", ProblemView, body=settings))

    def delete(self) -> ProblemView:
        """Forget it and its rounds; return it as it was."""
        return self._client.send(self._request("DELETE", ProblemView))

    def round(self, round_id: str) -> RoundView:
        """Return a round: its boxes, and what happened step by step."""
        return self._client.send(self._request("GET", RoundView, "rounds", round_id))

    def report(self) -> Report:
        """Return savings, looks, regret and calibration."""
        return self._client.send(self._request("GET", Report, "report"))

    def window(self, *, rounds: int | None = None, seconds: float | None = None) -> WindowReport:
        """Return what the newest rounds came to, or those that ended in the last seconds; else all."""
        query = {"rounds": rounds, "seconds": seconds}
        return self._client.send(self._request("GET", WindowReport, "window", query=query))

    def closed(self, **wanted: Any) -> RoundPage:
        """Return a page of closed rounds; ``wanted`` are fields of the route's question, such as ``kept``."""
        return self._client.send(self._request("GET", RoundPage, "closed", query=wanted))

    def judge(
        self, policies: Sequence[str], *, against: str | None = None, learn: float | None = None
    ) -> JudgementReport:
        """Return what the ended rounds say of other policies, by name; waits until it is computed."""
        query = {"policy": ",".join(policies), "against": against, "learn": learn}
        request = self._request("GET", JudgementReport, "judge", query=query)
        while not (told := self._client.send(request)).done:
            pass
        return told

    def diagnostics(self) -> Diagnostics:
        """Return the health of its feedback."""
        return self._client.send(self._request("GET", Diagnostics, "diagnostics"))


class RemoteSearch(BaseSearch[Client]):
    """A round of the service: iterate over it to get boxes, and say what each holds."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        box = self._give_out()
        if box is None:
            raise StopIteration
        return box

    def see(self, value: float, *, cost: float | None = None) -> None:
        """Say what the last box holds, and what the look really cost, if that is known only now."""
        self._tell(value, cost)

    def miss(self, *, cost: float | None = None) -> None:
        """Say that the value of the last box did not come."""
        self._tell(None, cost)

    def close(self, values: Any = None) -> Outcome:
        """End the round; ``values`` are those that feedback ``"full"`` shows, by name of box."""
        self._check_nothing_awaited()
        if unreported := self._unreported():
            self._client.send(self._request(SeeReply, "values", unreported, self._spent()))
        request = self._request(Outcome, "close", sent_values(values))
        self._outcome = self._client.send(request)
        return self._outcome

    def _tell(self, value: float | None, cost: float | None) -> None:
        box = self._awaited()
        if self._alone:
            self._see_alone(value, cost)
        else:
            costs = {} if cost is None else {box: cost}
            request = self._request(SeeReply, "values", {box: value}, costs)
            self._go_on(self._client.send(request))
