"""Rounds of asking in the journal of the service: one problem, whose boxes are the models."""

from collections.abc import Callable, Mapping
from functools import partial
from math import isnan
from typing import TypeVar

from weitzman.integrations.pool import Pool, Question
from weitzman.ledger.state.problem import Problem
from weitzman.serve.commands.rounds import box_name, close_round, open_round, see_values
from weitzman.serve.engine.background import run_when_free
from weitzman.serve.engine.engine import Engine
from weitzman.serve.messages.schema import CloseRequest, NewRound, SeeRequest

T = TypeVar("T")


class JournalRounds:
    """The rounds of a problem."""

    def __init__(self, pool: Pool, engine: Engine, problem: str) -> None:
        self._pool, self._engine, self._name = pool, engine, problem

    async def open(self, question: Question) -> "JournalRound":
        """Begin a round."""
        pool = self._pool
        ask = NewRound(
            contexts=[[None if isnan(x) else x for x in row] for row in pool.rows(question)],
            costs=pool.expected_costs(question),
            outside=pool.give_up,
        )
        begun = await self.carry_out(lambda problem: open_round(self._engine, problem, ask), True)
        costs = self.problem.rounds[begun.round].costs
        return JournalRound(
            self, begun.round, begun.next, dict(zip(pool.names, costs, strict=True))
        )

    @property
    def problem(self) -> Problem:
        """The problem as it is."""
        return self._engine.problem(self._name)

    async def see(self, name: str, ask: SeeRequest) -> str | None:
        """Report values of a round; return the model to be asked next."""
        seen = partial(see_values, self._engine, name=name, ask=ask)
        return (await self.carry_out(lambda problem: seen(problem=problem), False)).next

    def after(self, name: str, model: str, value: float) -> str | None:
        """Return the model to be asked next in a round if another turns out to have a value."""
        problem = self.problem
        opened = problem.rounds.get(name)
        if opened is None:
            return None
        # All models are in every round, as they are in the pool
        row = opened.after(problem.place[model], value)
        return None if row is None else box_name(problem, opened, row)

    async def close(self, name: str) -> None:
        """End a round."""
        ask = CloseRequest()
        await self.carry_out(lambda problem: close_round(self._engine, problem, name, ask), True)

    async def carry_out(self, command: Callable[[Problem], T], learns: bool) -> T:
        """Return what a command on the problem returns, off the event loop if it takes long."""
        locks, name = self._engine.locks, self._name
        return await run_when_free(
            self._engine,
            name,
            lambda: command(self.problem),
            # One that takes no time goes with those before it
            lambda: (learns or name in locks) and self.problem.may_take_long,
        )


class JournalRound:
    """A round that is open."""

    def __init__(
        self, rounds: JournalRounds, name: str, first: str | None, costs: Mapping[str, float]
    ) -> None:
        self.name = name
        self._rounds, self._next, self._costs = rounds, first, costs
        self._asked: set[str] = set()

    def next(self) -> str | None:
        """Return the model to be asked next; None to stop."""
        return self._next

    def cheapest(self) -> str | None:
        """Return the cheapest model that was not asked, whatever the rule says; None if there is none."""
        left = [model for model in self._costs if model not in self._asked]
        return min(left, key=lambda model: self._costs[model], default=None)

    def expected_cost(self, model: str) -> float:
        """Return what a call is expected to cost."""
        return self._costs[model]

    def after(self, model: str, value: float) -> str | None:
        """Return the model to be asked next if this one turns out to have a value; None if there is none."""
        return self._rounds.after(self.name, model, value)

    async def see(self, model: str, cost: float, values: Mapping[str, float]) -> None:
        """Say what a call cost, and the values that are known now."""
        self._asked.add(model)
        looks = {model: values.get(model), **values}
        self._next = await self._rounds.see(self.name, SeeRequest(looks, {model: cost}))

    async def close(self) -> None:
        """End the round, and learn what it has shown."""
        await self._rounds.close(self.name)
