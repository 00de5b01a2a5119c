"""The state of a round: what it has shown so far, the one place where a round is kept.

A live search, a replay, the service's open round, its client and the simulator hold one
:class:`RoundState` each. Rows are the positions of the boxes in the round, 0 … m − 1. Smaller values
are better; a problem in which larger ones are is held with all signs turned.
"""

import math
from collections.abc import Collection, Sequence


class RoundState:
    """What a round has shown so far.

    Parameters
    ----------
    costs
        What opening each row is expected to cost: what a rule goes by.
    outside
        A value that is there without opening anything; +∞ if there is none.
    signals
        The rows that show no value but a signal, as a number: it can be seen and not kept.

    Attributes
    ----------
    opened
        The rows opened so far, in their order.
    values
        The values that have come, by row; and the signals.
    best
        The smallest value in hand, the outside option included; +∞ if there is none.
    kept
        The row that holds it; None for the outside option, or if there is no value.
    spent
        What opening rows really cost, by row, where that was said.
    paid
        The sum of what the opened rows cost, as was said or else as expected.
    asked
        The row whose value is awaited; None if none is.
    taken
        The row that was taken without opening it; None if none was.

    Examples
    --------
    >>> state = RoundState([1.0, 2.0], outside=9.0)
    >>> state.open(1)
    >>> state.see(1, 4.0)
    >>> state.best, state.kept, state.paid, state.total
    (4.0, 1, 2.0, 6.0)
    """

    __slots__ = (
        "asked",
        "best",
        "costs",
        "kept",
        "opened",
        "outside",
        "paid",
        "signals",
        "spent",
        "taken",
        "values",
    )

    def __init__(
        self,
        costs: Sequence[float],
        outside: float = math.inf,
        signals: Collection[int] = (),
    ) -> None:
        self.costs = costs
        self.outside = outside
        self.signals = signals
        self.opened: list[int] = []
        self.values: dict[int, float] = {}
        self.best = outside
        self.kept: int | None = None
        self.spent: dict[int, float] = {}
        self.paid = 0.0
        self.asked: int | None = None
        self.taken: int | None = None

    def open(self, row: int) -> None:
        """Pay for a row; its value is awaited."""
        self.opened.append(row)
        # One after the other, as the compiled loops add them: the same bits
        self.paid += self.costs[row]
        self.asked = row

    def take(self, row: int) -> None:
        """Keep a row, opened or not; the value of one that is not open may be seen afterwards."""
        self.taken = row
        self.best, self.kept = self.values.get(row, math.nan), row
        self.asked = None

    def see(self, row: int, value: float) -> None:
        """Take in the value of a row."""
        self.values[row] = value
        if row == self.asked:
            self.asked = None
        if self.taken is not None:
            self.best = value if row == self.taken else self.best
        elif value < self.best and row not in self.signals:
            self.best, self.kept = value, row

    def miss(self) -> None:
        """Take in that the value that is awaited does not come."""
        self.asked = None

    def spend(self, row: int, cost: float) -> None:
        """Take in what opening a row really cost."""
        self.spent[row] = cost
        # From the beginning, in order: the same bits whenever it becomes known
        self.paid = 0.0
        for opened in self.opened:
            self.paid += self.cost(opened)

    def cost(self, row: int) -> float:
        """Return what opening a row cost, as far as that is known, or is expected to cost."""
        return self.spent.get(row, self.costs[row])

    @property
    def revealed(self) -> list[int]:
        """The rows whose values become known to whoever plays: those opened, and the one taken."""
        return self.opened if self.taken is None else [*self.opened, self.taken]

    @property
    def found(self) -> list[float]:
        """The values of the opened rows, in their order; NaN where none has come."""
        return [self.values.get(row, math.nan) for row in self.opened]

    @property
    def total(self) -> float:
        """The best value plus what was paid; +∞ if there is no value."""
        return self.best + self.paid
