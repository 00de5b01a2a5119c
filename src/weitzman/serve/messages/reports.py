"""The wire format of what is said about problems and rounds: lists, rounds, reports, health."""

from weitzman.serve.messages.schema import Outcome, Wire


class RoundBox(Wire):
    """A box of a round, with what was known when the round was opened, and what came of it.

    ``paid`` is what a look really cost; null if that was not said, or there was none.
    """

    box: str
    cost: float
    paid: float | None
    reservation_value: float | None
    context: dict[str, float | None]
    opened: bool
    value: float | None
    late: bool


class RoundStep(Wire):
    """One step of a round as a sentence, and when it happened."""

    at: float
    text: str


class RoundView(Wire):
    """A round: its boxes in the order of their reservation values, and what happened step by step."""

    round: str
    problem: str
    opened_at: float
    waits_until: float
    closed: bool
    next: str | None
    best: float | None
    outside: float | None
    boxes: list[RoundBox]
    steps: list[RoundStep]
    outcome: Outcome | None


class RoundSummary(Wire):
    """A round in a list."""

    round: str
    opened_at: float
    closed: bool


class ClosedRound(Wire):
    """A closed round in a list; ``chosen`` is null for the outside option, or if there is no value."""

    round: str
    closed_at: float
    looks: int
    chosen: str | None
    paid: float
    total: float | None


class RoundList(Wire):
    """The newest open rounds and the newest closed ones, newest first."""

    open: list[RoundSummary]
    closed: list[ClosedRound]


class FeaturePoints(Wire):
    """The reservation values of the newest closed rounds against one feature: one entry per round and box.

    ``values`` has null where a box stayed closed or nothing came. There are no points under a policy without
    reservation values.
    """

    problem: str
    feature: str
    rounds: list[str]
    boxes: list[str]
    contexts: list[float | None]
    reservation_values: list[float]
    values: list[float | None]
    opened: list[bool]


class ShadowReport(Wire):
    """The rule beside the caller, over rounds in which both are known."""

    rounds: int
    agreed: int
    caller_total: float
    rule_total: float


class ExploredReport(Wire):
    """What draws opened, over the closed rounds whose chances are known.

    Their ``price`` is at most the chance of a draw times what all boxes cost, summed.
    """

    rounds: int
    drawn: int
    looks: int
    paid: float
    price: float


class BoxReport(Wire):
    """One box over all closed rounds.

    ``calibration`` is Σ(σ − v)⁺ / Σ cost over its looks, about 1 if its reservation values are right, with
    its standard error; null without looks. ``rounds_since_look`` counts closed rounds; null if it was never
    opened.
    """

    box: str
    looks: int
    learned: int
    calibration: float | None
    calibration_error: float | None
    rounds_since_look: int | None


class CurvePoint(Wire):
    """Sums after a number of closed rounds."""

    closed: int
    at: float
    total: float
    paid: float
    looks: int
    saved_against_all: float
    saved_against_outside: float
    regret: float
    known: int
    saved_against_everything: float
    saved_against_fixed: float
    shortfall: float


class Mean(Wire):
    """A mean over rounds, with its standard error as if rounds were independent; null if too few."""

    rounds: int
    mean: float | None
    error: float | None


class Means(Wire):
    """Looks, totals, savings and regret of a round, on average."""

    looks: Mean
    total: Mean
    saved_against_all: Mean
    saved_against_outside: Mean
    saved_against_everything: Mean
    regret: Mean
    shortfall: Mean


class Report(Wire):
    """What a problem came to.

    ``saved_against_all`` is the cost of the looks that were not made; ``saved_against_outside`` is what was
    gained over keeping the outside option, in the ``outside_rounds`` that have one. Over the ``known``
    rounds, in which every value is known: ``saved_against_everything`` is what was gained over opening all
    boxes, ``regret`` the loss against hindsight. Over the ``fixed_rounds`` of them in which every box was
    there: ``best_fixed_total`` is the total of the best single box, always opened alone, and
    ``saved_against_fixed`` what was gained over it. ``shortfall`` is what was paid beyond what the
    reservation values promised. ``rounds_by_looks`` counts the rounds with 0, 1, 2, … looks.
    """

    problem: str
    rounds_open: int
    rounds_closed: int
    rounds_without_value: int
    rounds_imported: int
    looks: int
    looks_per_round: float | None
    paid: float
    value: float
    total: float
    mean_total: float | None
    saved_against_all: float
    outside_rounds: int
    saved_against_outside: float
    known: int
    regret: float
    mean_regret: float | None
    best_fixed_box: str | None
    best_fixed_total: float | None
    saved_against_everything: float
    saved_against_fixed: float
    fixed_rounds: int
    shortfall: float
    means: Means
    rounds_by_looks: list[int]
    shadow: ShadowReport | None
    explored: ExploredReport | None
    boxes: list[BoxReport]
    curve: list[CurvePoint]


class Diagnostics(Wire):
    """The health of a problem's feedback.

    ``starved`` are boxes that no look has reached for a long time; ``stale`` open rounds that wait for longer
    than half their waiting time; ``oldest_wait`` is how long the oldest open round waits.
    """

    problem: str
    rounds_open: int
    oldest_wait: float | None
    stale: list[str]
    last_value: float | None
    missing: int
    missing_share: float | None
    late: int
    closed_by_waiting: int
    starved: list[str]
    miscalibrated: list[str]
    unknown_rounds: int
    unknown_levels: list[str]


class Digest(Wire):
    """A hash of everything after a number of events; the same events give the same hash."""

    events: int
    digest: str
