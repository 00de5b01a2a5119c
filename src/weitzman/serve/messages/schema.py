"""The wire format: what is asked and answered, as structs.

Requests are read strictly: a field that is not known is refused, and so is a boolean or a string where a
number is wanted. Boxes go by name. Values, reservation values and totals are in the problem's own
direction. Times are seconds since 1970 UTC, durations seconds.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from weitzman.feedback import FreeFeedback
from weitzman.learn.settings import LONGEST_UNIT

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$")]
RoundId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._~:-]{0,127}$")]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Numbers = list[float | None]
"""A row: a number per feature, null where it is missing."""
Cell = float | str | bool | None
Named = dict[str, Cell]
"""A row by name of feature."""

Cost = Annotated[float, msgspec.Meta(ge=0.0)]
WaitingTime = Annotated[float, msgspec.Meta(gt=0.0, le=315_360_000.0)]
Share = Annotated[float, msgspec.Meta(gt=0.0, lt=1.0)]
Description = Annotated[str, msgspec.Meta(max_length=2_000)]
Unit = Annotated[str, msgspec.Meta(max_length=LONGEST_UNIT)]


class Wire(msgspec.Struct, forbid_unknown_fields=True):
    """Anything that goes over the wire."""


class ProblemDetails(Wire, omit_defaults=True):
    """An error: the one shape of all of them (RFC 9457, application/problem+json)."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None


class NewProblem(Wire):
    """A problem to be created: ``dimension`` or named ``features``, and what else is not the default.

    It is decided by ``policy``, by Weitzman's rule over ``learner``, or if neither is named by the policy
    ``default``, under feedback ``chosen`` by the rule over ``FTRL``, and under ``total`` by
    ``ExploreThenCommit``. ``least`` (``most`` where larger values are better) is the best value that a box
    can hold. In the share ``explore`` of rounds a draw opens every box, or those that the policy named
    ``explore_for`` would have needed.
    """

    name: Name
    boxes: Annotated[list[Label], msgspec.Meta(min_length=1)]
    dimension: Annotated[int, msgspec.Meta(ge=1)] | None = None
    features: Annotated[list[Label], msgspec.Meta(min_length=1)] | None = None
    sense: Literal["min", "max"] = "min"
    feedback: FreeFeedback = "opened"
    learner: str | None = None
    parameters: dict[str, Any] = {}
    policy: str | None = None
    optimism: Annotated[float, msgspec.Meta(ge=0.0)] | Literal["auto"] = "auto"
    cost: Cost | None = None
    waiting_time: WaitingTime = 86_400.0
    shadow: bool = False
    description: Description = ""
    unit: Unit = ""
    least: float | None = None
    most: float | None = None
    explore: Share | None = None
    explore_for: str | None = None
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0

    def __post_init__(self) -> None:
        """Name what decides where nobody did: as in a searcher, settings of a learner ask for FTRL."""
        if self.learner is None and self.policy is None:
            if self.feedback == "total":
                self.policy = "ExploreThenCommit"
            elif self.parameters or self.optimism != "auto" or self.feedback == "chosen":
                self.learner = "FTRL"
            else:
                self.policy = "default"


class ChangedProblem(Wire):
    """Settings of a problem that become others: those that are left out stay, null ends what was said.

    Rounds that are open keep what they began with.
    """

    waiting_time: WaitingTime | UnsetType = UNSET
    cost: Cost | UnsetType | None = UNSET
    description: Description | UnsetType = UNSET
    unit: Unit | UnsetType = UNSET
    least: float | UnsetType | None = UNSET
    most: float | UnsetType | None = UNSET
    explore: Share | UnsetType | None = UNSET


class ProblemView(Wire):
    """A problem as it is."""

    name: str
    boxes: list[str]
    dimension: int
    features: list[str]
    sense: Literal["min", "max"]
    feedback: FreeFeedback
    learner: str | None
    parameters: dict[str, Any]
    policy: str | None
    optimism: float | Literal["auto"]
    cost: float | None
    waiting_time: float
    shadow: bool
    description: str
    unit: str
    least: float | None
    most: float | None
    explore: float | None
    explore_for: str | None
    seed: int
    created: float
    archived: bool
    rounds_open: int
    rounds_closed: int


class ProblemList(Wire):
    """All problems, by name."""

    problems: list[ProblemView]


class NewRound(Wire):
    """A round to be opened.

    ``contexts`` has one row per box, or rows by name of box; a row is a list of numbers, or goes by name of
    feature, where a text or a truth value stands for the features ``name=level``; or it is one row by name of
    feature, for every box of the round. A feature that is missing is null. ``costs`` is one number, a list or
    a mapping; left out, the problem's cost is taken, and if it has none, what looks really cost so far: then
    each look has to say it. ``boxes`` names those that are there, if not all are. ``id`` is chosen by the
    service if left out.
    """

    contexts: list[Numbers | Named] | dict[str, Numbers | Named | Cell]
    id: RoundId | None = None
    costs: Cost | list[Cost] | dict[str, Cost] | None = None
    outside: float | None = None
    boxes: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None


class RoundReply(Wire):
    """A round that is open: the next box, and everything that the rule needs to go on without asking.

    ``order`` has the boxes by reservation value, best first. The ``rule``: open them in this order; stop
    as soon as the best value in hand is no worse than the next box's reservation value. Both are null under
    a policy that decides again after every look. In a round that is ``drawn`` to open every box, no
    reservation value stops the search. ``unknown_levels`` are texts of the round that are no levels of their
    features, as ``colour=green``: their boxes are taken to have none of the levels that are known.
    """

    round: str
    next: str | None
    stop: bool
    best: float | None
    order: list[str] | None
    reservation_values: dict[str, float] | None
    rule: str
    waits_until: float
    drawn: bool = False
    unknown_levels: list[str] = []


class SeeRequest(Wire):
    """Looks and what they showed, in order; null where nothing came back.

    ``costs`` is what looks really cost, where that is known only afterwards.
    """

    values: Annotated[dict[str, float | None], msgspec.Meta(min_length=1)]
    costs: dict[str, float] = {}


class SeeReply(Wire):
    """What is next. ``late``: the round had ended, so the values are stored but not learned."""

    round: str
    next: str | None
    stop: bool
    best: float | None
    late: bool


class CloseRequest(Wire):
    """The end of a round; under feedback ``full``, the values of boxes that were not opened."""

    values: dict[str, float] = {}


class Outcome(Wire):
    """What a round came to.

    ``value`` and ``total`` are null if nothing was seen and there was no outside option. ``rule_total`` is
    what the rule alone would have come to, where the values that it asks for are known. ``chances`` say with
    what chance each box was opened, where a draw could open more.
    """

    round: str
    opened: list[str]
    chosen: str | None
    value: float | None
    paid: float
    total: float | None
    learned: int
    closed: float
    waited: bool
    rule_opened: list[str] | None = None
    rule_total: float | None = None
    chances: dict[str, float | None] | None = None


class SeeItem(SeeRequest, kw_only=True):
    """Looks of one of many rounds."""

    round: RoundId


class CloseItem(CloseRequest, kw_only=True):
    """The end of one of many rounds."""

    round: RoundId


class BatchItem(Wire):
    """One command of a batch: exactly one of these."""

    open: NewRound | None = None
    see: SeeItem | None = None
    close: CloseItem | None = None


class BatchRequest(Wire):
    """Commands to be carried out in order, stored together."""

    commands: Annotated[list[BatchItem], msgspec.Meta(min_length=1)]


class BatchResult(Wire, omit_defaults=True):
    """What one command of a batch came to: its status, and its reply or error."""

    status: int
    opened: RoundReply | None = None
    seen: SeeReply | None = None
    closed: Outcome | None = None
    error: ProblemDetails | None = None


class BatchReply(Wire):
    """One result per command."""

    results: list[BatchResult]


class ImportReply(Wire):
    """How many rounds of a log were lived through, and how many values it knows of them."""

    rounds: int
    values: int
    unknown_levels: list[str] = []


class Health(Wire):
    """Whether the service is there, or ready."""

    status: str
    events: int = 0
    version: str = ""
