"""Rounds of asking that a searcher in this process decides."""

import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, cast

from weitzman.errors import InvalidInputError, SearchStateError, WeitzmanError
from weitzman.integrations.asking import Asked, find_answer
from weitzman.integrations.grading import ByFunction, Grader, ModelReply
from weitzman.integrations.pool import Pool, Question
from weitzman.integrations.spending import NO_LIMITS, Limits, Purse
from weitzman.learn.live import LiveSearch
from weitzman.learn.policy import Policy
from weitzman.learn.searcher import Searcher


class SearcherRounds:
    """Rounds of a searcher; several threads may ask at the same time."""

    def __init__(self, pool: Pool, searcher: Searcher) -> None:
        self.pool = pool.check()
        self.searcher = searcher
        self.lock = threading.Lock()
        # Where costs are learned: what a look at each model cost so far
        self._costs_so_far: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def count(self, model: str, cost: float) -> None:
        """Count what a look really cost."""
        with self.lock:
            so_far = self._costs_so_far[model]
            so_far[0] += 1.0
            so_far[1] += cost

    def mean_cost(self, model: str) -> float:
        """Return what looks at a model cost on average in this process; nothing before the first."""
        count, total = self._costs_so_far[model]
        return total / max(count, 1.0)

    async def open(self, question: Question) -> "SearcherRound":
        """Begin a round."""
        pool = self.pool
        costs = pool.expected_costs(question)
        with self.lock:
            number = self.searcher.rounds
            search = self.searcher.open(pool.rows(question), costs, outside=pool.give_up)
        known = None if costs is None else dict(zip(pool.names, costs, strict=True))
        return SearcherRound(str(number), search, self, known)


class SearcherRound:
    """A round that is open."""

    def __init__(
        self,
        name: str,
        search: LiveSearch[Any],
        rounds: SearcherRounds,
        costs: Mapping[str, float] | None,
    ) -> None:
        self.name = name
        self._search, self._rounds, self._costs = search, rounds, costs
        self._asked: str | None = None

    def next(self) -> str | None:
        """Return the model to be asked next; None to stop."""
        self._asked = next(self._search, None)
        return self._asked

    def cheapest(self) -> str | None:
        """Return None: a search in this process opens what its rule asks for."""
        return None

    def expected_cost(self, model: str) -> float:
        """Return what a call is expected to cost; what it cost on average where that is learned."""
        return self._rounds.mean_cost(model) if self._costs is None else self._costs[model]

    def after(self, model: str, value: float) -> str | None:
        """Return None: models are asked one after the other here."""
        return None

    async def see(self, model: str, cost: float, values: Mapping[str, float]) -> None:
        """Say what a call cost, and the values that are known now."""
        self._rounds.count(model, cost)
        if model in values:
            self._search.see(values[model], cost=cost)
        else:
            self._search.miss(cost=cost)
        self._asked = None
        for earlier, value in values.items():
            if earlier != model:
                self._search.see(value, box=earlier)

    async def close(self) -> None:
        """End the round and learn it, if it has shown anything."""
        if self._asked is not None:
            self._search.miss(cost=0.0)
        with self._rounds.lock:
            try:
                self._search.close()
            except SearchStateError:
                return  # no value came, and there is none to keep


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What is read of a reply: what it says, and how many tokens the call had, if that is known.

    ``calls_tool``: it is a turn that calls a tool, which is returned without a grade.
    """

    text: str
    prompt_tokens: float | None = None
    answer_tokens: float | None = None
    calls_tool: bool = False


Call = Callable[[str, float], Awaitable[Any]]
"""Calls a model within so many seconds, and returns its reply or raises."""


class ModelSearch:
    """A live search over models that some tool calls: pool, searcher, grader and limits.

    ``grader`` may be a function of a question and a text. ``price`` returns what a reply really cost; left
    out, or where it returns None, its tokens do at the prices of the pool. A policy or a searcher of one's
    own may decide; ``day`` is the most that a day may cost.
    """

    def __init__(
        self,
        *,
        pool: Pool,
        grader: Grader | Callable[[Question, str], Any],
        policy: Policy | str = "default",
        searcher: Searcher | None = None,
        limits: Limits = NO_LIMITS,
        day: float = inf,
        price: Callable[[Any], float | None] | None = None,
    ) -> None:
        self.pool = pool
        self.searcher = pool.searcher(policy) if searcher is None else searcher
        self.rounds = SearcherRounds(pool, self.searcher)
        self.grader = cast(
            "Grader", grader if hasattr(grader, "grade") else ByFunction(function=grader)
        )
        if self.grader.waits or self.grader.least > 1:
            rule = (
                "grade one answer at once; grades that come later or need several need the gateway"
            )
            raise InvalidInputError("The grader", rule, grader)
        self.limits = limits
        self.purse = Purse(day)
        self.price = price
        self._models = {model.name: model for model in pool.models}

    async def answer(self, question: Question, call: Call, hear: Callable[[Any], Heard]) -> Asked:
        """Return the best answer to a question; where every call failed, raise what the last one raised."""
        failures: list[Exception] = []

        async def ask(model: str, asked: Question, seconds: float) -> ModelReply:
            begin, cost, error, reply, heard = time.perf_counter(), 0.0, None, None, Heard(text="")
            try:
                reply = await call(model, seconds)
                heard = hear(reply)
                cost = self._cost(model, asked, reply, heard)
            except Exception as failure:
                failures.append(failure)
                error = f"{type(failure).__name__}: {failure}"
            seconds = round(time.perf_counter() - begin, 6)
            return ModelReply(
                text=heard.text,
                reply=reply,
                cost=cost,
                seconds=seconds,
                error=error,
                calls_tool=heard.calls_tool,
            )

        found = await find_answer(
            self.pool,
            self.rounds,
            question,
            ask=ask,
            grader=self.grader,
            limits=self.limits,
            purse=self.purse,
        )
        if found.answer is None:
            if failures:
                raise failures[-1]
            raise WeitzmanError(f"No model was asked: {found.why}.")
        return found

    def _cost(self, model: str, question: Question, reply: Any, heard: Heard) -> float:
        said = None if self.price is None else self.price(reply)
        if said is not None:
            return float(said)
        prompt, tokens = heard.prompt_tokens, heard.answer_tokens
        if prompt is None or tokens is None:
            prompt, tokens = question.tokens, Question.of(heard.text).tokens
        return self._models[model].price(prompt, tokens)
