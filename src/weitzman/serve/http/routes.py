"""The route table: every path of the service, who may use it, what it takes and gives.

The app, the guard and the OpenAPI document all read this one table. A route has no default for its access:
one that says nothing cannot be written. What a command is given follows from the names of its parameters,
what its route takes and gives from their types.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from inspect import signature
from operator import attrgetter
from typing import Any, Final

from weitzman.serve.commands import (
    exchange,
    judging,
    log_input,
    problems,
    reports,
    round_view,
    rounds,
    windows,
)
from weitzman.serve.commands.batch import run_batch
from weitzman.serve.http import guard
from weitzman.serve.http.guard import Access
from weitzman.serve.http.route import ANY, BINARY, HTML, PARQUET, TEXT, Call, Route
from weitzman.serve.messages.schema import Health, Wire
from weitzman.serve.page import files

_GIVEN: Final = {"ask": "body", "content": "body", "read": "body", "rounds": "body"}
"""The parameters of commands that stand in a call under another name; the last two are prepared."""


def _of_call(command: Callable[..., Any]) -> Callable[[Call], Any]:
    """Return a command as a function of a call, of which it is given what its parameters name."""
    names = [_GIVEN.get(name, name) for name in signature(command).parameters]
    given: Any = attrgetter(*names)
    if len(names) == 1:
        return lambda call: command(given(call))
    return lambda call: command(*given(call))


def _route(
    access: Access, label: str, summary: str, command: Callable[..., Any] | None = None, **more: Any
) -> Route:
    if command is not None:
        known = signature(command)
        more["run"] = _of_call(command)
        if "ask" in known.parameters:
            more["takes"] = known.parameters["ask"].annotation
        gives = known.return_annotation
        more["gives"] = gives if isinstance(gives, type) and issubclass(gives, Wire) else None
    if "prepare" in more:
        query = signature(more["prepare"]).parameters.get("query")
        more["asks"] = None if query is None else query.annotation
        more["prepare"] = _of_call(more["prepare"])
    return Route(label=label, access=access, summary=summary, **more)


_anyone, _reader = partial(_route, "open"), partial(_route, "read")
_writer, _admin = partial(_route, "write"), partial(_route, "admin")

_P = "/v1/problems/{problem}"
_R = "/v1/problems/{problem}/rounds/{round}"

ROUTES: Final[tuple[Route, ...]] = (
    _admin(
        "POST /v1/problems",
        "Create a problem.",
        problems.create_problem,
        prepare=problems.warm_up,
        status=201,
    ),
    _reader("GET /v1/problems", "List all problems.", problems.list_problems, lists=True),
    _reader(f"GET {_P}", "Describe a problem.", problems.problem_view),
    _admin(f"PATCH {_P}", "Change settings of a problem.", problems.change_problem),
    _admin(f"DELETE {_P}", "Forget a problem and its rounds.", problems.delete_problem),
    _admin(f"POST {_P}/archive", "Let a problem take no more rounds.", problems.archive_problem),
    _admin(f"POST {_P}/unarchive", "Let a problem take rounds again.", problems.unarchive_problem),
    _writer(
        f"POST {_P}/rounds",
        "Open a round: the next box, and all reservation values.",
        rounds.open_round,
        takes_long="policy",
        status=201,
    ),
    _reader(f"GET {_P}/rounds", "List the newest rounds.", reports.list_rounds),
    _reader(
        f"GET {_P}/closed",
        "Find closed rounds, newest first, a page of them.",
        windows.round_page,
        prepare=windows.find_rounds,
    ),
    _reader(f"GET {_R}", "Return a round, step by step.", round_view.round_view),
    _writer(
        f"POST {_R}/values", "Report values of a round; learn the next box.", rounds.see_values
    ),
    _writer(
        f"POST {_R}/close",
        "End a round and learn it.",
        rounds.close_round,
        takes_long="policy",
        may_be_empty=True,
    ),
    _writer(
        f"POST {_P}/batch",
        "Open rounds, report values and close rounds, many at once.",
        run_batch,
        takes_long="policy",
    ),
    _reader(
        f"GET {_P}/report",
        "Report savings, looks, regret and calibration of a problem.",
        reports.report,
    ),
    _reader(
        f"GET {_P}/window",
        "Report on the rounds of a window, and what was done with each box.",
        windows.window_report,
        prepare=windows.read_window,
    ),
    _reader(f"GET {_P}/diagnostics", "Report how healthy the feedback is.", reports.diagnostics),
    _reader(
        f"GET {_P}/features/{{place}}",
        "Return the newest reservation values against the feature at a place, counted from 0.",
        reports.feature_points,
        prepare=reports.newest_rounds,
    ),
    _reader(
        f"GET {_P}/judge",
        "Say what other policies would have cost, by the rounds that have ended.",
        judging.judgement_report,
        prepare=judging.judge_journal,
    ),
    _reader(
        f"GET {_P}/log",
        "Export the closed rounds as a log (Parquet).",
        lambda content: content,
        prepare=exchange.export_log,
        gives_type=PARQUET,
    ),
    _admin(
        f"POST {_P}/log",
        "Live through a log (Parquet), as a replay does.",
        exchange.import_rounds,
        prepare=lambda problem, content: asyncio.to_thread(log_input.read_log, problem, content),
        takes_type=PARQUET,
        takes_long="always",
    ),
    _admin(
        f"GET {_P}/state",
        "Download what was learned, as a saved searcher.",
        lambda problem: problem.saved(),
        gives_type=BINARY,
    ),
    _admin(
        f"PUT {_P}/state",
        "Replace what was learned by that of a saved searcher.",
        exchange.upload_state,
        takes_type=BINARY,
        takes_long="policy",
    ),
    _admin(
        "POST /v1/keys",
        "Make a key; it is shown once.",
        guard.create_key,
        status=201,
        repeatable=False,
    ),
    _admin("GET /v1/keys", "List the keys.", guard.list_keys),
    _admin("DELETE /v1/keys/{key}", "Revoke a key.", guard.revoke_key),
    _admin(
        "GET /v1/digest",
        "Return a hash of everything, to compare with a copy.",
        reports.digest_of,
        needs_all=True,
    ),
    _anyone("GET /healthz", "Say that the process is there.", gives=Health),
    _anyone("GET /readyz", "Say whether requests are answered.", gives=Health),
    _reader("GET /metrics", "Return counts and durations for Prometheus.", gives_type=TEXT),
    _anyone("GET /openapi.json", "Return this description."),
    _anyone("GET /docs", "Show this description.", gives_type=HTML, file=files.send_docs),
    _anyone("GET /", "Show the page.", gives_type=HTML, file=files.send),
    _anyone(
        "GET /page/{file}",
        "Send a part of the page: style, script, charts.",
        gives_type=ANY,
        file=files.send,
    ),
)
"""All routes."""
