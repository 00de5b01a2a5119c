"""Logs and saved searchers, in and out.

A log is a Parquet file as :func:`weitzman.logs.log.read_log` reads it: one row per round and box,
features as columns ``x_<name>``. There smaller values are better: where larger ones are, values turn their
sign on the way out and in.
"""

import asyncio
import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.feedback import BOUNDED
from weitzman.learn.features import PREFIX
from weitzman.learn.load import load
from weitzman.learn.searcher import Searcher
from weitzman.learn.settings import saved_settings
from weitzman.learn.storage.format import saved_size
from weitzman.ledger.bodies import Closed, Imported, Opened, Seen, Uploaded, decode
from weitzman.ledger.event import Event
from weitzman.ledger.state.deciding import searcher_for
from weitzman.ledger.state.problem import Problem
from weitzman.serve.commands.log_input import ReadRounds
from weitzman.serve.commands.problems import problem_view
from weitzman.serve.commands.round_input import check_box_value
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.schema import ImportReply, ProblemView

_ROUNDS = 500  # of one event


def feature_names(searcher: Searcher) -> list[str] | None:
    """Return the names of the numbers of a context; None if the searcher does not know them."""
    if searcher.encoding is None:
        return None
    columns = searcher.encoding.columns or ["constant"]
    if all(column.startswith(PREFIX) for column in columns):
        return [column.removeprefix(PREFIX) for column in columns]
    return columns


def upload_state(engine: Engine, problem: Problem, content: bytes) -> ProblemView:
    """Replace what was learned by what a saved searcher has learned."""
    limit = engine.settings.upload_limit
    try:
        if saved_size(content) > limit:
            raise Refusal("too-large", f"The state unfolds to more than {limit:,} bytes.")
        searcher = load(content)
        settings = saved_settings(searcher_for(problem.settings))
        for field, wanted in settings.items():
            if field in ("rounds", "names", "features", "unit"):
                continue
            got = saved_settings(searcher)[field]
            if got != wanted:
                raise Refusal("conflict", f"The searcher has {field} {got!r}, not {wanted!r}.")
        if [str(name) for name in searcher.names] != problem.settings.boxes:
            raise Refusal("conflict", f"The searcher has the boxes {searcher.names}.")
        if feature_names(searcher) not in (None, problem.settings.features):
            raise Refusal("conflict", f"The searcher has the features {feature_names(searcher)}.")
        Problem(name="", at=0, settings=problem.settings).replace_learned(content)
    except (InvalidInputError, KeyError) as error:
        raise Refusal("invalid", f"The state cannot be taken: {error}") from None
    engine.happen(problem.name, Uploaded(content))
    return problem_view(problem)


def import_rounds(engine: Engine, problem: Problem, read: ReadRounds) -> ImportReply:
    """Live through the rounds of a log, as several events that are stored together."""
    rounds = read.rounds
    for past in rounds:
        for value in past.values:
            if value is not None:
                check_box_value(problem, value, "value")
    for begin in range(0, len(rounds), _ROUNDS):
        engine.happen(problem.name, Imported(rounds[begin : begin + _ROUNDS], lived=True))
    return ImportReply(
        rounds=len(rounds),
        values=sum(len(past.values) for past in rounds),
        unknown_levels=read.unknown_levels,
    )


async def export_log(engine: Engine, problem: Problem) -> bytes:
    """Return the closed rounds of a problem that are stored as a Parquet file, written on a thread."""
    pending = engine.pending()
    if pending is not None:
        await asyncio.wait([pending])
    events = engine.journal.read(problem=problem.name, until=engine.head.seq)
    return await asyncio.to_thread(_written, problem, events)


def _written(problem: Problem, events: Iterable[Event]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    boxes = problem.settings.boxes
    columns: dict[str, list[Any]] = {
        n: []
        for n in ("round", "box", "cost", "paid", "value", "outside", "opened", "late", "chance")
    }
    draws = False
    features: list[list[float | None]] = []
    opened: dict[str, Opened] = {}
    looks: dict[str, dict[int, float | None]] = {}
    spent: dict[str, dict[int, float]] = {}
    first: dict[str, int] = {}
    for event in events:
        if event.number < problem.first or event.kind not in ("opened", "seen", "closed"):
            continue
        body = decode(event.kind, event.body)
        if isinstance(body, Opened):
            opened[event.key], looks[event.key], spent[event.key] = body, {}, {}
            draws = draws or body.draw is not None
        elif isinstance(body, Seen) and not body.late:
            looks[event.key].update(body.looks)
            spent[event.key].update(body.costs)
        elif isinstance(body, Seen):
            for row, value in body.looks:
                columns["value"][first[event.key] + row] = _out(problem, value)
                columns["late"][first[event.key] + row] = True
        elif isinstance(body, Closed):
            begun, seen = opened.pop(event.key), looks.pop(event.key)
            paid = spent.pop(event.key)
            values = {**dict(body.shown), **{r: v for r, v in seen.items() if v is not None}}
            rows = range(len(begun.costs))
            places = list(rows) if begun.places is None else begun.places
            first[event.key] = len(features)
            features += begun.contexts
            columns["round"] += [event.key] * len(rows)
            columns["box"] += [boxes[p] for p in places]
            columns["cost"] += begun.costs
            columns["paid"] += [paid.get(r) for r in rows]
            values = _kept(problem, begun, values)
            columns["value"] += [_out(problem, values.get(r)) for r in rows]
            columns["outside"] += [_out(problem, begun.outside)] * len(rows)
            columns["opened"] += [r in seen for r in rows]
            columns["late"] += [False] * len(rows)
            # Without a draw, what was opened was opened whatever would have been drawn
            columns["chance"] += body.chances or [float(r in seen) for r in rows]
    if not draws:
        del columns["chance"]
    kinds = {"round": pyarrow.string(), "box": pyarrow.string(), "opened": pyarrow.bool_()}
    kinds["late"] = pyarrow.bool_()
    arrays = {n: pyarrow.array(c, kinds.get(n, pyarrow.float64())) for n, c in columns.items()}
    width = len(problem.settings.features)
    grid = np.array(features, dtype=np.float64).reshape(-1, width)
    for place, name in enumerate(problem.settings.features):
        arrays[f"x_{name}"] = pyarrow.array(grid[:, place])
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(arrays), sink)
    return sink.getvalue()


def _kept(problem: Problem, begun: Opened, values: dict[int, float]) -> dict[int, float]:
    """Return what a log says of the values of a round: no more than the feedback reveals."""
    if problem.settings.feedback not in BOUNDED:
        return values
    # A total says of no box what it holds
    if problem.settings.feedback == "total" or not values:
        return {}
    # The first of equal ones, as in a search
    row = min(values, key=lambda r: problem.sign * values[r])
    beaten = begun.outside is not None and problem.sign * (begun.outside - values[row]) <= 0.0
    return {} if beaten else {row: values[row]}


def _out(problem: Problem, value: float | None) -> float | None:
    return None if value is None else problem.sign * value
