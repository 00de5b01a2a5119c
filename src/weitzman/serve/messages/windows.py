"""The wire format of what is asked and told about a stretch of closed rounds."""

from typing import Annotated, Literal

import msgspec

from weitzman.serve.messages.reports import ClosedRound, Report
from weitzman.serve.messages.schema import Wire

Rounds = Annotated[int, msgspec.Meta(ge=1)]
Seconds = Annotated[float, msgspec.Meta(gt=0.0, le=3_153_600_000.0)]
Page = Annotated[int, msgspec.Meta(ge=1, le=500)]


class Window(Wire):
    """The newest so many ``rounds``, those that ended in the last ``seconds``, or what is both; else all."""

    rounds: Rounds | None = None
    seconds: Seconds | None = None


class RoundFilter(Window):
    """Which closed rounds of a window are wanted: those for which all of it is true, ``most`` of them.

    ``before`` is what the page before told to go on with.
    """

    contains: Annotated[str, msgspec.Meta(max_length=128)] = ""
    opened: str | None = None
    kept: str | None = None
    ended: Literal["outside", "nothing", "waited"] | None = None
    most: Page = 50
    before: Annotated[int, msgspec.Meta(ge=0)] | None = None


class OptionReport(Wire):
    """What was done with one box, as shares of the rounds of a window.

    ``paid`` is what opening it cost per round, and ``value`` the mean of what was found, null if nothing was.
    """

    box: str
    first: float
    checked: float
    kept: float
    paid: float
    value: float | None


class WindowReport(Wire):
    """What the ``rounds`` of a window came to, and what was done with each box.

    ``share_read`` says which share of the problem's events is read so far, 1 if all are; ``left_out`` how
    many older rounds are not looked back at. The report knows nothing of the best single box, of the rule
    beside the caller, and of draws. ``beyond_best`` counts looks with the
    ``best_possible`` value in hand.
    """

    problem: str
    rounds: int
    since: float | None
    share_read: float
    left_out: int
    options: list[OptionReport]
    best_possible: float | None
    beyond_best: int | None
    report: Report


class RoundPage(Wire):
    """Closed rounds, newest first; ``found`` are there in all, and ``before`` asks for the next page."""

    problem: str
    found: int
    rounds: list[ClosedRound]
    before: int | None
    share_read: float
    left_out: int
