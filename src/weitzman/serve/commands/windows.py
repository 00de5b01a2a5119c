"""Looking back at closed rounds: what a window of them came to, and lists with filters, page by page.

Both are answered from columns of closed rounds, on a thread (:mod:`weitzman.serve.engine.histories`).
"""

import math

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.ledger.state.closed_rounds import NOTHING, OUTSIDE, ClosedRounds
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.window import option_table, tally_of
from weitzman.serve.commands.reports import report_of
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.reports import ClosedRound
from weitzman.serve.messages.windows import (
    OptionReport,
    RoundFilter,
    RoundPage,
    Window,
    WindowReport,
)

_SECOND = 1e-6


async def read_window(engine: Engine, problem: Problem, query: Window) -> WindowReport:
    """Return what the rounds of a window came to."""
    now = engine.now()
    told, share = await engine.histories.ask(
        problem, lambda rounds: _told(problem, rounds, _begin(rounds, query, now))
    )
    told.share_read = share
    return told


async def find_rounds(engine: Engine, problem: Problem, query: RoundFilter) -> RoundPage:
    """Return the closed rounds of a window that pass a filter, a page of them."""
    now = engine.now()
    for name in (query.opened, query.kept):
        if name is not None and name not in problem.place:
            field = "opened" if name == query.opened else "kept"
            raise Refusal("unknown", f"The problem has no box {name!r}.", field)
    told, share = await engine.histories.ask(
        problem, lambda rounds: _page(problem, rounds, _begin(rounds, query, now), query)
    )
    told.share_read = share
    return told


def window_report(content: WindowReport) -> WindowReport:
    """Return what was read."""
    return content


def round_page(content: RoundPage) -> RoundPage:
    """Return what was found."""
    return content


def _begin(rounds: ClosedRounds, query: Window, now: int) -> int:
    at = None if query.seconds is None else now - round(query.seconds * 1e6)
    return rounds.since(rounds=query.rounds, at=at)


def _told(problem: Problem, rounds: ClosedRounds, begin: int) -> WindowReport:
    settings = problem.settings
    tally = tally_of(rounds, begin, len(settings.boxes))
    table = option_table(rounds, begin, boxes=settings.boxes, sign=problem.sign)
    best = rounds.best
    return WindowReport(
        problem=problem.name,
        rounds=tally.closed,
        since=int(rounds.whole("at", begin)[0]) * _SECOND if tally.closed else None,
        share_read=1.0,
        left_out=rounds.left_out,
        options=[
            OptionReport(
                box=option.name,
                first=option.first,
                checked=option.checked,
                kept=option.kept,
                paid=option.paid,
                value=None if math.isnan(option.value) else option.value,
            )
            for option in table
        ],
        best_possible=None if best is None else problem.sign * best + 0.0,
        beyond_best=None if best is None else int(rounds.whole("beyond", begin).sum()),
        report=report_of(problem, tally),
    )


def _page(problem: Problem, rounds: ClosedRounds, begin: int, query: RoundFilter) -> RoundPage:
    fits = _fits(problem, rounds, begin, query)
    found: Ints = np.flatnonzero(fits) + begin
    # Rounds are counted from the first that ever ended: pages stay where they are while others end
    until = len(rounds) if query.before is None else query.before - rounds.left_out
    shown: Ints = found[found < until][-query.most :]
    at, looks, kept = (rounds.whole(name, begin) for name in ("at", "looks", "kept"))
    paid, total = rounds.real("paid", begin), rounds.real("total", begin)
    older = shown.size > 0 and found[0] < shown[0]
    return RoundPage(
        problem=problem.name,
        found=len(found),
        rounds=[
            ClosedRound(
                round=rounds.names[k],
                closed_at=int(at[k - begin]) * _SECOND,
                looks=int(looks[k - begin]),
                chosen=None if kept[k - begin] < 0 else problem.settings.boxes[kept[k - begin]],
                paid=float(paid[k - begin]),
                total=_known(problem, total[k - begin]),
            )
            for k in shown[::-1].tolist()
        ],
        before=int(shown[0]) + rounds.left_out if older else None,
        share_read=1.0,
        left_out=rounds.left_out,
    )


def _fits(problem: Problem, rounds: ClosedRounds, begin: int, query: RoundFilter) -> Flags:
    """Return which rounds from one on pass a filter."""
    kept = rounds.whole("kept", begin)
    fits: Flags = np.ones(len(kept), dtype=np.bool_)
    if query.kept is not None:
        fits &= kept == problem.place[query.kept]
    if query.ended == "waited":
        fits &= rounds.whole("waited", begin) == 1
    elif query.ended is not None:
        fits &= kept == (OUTSIDE if query.ended == "outside" else NOTHING)
    if query.opened is not None:
        of_look = np.repeat(np.arange(len(kept)), rounds.whole("looks", begin))
        with_it = of_look[rounds.places(begin) == problem.place[query.opened]]
        fits &= np.isin(np.arange(len(kept)), with_it)
    if query.contains:
        fits &= np.array([query.contains in name for name in rounds.names[begin:]], dtype=np.bool_)
    return fits


def _known(problem: Problem, total: Floats) -> float | None:
    return None if math.isnan(total) else problem.sign * float(total)
