"""What may be spent: on one request, and in a day."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Final

DAY: Final = 86_400

REQUEST_SPENT: Final = "the budget of the request does not allow another call"
DAY_SPENT: Final = "the budget of the day does not allow another call"
NO_TIME: Final = "the time of the request is over"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that one request may cost, in money and in seconds."""

    request: float = inf
    seconds: float = inf


NO_LIMITS: Final = Limits()


class Purse:
    """The money of a day, by UTC; what calls under way are expected to cost counts, until it is known."""

    def __init__(self, day: float = inf, *, clock: Callable[[], float] = time.time) -> None:
        self.most = day
        self._clock = clock
        self._day = -1
        self._spent = self._reserved = 0.0

    @property
    def spent(self) -> float:
        """What was spent today."""
        self._turn()
        return self._spent

    @property
    def begin(self) -> float:
        """When today began, in seconds since 1970."""
        return float(self._clock() // DAY * DAY)

    def add(self, cost: float) -> None:
        """Count what was spent."""
        self._turn()
        self._spent += cost

    def reserve(self, expected: float) -> bool:
        """Put money aside for a call; False, and nothing put aside, if there is not enough."""
        self._turn()
        if self._spent + self._reserved + expected > self.most:
            return False
        self._reserved += expected
        return True

    def settle(self, expected: float, cost: float) -> None:
        """Count what a call really cost in place of what was put aside for it."""
        self._reserved -= expected
        self.add(cost)

    def _turn(self) -> None:
        day = int(self._clock() // DAY)
        if day != self._day:
            self._day, self._spent = day, 0.0
