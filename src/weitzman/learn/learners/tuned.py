"""FTRL at several strengths: the one whose predictions have been best so far.

How strongly weights are to be held depends on how much the features say, which nobody knows in advance. So
several learners learn side by side, each holding the weights of the features s times as strongly as the
last, down to one that has no features at all and goes by the values of a box alone. Before every look is
learned, each learner k has made a prediction σ_k for it, and

    L_k = Σ H_c(σ_k − v),

the sum of the losses of :mod:`weitzman.learn.loss` so far, says how good its predictions were. These
are predictions of values that it had not seen, so a learner that follows noise loses. Whether a box is
opened depends on contexts and on the values of other boxes, never on its own: the comparison is fair under
feedback ``"opened"`` too. The round is predicted by the learner with the least L, of equal ones by the one
that is held most.

It is for prepared rounds (:mod:`weitzman.learn.preparation`): the first column of a context is the constant,
and is held alike by all.
"""

import math
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Bank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.loss import loss

__all__ = ["STRENGTHS", "TunedBank"]

STRENGTHS = (1.0, 8.0, 64.0, math.inf)
"""How much more strongly the weights of features are held than ``eta`` says."""


class TunedBank(Bank):
    """Banks at several strengths, and what their predictions have lost.

    Parameters
    ----------
    learner
        FTRL at strength 1; its η is a number.
    boxes, dimension
        As for any bank; the first number of a context is a constant.
    """

    def __init__(self, learner: FTRL, *, boxes: int, dimension: int) -> None:
        super().__init__(boxes=boxes, dimension=dimension, shared=learner.shared)
        self._banks = [
            learner.start(boxes=boxes, dimension=dimension)
            if s == 1.0
            else _held(learner, s).start(boxes=boxes, dimension=1 if s == math.inf else dimension)
            for s in STRENGTHS
        ]
        self._losses = np.zeros(len(self._banks))

    @property
    def leader(self) -> int:
        """The number of the bank that predicts."""
        return int(self._losses.argmin())

    def _given(self, k: int, contexts: Floats) -> Floats:
        """Return contexts as one of the banks sees them."""
        s = STRENGTHS[k]
        if s == 1.0:
            return contexts
        if s == math.inf:
            return np.ascontiguousarray(contexts[:, :1])
        wide = contexts.copy()
        wide[:, 0] *= math.sqrt(s)
        return wide

    def predict_arrays(
        self,
        *,
        contexts: Floats,
        costs: Floats,
        boxes: Ints,
        optimism: float,
        outside: float = math.inf,
    ) -> Floats:
        """Predict by the bank that leads; optimism is the mean of all banks', by how well they do."""
        k = self.leader
        sigma = self._sigma(k, contexts, costs, boxes, 0.0, outside)
        if optimism > 0.0:
            for j, share in enumerate(self.shares()):
                if share > 1e-3:
                    sigma -= share * self._sigma(j, contexts, costs, boxes, 0.0, outside)
                    sigma += share * self._sigma(j, contexts, costs, boxes, optimism, outside)
        return sigma

    def shares(self) -> Floats:
        """Return how much each bank is believed, of sum 1."""
        spread = self._banks[self.leader]._residuals()
        looks = spread[:, 2].sum()
        noise = (spread[:, 1] * spread[:, 2]).sum() / looks if looks > 0.0 else 0.0
        shares = np.ones(len(self._losses))
        if noise > 0.0:
            shares = np.exp(-(self._losses - self._losses.min()) / noise)
        believed: Floats = shares / shares.sum()
        return believed

    def _sigma(
        self, k: int, contexts: Floats, costs: Floats, boxes: Ints, optimism: float, outside: float
    ) -> Floats:
        return self._banks[k].predict_arrays(
            contexts=self._given(k, contexts),
            costs=costs,
            boxes=boxes,
            optimism=optimism,
            outside=outside,
        )

    def update_arrays(
        self, *, boxes: Ints, contexts: Floats, values: Floats, costs: Floats
    ) -> None:
        """Count what the predictions lose, then learn."""
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            return
        for k, bank in enumerate(self._banks):
            rows = self._given(k, contexts)
            sigma = bank.predict_arrays(
                contexts=rows[known], costs=costs[known], boxes=boxes[known], optimism=0.0
            )
            apart = loss(sigma - values[known], costs[known])
            self._losses[k] += math.fsum(apart)
            bank.update_arrays(boxes=boxes, contexts=rows, values=values, costs=costs)

    def _widths(self, boxes: Ints, contexts: Floats) -> Floats:
        k = self.leader
        return self._banks[k].widths(self._given(k, contexts), boxes)

    def _residuals(self) -> Floats:
        return self._banks[self.leader]._residuals()

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        """Return w of each box, 0 for features that the leading bank does not look at."""
        k = self.leader
        found = cast("Floats", self._banks[k].weights(boxes))
        out = np.zeros((len(found), self._dimension))
        out[:, : found.shape[1]] = found
        if STRENGTHS[k] < math.inf:
            out[:, 0] *= math.sqrt(STRENGTHS[k])
        return out

    def _resize(self, boxes: int) -> None:
        for bank in self._banks:
            bank.add_boxes(boxes - self._boxes)

    def _state(self) -> Arrays:
        state: Arrays = {"losses": self._losses.copy()}
        for k, bank in enumerate(self._banks):
            state |= {f"bank{k}.{name}": array for name, array in bank.state().items()}
        return state

    def _restore(self, boxes: int, state: Arrays) -> None:
        losses = state.get("losses")
        if losses is None or losses.shape != self._losses.shape:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        for k, bank in enumerate(self._banks):
            begin = f"bank{k}."
            own = {n.removeprefix(begin): a for n, a in state.items() if n.startswith(begin)}
            bank.restore(own)
        self._losses = np.array(losses, dtype=np.float64)


def _held(learner: FTRL, strength: float) -> FTRL:
    """Return a learner that holds the weights of features more strongly, and the constant as it does."""
    from dataclasses import replace

    if strength == math.inf:
        return learner
    return replace(learner, eta=cast("float", learner.eta) / strength)
