"""The same rounds of a log played in four ways: replayed, at once, one by one, and through the service."""

import asyncio
import itertools
import json
import math
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.policy import Floats, Policy, Round
from weitzman.learn.storage.registry import described_policy
from weitzman.ledger.snapshots import FileSnapshots
from weitzman.ledger.sqlite.journal import SqliteJournal
from weitzman.logs.log import Log, read_log
from weitzman.logs.rounds import LogRounds
from weitzman.replays.replay import replay
from weitzman.serve.client import Client
from weitzman.serve.commands.first import begin_with
from weitzman.serve.engine.engine import Engine
from weitzman.serve.run import make_app, make_guard
from weitzman.serve.settings import Settings

__all__ = [
    "InProcess",
    "anonymous_log",
    "by_client",
    "first_rounds",
    "named_log",
    "one_by_one",
    "played",
    "replayed",
    "served",
    "two_valued_log",
]

T = TypeVar("T")
Send = Callable[[str, Any], Any]
"""Sends a body to a path, and returns what comes back."""


def named_log(rounds: int = 40) -> Log:
    """Outside options now and then, absent boxes, a flag in thousands, text, values that are not known."""
    rng = np.random.default_rng(1)
    t, b = (a.ravel() for a in np.indices((rounds, 4)))
    mood = rng.normal(size=rounds)[t]
    size, flag = rng.normal(size=t.size), 3000.0 * (rng.uniform(size=t.size) < 0.3)
    colour = rng.choice(["red", "blue"], t.size)
    value = 3.0 + b + size + flag / 2000.0 + mood + 0.3 * rng.normal(size=t.size)
    columns = {
        "round": t,
        "box": np.array([f"b{k}" for k in b]),
        "cost": rng.uniform(0.05, 0.4, t.size),
        "value": np.where(rng.uniform(size=t.size) < 0.05, np.nan, value),
        "outside": np.where(rng.uniform(size=rounds) < 0.5, 3.0, np.nan)[t],
        "x_size": size,
        "x_flag": flag,
        "x_colour": colour,
    }
    there = rng.uniform(size=t.size) < 0.9
    table = {name: pa.array(c[there], from_pandas=True) for name, c in columns.items()}
    return read_log(pa.table(table), shared=False)


def two_valued_log(rounds: int = 40) -> Log:
    """Values of 0 and 20, of which 0 is known to be the best; a box that costs nothing."""
    rng = np.random.default_rng(3)
    t, b = (a.ravel() for a in np.indices((rounds, 3)))
    size = rng.normal(size=t.size)
    right = rng.uniform(size=t.size) < 1.0 / (1.0 + np.exp(-size - b))
    columns = {
        "round": t,
        "box": np.array([f"b{k}" for k in b]),
        "cost": np.where(b == 1, 0.0, rng.uniform(0.1, 3.0, t.size)),
        "value": np.where(right, 0.0, 20.0),
        "outside": np.where(rng.uniform(size=rounds) < 0.3, 12.0, np.nan)[t],
        "x_size": size,
    }
    table = {name: pa.array(c, from_pandas=True) for name, c in columns.items()}
    return read_log(pa.table(table), shared=False, least=0.0)


def anonymous_log(rounds: int = 40) -> Log:
    """Boxes that are new in every round, two to four of them, without an outside option."""
    rng = np.random.default_rng(2)
    counts = rng.integers(2, 5, size=rounds)
    t = np.repeat(np.arange(rounds), counts)
    x = rng.normal(size=(t.size, 2)) * [1.0, 400.0]
    columns = {
        "round": t,
        "box": np.arange(t.size).astype(str),
        "cost": rng.uniform(0.05, 0.4, t.size),
        "value": x @ [1.0, 0.002] + rng.normal(size=rounds)[t] + 0.3 * rng.normal(size=t.size),
        "x_a": x[:, 0],
        "x_b": x[:, 1],
    }
    log = read_log(pa.table(columns))
    assert log.shared
    return log


def first_rounds(log: Log, count: int) -> Log:
    """Return the log of the first rounds."""
    return replace(
        log,
        rounds=log.rounds[:count],
        contexts=log.contexts[:count],
        costs=log.costs[:count],
        values=log.values[:count],
        outside=None if log.outside is None else log.outside[:count],
        opened=None if log.opened is None else log.opened[:count],
        paid=None if log.paid is None else log.paid[:count],
    )


def replayed(policy: Policy, log: Log, feedback: Feedback) -> list[float]:
    """Return what a replay shows for the policy that it is about."""
    found = replay(log, [policy], feedback=feedback)
    return list(map(float, found.of(found.main)))


def searcher_of(policy: Policy, log: Log, feedback: Feedback) -> wz.Searcher:
    dimension = LogRounds(log, 1.0).dimension
    return wz.Searcher(
        boxes=log.boxes, dimension=dimension, policy=policy, feedback=feedback, least=log.least
    )


def played(policy: Policy, log: Log, feedback: Feedback) -> list[float]:
    """Return the totals of :meth:`weitzman.Searcher.play`."""
    known = ~np.isnan(log.values)
    contexts = np.where(known[:, :, np.newaxis], log.contexts, np.nan)
    searcher = searcher_of(policy, log, feedback)
    done = searcher.play(contexts, log.costs, log.values, outside=log.outside)
    return list(map(float, done.totals[known.any(axis=1)]))


def one_by_one(policy: Policy, log: Log, feedback: Feedback) -> list[float]:
    """Return the totals of rounds that are opened, looked at and closed."""
    searcher, totals = searcher_of(policy, log, feedback), []
    for shown, values in LogRounds(log, 1.0):
        boxes: list[Any] = _names(log, shown)
        found = dict(zip(boxes, values.tolist(), strict=True))
        outside = None if math.isinf(shown.outside) else shown.outside
        search = searcher.open(shown.contexts, shown.costs, outside=outside, boxes=boxes)
        for box in search:
            search.see(found[box])
        outcome = search.close(found) if feedback == "full" else search.close()
        totals.append(outcome.total)
    return totals


def described(policy: Policy) -> dict[str, Any]:
    """Return the policy as the settings of a problem have it."""
    if policy == wz.default_policy():
        return {"policy": "default"}
    parameters = described_policy(policy)
    return {"policy": parameters.pop("class"), "parameters": parameters}


def served(name: str, policy: Policy, log: Log, feedback: Feedback, send: Send) -> list[float]:
    """Return the totals of rounds of a problem of this name that are played through the service."""
    dimension = LogRounds(log, 1.0).dimension
    problem = {"name": name, "boxes": log.boxes, "dimension": dimension, "feedback": feedback}
    problem["least"] = log.least
    send("/v1/problems", {**problem, **described(policy)})
    rounds = f"/v1/problems/{name}/rounds"
    totals = []
    for shown, values in LogRounds(log, 1.0):
        found = dict(zip(_names(log, shown), values.tolist(), strict=True))
        reply = send(rounds, _asked(shown, list(found)))
        path = f"{rounds}/{reply['round']}"
        while reply["next"] is not None:
            box = reply["next"]
            reply = send(f"{path}/values", {"values": {box: found[box]}})
        closed = send(f"{path}/close", {"values": found} if feedback == "full" else {})
        totals.append(closed["total"])
    return totals


def by_client(
    client: Client, name: str, policy: Policy, log: Log, feedback: Feedback
) -> list[float | None]:
    """Return the totals of rounds that the client of a service plays."""
    problem = client.create_problem(
        name=name, boxes=log.boxes, features=log.features, feedback=feedback, **described(policy)
    )
    totals = []
    for shown, values in LogRounds(log, 1.0):
        found = dict(zip(_names(log, shown), values.tolist(), strict=True))
        outside = None if math.isinf(shown.outside) else shown.outside
        search = problem.open(shown.contexts, shown.costs, outside=outside, boxes=list(found))
        for box in search:
            search.see(found[box])
        totals.append(search.close(found if feedback == "full" else None).total)
    return totals


def _names(log: Log, shown: Round) -> list[str]:
    return [log.boxes[place] for place in shown.places]


def _asked(shown: Round, boxes: list[str]) -> dict[str, Any]:
    contexts: Floats = shown.contexts
    asked = {"boxes": boxes, "contexts": contexts.tolist(), "costs": shown.costs.tolist()}
    return asked if math.isinf(shown.outside) else {**asked, "outside": shown.outside}


class InProcess:
    """The app of a service without a socket: requests go to it as a server would hand them on."""

    def __init__(self, place: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._problems = itertools.count()
        settings = Settings(data=str(place))
        self._app = make_app(
            settings, make_guard(settings), SqliteJournal(place), FileSnapshots(place)
        )

    @classmethod
    @contextmanager
    def running(
        cls, place: Path, first: Mapping[str, wz.Searcher] | None = None
    ) -> "Iterator[InProcess]":
        """Start an app over a journal, with the first problems of a new one, and close it at the end."""
        made = cls(place)

        async def begin(engine: Engine) -> None:
            for name, searcher in (first or {}).items():
                await begin_with(engine, name, searcher)

        made._app.supervisor.on_ready = begin
        made._loop.run_until_complete(made._ready())
        try:
            yield made
        finally:
            made._loop.run_until_complete(made._app.supervisor.close())
            made._loop.close()

    async def _ready(self) -> None:
        self._app.supervisor.start()
        while self._app.supervisor.engine is None:
            await asyncio.sleep(0.01)

    @property
    def engine(self) -> Engine:
        """The engine of the app."""
        assert self._app.supervisor.engine is not None
        return self._app.supervisor.engine

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Do some work where the app runs, and return what it returns."""
        return self._loop.run_until_complete(work)

    def get(self, path: str) -> Any:
        """Return what is at a path."""
        status, content = self._loop.run_until_complete(self._asked(path, b"", "GET"))
        assert status == 200, content
        return json.loads(content)

    def new_number(self) -> int:
        """Return a number that was not returned before."""
        return next(self._problems)

    def send(self, path: str, body: Any) -> Any:
        """Send a body; return what comes back, which is no refusal."""
        status, content = self.ask(path, body)
        assert status < 300, content
        return json.loads(content)

    def ask(self, path: str, body: Any, method: str = "POST") -> tuple[int, bytes]:
        """Send a body; return the status and the content."""
        content = b"" if body is None else json.dumps(body).encode()
        return self._loop.run_until_complete(self._asked(path, content, method))

    async def _asked(self, path: str, content: bytes, method: str = "POST") -> tuple[int, bytes]:
        found: list[Any] = []
        headers = {
            b"host": b"localhost",
            b"content-type": b"application/json",
            b"content-length": b"%d" % len(content),
        }
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": list(headers.items()),
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Any) -> None:
            found.append(message)

        await self._app(scope, receive, send)
        return found[0]["status"], found[1]["body"]
