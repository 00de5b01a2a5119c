"""The route table: every path of the service, who may use it, what it takes and gives.

The app, the guard and the OpenAPI document all read this one table. A route has no default for its access:
one that says nothing cannot be written.
"""

import asyncio
from typing import Final

from weitzman.serve.commands import exchange, problems, reports, round_view, rounds
from weitzman.serve.commands.batch import run_batch
from weitzman.serve.http import guard
from weitzman.serve.http.route import ANY, BINARY, HTML, PARQUET, TEXT, Route
from weitzman.serve.messages import schema
from weitzman.serve.messages.reports import Diagnostics, FeaturePoints, Report, RoundList, RoundView
from weitzman.serve.page import files

_P = "/v1/problems/{problem}"
_R = "/v1/problems/{problem}/rounds/{round}"

ROUTES: Final[tuple[Route, ...]] = (
    Route(
        label="POST /v1/problems",
        access="admin",
        summary="Create a problem.",
        run=lambda c: problems.create_problem(c.engine, c.body),
        takes=schema.NewProblem,
        gives=schema.ProblemView,
        status=201,
        prepare=lambda c: problems.warm_up(c.engine, c.body),
    ),
    Route(
        label="GET /v1/problems",
        access="read",
        summary="List all problems.",
        run=lambda c: problems.list_problems(c.engine),
        gives=schema.ProblemList,
    ),
    Route(
        label=f"GET {_P}",
        access="read",
        summary="Describe a problem.",
        run=lambda c: problems.problem_view(c.problem),
        gives=schema.ProblemView,
    ),
    Route(
        label=f"POST {_P}/archive",
        access="admin",
        summary="Let a problem take no more rounds.",
        run=lambda c: problems.archive_problem(c.engine, c.problem),
        gives=schema.ProblemView,
    ),
    Route(
        label=f"POST {_P}/rounds",
        access="write",
        summary="Open a round: the next box, and all reservation values.",
        takes_long="policy",
        run=lambda c: rounds.open_round(c.engine, c.problem, c.body),
        takes=schema.NewRound,
        gives=schema.RoundReply,
        status=201,
    ),
    Route(
        label=f"GET {_P}/rounds",
        access="read",
        summary="List the newest rounds.",
        run=lambda c: reports.list_rounds(c.problem),
        gives=RoundList,
    ),
    Route(
        label=f"GET {_R}",
        access="read",
        summary="Tell a round with its story.",
        run=lambda c: round_view.round_view(c.engine, c.problem, c.args["round"]),
        gives=RoundView,
    ),
    Route(
        label=f"POST {_R}/values",
        access="write",
        summary="Tell values of a round: the next box, or stop.",
        run=lambda c: rounds.see_values(c.engine, c.problem, c.args["round"], c.body),
        takes=schema.SeeRequest,
        gives=schema.SeeReply,
    ),
    Route(
        label=f"POST {_R}/close",
        access="write",
        summary="End a round and learn it.",
        takes_long="policy",
        run=lambda c: rounds.close_round(c.engine, c.problem, c.args["round"], c.body),
        takes=schema.CloseRequest,
        gives=schema.Outcome,
        may_be_empty=True,
    ),
    Route(
        label=f"POST {_P}/batch",
        access="write",
        summary="Open, tell values of and close many rounds.",
        takes_long="policy",
        run=lambda c: run_batch(c.engine, c.problem, c.body),
        takes=schema.BatchRequest,
        gives=schema.BatchReply,
    ),
    Route(
        label=f"GET {_P}/report",
        access="read",
        summary="Tell what a problem came to: savings, looks, regret, calibration.",
        run=lambda c: reports.report(c.problem),
        gives=Report,
    ),
    Route(
        label=f"GET {_P}/diagnostics",
        access="read",
        summary="Tell the health of a problem's feedback.",
        run=lambda c: reports.diagnostics(c.engine, c.problem),
        gives=Diagnostics,
    ),
    Route(
        label=f"GET {_P}/features/{{place}}",
        access="read",
        summary="Tell the newest reservation values against the feature at a place, counted from 0.",
        run=lambda c: reports.feature_points(c.problem, c.args["place"], c.body),
        gives=FeaturePoints,
        prepare=lambda c: reports.newest_rounds(c.engine, c.problem),
    ),
    Route(
        label=f"GET {_P}/log",
        access="read",
        summary="Export the closed rounds as a log (Parquet).",
        run=lambda c: c.body,
        gives_type=PARQUET,
        prepare=lambda c: exchange.export_log(c.engine, c.problem),
    ),
    Route(
        label=f"POST {_P}/log",
        access="admin",
        summary="Import a log (Parquet) as a warm start.",
        takes_long="always",
        run=lambda c: exchange.import_rounds(c.engine, c.problem, c.body),
        takes_type=PARQUET,
        gives=schema.ImportReply,
        prepare=lambda c: asyncio.to_thread(exchange.read_log, c.problem, c.body),
    ),
    Route(
        label=f"GET {_P}/state",
        access="admin",
        summary="Download what was learned, as a saved searcher.",
        run=lambda c: c.problem.saved(),
        gives_type=BINARY,
    ),
    Route(
        label=f"PUT {_P}/state",
        access="admin",
        summary="Replace what was learned by that of a saved searcher.",
        takes_long="policy",
        run=lambda c: exchange.upload_state(c.engine, c.problem, c.body),
        takes_type=BINARY,
        gives=schema.ProblemView,
    ),
    Route(
        label="POST /v1/keys",
        access="admin",
        summary="Make a key; it is shown once.",
        run=lambda c: guard.create_key(c.engine, c.body),
        takes=schema.NewKey,
        gives=schema.CreatedKey,
        status=201,
        repeatable=False,
    ),
    Route(
        label="GET /v1/keys",
        access="admin",
        summary="List the keys.",
        run=lambda c: guard.list_keys(c.engine),
        gives=schema.KeyList,
    ),
    Route(
        label="DELETE /v1/keys/{key}",
        access="admin",
        summary="Revoke a key.",
        run=lambda c: guard.revoke_key(c.engine, c.args["key"]),
        gives=schema.KeyView,
    ),
    Route(
        label="GET /v1/digest",
        access="admin",
        summary="Tell a hash of everything, to compare with a copy.",
        run=lambda c: reports.digest_of(c.engine),
        needs_all=True,
        gives=schema.Digest,
    ),
    Route(
        label="GET /healthz",
        access="open",
        summary="Tell that the process is there.",
        gives=schema.Health,
    ),
    Route(
        label="GET /readyz",
        access="open",
        summary="Tell whether requests are answered.",
        gives=schema.Health,
    ),
    Route(
        label="GET /metrics",
        access="read",
        summary="Tell counts and durations for Prometheus.",
        gives_type=TEXT,
    ),
    Route(
        label="GET /openapi.json",
        access="open",
        summary="Tell this description.",
    ),
    Route(
        label="GET /",
        access="open",
        summary="Show the page.",
        gives_type=HTML,
        file=files.send,
    ),
    Route(
        label="GET /page/{file}",
        access="open",
        summary="Send a part of the page: style, script, charts.",
        gives_type=ANY,
        file=files.send,
    ),
)
"""All routes."""
