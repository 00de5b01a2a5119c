"""FTRL at several strengths: the one whose predictions have been best so far.

How strongly weights are to be held depends on how much the features say, which nobody knows in advance. So
several learners learn side by side, each holding the weights of the features s times as strongly as the
last, down to one that has no features at all and goes by the values of a box alone. Before every look is
learned, each learner k has made a prediction σ_k for it, and

    L_k = Σ H_c(σ_k − v),

the sum of the losses of :mod:`weitzman.learn.loss` so far, says how good its predictions were. These
are predictions of values that it had not seen, so a learner that follows noise loses. Whether a box is
opened depends on contexts and on the values of other boxes, never on its own: the comparison is fair under
feedback ``"opened"`` too.

**Which one predicts.** The first learner, whose strength is that of ``eta``, until another is clearly better.
With D the loss of the first less that of learner k, of the looks of a round before they are learned, k is
clearly better once

    Σ D > √(Σ D²),                                                                                (1)

and of those that are, the one with the least L predicts. Without (1) the lead changes with the noise of the
first values, and every change moves all reservation values.

**Before that.** As long as fewer contexts were seen than there are features, a new one lies where no look has
been, and what is predicted there is noise. Weights that are held s times as strongly are about as free as
those of d/s features, and a feature is taken to need two contexts. So until the values of 2 d different
contexts are seen, the first learner with 2 d/s ≤ their number predicts, and (1) is not asked. The boxes of a
round may all have the same context, as models that could answer one question have: then a round shows one.
Where each box has a context of its own, it shows n.

**Optimism** is that of the first learner, whoever predicts: what is not known of a box is how much its
features say, and a learner that holds their weights strongly takes for known what it was never shown.

It is for prepared rounds (:mod:`weitzman.learn.preparation`): the first column of a context is the constant,
whose weight is the *level* of a box.

**How strongly levels are held** to those of the others has nothing to do with the number of features. A look
is one more square in the loss, so it is counted in looks: the first learner holds the level like one look,
since boxes mostly differ little where their features explain them; the others hold it half as strongly, and
are clearly better where boxes differ by a constant.

**Costs.** Boxes that are alike have different σ if their looks do not cost the same: dσ/dc = 1/P(v < σ) ≥ 1.
So what is learned, and held to the others, is σ − (c − c̄), with c̄ the mean cost of the first round that is
learned: H_c(σ − v) = H_c((σ − (c − c̄)) − (v − (c − c̄))). Where all looks cost the same it is σ.

With ``curious``, where only what is opened is seen, these are as they were: the first learner predicts from
the first round on, d features hold the level like d/4 looks in the first learner and like d/16 in the others,
and σ is what is learned. Boxes that were looked at once or twice are then held to the others more strongly,
and the policy adds what the cost of a box that it never looked at makes
(:mod:`weitzman.learn.policies.allowance`).
"""

import math
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from weitzman.arrays import Arrays, Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.learn.learner import Bank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.loss import loss
from weitzman.learn.policy import joined, parted
from weitzman.learn.preparation import WIDE

STRENGTHS = (1.0, 8.0, 64.0, math.inf)
"""How much more strongly the weights of features are held than ``eta`` says."""

LEVELS = (1.0, 0.5, 0.5, 0.5)
"""How many looks the level of a box is held like."""

CONTEXTS = 2
"""How many different contexts a feature needs."""

_HELD = (*STRENGTHS[:-1], 1.0)  # the last one has no features to hold more strongly
_ALIKE = tuple(math.sqrt(s) for s in _HELD)
_AS_FEATURE = (1.0 / WIDE, *_ALIKE[1:])


class TunedBank(Bank):
    """Banks at several strengths, and what their predictions have lost.

    Parameters
    ----------
    learner
        FTRL at strength 1; its η is a number.
    boxes, dimension
        As for any bank; the first number of a context is a constant.
    curious
        Whether only what is opened is seen, and optimism sees to it that boxes are.
    """

    def __init__(self, learner: FTRL, *, boxes: int, dimension: int, curious: bool = False) -> None:
        super().__init__(boxes=boxes, dimension=dimension, shared=learner.shared)
        eta = cast("float", learner.eta)
        held = [replace(learner, eta=eta / strength) for strength in STRENGTHS[:-1]]
        self._banks = [one.start(boxes=boxes, dimension=dimension) for one in held]
        # The last one has no features: it is given the constant alone
        self._banks.append(learner.start(boxes=boxes, dimension=1))
        # What each bank is given of the constant: at x the level is held like 1/(η x²) looks
        free = np.sqrt(np.divide(_HELD, LEVELS) / eta) / WIDE
        self._constants = np.array(_AS_FEATURE) if curious else free
        # c̄; NaN before anything is learned, +∞ if σ itself is
        self._cost = math.inf if curious else math.nan
        # Of how many different contexts values were seen, up to as many as the first bank waits for
        self._wanted = CONTEXTS * (dimension - 1)
        self._contexts = math.inf if curious else 0.0
        # −Σ D and Σ D² of each bank
        self._losses = np.zeros(len(self._banks))
        self._squares = np.zeros(len(self._banks))

    @property
    def leader(self) -> int:
        """The number of the bank that predicts."""
        best = self._first
        if best > 0:
            return best
        losses, squares = self._losses.tolist(), self._squares.tolist()
        for k, lost in enumerate(losses):
            # Squared, so that after one round, where both sides are the same, rounding does not decide
            if lost < losses[best] and lost * lost > squares[k]:
                best = k
        return best

    @property
    def _first(self) -> int:
        """The number of the bank that predicts until another is clearly better."""
        if self._contexts >= self._wanted:
            return 0
        few = (k for k, s in enumerate(STRENGTHS[:-1]) if s * self._contexts >= self._wanted)
        return next(few, len(STRENGTHS) - 1)

    def _given(self, k: int, contexts: Floats) -> Floats:
        """Return contexts as one of the banks sees them."""
        given = contexts[:, :1].copy() if STRENGTHS[k] == math.inf else contexts.copy()
        given[:, 0] *= self._constants[k]
        return given

    def predict_arrays(
        self,
        *,
        contexts: Floats,
        costs: Floats,
        boxes: Ints,
        optimism: float,
        outside: float = math.inf,
    ) -> Floats:
        """Predict by the bank that leads; σ is lowered as far as the first bank lowers its own."""
        k = self.leader
        sigma = self._sigma(k, contexts, costs, boxes, optimism if k == 0 else 0.0, outside)
        if k > 0 and optimism > 0.0:
            sigma -= self._sigma(0, contexts, costs, boxes, 0.0, outside)
            sigma += self._sigma(0, contexts, costs, boxes, optimism, outside)
        if math.isfinite(self._cost):
            sigma += costs - self._cost
        return sigma

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
        mean = math.fsum(costs) / len(costs) if math.isnan(self._cost) else self._cost
        if math.isfinite(mean):
            values = values - (costs - mean)
        paid, places = costs[known], boxes[known]
        sigma = np.empty((len(self._banks), len(known)))
        for k, bank in enumerate(self._banks):
            rows = self._given(k, contexts)
            sigma[k] = bank.predict_arrays(
                contexts=rows[known], costs=paid, boxes=places, optimism=0.0
            )
            bank.update_arrays(boxes=boxes, contexts=rows, values=values, costs=costs)
        self._cost = mean
        if self._contexts < self._wanted:
            self._contexts += len({row.tobytes() for row in contexts[known]})
        first, *others = (math.fsum(lost) for lost in loss(sigma - values[known], paid))
        apart = np.array([0.0, *(lost - first for lost in others)])
        self._losses += apart
        self._squares += apart * apart

    def _widths(self, boxes: Ints, contexts: Floats) -> Floats:
        k = self.leader
        return self._banks[k].widths(self._given(k, contexts), boxes)

    def _residuals(self) -> Floats:
        return self._banks[self.leader]._residuals()

    def weights(self, boxes: ArrayLike | None = None) -> Floats | None:
        """Return w of each box, 0 for features that the leading bank does not look at.

        w·x is σ − (c − c̄).
        """
        k = self.leader
        found = cast("Floats", self._banks[k].weights(boxes))
        out = np.zeros((len(found), self.dimension))
        out[:, : found.shape[1]] = found
        out[:, 0] *= self._constants[k]
        return out

    def _resize(self, boxes: int) -> None:
        for bank in self._banks:
            bank.add_boxes(boxes - self.boxes)

    def _state(self) -> Arrays:
        own = {"losses": self._losses, "squares": self._squares, "constants": self._constants}
        state: Arrays = {name: array.copy() for name, array in own.items()}
        if not math.isinf(self._cost):
            state["cost"] = np.array([self._cost])
        if not math.isinf(self._contexts):
            state["contexts"] = np.array([self._contexts])
        return state | joined({f"bank{k}": bank.state() for k, bank in enumerate(self._banks)})

    def _restore(self, boxes: int, state: Arrays) -> None:
        losses = state.get("losses")
        # Earlier states hold L_k, and whoever was ahead led, after however few contexts; all banks held the
        # constant alike, and learned σ
        squares = state.get("squares", np.zeros_like(self._squares))
        constants = state.get("constants", np.array(_ALIKE))
        cost = state.get("cost", np.array([math.inf]))
        contexts = state.get("contexts", np.array([math.inf]))
        if losses is None or {a.shape for a in (losses, squares, constants)} != {
            (len(self._banks),)
        }:
            raise InvalidInputError("The state", "be that of the same learner", sorted(state))
        for k, bank in enumerate(self._banks):
            bank.restore(parted(state, f"bank{k}"))
        self._losses = np.array(losses - losses[0], dtype=np.float64)
        self._squares = np.array(squares, dtype=np.float64)
        self._constants = np.array(constants, dtype=np.float64)
        self._cost = float(np.array(cost, dtype=np.float64)[0])
        self._contexts = float(np.array(contexts, dtype=np.float64)[0])
