"""What every plan offers, whatever the problem; and a live search and a simulation for any rule.

A plan of a variant is an :class:`AnyPlan`: it says in ``kind`` what it is (:data:`EXACT`,
:func:`guarantee`, :data:`HEURISTIC`), what it costs on average, and what happens how often; it can
be searched by and simulated.

The round is a :class:`~weitzman.search.state.RoundState` as ever. Its rows are what can be opened:
a box, or one stage of a box, which :class:`Step` names. What a round gives is a function of its
state, a :data:`Settle`; problems that keep the one best value use :func:`settle_best`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weitzman.errors import InvalidInputError
from weitzman.search.laws.distribution import Distribution
from weitzman.search.numbers import whole_number
from weitzman.search.reservation import Sense, sign_of
from weitzman.search.round import Outcome, Search
from weitzman.search.rule import Open, Rule, Take, advance
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXACT = "exact"
"""The kind of a plan whose rule is optimal and whose total is computed, not estimated."""

HEURISTIC = "heuristic"
"""The kind of a plan of which nothing is proved."""


def guarantee(constant: float) -> str:
    """Return the kind of a plan that is proved to be worth so much of the optimum.

    >>> guarantee(0.8)
    'guarantee ≥ 0.8'
    """
    return f"guarantee ≥ {constant:g}"


class AnyPlan(Protocol):
    """What every plan offers. Mappings are by the name of the box, in the order of the boxes."""

    @property
    def kind(self) -> str:
        """``exact``, ``guarantee ≥ …`` or ``heuristic``."""

    @property
    def sense(self) -> Sense:
        """Whether smaller or larger values are better."""

    @property
    def expected_total(self) -> float:
        """The expected total of the plan's rule."""

    @property
    def open_probabilities(self) -> dict[str, float]:
        """The probability that each box is opened."""

    @property
    def keep_probabilities(self) -> dict[str, float]:
        """The probability that each box is kept."""

    @property
    def expected_opened(self) -> float:
        """The expected number of boxes opened."""

    @property
    def expected_paid(self) -> float:
        """The expected sum of the costs paid."""

    def search(self) -> Search[str]:
        """Begin a live search by the plan."""

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds on drawn values."""

    def plot(self) -> "Figure":
        """Return a picture of the plan."""

    def __rich__(self) -> Any:
        """Return the plan as something that rich can print."""


class Step(str):
    """The name of a box, and which of its stages is opened next.

    >>> step = Step("Ann", "interview")
    >>> step == "Ann", step.stage
    (True, 'interview')
    """

    __slots__ = ("stage",)
    stage: str

    def __new__(cls, box: str, stage: str) -> "Step":
        """Return a box's name that knows the stage."""
        step = super().__new__(cls, box)
        step.stage = stage
        return step


@dataclass(frozen=True, slots=True)
class Settled:
    """What a round gives as it stands, smaller values better: rows kept, and three numbers."""

    kept: tuple[int, ...]
    value: float
    paid: float
    total: float


Settle = Callable[[RoundState], Settled]


def settle_best(state: RoundState) -> Settled:
    """Keep the best value in hand."""
    kept = () if state.kept is None else (state.kept,)
    return Settled(kept, state.best, state.paid, state.total)


class VariantSearch(Search[str]):
    """A live search whose rows may be stages, and whose total is what ``settle`` says.

    ``labels`` are the signals of the rows that show one; the state holds a signal as its place
    there. ``worth`` says what a value is worth, if that is not the value itself.
    """

    def __init__(
        self,
        *,
        boxes: Sequence[str],
        rule: Rule,
        state: RoundState,
        sense: Sense = "min",
        settle: Settle = settle_best,
        labels: Mapping[int, Sequence[Any]] | None = None,
        worth: Callable[[float], float] | None = None,
    ) -> None:
        super().__init__(boxes=boxes, rule=rule, state=state, sense=sense)
        self._settle = settle
        self._labels = labels or {}
        self._worth = worth

    def _read(self, value: Any, row: int) -> float:
        labels = self._labels.get(row)
        if labels is None:
            number = super()._read(value, row)
            return number if self._worth is None else self._sign * self._worth(self._sign * number)
        if value not in labels:
            subject = f"The signal of box {str(self._boxes[row])!r}"
            raise InvalidInputError(subject, f"be one of {list(labels)}", value)
        return float(labels.index(value))

    def _outcome(self) -> Outcome[str]:
        settled = self._settle(self._state)
        self._check_ready(settled.value)
        return Outcome(
            opened=tuple([self._boxes[row] for row in self._state.opened]),
            kept=tuple([str(self._boxes[row]) for row in settled.kept]),
            value=self._sign * settled.value,
            paid=settled.paid,
            total=self._sign * settled.total,
        )


Draw = Callable[[int, np.random.Generator], float]
"""Of a row to a value drawn for it, smaller values better, or to the place of a signal."""


@dataclass(frozen=True)
class Game:
    """A problem to play: how a round begins, the rule, what a row shows, and what the round gives.

    ``begin`` returns the state of a new round, ``draws`` what its rows show; these may depend on each
    other. ``labels`` and ``worth`` are those of a :class:`VariantSearch`.
    """

    boxes: tuple[str, ...]
    rows: Sequence[str]
    rule: Rule
    sense: Sense
    begin: Callable[[], RoundState]
    draws: Callable[[np.random.Generator], Draw]
    settle: Settle = settle_best
    labels: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    worth: Callable[[float], float] | None = None

    def search(self) -> VariantSearch:
        """Begin a live search."""
        return VariantSearch(
            boxes=self.rows,
            rule=self.rule,
            state=self.begin(),
            sense=self.sense,
            settle=self.settle,
            labels=self.labels,
            worth=self.worth,
        )

    def simulate(self, rounds: int, rng: np.random.Generator | int) -> Simulation:
        """Play so many rounds on what is drawn; ``rng`` may be a seed."""
        count = whole_number(rounds, "The number of rounds", least=1)
        generator = np.random.default_rng(rng)
        place = {name: i for i, name in enumerate(self.boxes)}
        numbers = np.empty((count, 3))
        chosen, opened = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
        for t in range(count):
            state = self._played(generator)
            settled = self.settle(state)
            numbers[t] = settled.value, settled.paid, settled.total
            opened[t] = len(state.opened)
            if settled.kept:
                chosen[t] = place[self.rows[settled.kept[0]]]
        (values, paid, totals), sign = numbers.T, sign_of(self.sense)
        return Simulation(self.boxes, sign * values, paid, sign * totals, chosen, opened)

    def _played(self, rng: np.random.Generator) -> RoundState:
        """Return the state at the end of one round."""
        state, draw = self.begin(), self.draws(rng)
        while isinstance(action := advance(self.rule, state), Open | Take):
            if action.box not in state.values:
                state.see(action.box, draw(action.box, rng))
            if isinstance(action, Take):
                break
        return state


def drawn_from(laws: Sequence[Distribution]) -> Callable[[np.random.Generator], Draw]:
    """Return the draws of rows that are independent of each other, each from its law."""
    return lambda _: lambda row, rng: float(laws[row].sample(rng, 1)[0])
