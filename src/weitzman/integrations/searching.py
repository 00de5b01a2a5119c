"""Rounds of asking that a searcher in this process decides."""

import threading
from collections.abc import Mapping
from typing import Any

from weitzman.errors import SearchStateError
from weitzman.integrations.pool import Pool, Question
from weitzman.learn.live import LiveSearch
from weitzman.learn.searcher import Searcher


class SearcherRounds:
    """Rounds of a searcher; several threads may ask at the same time."""

    def __init__(self, pool: Pool, searcher: Searcher) -> None:
        self.pool = pool.check()
        self.searcher = searcher
        self._lock = threading.Lock()

    async def open(self, question: Question) -> "SearcherRound":
        """Begin a round."""
        pool = self.pool
        costs = pool.expected_costs(question)
        with self._lock:
            number = self.searcher.rounds
            search = self.searcher.open(pool.rows(question), costs, outside=pool.give_up)
        return SearcherRound(
            str(number), search, self._lock, dict(zip(pool.names, costs or (), strict=False))
        )


class SearcherRound:
    """A round that is open."""

    def __init__(
        self, name: str, search: LiveSearch[Any], lock: threading.Lock, costs: Mapping[str, float]
    ) -> None:
        self.name = name
        self._search, self._lock, self._costs = search, lock, costs
        self._asked: str | None = None

    def next(self) -> str | None:
        """Return the model to be asked next; None to stop."""
        self._asked = next(self._search, None)
        return self._asked

    def expected_cost(self, model: str) -> float:
        """Return what a call is expected to cost; nothing where that is learned."""
        return self._costs.get(model, 0.0)

    async def see(self, model: str, cost: float, values: Mapping[str, float]) -> None:
        """Say what a call cost, and the values that are known now."""
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
        with self._lock:
            try:
                self._search.close()
            except SearchStateError:
                return  # no value came, and there is none to keep
