"""The wire format of what the journal of a problem says of other policies."""

from typing import Annotated

import msgspec

from weitzman.serve.messages.schema import Wire


class JudgeQuestion(Wire):
    """Which policies are judged, their names with commas between, against what, and how they learn."""

    policy: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)] = "default"
    against: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    learn: Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)] | None = None


class JudgedPolicy(Wire):
    """What the journal says of one policy; null for what cannot be said."""

    policy: str
    total: float | None
    total_error: float | None
    low: float | None
    high: float | None
    naive: float | None
    certain: float
    explored: float
    unidentified: float
    rounds_explored: int
    difference_low: float | None
    difference_high: float | None
    verdict: str | None


class JudgementReport(Wire):
    """What the journal says of policies; ``done`` is false while it is computed: ask again."""

    problem: str
    done: bool
    rounds: int = 0
    recorded: float | None = None
    against: str | None = None
    policies: list[JudgedPolicy] = msgspec.field(default_factory=list)
