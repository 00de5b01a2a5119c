"""An allowance for curiosity: how many looks may be made only to learn.

Under feedback ``"opened"`` optimism (:mod:`weitzman.learn.learners.parts.optimism`) lowers the reservation
values of boxes that are little known, so that they are looked at now and then. It does not know what a look
costs beside what learning can still win: with many features, or where looks are expensive, it opens most
boxes for hundreds of rounds. What learning can win is bounded: no policy's regret after t rounds of n boxes
need be above a multiple of √(n t) [Gatmiry 2024]. So optimism is allowed while the number of looks that the
rule without optimism would not have made is below

    n + √(n t),

a look at every box and the order of that bound. In the laboratory, where optimism stays below it, nothing
changes.

**No box starves.** Optimism goes by what predictions differ by, and where one box leads that is little: a box
whose first look was bad may stay closed for ever. So every box has its part of the allowance: while some is
left, the box of the round with the fewest looks is opened first if these are fewer than

    √(t/n).

Every box that is in the rounds often enough is looked at without end, so no error of its prediction lasts;
and all n boxes together take √(n t) looks at most, which is the order of what learning costs anyway.

**Boxes that were never looked at.** At most one of them is opened in a round, the one with the smallest σ:
what the others could show is as well shown later. Its σ is that of a box with the mean cost c̄ of the looks
so far. A box that costs more has a larger one: dσ/dc = 1/P(v < σ) ≥ 1, so c − c̄ is added, the least that it
can be.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.learner import Bank
from weitzman.learn.policy import Floats, Ints, Round, State


def predicted(bank: Bank, shown: Round, kappa: float) -> Floats:
    """Return the σ that a bank predicts at this optimism, within what is possible."""
    sigma = bank.predict_arrays(
        contexts=shown.filled,
        costs=shown.costs,
        boxes=shown.places,
        optimism=kappa,
        outside=shown.outside,
    )
    return np.maximum(sigma, shown.floor) if shown.least > -math.inf else sigma


class Allowance:
    """Looks that were made to learn, and how many of them are allowed.

    Parameters
    ----------
    boxes
        The number n of boxes.
    """

    def __init__(self, boxes: int) -> None:
        self._boxes = boxes
        # Rounds, looks made to learn, all looks, and the sum of their costs
        self._counts = np.zeros(4)

    @property
    def is_left(self) -> bool:
        """Whether looks may be made to learn in the next round."""
        rounds, curious = self._counts[:2].tolist()
        return bool(curious < self._boxes + math.sqrt(self._boxes * rounds))

    @property
    def part(self) -> float:
        """How many looks every box should have had by now."""
        return math.sqrt(float(self._counts[0]) / self._boxes)

    def reservation_values(self, bank: Bank, shown: Round, kappa: float) -> Floats:
        """Return the σ of a round, at optimism κ as far as it is allowed."""
        sigma = predicted(bank, shown, kappa if self.is_left else 0.0)
        if bank.shared:
            return sigma
        had = bank.looks(shown.places)
        new = np.flatnonzero(had == 0)
        if len(new):
            looks, paid = self._counts[2:].tolist()
            sigma[new] += shown.costs[new] - paid / max(looks, 1.0)
            first = new[sigma[new].argmin()]
            sigma[new[new != first]] = math.inf
        elif self.is_left and had.min() < self.part:
            # Of those with the fewest looks the cheapest, of these the first
            sigma[np.lexsort((shown.costs, had))[0]] = -math.inf
        return sigma

    def note(self, shown: Round, values: Floats, asked: Ints, sigma: Floats) -> None:
        """Count the looks that a rule asked for, before the round is learned; others are free.

        ``asked`` are the rows that the rule opens in a round with these values, ``sigma`` is what the bank
        predicts without optimism.
        """
        opened, own = ~np.isnan(values), 0
        for row in asked:
            if not opened[row]:
                break
            own += 1
        best, plain = shown.outside, 0
        for row in np.argsort(sigma, kind="stable"):
            # What the rule without optimism would have opened next, as far as it is known
            if best <= sigma[row] or not opened[row]:
                break
            plain += 1
            best = min(best, float(values[row]))
        looks = int(opened.sum())
        self._counts += (1.0, own - plain, looks, float(shown.costs[opened].sum()))

    def add_boxes(self, count: int) -> None:
        """Let boxes join."""
        self._boxes += count

    def state(self) -> State:
        """Return everything as arrays."""
        return {"counts": self._counts.copy()}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._counts = np.array(state["counts"], dtype=np.float64)
