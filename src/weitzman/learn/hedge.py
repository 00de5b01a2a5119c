"""Hedging over candidates whose losses are all known after every round.

**AdaHedge** [Rooij 2014]. With cumulative losses A_k before round t and weights
p_k ∝ exp(−η A_k), η = ln N / Δ, the round's expected loss is h = Σ p_k ℓ_k and its mix loss
m = −ln(Σ p_k e^{−η ℓ_k})/η; Δ is the sum of all h − m so far. While Δ = 0, η = ∞: the leaders alone share
the weight, and m is the least loss among them. If the losses of round t have the range
r_t = max ℓ − min ℓ, then for every T and every sequence

    Σ h − min_k A_k ≤ √(ln N · Σ r_t²) + max r_t · (4/3 ln N + 2).                            (1)

**Later rounds count more.** Candidates learn, so late rounds say more about them: round t enters with
ℓ = t L. For losses L of range at most R, (1) bounds the weighted regret ρ_T = Σ t (L_t − L_{t,k}) by
R √(ln N) T^{3/2} + R (4/3 ln N + 2) T, at every T; and as the plain regret Σ (L_t − L_{t,k}) is
ρ_T/T + Σ_{t<T} ρ_t/(t(t + 1)), it is against every candidate at most

    3 R √(T ln N) + R (4/3 ln N + 2)(1 + ln T).                                               (2)

(2) is about the expected loss h: it holds for a candidate drawn by p. It does not hold for the leader
argmin A, which an adversary can mislead in every round.

**The gate.** One candidate, the *incumbent*, is played until the leader k beats it clearly: while

    A_inc − A_k ≤ z √Q_k,      Q_k = Σ (t (L_inc − L_k))²,                                     (3)

or it leads itself, the gate is closed. AdaHedge goes on in the background. What does that cost? Let the
gate be closed in the rounds a + 1 … b. Before round b, (3) held; before round a + 1 the incumbent was no
better than the leader; and AdaHedge's loss lies between the leader's and the leader's plus (1). So in
these rounds the incumbent loses at most z √Q + b R, plus (1) at a, more than AdaHedge: weighted
O(R (z + √(ln N)) b^{3/2}).

- If the gate opens once and stays open, the plain regret is still O(R (z + √(ln N)) √T).
- If it may close again *at most once in every doubling of t* (``closings="doubling"``), so it is: closed
  stretches end before the next begins, and Σ b^{3/2} ≤ T^{3/2} (2 + 1 + 2^{−3/2} + 4^{−3/2} + …) ≤ 4 T^{3/2}.
- If it may close whenever (3) holds (``closings="free"``), each closing costs as much again, their
  number is not bounded, and neither is the ratio of the regret to √T.
"""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Floats, State
from weitzman.search.numbers import whole_number

__all__ = ["AdaHedge", "Closings", "Gate"]

Closings = Literal["free", "doubling"]


class AdaHedge:
    """Weights over N candidates, at a rate that follows the data.

    Examples
    --------
    >>> hedge = AdaHedge(2)
    >>> hedge.add(np.array([0.0, 1.0]))
    >>> hedge.weights().round(2), hedge.leader
    (array([0.8, 0.2]), 0)
    """

    def __init__(self, candidates: int) -> None:
        self.losses = np.zeros(whole_number(candidates, "The number of candidates", least=1))
        self.gap = 0.0

    @property
    def leader(self) -> int:
        """The candidate with the least loss so far, the first of equal ones."""
        return int(np.argmin(self.losses))

    def weights(self) -> Floats:
        """Return the weights for the next round, of sum 1."""
        apart = self.losses - self.losses.min()
        weights = np.exp(-self._rate * apart) if self.gap > 0.0 else (apart == 0.0).astype(float)
        shares: Floats = weights / weights.sum()
        return shares

    def add(self, losses: Floats) -> None:
        """Take in the losses of a round."""
        weights = self.weights()
        expected = float(weights @ losses)
        if self.gap > 0.0:
            least = float(losses.min())
            mixed = float(weights @ np.exp(-self._rate * (losses - least)))
            mix = least - math.log(mixed) / self._rate
        else:
            mix = float(losses[weights > 0.0].min())
        self.gap += max(0.0, expected - mix)
        self.losses += losses

    @property
    def _rate(self) -> float:
        return math.log(len(self.losses)) / self.gap


class Gate:
    """AdaHedge behind a gate: an incumbent is played until it is beaten clearly.

    Parameters
    ----------
    candidates
        The number N of candidates.
    incumbent
        The one to start with; None for AdaHedge without a gate.
    clarity
        z, by how many self-normalised standard errors it must be beaten.
    closings
        How often the gate may close again: ``"free"`` or ``"doubling"``.
    """

    def __init__(
        self,
        candidates: int,
        *,
        incumbent: int | None = None,
        clarity: float = 1.5,
        closings: Closings = "free",
    ) -> None:
        if incumbent is not None and not 0 <= incumbent < candidates:
            raise InvalidInputError("The incumbent", "be one of the candidates", incumbent)
        if closings not in ("free", "doubling"):
            raise InvalidInputError("The closings", "be 'free' or 'doubling'", closings)
        if not 0.0 <= clarity < math.inf:
            raise InvalidInputError("The clarity", "be a finite number >= 0", clarity)
        self._hedge = AdaHedge(candidates)
        self._incumbent = incumbent
        self._clarity = clarity
        self._closings = closings
        self._squares = np.zeros(candidates)
        self._count = 0
        self._open = incumbent is None
        self._closed_in = -1  # the doubling of t in which the gate last closed

    @property
    def is_open(self) -> bool:
        """Whether the next round is AdaHedge's."""
        return self._open

    @property
    def leader(self) -> int:
        """The candidate to play if nothing is drawn."""
        if self._incumbent is None or self._open:
            return self._hedge.leader
        return self._incumbent

    def weights(self) -> Floats:
        """Return the chances with which candidates are to be played in the next round."""
        if self._incumbent is None or self._open:
            return self._hedge.weights()
        weights = np.zeros(len(self._squares))
        weights[self._incumbent] = 1.0
        return weights

    def add(self, losses: Floats) -> None:
        """Take in the losses of all candidates in a round, finite numbers."""
        if losses.shape != self._squares.shape or not np.isfinite(losses).all():
            rule = f"be {len(self._squares)} finite numbers"
            raise InvalidInputError("The losses of a round", rule, losses)
        self._count += 1
        self._hedge.add(self._count * losses)
        if self._incumbent is None:
            return
        self._squares += (self._count * (losses[self._incumbent] - losses)) ** 2
        clear = self._clear(self._incumbent)
        doubling = (self._count + 1).bit_length()
        if not self._open:
            self._open = clear
        elif not clear and (self._closings == "free" or doubling > self._closed_in):
            self._open = False
            self._closed_in = doubling

    def _clear(self, incumbent: int) -> bool:
        """Return whether the leader beats the incumbent clearly."""
        leader, losses = self._hedge.leader, self._hedge.losses
        ahead = losses[incumbent] - losses[leader]
        return leader != incumbent and bool(
            ahead > self._clarity * math.sqrt(self._squares[leader])
        )

    def state(self) -> State:
        """Return everything as arrays."""
        return {
            "losses": self._hedge.losses.copy(),
            "gap": np.array([self._hedge.gap]),
            "squares": self._squares.copy(),
            "counts": np.array([self._count, int(self._open), self._closed_in]),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        wanted = {name: array.shape for name, array in self.state().items()}
        if {name: array.shape for name, array in state.items()} != wanted:
            raise InvalidInputError(
                "The state of a hedge", f"have the shapes {wanted}", list(state)
            )
        self._hedge.losses = np.array(state["losses"], dtype=np.float64)
        self._hedge.gap = float(np.array(state["gap"], dtype=np.float64)[0])
        self._squares = np.array(state["squares"], dtype=np.float64)
        self._count, is_open, self._closed_in = np.array(state["counts"], dtype=np.int64).tolist()
        self._open = bool(is_open)
