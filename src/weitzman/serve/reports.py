"""What a problem came to, the health of its feedback, and the stories of its rounds."""

import math

from weitzman.ledger.bodies import LARGEST
from weitzman.ledger.fold import digest
from weitzman.ledger.openround import OpenRound
from weitzman.ledger.problem import Problem
from weitzman.ledger.spread import Spread
from weitzman.ledger.story import Story
from weitzman.ledger.tally import Ended
from weitzman.search.weitzman import STOP
from weitzman.serve.desk import Desk
from weitzman.serve.refusal import Refusal
from weitzman.serve.rounds import box_name, outcome_of, story_of
from weitzman.serve.schema import (
    BoxReport,
    ClosedRound,
    CurvePoint,
    Diagnostics,
    Digest,
    Mean,
    Means,
    Report,
    RoundList,
    RoundStory,
    RoundSummary,
    ShadowReport,
    StoryBox,
    StoryStep,
)

__all__ = ["diagnostics", "digest_of", "list_rounds", "report", "round_story"]

_SECOND = 1e-6
_LISTED = 100
_ENOUGH = 30  # looks after which a calibration says something
_STARVED = 100  # closed rounds without a look


def digest_of(desk: Desk) -> Digest:
    """Return the hash of the state, and how many events it holds."""
    state = desk.state
    events = state.service.events + sum(p.events for p in state.problems.values())
    return Digest(events=events, digest=digest(state))


def report(problem: Problem) -> Report:
    """Return what a problem came to."""
    tally, sign = problem.tally, problem.sign
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
        means=_means(problem),
        rounds_by_looks=tally.depth,
        shadow=ShadowReport(
            rounds=shadow.rounds,
            agreed=shadow.agreed,
            caller_total=sign * shadow.caller,
            rule_total=sign * shadow.rule,
        )
        if problem.settings.shadow
        else None,
        boxes=[_box_report(problem, place) for place in range(len(problem.settings.boxes))],
        curve=_curve(problem),
    )


def diagnostics(desk: Desk, problem: Problem) -> Diagnostics:
    """Return the health of a problem's feedback."""
    tally, now = problem.tally, desk.now()
    looks = sum(tally.looks)
    waits = {name: now - opened.at for name, opened in problem.rounds.items()}
    half = problem.settings.waiting / 2
    boxes = [_box_report(problem, place) for place in range(len(problem.settings.boxes))]
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
    )


def list_rounds(problem: Problem) -> RoundList:
    """Return the newest rounds."""
    newest = list(problem.rounds.items())[-_LISTED:][::-1]
    return RoundList(
        open=[RoundSummary(round=n, opened_at=o.at * _SECOND, closed=False) for n, o in newest],
        closed=[_closed_round(problem, ended) for ended in problem.tally.recent[::-1]],
    )


def round_story(desk: Desk, problem: Problem, name: str) -> RoundStory:
    """Return a round with its explanation."""
    story = story_of(desk, problem, name)
    if story is None:
        text = f"The problem {problem.name!r} has no round {name!r}."
        raise Refusal("unknown", text, "round")
    told = story.round
    if name in problem.rounds:
        told.course = problem.rounds[name].course
    row = STOP if story.closed is not None else told.next()
    best = told.best()
    outcome = None
    if story.closed is not None and story.closed_at is not None:
        outcome = outcome_of(problem, name, told, story.closed, story.closed_at)
    return RoundStory(
        round=name,
        problem=problem.name,
        opened_at=told.at * _SECOND,
        waits_until=told.until * _SECOND,
        closed=story.closed is not None,
        next=None if row == STOP else box_name(problem, told, row),
        best=None if math.isinf(best) else problem.sign * best,
        outside=story.body.outside,
        boxes=_story_boxes(problem, story),
        steps=_steps(problem, story),
        outcome=outcome,
    )


def _story_boxes(problem: Problem, story: Story) -> list[StoryBox]:
    sign, told = problem.sign, story.round
    shown = dict(story.closed.shown) if story.closed is not None else {}
    boxes = []
    for row in told.order:
        value = told.looks.get(row, story.late.get(row))
        known = shown.get(row) if value is None else sign * value
        boxes.append(
            StoryBox(
                box=box_name(problem, told, row),
                cost=told.costs[row],
                reservation_value=_finite(sign * told.sigma[row]) if told.sigma else None,
                context=dict(zip(problem.settings.features, story.body.contexts[row], strict=True)),
                opened=row in told.looks,
                value=known,
                late=row in story.late,
            )
        )
    return boxes


def _steps(problem: Problem, story: Story) -> list[StoryStep]:
    """Return the story in sentences."""
    told, sign = story.round, problem.sign
    best = "the policy decides anew after every look"
    if told.sigma:
        first = box_name(problem, told, told.order[0])
        sigma = _finite(sign * told.sigma[told.order[0]])
        best = f"{first} has the best reservation value, {sigma:.4g}"
    start = (
        "without an outside option"
        if told.outside is None
        else f"with {sign * told.outside:.4g} in hand"
    )
    steps = [
        StoryStep(
            at=told.at * _SECOND,
            text=f"Began {start}; {best}.",
        )
    ]
    for row, value in told.looks.items():
        what = "saw nothing" if value is None else f"saw {sign * value:.4g}"
        text = f"Opened {box_name(problem, told, row)} for {told.costs[row]:.4g}, {what}."
        steps.append(StoryStep(at=story.times[row] * _SECOND, text=text))
    if story.closed is not None and story.closed_at is not None:
        text = _why_it_ended(problem, told, waited=story.closed.waited)
        steps.append(StoryStep(at=story.closed_at * _SECOND, text=text))
    for row, late in story.late.items():
        text = f"{box_name(problem, told, row)} came late and is not learned"
        shown = "" if late is None else f": {sign * late:.4g}"
        steps.append(StoryStep(at=(story.closed_at or told.at) * _SECOND, text=f"{text}{shown}."))
    return steps


def _why_it_ended(problem: Problem, told: OpenRound, *, waited: bool) -> str:
    sign = problem.sign
    worse = "higher" if sign > 0.0 else "lower"
    if waited:
        return "Ended by itself: its waiting time was over."
    if len(told.looks) == len(told.costs):
        return "Stopped because every box was open."
    if not told.sigma:
        return "Stopped."
    row = told.next()
    if row == STOP:
        closed = next(r for r in told.order if r not in told.looks)
        return (
            f"Stopped because every other reservation value is {worse} than the best value in hand, "
            f"{sign * told.best():.4g}, or the same: {box_name(problem, told, closed)} is next with "
            f"{sign * told.sigma[closed]:.4g}."
        )
    return (
        f"The caller stopped; the rule would have opened {box_name(problem, told, row)}, "
        f"whose reservation value is {sign * told.sigma[row]:.4g}."
    )


def _finite(number: float) -> float:
    """Return a number as JSON has it."""
    return min(max(number, -LARGEST), LARGEST)


def _closed_round(problem: Problem, ended: Ended) -> ClosedRound:
    return ClosedRound(
        round=ended.name,
        closed_at=ended.at * _SECOND,
        looks=ended.looks,
        chosen=None if ended.chosen is None else problem.settings.boxes[ended.chosen],
        paid=ended.paid,
        total=None if ended.total is None else problem.sign * ended.total,
    )


def _means(problem: Problem) -> Means:
    told = problem.tally.spreads
    return Means(
        looks=_mean(told.looks),
        total=_mean(told.total, problem.sign),
        saved_against_all=_mean(told.saved_looks),
        saved_against_outside=_mean(told.saved_outside),
        saved_against_everything=_mean(told.saved_everything),
        regret=_mean(told.regret),
        shortfall=_mean(told.shortfall),
    )


def _mean(spread: Spread, sign: float = 1.0) -> Mean:
    mean = sign * spread.mean if spread.count else None
    return Mean(rounds=spread.count, mean=mean, error=spread.error())


def _box_report(problem: Problem, place: int) -> BoxReport:
    tally = problem.tally
    price = tally.price[place]
    looks = tally.looks[place]
    return BoxReport(
        box=problem.settings.boxes[place],
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
    told = box.calibration
    return told is not None and box.looks >= _ENOUGH and not 0.5 <= told <= 2.0


def _curve(problem: Problem) -> list[CurvePoint]:
    return [
        CurvePoint(
            closed=m.closed,
            at=m.at * _SECOND,
            total=problem.sign * m.total,
            paid=m.paid,
            looks=m.looks,
            saved_against_all=m.saved_looks,
            saved_against_outside=m.saved_outside,
            regret=m.regret,
            known=m.known,
            saved_against_everything=m.saved_everything,
            saved_against_fixed=m.saved_fixed,
            shortfall=m.shortfall,
        )
        for m in problem.tally.marks
    ]
