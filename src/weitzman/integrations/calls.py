"""The calls of a round of asking: what is put aside for them, how long they may take, which begin ahead."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Protocol

from weitzman.integrations.ahead import Ahead
from weitzman.integrations.grading import ModelReply
from weitzman.integrations.pool import Question
from weitzman.integrations.spending import DAY_SPENT, NO_TIME, REQUEST_SPENT, Limits, Purse

_SHORTEST: Final = 0.005
"""For how many seconds nobody is asked any more: timers of an event loop may end a millisecond early."""


class OpenRound(Protocol):
    """A round of asking that has not ended."""

    @property
    def name(self) -> str:
        """Its name."""

    def next(self) -> str | None:
        """Return the model to be asked next; None to stop."""

    def cheapest(self) -> str | None:
        """Return the cheapest model that was not asked, whatever the rule says; None if there is none."""

    def expected_cost(self, model: str) -> float:
        """Return what a call is expected to cost."""

    def after(self, model: str, value: float) -> str | None:
        """Return the model to be asked next if this one turns out to have a value; None if unknown."""

    async def see(self, model: str, cost: float, values: Mapping[str, float]) -> None:
        """Say what a call cost, and the values that are known now: of its answer, of earlier ones."""

    async def close(self) -> None:
        """End the round, and learn what it has shown; a model given out that was not asked cost nothing."""


Ask = Callable[[str, Question, float], Awaitable[ModelReply]]
"""Asks a model within so many seconds; what fails is an answer with an error."""


class Calls:
    """The calls of a round: what is put aside for them, and those that were begun ahead."""

    def __init__(
        self,
        question: Question,
        ask: Ask,
        opened: OpenRound,
        limits: Limits,
        purse: Purse,
        ahead: Ahead | None,
    ) -> None:
        self._question, self._ask, self._round = question, ask, opened
        self._limits, self._purse, self._ahead = limits, purse, ahead
        self._end = time.monotonic() + limits.seconds
        self._put_aside: dict[str, float] = {}
        self._tasks: dict[str, asyncio.Task[ModelReply]] = {}

    @property
    def under_way(self) -> tuple[str, ...]:
        """The models that were asked and have not been looked at."""
        return tuple(self._tasks)

    def begin(self, model: str, paid: float) -> str | None:
        """Put money aside for a call, once; return why there is none, or no time."""
        if model in self._put_aside:
            return None
        expected, aside = self._round.expected_cost(model), sum(self._put_aside.values())
        if self._end - time.monotonic() < _SHORTEST:
            return NO_TIME
        if paid + aside + expected > self._limits.request:
            return REQUEST_SPENT
        if not self._purse.reserve(expected):
            return DAY_SPENT
        self._put_aside[model] = expected
        return None

    async def answer(self, model: str, worst: float, paid: float) -> ModelReply:
        """Return the answer of a model; meanwhile the next one is asked, if that is worth it."""
        ahead = self._ahead
        if ahead is None:
            return await self._ask(model, self._question, self._end - time.monotonic())
        task = self._tasks.get(model) or self._started(model)
        following = self._round.after(model, worst)
        if (
            following is not None
            and following not in self._tasks
            and ahead.is_worth_it(model, self._round.expected_cost(following))
            and self.begin(following, paid) is None
        ):
            self._started(following)
        try:
            found = await task
        finally:
            del self._tasks[model]
        ahead.timed(model, found.seconds)
        return found

    def _started(self, model: str) -> "asyncio.Task[ModelReply]":
        work = self._ask(model, self._question, self._end - time.monotonic())
        task = self._tasks[model] = asyncio.ensure_future(work)
        return task

    def settle(self, model: str, cost: float) -> None:
        """Count what a call really cost."""
        self._purse.settle(self._put_aside.pop(model), cost)

    async def pay(self) -> None:
        """Wait for the calls that are not needed any more, write down what they cost, and end the round."""
        try:
            for model, task in self._tasks.items():
                cost = 0.0
                try:
                    cost = (await task).cost
                finally:
                    self.settle(model, cost)
                await self._round.see(model, cost, {})
        finally:
            await self._round.close()
