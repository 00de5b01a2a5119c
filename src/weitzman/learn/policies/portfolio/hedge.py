"""Hedging over candidates whose losses are all known after every round.

**AdaHedge** [Rooij 2014]. With cumulative losses A_k before round t and weights
p_k ∝ exp(−η A_k), η = ln N / Δ, the round's expected loss is h = Σ p_k ℓ_k and its mix loss
m = −ln(Σ p_k e^{−η ℓ_k})/η; Δ is the sum of all h − m so far. While Δ = 0, η = ∞: the leaders alone share
the weight, and m is what min A grows by. If the losses of round t have the range
r_t = max ℓ − min ℓ, then for every T and every sequence

    Σ h − min_k A_k ≤ U_T = √(ln N · Σ r_t²) + max r_t · (4/3 ln N + 2).                       (1)

**Later rounds count more.** Candidates learn, so late rounds say more about them: round t enters with
ℓ = t L, where L is what the candidates came to.

**Advice.** AdaHedge is safe but restless: it draws, and it draws early. So there is an advised candidate:
the *incumbent* until the leader k beats it clearly, then the leader. With D = L_inc − L_k, weights t and
n = (Σ t)²/Σ t² effective rounds, *clearly* is by z standard errors,

    S > z √V,   S = Σ t D = A_inc − A_k,   V = n/(n − 1) · Σ t² (D − S/Σ t)²,                  (2)

after two rounds at least; as soon as (2) fails, the incumbent is back. For a D that never changes V = 0: a
candidate that is better by as much in every round is soon believed. Among many candidates of equal worth some
leader passes any z now and then, so (2) proves nothing. It need not.

**The bar falls.** A bar of z standard errors asks for a lead that grows like √t in total, and that is what
staying with a worse incumbent costs. So z may be that of the first t₀ rounds, and from then on

    z_t = z √(t₀/t):

the lead that is asked for is then the same in total, whatever t is.

**Few rounds.** Where a mistake is not soon seen, as in :mod:`weitzman.learn.policies.portfolio.opened`, few
rounds must not settle it. With ``few`` one more round like the last, with D = 0, counts in V, and S/√V is
taken for Student's t of f = n − 1 degrees of freedom: what is compared with z is the normal deviate of the
same rarity [Wallace 1959],

    (8f + 1)/(8f + 3) · √(f ln(1 + S²/(f V))).

**Advice is followed while it is cheap.** Let E be the sum of t (L_advised − h), the loss beyond AdaHedge's,
over the rounds that were played as advised. Round t is played as advised if E ≤ U, with E and U as they are
before it; otherwise the candidate is drawn by p.

*Guarantee.* Let the losses L of a round have a range of at most R. After any round T

    E ≤ U_T + R T.                                                                            (3)

For E grows in advised rounds alone, by at most t R in round t, and only if E ≤ U before; and U never falls.
What is played loses, in expectation over the draws, Σ t h + E. So by (1) and (3) its weighted regret
ρ_T = Σ t (L_played − L_k) against any candidate k is at most 2 U_T + R T. As Σ t² ≤ T³,

    ρ_T ≤ 2 R √(ln N) T^{3/2} + R (8/3 ln N + 5) T      for all T at once,

and as the plain regret Σ (L_played − L_k) is ρ_T/T + Σ_{t<T} ρ_t/(t(t + 1)), with Σ_{t<T} t^{−1/2} ≤ 2 √T and
Σ_{t<T} 1/(t + 1) ≤ ln T, it is at most

    6 R √(T ln N) + R (8/3 ln N + 5)(1 + ln T)      =  O(R √(T log N)).                        (4)

(4) holds for every sequence of losses that does not depend on the draws, for every z and every incumbent, and
nobody need know R or T. Advice alone has no such bound: an adversary misleads the leader in every round.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.compiled.decorators import kernel
from weitzman.errors import InvalidInputError
from weitzman.learn.policy import Floats, State
from weitzman.search.numbers import whole_number


@kernel
def _weigh(sums: Floats, gap: float, out: Floats) -> None:
    """Set out to AdaHedge's weights, of sum 1."""
    least, whole = sums.min(), 0.0
    rate = math.log(sums.shape[0]) / gap if gap > 0.0 else math.inf
    for k in range(sums.shape[0]):
        apart = sums[k] - least
        out[k] = math.exp(-rate * apart) if apart > 0.0 else 1.0
        whole += out[k]
    for k in range(sums.shape[0]):
        out[k] /= whole


@kernel
def _add(losses: Floats, factor: float, sums: Floats, weights: Floats, figures: Floats) -> float:
    """Take in factor · losses; return the expected loss. Figures are Δ, Σ r² and max r."""
    gap, least, lead = figures[0], losses.min(), sums.min()
    width = factor * (losses.max() - least)
    expected, mix = 0.0, math.inf
    for k in range(sums.shape[0]):
        loss = factor * (losses[k] - least)
        expected += weights[k] * loss
        mix = min(mix, sums[k] - lead + loss)
    if gap > 0.0:
        rate, before, after = math.log(sums.shape[0]) / gap, 0.0, 0.0
        for k in range(sums.shape[0]):
            # Both sums are at least 1, however large the rate
            before += math.exp(-rate * (sums[k] - lead))
            after += math.exp(-rate * (sums[k] - lead + factor * (losses[k] - least) - mix))
        mix -= math.log(after / before) / rate
    for k in range(sums.shape[0]):
        sums[k] += factor * losses[k]
    figures[0] += max(0.0, expected - mix)
    figures[1] += width * width
    figures[2] = max(figures[2], width)
    _weigh(sums, figures[0], weights)
    mean: float = factor * least + expected
    return mean


class AdaHedge:
    """Weights over N candidates, at a rate that follows the data.

    Attributes
    ----------
    losses
        The cumulative losses A, (N,).
    weights
        The weights for the next round, (N,), of sum 1.

    Examples
    --------
    >>> hedge = AdaHedge(2)
    >>> hedge.add(np.array([0.0, 1.0]))
    0.5
    >>> hedge.weights.round(2), hedge.leader
    (array([0.8, 0.2]), 0)
    """

    def __init__(self, candidates: int) -> None:
        count = whole_number(candidates, "The number of candidates", least=1)
        self.losses = np.zeros(count)
        self.weights = np.full(count, 1.0 / count)
        self._figures = np.zeros(3)

    @property
    def leader(self) -> int:
        """The candidate with the least loss so far, the first of equal ones."""
        return int(self.losses.argmin())

    @property
    def bound(self) -> float:
        """U of (1): what the expected losses so far are at most above those of the leader."""
        log, (_, squares, largest) = math.log(len(self.losses)), self._figures.tolist()
        return math.sqrt(log * squares) + float(largest) * (4.0 / 3.0 * log + 2.0)

    def add(self, losses: Floats, factor: float = 1.0) -> float:
        """Take in the losses of a round, times a factor; return the expected loss, times the factor."""
        return float(_add(losses, factor, self.losses, self.weights, self._figures))

    def state(self) -> State:
        """Return everything as arrays."""
        return {"losses": self.losses.copy(), "figures": self._figures.copy()}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        self.losses = np.array(state["losses"], dtype=np.float64)
        self._figures = np.array(state["figures"], dtype=np.float64)
        _weigh(self.losses, float(self._figures[0]), self.weights)


class Gate:
    """AdaHedge with advice: an incumbent until it is beaten clearly, then the leader.

    Parameters
    ----------
    candidates
        The number N of candidates.
    incumbent
        The one to start with; None if the leader is advised from the first round on.
    clarity
        z, by how many standard errors it must be beaten.
    few
        Whether the fewness of rounds counts, as in Student's t.
    falls_after
        t₀, after how many rounds the bar begins to fall; +∞ if it does not.
    """

    def __init__(
        self,
        candidates: int,
        *,
        incumbent: int | None = None,
        clarity: float = 2.25,
        few: bool = False,
        falls_after: float = math.inf,
    ) -> None:
        if incumbent is not None and not 0 <= incumbent < candidates:
            raise InvalidInputError("The incumbent", "be one of the candidates", incumbent)
        if not 0.0 <= clarity < math.inf:
            raise InvalidInputError("The clarity", "be a finite number >= 0", clarity)
        self._hedge = AdaHedge(candidates)
        self._incumbent = incumbent
        self._clarity = clarity
        self._few = few
        if not falls_after > 0.0:
            raise InvalidInputError("The rounds after which the bar falls", "be > 0", falls_after)
        self._falls_after = falls_after
        self._moments = np.zeros((2, candidates))  # Σ t² D and Σ t² D² of each candidate
        self._count = 0
        self._spent = 0.0
        self._trusted = True
        self._leader = 0 if incumbent is None else incumbent

    @property
    def leader(self) -> int:
        """The advised candidate."""
        return self._leader

    @property
    def is_open(self) -> bool:
        """Whether the advice is AdaHedge's leader, not the incumbent."""
        return self._leader != self._incumbent

    @property
    def is_trusted(self) -> bool:
        """Whether the next round is played as advised."""
        return self._trusted

    def weights(self) -> Floats:
        """Return the chances with which candidates are to be played in the next round."""
        if not self.is_trusted:
            return self._hedge.weights.copy()
        weights = np.zeros(len(self._hedge.losses))
        weights[self._leader] = 1.0
        return weights

    def add(self, losses: Floats) -> None:
        """Take in the losses of all candidates in a round, finite numbers."""
        if losses.shape != self._hedge.losses.shape or not np.isfinite(losses).all():
            rule = f"be {len(self._hedge.losses)} finite numbers"
            raise InvalidInputError("The losses of a round", rule, losses)
        self._count += 1
        expected = self._hedge.add(losses, self._count)
        if self.is_trusted:
            self._spent += self._count * float(losses[self._leader]) - expected
        if self._incumbent is not None:
            apart = float(losses[self._incumbent]) - losses
            self._moments[0] += self._count**2 * apart
            self._moments[1] += (self._count * apart) ** 2
        self._trusted = self._spent <= self._hedge.bound
        self._advise()

    def _advise(self) -> None:
        """Set the advised candidate for the next round."""
        leader, losses, incumbent = self._hedge.leader, self._hedge.losses, self._incumbent
        if incumbent is None or leader == incumbent:
            self._leader = leader
            return
        t = self._count
        whole, squares = t * (t + 1) / 2.0, t * (t + 1) * (2 * t + 1) / 6.0
        ahead, rounds = float(losses[incumbent] - losses[leader]), whole * whole / squares
        mean, (first, second) = ahead / whole, self._moments[:, leader].tolist()
        spread = max(0.0, second - 2.0 * mean * first + mean * mean * squares)
        clarity = self._clarity * math.sqrt(min(1.0, self._falls_after / t))
        # (2) without the division by n − 1, which is 0 in round 1
        clear = t > 1 and (rounds - 1.0) * ahead**2 > clarity**2 * rounds * spread
        if clear and self._few:
            ratio = ahead**2 / (rounds * (spread + (t * mean) ** 2))
            clear = _deviate(ratio, rounds - 1.0) > clarity
        self._leader = leader if clear else incumbent

    def state(self) -> State:
        """Return everything as arrays."""
        return {
            **self._hedge.state(),
            "moments": self._moments.copy(),
            "spent": np.array([self._spent]),
            "counts": np.array([self._count, self._leader]),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned, bit for bit."""
        wanted = {name: array.shape for name, array in self.state().items()}
        if {name: array.shape for name, array in state.items()} != wanted:
            raise InvalidInputError(
                "The state of a hedge", f"have the shapes {wanted}", list(state)
            )
        self._hedge.restore(state)
        self._moments = np.array(state["moments"], dtype=np.float64)
        self._spent = float(np.array(state["spent"], dtype=np.float64)[0])
        self._count, self._leader = np.array(state["counts"], dtype=np.int64).tolist()
        self._trusted = self._spent <= self._hedge.bound


def _deviate(ratio: float, freedom: float) -> float:
    """Return the normal deviate as rare as Student's t = √(ratio · f), for f degrees of freedom.

    >>> round(_deviate(4.3027**2 / 2.0, 2.0), 2), round(_deviate(2.0423**2 / 30.0, 30.0), 2)
    (1.93, 1.96)
    """
    shrink = (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return shrink * math.sqrt(freedom * math.log1p(ratio))
