"""Rounds of a log that came in one event, as a searcher lives through them.

They are lived through by the code that makes a searcher from a log (:meth:`weitzman.Searcher.from_log`), so a
problem that imported a log decides as that searcher does, to the last bit.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence

import numpy as np

from weitzman.arrays import Floats
from weitzman.learn.intake.past import live_on
from weitzman.learn.models.costs import CostMeans
from weitzman.learn.policy import Player, Round
from weitzman.learn.searcher import Searcher
from weitzman.ledger.bodies import PastRound
from weitzman.search.round import Outcome


class ImportedRounds:
    """Rounds with their values, smaller better, and what a policy has opened in them."""

    def __init__(self, rounds: Sequence[tuple[Round, PastRound]], sign: float) -> None:
        self._rounds = [
            (shown, np.array([math.nan if v is None else sign * v for v in past.values]), past.paid)
            for shown, past in rounds
        ]
        self._looked: list[tuple[Hashable, ...]] = []

    def __iter__(self) -> Iterator[tuple[Round, Floats]]:
        return ((shown, values) for shown, values, _ in self._rounds)

    def real_costs(self, number: int, shown: Round) -> list[float] | None:
        """Return what looks at the boxes of a round really cost; None if the log does not say."""
        return self._rounds[number][2]

    def live_on(self, searcher: Searcher, player: Player, costs: CostMeans, before: int) -> int:
        """Let a player live through them; return how many rounds it has had then.

        ``searcher`` has the settings of the player, and ``before`` are the rounds that it has had.
        """
        watch = self._note
        return live_on(searcher, self, player=player, costs=costs, before=before, watch=watch)

    def revealed(self, place: Mapping[str, int], *, full: bool) -> Iterator[tuple[Round, Floats]]:
        """Yield the rounds with what the policy has learned of them; ``place`` has the boxes by name."""
        for (shown, values, _), opened in zip(self._rounds, self._looked, strict=True):
            looked = np.isin(shown.places, [place[str(box)] for box in opened])
            yield shown, values if full else np.where(looked, values, math.nan)

    def _note(self, _: Round, outcome: Outcome[Hashable]) -> None:
        self._looked.append(outcome.opened)
