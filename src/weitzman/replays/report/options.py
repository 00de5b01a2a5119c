"""The answer option by option, and in typical rounds, as tables, flows and lines of text."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from weitzman.amounts import amount
from weitzman.figures.page import Flow, PageTable
from weitzman.figures.table import table_of
from weitzman.logs.options import Option
from weitzman.replays.course import Course, CourseStep
from weitzman.replays.now import LAST
from weitzman.replays.report.answer import Answer, named_in_words, percent

if TYPE_CHECKING:
    from rich.table import Table

_ROWS = 10  # in a terminal
_HEADINGS = ("option", "checked first", "checked at all", "kept", "paid per round", "mean value")

_LOOKS = 10  # fewer say little of a mean, and were not drawn evenly
_MEANS = (
    f"Mean values are those of the rounds in which it was checked, from {_LOOKS} such rounds on"
)

OPTION_WORDS = f"What was done with each option over the whole log, learning included. {_MEANS}:"

COURSE_WORDS = (
    "How it decides now, after the whole log. Where a search may stop, its course goes on with a "
    "finding that is not good enough, the middle one of such findings. Shares are of the last "
    f"{LAST} rounds, or of all if there are fewer."
)


def option_table(answer: Answer, feedback: str) -> PageTable:
    """Return a row for each option."""
    return PageTable(
        caption=f"What {answer.verdict.advised} did with each option over the whole log, learning included "
        f"({feedback}). Shares are of all rounds. {_MEANS}.",
        rows=[dict(zip(_HEADINGS, _cells(o, answer), strict=True)) for o in answer.options],
        words=("option",),
    )


def option_rows(answer: Answer) -> "Table":
    """Return the same for a terminal, with the options that are checked most."""
    shown = answer.options[:_ROWS]
    return table_of(_HEADINGS[:1], _HEADINGS[1:], (_cells(o, answer) for o in shown))


def left_options(answer: Answer) -> Iterator[str]:
    """Yield how many options are not in the table for a terminal, if any is left out."""
    left = answer.options[_ROWS:]
    if left:
        most = max(option.checked for option in left)
        yield f"… and {len(left)} more, each checked in {percent(most)} of rounds or less."


def _cells(option: Option, answer: Answer) -> list[str]:
    unit = answer.unit
    shares = [percent(x) for x in (option.first, option.checked, option.kept)]
    # A cell has less room than a sentence
    shares = [x.replace("less than", "<").replace("more than", ">") for x in shares]
    looks = round(option.checked * answer.verdict.saving.rounds)
    value = amount(option.value, unit) if looks >= _LOOKS and not math.isnan(option.value) else ""
    return [option.name, *shares, amount(option.paid, unit), value]


def course_flows(answer: Answer) -> tuple[Flow, ...]:
    """Return the courses of typical rounds as flows."""
    return tuple(
        Flow(title=_title(course), steps=tuple(_steps(course, answer))) for course in answer.courses
    )


def course_lines(answer: Answer) -> Iterator[str]:
    """Yield the courses of typical rounds, line by line."""
    for course in answer.courses:
        yield _title(course)
        for depth, (name, text) in enumerate(_steps(course, answer)):
            arrow = f"{'   ' * (depth - 1)}└─ " if depth else ""
            yield f"  {arrow}{name}{': ' if text else ''}{text}"


def _title(course: Course) -> str:
    return f"Round {course.round}, which begins like {percent(course.share)} of the last rounds"


def _steps(course: Course, answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield what is checked and what that leads to."""
    if not course.steps:
        yield "check nothing", "no look is worth its cost"
        return
    for step in course.steps:
        yield f"check {step.box}", f"costs {amount(step.cost, answer.unit)}; {_ends(step, answer)}"
    last = course.steps[-1]
    if course.beyond:
        named = named_in_words(course.beyond)
        yield f"check {len(course.beyond)} more, whatever is found", f"{named}; keep the best"
    elif course.cut:
        yield "go on", "as long as nothing is good enough"
    elif not math.isnan(last.otherwise):
        yield "stop", "and keep the best in hand"


def _ends(step: CourseStep, answer: Answer) -> str:
    best = -math.inf if answer.searcher.sense == "min" else math.inf
    if step.enough == best:
        return "go on, whatever is found"
    if math.isnan(step.otherwise):
        return "stop, whatever is found"
    beyond = " or less" if answer.searcher.sense == "min" else " or more"
    beyond = "" if step.enough == answer.best else beyond
    return f"stop if it finds {amount(step.enough, answer.unit)}{beyond}"
