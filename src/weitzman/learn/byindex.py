"""Searching by the reservation values of a learner: the fast way, three array calls a round."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weitzman.learn.explanation import Explanation, explain_round
from weitzman.learn.learner import Bank
from weitzman.learn.learners.play import Feedback, Played, play
from weitzman.learn.live import LiveSearch
from weitzman.learn.policy import Floats, Ints, Round, State, parted
from weitzman.learn.probing import probes
from weitzman.search.reservation import Sense

__all__ = ["ByIndex"]


class ByIndex:
    """Weitzman's rule over a bank, as what a searcher runs.

    Parameters
    ----------
    bank
        The learned reservation values.
    feedback, optimism, block, seed, sense
        As for :class:`weitzman.Searcher`; the optimism is a number.
    """

    def __init__(
        self,
        bank: Bank,
        *,
        feedback: Feedback,
        optimism: float,
        block: int | None,
        seed: int,
        sense: Sense,
    ) -> None:
        self.bank = bank
        self._feedback = feedback
        self._learns = frozenset(feedback.split("+"))
        self._kappa = optimism
        self._block = block
        self._seed = seed
        self._sense: Sense = sense

    @property
    def boxes(self) -> int:
        """The number of boxes."""
        return self.bank.boxes

    @property
    def every(self) -> Ints:
        """The numbers of all boxes."""
        return self.bank.every

    def open(
        self,
        number: int,
        boxes: Sequence[Hashable],
        known: tuple[Floats, Floats, Ints],
        outside: float,
    ) -> LiveSearch[Hashable]:
        """Begin a round with its number, from contexts, costs and places."""
        rows, prices, places = known
        bought: list[int] = []
        sigma = self.bank.predict_arrays(rows, prices, places, self._kappa, outside)
        if self._block is not None:
            marks = self._probes(number, 1)[0]
            bought = [r for r, p in enumerate(places) if marks[p]]
        return self._search(boxes, known, outside, sigma, bought)

    def reopen(
        self,
        boxes: Sequence[Hashable],
        round: Round,  # noqa: A002
        state: State,
    ) -> LiveSearch[Hashable]:
        """Return the search of a round as it was when it was opened."""
        known = (round.contexts, round.costs, round.places)
        sigma = np.array(parted(state, "course")["index.sigma"], dtype=np.float64)
        bought = state["bought"].astype(np.int64).tolist()
        return self._search(boxes, known, round.outside, sigma, bought)

    def _search(
        self,
        boxes: Sequence[Hashable],
        known: tuple[Floats, Floats, Ints],
        outside: float,
        sigma: Floats,
        bought: list[int],
    ) -> LiveSearch[Hashable]:
        rows, prices, places = known
        return LiveSearch(
            boxes=boxes,
            sigma=sigma,
            sense=self._sense,
            outside=outside,
            places=places,
            contexts=rows,
            prices=prices,
            bought=bought,
            learns=self._learns,
            learn=self.bank.update_arrays,
        )

    def reservation_values(self, round: Round) -> Floats:  # noqa: A002
        """Return what a round would be searched by."""
        return self.bank.predict_arrays(
            round.contexts, round.costs, round.places, self._kappa, round.outside
        )

    def explain(self, names: Sequence[Hashable], round: Round) -> Explanation:  # noqa: A002
        """Return why a round would be searched in its order."""
        sign = 1.0 if self._sense == "min" else -1.0
        return explain_round(self.bank, names, round, self._kappa, sign)

    def play(
        self,
        number: int,
        contexts: ArrayLike,
        costs: ArrayLike,
        values: Floats,
        *,
        outside: ArrayLike,
        predictions: bool,
    ) -> Played:
        """Play recorded rounds, the first of which has this number; smaller values are better."""
        rounds = values.shape[0] if values.ndim else 0
        return play(
            self.bank,
            contexts,
            costs,
            values,
            outside=outside,
            feedback=self._feedback,
            optimism=self._kappa,
            probes=None if self._block is None else self._probes(number, rounds),
            predictions=predictions,
        )

    def add_boxes(self, count: int) -> None:
        """Let boxes join that have seen nothing."""
        self.bank.add_boxes(count)

    def state(self) -> State:
        """Return the learner's state."""
        return self.bank.state()

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self.bank.restore(dict(state))

    def _probes(self, first: int, rounds: int) -> NDArray[np.bool_]:
        return probes(
            seed=self._seed,
            block=self._block or 1,
            first=first,
            rounds=rounds,
            boxes=self.bank.boxes,
        )
