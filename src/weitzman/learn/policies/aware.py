"""Aware of the round: reservation values that are predicted again after every look.

The boxes of one round are often alike: a hard query is slow under every plan. A learner gives σ_i(x), the
reservation value of box i as far as its context tells. Once k ≥ 1 boxes of the round are open, the law of
a closed one is another, and

    σ_i(x, seen) = σ_i(x) + d_i · u·s(seen),      s = (1, 1/k, r̄, r̄/k),                            (1)

where r̄ is the mean of the residuals r_j = (v_j − σ_j(x_j) − m_j)/d_j of the open boxes, cut off at ±4, and
m_j, d_j are mean and deviation of v − σ_j so far, where later values count more. Weitzman's rule goes by
(1) after every look; before the first look it goes by σ_i(x).

**Why this summary.** Let residuals be normal with the same correlation ρ between any two. Given k of them,
a further one is normal with the mean k ρ/(1 + (k − 1)ρ) · r̄ and a variance that depends on k alone: mean
and number are sufficient, and order, least and last say nothing more. (1) is that dependence on k to first
order in 1/k.

**How u is learned.** By exact FTRL on the same loss: H_c(σ + d z − v) = d² H_{c/d}(z − (v − σ)/d), so u is
one more linear-quadratic regression, with the context s, the value (v − σ)/d and the cost c/d. All boxes
share u: with n boxes it is known n times sooner.

**Which pairs.** After a round the rule is re-enacted on its values, with what it knew before. It *asks* for
a box when this is the first of the closed ones: for every box that it opens, and for the one at which it
stops. Each is learned with what was open when it was asked for; the first box of the round is not, since
nothing was open. A box's own value has no part in whether and when the rule asks for it, so these pairs are
fair draws from the situations in which u is used. Boxes that stay behind the one at which the rule stops are
left out: there are many more of them, mostly after a good value, where nothing is to be decided.

**When u counts.** While the learner is new, residuals say more about it than about the round: a box takes
part once it has shown more than 2 d values. And u is 0 in (1) until it has been the better prediction:
with D the loss without u less the loss with u, of the pairs of a round before they are learned, until

    Σ D > √(Σ D²).                                                                                (2)

Where boxes are independent, the rule is the learner's own nearly always.

Under feedback ``"opened"`` σ_i(x) is lowered by optimism as in a searcher, and a value that was not revealed
shows nothing and is not learned.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.loss import loss
from weitzman.learn.policies.allowance import Allowance, predicted
from weitzman.learn.policies.aware_rule import SUMMARY, AwareRule, Situation
from weitzman.learn.policies.family import LearnerFamily
from weitzman.learn.policies.prepared import prepare_for, prepared_bank, started
from weitzman.learn.policies.weitzman import kappa_of
from weitzman.learn.policy import Floats, Ints, Player, Round, State, joined, parted
from weitzman.learn.preparation import Prepare, checked_prepare

NEW = 2
"""How many values a box must have shown for every feature before its residuals count."""
_ROUNDING = 1e-12  # a deviation below this share of the root mean square is what rounding leaves


@dataclass(frozen=True)
class Aware:
    """Weitzman's rule over reservation values that follow what the round has shown.

    Parameters
    ----------
    learner
        What learns σ from the context alone.
    optimism
        As for :class:`weitzman.Weitzman`.
    shared
        Whether the boxes carry no history, and one spread serves all of them.
    prepare
        As for :class:`weitzman.Weitzman`.
    """

    learner: Learner = field(default_factory=FTRL)
    optimism: float | Literal["auto"] = "auto"
    shared: bool = False
    prepare: Prepare | Literal["auto"] = "auto"

    @property
    def prepares(self) -> Prepare:
        """What is prepared."""
        auto = self.prepare == "auto"
        return prepare_for(self.learner) if auto else checked_prepare(self.prepare)

    @property
    def name(self) -> str:
        """``aware``, and ``standardised`` if contexts alone are prepared."""
        return "aware standardised" if self.prepares == "contexts" else "aware"

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> Player:
        """Return a player that has seen nothing."""
        return started(self, boxes=boxes, dimension=dimension, feedback=feedback, seed=seed)

    def player(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> "AwarePlayer":
        """Return a player that takes contexts as they are given."""
        kappa = kappa_of(self.optimism, feedback, self.learner)
        curious = kappa > 0.0 and feedback == "opened"
        return AwarePlayer(
            prepared_bank(self, boxes=boxes, dimension=dimension, curious=curious),
            rows=1 if self.shared else boxes,
            new=NEW * dimension,
            kappa=kappa,
            allowance=Allowance(boxes) if kappa > 0.0 and self.prepares == "all" else None,
        )

    def family(self) -> LearnerFamily:
        """Return the family of one by which the policy joins a portfolio."""
        return LearnerFamily(self)


class AwarePlayer:
    """The policy, running on contexts as they are given.

    Parameters
    ----------
    bank
        The learner, running.
    rows
        For how many boxes a spread is kept; 1 if they share it.
    new
        How many values a box must have shown before its residuals count.
    kappa, allowance
        The optimism, and how many looks it may cause; None for any number.
    """

    def __init__(
        self, bank: Bank, *, rows: int, new: int, kappa: float, allowance: Allowance | None = None
    ) -> None:
        self._bank = bank
        self._kappa = kappa
        self._allowance = allowance
        self._shift = FTRL(shared=True).start(boxes=1, dimension=SUMMARY)
        # Mean, mean square and number of v − σ
        self._spread = np.zeros((rows, 3))
        self._new = new
        # Σ D and Σ D²
        self._lead = np.zeros(2)
        self._forget()

    def _forget(self) -> None:
        """Let go what was made for a round: the next one is decided by what is known then."""
        self._made: tuple[Round, Situation, AwareRule] | None = None

    def rule(self, shown: Round) -> AwareRule:
        """Return what decides in a round."""
        return self._decided(shown)[1]

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn u from the situations in which the rule asks, then the learner and the spread."""
        situation, rule = self._decided(shown)
        self._forget()
        followed = rule.followed(values, shown.outside)
        if self._allowance is not None:
            self._allowance.note(shown, values, followed.opened, situation.sigma)
        asked = followed.asked
        known = (followed.seen[:, 0] > 0.0) & (situation.spread[asked] > 0.0)
        known &= ~np.isnan(values[asked])
        rows, seen = asked[known], followed.seen[known]
        if len(rows):
            spread = situation.spread[rows]
            targets = (values[rows] - situation.sigma[rows]) / spread
            costs = shown.costs[rows] / spread
            none = np.zeros_like(rows)
            shift = self._shift.predict_arrays(contexts=seen, costs=costs, boxes=none, optimism=0.0)
            ahead = math.fsum(loss(-targets, costs) - loss(shift - targets, costs))
            self._lead += (ahead, ahead * ahead)
            self._shift.update_arrays(boxes=none, contexts=seen, values=targets, costs=costs)
        places = self._places(shown)
        for row in np.flatnonzero(~np.isnan(values)):
            _note(self._spread[places[row]], float(values[row] - situation.sigma[row]))
        self._bank.update_arrays(
            boxes=shown.places, contexts=shown.filled, values=values, costs=shown.costs
        )

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        own: State = {"spread": self._spread.copy(), "lead": self._lead.copy()}
        parts = {"bank": self._bank.state(), "shift": self._shift.state(), "own": own}
        if self._allowance is not None:
            parts["allowance"] = self._allowance.state()
        return joined(parts)

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        self._forget()
        own = parted(state, "own")
        shapes = {"spread": self._spread.shape, "lead": (2,)}
        got = {name: array.shape for name, array in own.items()}
        if got != shapes:
            raise InvalidInputError("The state of an aware rule", f"have the shapes {shapes}", got)
        if self._allowance is not None:
            self._allowance.restore(parted(state, "allowance"))
        self._bank.restore(parted(state, "bank"))
        self._shift.restore(parted(state, "shift"))
        self._spread = np.array(own["spread"], dtype=np.float64)
        self._lead = np.array(own["lead"], dtype=np.float64)

    def _places(self, shown: Round) -> Ints:
        return shown.places if len(self._spread) > 1 else np.zeros_like(shown.places)

    def _decided(self, shown: Round) -> tuple[Situation, AwareRule]:
        if self._made is None or self._made[0] is not shown:
            situation = self._situation(shown)
            self._made = (shown, situation, self._rule(shown, situation))
        return self._made[1:]

    def _situation(self, shown: Round) -> Situation:
        sigma = predicted(self._bank, shown, 0.0)
        mean, square, count = self._spread[self._places(shown)].T
        deviation = np.sqrt(np.maximum(square - mean * mean, 0.0))
        known = (count > self._new) & (deviation > _ROUNDING * np.sqrt(square))
        return Situation(sigma=sigma, centre=mean, spread=np.where(known, deviation, 0.0))

    def _rule(self, shown: Round, situation: Situation) -> AwareRule:
        sigma = situation.sigma
        if self._allowance is not None:
            sigma = self._allowance.reservation_values(self._bank, shown, self._kappa)
        elif self._kappa > 0.0:
            sigma = predicted(self._bank, shown, self._kappa)
        weights = self._shift.weights([0])
        if weights is None or self._lead[0] <= math.sqrt(self._lead[1]):
            weights = np.zeros((1, SUMMARY))
        return AwareRule(situation, sigma, weights[0], floor=shown.floor)


def _note(spread: Floats, residual: float) -> None:
    spread[2] += 1.0
    share = 2.0 / (spread[2] + 1.0)
    spread[0] += share * (residual - spread[0])
    spread[1] += share * (residual * residual - spread[1])
