"""What a problem came to, the health of its feedback, and its newest rounds.

The state keeps no contexts: reservation values against a feature come from the newest rounds in the journal.
"""

import asyncio

import msgspec

from weitzman.ledger.event import Event
from weitzman.ledger.state.fold import digest
from weitzman.ledger.state.problem import Problem
from weitzman.ledger.state.round_history import round_history
from weitzman.ledger.state.running_mean import Spread
from weitzman.ledger.state.tally import Tally
from weitzman.serve.commands.rounds import box_name
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.refusal import Refusal
from weitzman.serve.messages.reports import (
    BoxReport,
    ClosedRound,
    CurvePoint,
    Diagnostics,
    Digest,
    ExploredReport,
    FeaturePoints,
    Mean,
    Means,
    Report,
    RoundList,
    RoundSummary,
    ShadowReport,
)

_SECOND = 1e-6
_LISTED = 100
_ENOUGH = 30  # looks after which a calibration says something
_POINTS = 2_000  # of a feature, at most
_STARVED = 100  # closed rounds without a look


def digest_of(engine: Engine) -> Digest:
    """Return the hash of the state, and how many events it holds."""
    state = engine.state
    events = state.service.events + sum(p.events for p in state.problems.values())
    return Digest(events=events, digest=digest(state))


def report(problem: Problem) -> Report:
    """Return what a problem came to."""
    return report_of(problem, problem.tally)


def report_of(problem: Problem, tally: Tally) -> Report:
    """Return what a tally of rounds of a problem says: all of them, or those of a window."""
    sign = problem.sign
    counted = tally.closed - tally.empty
    fixed = None
    if tally.fixed_rounds and problem.settings.feedback == "full":
        fixed = min(range(len(tally.fixed)), key=tally.fixed.__getitem__)
    shadow = tally.shadow
    return Report(
        problem=problem.name,
        rounds_open=len(problem.rounds),
        rounds_closed=tally.closed,
        rounds_without_value=tally.empty,
        rounds_imported=tally.imported,
        looks=sum(tally.looks),
        looks_per_round=sum(tally.looks) / tally.closed if tally.closed else None,
        paid=tally.paid,
        value=sign * tally.value,
        total=sign * tally.total,
        mean_total=sign * tally.total / counted if counted else None,
        saved_against_all=tally.saved_looks,
        outside_rounds=tally.outside_rounds,
        saved_against_outside=tally.saved_outside,
        known=tally.known,
        regret=tally.regret,
        mean_regret=tally.regret / tally.known if tally.known else None,
        best_fixed_box=None if fixed is None else problem.settings.boxes[fixed],
        best_fixed_total=None if fixed is None else sign * tally.fixed[fixed],
        saved_against_everything=tally.saved_everything,
        saved_against_fixed=tally.saved_fixed(),
        fixed_rounds=tally.fixed_rounds,
        shortfall=sum(tally.price) - sum(tally.excess),
        means=_means(problem, tally),
        rounds_by_looks=tally.depth,
        shadow=ShadowReport(
            rounds=shadow.rounds,
            agreed=shadow.agreed,
            caller_total=sign * shadow.caller,
            rule_total=sign * shadow.rule,
        )
        if problem.settings.shadow and tally is problem.tally
        else None,
        explored=_explored(tally),
        boxes=_box_reports(problem, tally),
        curve=_curve(problem, tally),
    )


def diagnostics(engine: Engine, problem: Problem) -> Diagnostics:
    """Return the health of a problem's feedback."""
    tally, now = problem.tally, engine.now()
    looks = sum(tally.looks)
    waits = {name: now - opened.at for name, opened in problem.rounds.items()}
    half = problem.settings.waiting / 2
    boxes = _box_reports(problem, tally)
    return Diagnostics(
        problem=problem.name,
        rounds_open=len(waits),
        oldest_wait=max(waits.values()) * _SECOND if waits else None,
        stale=[name for name, wait in waits.items() if wait > half][:_LISTED],
        last_value=tally.last_value_at * _SECOND if tally.last_value_at else None,
        missing=tally.missing,
        missing_share=tally.missing / looks if looks else None,
        late=tally.late,
        closed_by_waiting=tally.waited,
        starved=[b.box for b in boxes if _is_starved(problem, b)],
        miscalibrated=[b.box for b in boxes if _is_off(b)],
        unknown_rounds=0 if tally.unknown is msgspec.UNSET else tally.unknown.rounds,
        unknown_levels=[] if tally.unknown is msgspec.UNSET else tally.unknown.levels[::-1],
    )


def list_rounds(problem: Problem) -> RoundList:
    """Return the newest rounds."""
    newest = list(problem.rounds.items())[-_LISTED:][::-1]
    return RoundList(
        open=[RoundSummary(round=n, opened_at=o.at * _SECOND, closed=False) for n, o in newest],
        closed=[
            ClosedRound(
                round=ended.name,
                closed_at=ended.at * _SECOND,
                looks=ended.looks,
                chosen=None if ended.chosen is None else problem.settings.boxes[ended.chosen],
                paid=ended.paid,
                total=None if ended.total is None else problem.sign * ended.total,
            )
            for ended in problem.tally.recent[::-1]
        ],
    )


async def newest_rounds(engine: Engine, problem: Problem) -> list[list[Event]]:
    """Return the events of the newest closed rounds that are stored, newest first."""
    most = max(1, _POINTS // len(problem.settings.boxes))
    names = [ended.name for ended in problem.tally.recent[: -most - 1 : -1]]
    return await asyncio.to_thread(
        lambda: [engine.journal.find(problem.name, name) for name in names]
    )


def feature_points(problem: Problem, place: str, rounds: list[list[Event]]) -> FeaturePoints:
    """Return one point per round and box; ``place`` is that of the feature, counted from 0."""
    features = problem.settings.features
    known = len(place) < 10 and place.isascii() and place.isdigit() and int(place) < len(features)
    if not known:
        text = f"The problem {problem.name!r} has no feature at place {place[:20]!r}."
        raise Refusal("unknown", text, "place")
    points = FeaturePoints(
        problem=problem.name,
        feature=features[int(place)],
        rounds=[],
        boxes=[],
        contexts=[],
        reservation_values=[],
        values=[],
        opened=[],
    )
    sign = problem.sign
    for events in rounds:
        history = round_history(problem, events)
        if history is None:
            continue
        for row, sigma in enumerate(history.body.reservation_values):
            value = history.round.looks.get(row)
            points.boxes.append(box_name(problem, history.round, row))
            points.contexts.append(history.body.contexts[row][int(place)])
            points.reservation_values.append(sigma)
            points.values.append(None if value is None else sign * value)
            points.opened.append(row in history.round.looks)
            points.rounds.append(events[0].key)
    return points


def _explored(tally: Tally) -> ExploredReport | None:
    found = tally.explored
    if found is msgspec.UNSET:
        return None
    return ExploredReport(
        rounds=found.rounds,
        drawn=found.drawn,
        looks=found.looks,
        paid=found.paid,
        price=found.priced,
    )


def _means(problem: Problem, tally: Tally) -> Means:
    spreads = tally.spreads
    return Means(
        looks=_mean(spreads.looks),
        total=_mean(spreads.total, problem.sign),
        saved_against_all=_mean(spreads.saved_looks),
        saved_against_outside=_mean(spreads.saved_outside),
        saved_against_everything=_mean(spreads.saved_everything),
        regret=_mean(spreads.regret),
        shortfall=_mean(spreads.shortfall),
    )


def _mean(spread: Spread, sign: float = 1.0) -> Mean:
    mean = sign * spread.mean if spread.count else None
    return Mean(rounds=spread.count, mean=mean, error=spread.error())


def _box_reports(problem: Problem, tally: Tally) -> list[BoxReport]:
    names = problem.settings.boxes
    return [_box_report(name, tally, place) for place, name in enumerate(names)]


def _box_report(name: str, tally: Tally, place: int) -> BoxReport:
    price = tally.price[place]
    looks = tally.looks[place]
    return BoxReport(
        box=name,
        looks=looks,
        learned=tally.learned[place],
        calibration=tally.excess[place] / price if price > 0.0 else None,
        calibration_error=tally.ratios[place].error(tally.excess[place], price),
        rounds_since_look=tally.closed - tally.last_look[place] if looks else None,
    )


def _is_starved(problem: Problem, box: BoxReport) -> bool:
    since = box.rounds_since_look
    return (problem.tally.closed if since is None else since) >= _STARVED


def _is_off(box: BoxReport) -> bool:
    ratio = box.calibration
    return ratio is not None and box.looks >= _ENOUGH and not 0.5 <= ratio <= 2.0


def _curve(problem: Problem, tally: Tally) -> list[CurvePoint]:
    points = []
    for mark in tally.marks:
        point = CurvePoint(**msgspec.structs.asdict(mark))
        point.at *= _SECOND
        point.total *= problem.sign
        points.append(point)
    return points
