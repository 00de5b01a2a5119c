"""The route table: every path of the service, who may use it, what it takes and gives.

The app, the guard and the OpenAPI document all read this one table. A route has no default for its access:
one that says nothing cannot be written.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from weitzman.errors import InvalidInputError
from weitzman.ledger.bodies import Created
from weitzman.ledger.problem import Problem
from weitzman.serve import exchange, guard, page, points, problems, reports, rounds, schema, stories
from weitzman.serve.batch import run_batch
from weitzman.serve.desk import Desk
from weitzman.serve.guard import Access

__all__ = ["BINARY", "JSON", "PARQUET", "ROUTES", "Call", "Route"]

JSON: Final = "application/json"
BINARY: Final = "application/octet-stream"
PARQUET: Final = "application/vnd.apache.parquet"
HTML: Final = "text/html"
ANY: Final = "*/*"
TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


class Call:
    """One request on its way: the desk, the names in its path, and its body."""

    __slots__ = ("args", "body", "desk")

    def __init__(self, desk: Desk, args: dict[str, str], body: Any) -> None:
        self.desk, self.args, self.body = desk, args, body

    @property
    def problem(self) -> Problem:
        """The problem that the path names."""
        return self.desk.problem(self.args["problem"])


@dataclass(frozen=True, kw_only=True)
class Route:
    """One path and method.

    Attributes
    ----------
    method, path
        ``{names}`` stand for one part of the path each.
    access
        Who may use it: everybody (``"open"``), or keys of this scope or a wider one.
    summary
        One line for the documentation.
    run
        The command. None for what the app answers by itself.
    takes, gives
        The struct of the body and of the reply; None if there is none or it is bytes.
    takes_type, gives_type
        Their media types; ``takes_type`` None if there is no body.
    status
        That of success.
    may_be_empty
        Whether a body may be left out.
    prepare
        What is to be awaited before the command, off the event loop; its result becomes the body.
    repeatable
        Whether a reply is kept for its idempotency key.
    file
        What answers with a file of the page, from the names in the path and the headers; None for all else.
    """

    method: str
    path: str
    access: Access
    summary: str
    run: Callable[[Call], Any] | None
    takes: type[schema.Wire] | None = None
    gives: type[schema.Wire] | None = None
    takes_type: str | None = None
    gives_type: str = JSON
    status: int = 200
    may_be_empty: bool = False
    prepare: Callable[[Call], Awaitable[Any]] | None = None
    repeatable: bool = True
    file: Callable[[dict[str, str], dict[bytes, bytes]], Awaitable[page.Sent]] | None = None


async def _warm(call: Call) -> Any:
    ask = call.body
    small = Created(
        boxes=["a"],
        features=["x"],
        sense=ask.sense,
        feedback=ask.feedback,
        waiting=1,
        learner=ask.learner,
        parameters=ask.parameters,
        policy=ask.policy,
        optimism=ask.optimism,
    )
    if not call.desk.warmth.is_warm(small):
        # What cannot be warmed up is refused by the command, which tells why
        with contextlib.suppress(InvalidInputError):
            await asyncio.to_thread(call.desk.warmth.warm, small)
    return ask


async def _parse_log(call: Call) -> Any:
    return await asyncio.to_thread(exchange.parse_log, call.problem, call.body)


async def _export(call: Call) -> Any:
    problem, desk = call.problem, call.desk
    pending = desk.pending()
    if pending is not None:
        await asyncio.wait([pending])
    events = desk.journal.read(problem=problem.name, until=desk.head.seq)
    return await asyncio.to_thread(exchange.export_log, problem, events)


async def _newest(call: Call) -> Any:
    return await points.read_newest(call.desk, call.problem)


_P = "/v1/problems/{problem}"
_R = "/v1/problems/{problem}/rounds/{round}"

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        method="POST",
        path="/v1/problems",
        access="admin",
        summary="Create a problem.",
        run=lambda c: problems.create_problem(c.desk, c.body),
        takes=schema.NewProblem,
        takes_type=JSON,
        gives=schema.ProblemView,
        status=201,
        prepare=_warm,
    ),
    Route(
        method="GET",
        path="/v1/problems",
        access="read",
        summary="List all problems.",
        run=lambda c: problems.list_problems(c.desk),
        gives=schema.ProblemList,
    ),
    Route(
        method="GET",
        path=_P,
        access="read",
        summary="Describe a problem.",
        run=lambda c: problems.problem_view(c.problem),
        gives=schema.ProblemView,
    ),
    Route(
        method="POST",
        path=f"{_P}/archive",
        access="admin",
        summary="Let a problem take no more rounds.",
        run=lambda c: problems.archive_problem(c.desk, c.problem),
        gives=schema.ProblemView,
    ),
    Route(
        method="POST",
        path=f"{_P}/rounds",
        access="write",
        summary="Open a round: the next box, and all reservation values.",
        run=lambda c: rounds.open_round(c.desk, c.problem, c.body),
        takes=schema.NewRound,
        takes_type=JSON,
        gives=schema.RoundReply,
        status=201,
    ),
    Route(
        method="GET",
        path=f"{_P}/rounds",
        access="read",
        summary="List the newest rounds.",
        run=lambda c: reports.list_rounds(c.problem),
        gives=schema.RoundList,
    ),
    Route(
        method="GET",
        path=_R,
        access="read",
        summary="Tell a round with its story.",
        run=lambda c: stories.round_story(c.desk, c.problem, c.args["round"]),
        gives=schema.RoundStory,
    ),
    Route(
        method="POST",
        path=f"{_R}/values",
        access="write",
        summary="Tell values of a round: the next box, or stop.",
        run=lambda c: rounds.see_values(c.desk, c.problem, c.args["round"], c.body),
        takes=schema.SeeRequest,
        takes_type=JSON,
        gives=schema.SeeReply,
    ),
    Route(
        method="POST",
        path=f"{_R}/close",
        access="write",
        summary="End a round and learn it.",
        run=lambda c: rounds.close_round(c.desk, c.problem, c.args["round"], c.body),
        takes=schema.CloseRequest,
        takes_type=JSON,
        gives=schema.Outcome,
        may_be_empty=True,
    ),
    Route(
        method="POST",
        path=f"{_P}/batch",
        access="write",
        summary="Open, tell values of and close many rounds.",
        run=lambda c: run_batch(c.desk, c.problem, c.body),
        takes=schema.BatchRequest,
        takes_type=JSON,
        gives=schema.BatchReply,
    ),
    Route(
        method="GET",
        path=f"{_P}/report",
        access="read",
        summary="Tell what a problem came to: savings, looks, regret, calibration.",
        run=lambda c: reports.report(c.problem),
        gives=schema.Report,
    ),
    Route(
        method="GET",
        path=f"{_P}/diagnostics",
        access="read",
        summary="Tell the health of a problem's feedback.",
        run=lambda c: reports.diagnostics(c.desk, c.problem),
        gives=schema.Diagnostics,
    ),
    Route(
        method="GET",
        path=f"{_P}/features/{{place}}",
        access="read",
        summary="Tell the newest reservation values against the feature at a place, counted from 0.",
        run=lambda c: points.feature_points(c.problem, c.args["place"], c.body),
        gives=schema.FeaturePoints,
        prepare=_newest,
    ),
    Route(
        method="GET",
        path=f"{_P}/log",
        access="read",
        summary="Export the closed rounds as a log (Parquet).",
        run=lambda c: c.body,
        gives_type=PARQUET,
        prepare=_export,
    ),
    Route(
        method="POST",
        path=f"{_P}/log",
        access="admin",
        summary="Import a log (Parquet) as a warm start.",
        run=lambda c: exchange.import_rounds(c.desk, c.problem, c.body),
        takes_type=PARQUET,
        gives=schema.ImportReply,
        prepare=_parse_log,
    ),
    Route(
        method="GET",
        path=f"{_P}/state",
        access="admin",
        summary="Download what was learned, as a saved searcher.",
        run=lambda c: c.problem.saved(),
        gives_type=BINARY,
    ),
    Route(
        method="PUT",
        path=f"{_P}/state",
        access="admin",
        summary="Replace what was learned by that of a saved searcher.",
        run=lambda c: exchange.upload_state(c.desk, c.problem, c.body),
        takes_type=BINARY,
        gives=schema.ProblemView,
    ),
    Route(
        method="POST",
        path="/v1/keys",
        access="admin",
        summary="Make a key; it is shown once.",
        run=lambda c: guard.create_key(c.desk, c.body),
        takes=schema.NewKey,
        takes_type=JSON,
        gives=schema.CreatedKey,
        status=201,
        repeatable=False,
    ),
    Route(
        method="GET",
        path="/v1/keys",
        access="admin",
        summary="List the keys.",
        run=lambda c: guard.list_keys(c.desk),
        gives=schema.KeyList,
    ),
    Route(
        method="DELETE",
        path="/v1/keys/{key}",
        access="admin",
        summary="Revoke a key.",
        run=lambda c: guard.revoke_key(c.desk, c.args["key"]),
        gives=schema.KeyView,
    ),
    Route(
        method="GET",
        path="/v1/digest",
        access="admin",
        summary="Tell a hash of everything, to compare with a copy.",
        run=lambda c: reports.digest_of(c.desk),
        gives=schema.Digest,
    ),
    Route(
        method="GET",
        path="/healthz",
        access="open",
        summary="Tell that the process is there.",
        run=None,
        gives=schema.Health,
    ),
    Route(
        method="GET",
        path="/readyz",
        access="open",
        summary="Tell whether requests are answered.",
        run=None,
        gives=schema.Health,
    ),
    Route(
        method="GET",
        path="/metrics",
        access="read",
        summary="Tell counts and durations for Prometheus.",
        run=None,
        gives_type=TEXT,
    ),
    Route(
        method="GET",
        path="/openapi.json",
        access="open",
        summary="Tell this description.",
        run=None,
    ),
    Route(
        method="GET",
        path="/",
        access="open",
        summary="Show the page.",
        run=None,
        gives_type=HTML,
        file=page.send,
    ),
    Route(
        method="GET",
        path="/page/{file}",
        access="open",
        summary="Send a part of the page: style, script, charts.",
        run=None,
        gives_type=ANY,
        file=page.send,
    ),
)
"""All routes."""
