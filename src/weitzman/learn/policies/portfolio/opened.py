"""A portfolio under feedback ``opened``: it sees the values of the boxes that it opened, and no others.

All candidates learn from what was revealed. Who plays is settled by a *duel* of two: the incumbent, and the
*nominee*, the candidate that looks best.

**Who is nominated.** The candidate with the least Σ t L̂ so far, other than the incumbent, where L̂ estimates
its total in round t (:meth:`~weitzman.learn.policies.portfolio.candidates.Candidates.estimate`). Estimates
are too good on average: a candidate opens the boxes that its model overrates, and the completion of a round,
which is made from the same past, overrates them too. They are good enough to nominate, not to play.

**Trials.** In a trial the boxes of both are opened: those of the one that plays, and then those that the
other one would have opened by itself. Then both totals are known exactly. A trial costs little: most boxes
are opened by both, and the better of what both find is kept. What trials cost beyond what the one that plays
would have paid is known, and so it is limited: with E the sum of it, and p what the looks of a round with any
have cost on average,

    φ = 1 if E ≤ 0, else max(0, min(1, 2 (1 − E/B))),      B = (β t + ½) p,                        (1)

is the chance with which a round is a trial, known before it (0 for β = 0); the draw is a hash of (seed, t).
So trials that pay for themselves go on for ever, and others cost about the share β of what looks cost. While
the incumbent plays there are none for a nominee that is behind even by what is estimated.

**The score** of a trial is that of an explored round (:mod:`weitzman.learn.policies.portfolio.exploration`):
with m the estimate from what would have been revealed without the trial, and L the total, m + (L − m)/φ,
which is unbiased for both, however wrong m is; 1/φ is at most √t.

**The duel** is a :class:`~weitzman.learn.policies.portfolio.hedge.Gate` of two: the incumbent plays until the
nominees have beaten it by two standard errors, few rounds counting as few, and again as soon as that is no
longer so. One sequence of differences is judged, that to whoever was nominated at the time: who is nominated
is known before the round, so choosing the best of many brings no bias into it. The first 2n rounds of n boxes
do not count: there the incumbent opens boxes for the first time, and everybody learns from what it pays for.

Boxes are explored by the incumbent (:mod:`weitzman.learn.policies.allowance`), in trials also while a nominee
plays. Trials are no part of the incumbent's allowance.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from weitzman.learn.policies.portfolio.both import Both
from weitzman.learn.policies.portfolio.candidates import Candidates
from weitzman.learn.policies.portfolio.exploration import is_drawn
from weitzman.learn.policies.portfolio.hedge import Gate
from weitzman.learn.policies.portfolio.player import PortfolioPlayer
from weitzman.learn.policy import Floats, Round, State, joined, parted, walk
from weitzman.search.rule import Rule

CLARITY = 2.0
"""By how many standard errors nominees must have beaten the incumbent."""


_FIRST = 2  # rounds per box before the duel begins


class OpenedPlayer(PortfolioPlayer):
    """A portfolio that learns from what it opened.

    Parameters
    ----------
    candidates, seed
        As for a portfolio under full information.
    incumbent
        The number of the candidate that plays until it is beaten.
    duel
        The incumbent, as number 0, against the nominees.
    share
        β: the share of what looks cost that trials may cost.
    """

    def __init__(
        self, candidates: Candidates, incumbent: int, duel: Gate, seed: int, share: float
    ) -> None:
        super().__init__(candidates, duel, seed)
        self._incumbent = incumbent
        self._share = share
        # Σ t L̂ of each candidate
        self._sums = np.zeros(len(self.names))
        self._rounds, self._judged, self._with_looks = 0, 0, 0
        # What looks have cost, and what trials have cost beyond whoever played: E of (1)
        self._looks, self._trials = 0.0, 0.0

    @property
    def nominee(self) -> int:
        """The number of the candidate that looks best beside the incumbent."""
        sums = self._sums.copy()
        sums[self._incumbent] = math.inf
        return int(sums.argmin())

    @property
    def played(self) -> int:
        """The number of the candidate that the next round is played by."""
        return self.nominee if self._gate.is_open else self._incumbent

    @property
    def rival(self) -> int:
        """The number of the candidate that it is compared with."""
        return self._incumbent if self._gate.is_open else self.nominee

    @property
    def chance(self) -> float:
        """φ of (1): the chance that the next round is a trial."""
        ahead = self._gate.is_open or self._sums[self.nominee] < self._sums[self._incumbent]
        if self._share == 0.0 or not ahead:
            return 0.0
        if self._trials <= 0.0:
            return 1.0
        budget = (self._share * self._rounds + 0.5) * self._looks / max(self._with_looks, 1)
        return max(0.0, min(1.0, 2.0 * (1.0 - self._trials / budget))) if budget > 0.0 else 0.0

    def weights(self) -> Floats:
        """Return 1 for the candidate that the next round is played by, 0 for the others."""
        weights = np.zeros(len(self.names))
        weights[self.played] = 1.0
        return weights

    def explores(self, shown: Round) -> bool:
        """Return whether a round is a trial."""
        return is_drawn(self.chance, seed=self._seed, number=self._rounds)

    def rule(self, shown: Round) -> Rule:
        """Return what decides in a round."""
        first = self.favourite(shown)
        if not self.explores(shown):
            return first
        least = shown.least
        if least == -math.inf and self.pile is not None:
            least, _ = self.pile
        return Both(first, self._candidates.rule(shown, self.rival), least)

    def learn(self, shown: Round, values: Floats) -> None:
        """Learn the values of a round, NaN for what was not revealed, and who was good at it."""
        alone = walk(self.favourite(shown), shown, values)
        known = ~np.isnan(values)
        own = np.zeros(len(values), dtype=np.bool_)
        own[alone.opened] = True
        # A round that somebody else played may lack a value that the candidate would have seen
        tried = bool((known & ~own).any() and not (own & ~known).any() and self.explores(shown))
        scores = self._candidates.estimate(shown, values, self._seed)
        if tried:
            plain = np.where(own, values, np.nan)
            before = self._candidates.estimate(shown, plain, self._seed)
            if scores is not None and before is not None:
                most = math.sqrt(self._judged + 1.0)
                scores = before + min(1.0 / self.chance, most) * (scores - before)
            best = min(shown.outside, float(values[known].min()))
            self._trials += best + float(shown.costs[known].sum()) - alone.total
        self._judge(scores)
        self._rounds += 1
        self._with_looks += bool(known.any())
        self._looks += float(shown.costs[known].sum())
        self._candidates.learn(shown, values)

    def _judge(self, totals: Floats | None) -> None:
        """Take in the totals of the candidates, if all are known or estimated."""
        if totals is None or not np.isfinite(totals).all():
            return
        self._judged += 1
        if self._judged > _FIRST * self._history.boxes:
            self._gate.add(totals[[self._incumbent, self.nominee]])
        self._sums += self._judged * totals

    def state(self) -> State:
        """Return a copy of everything that later answers depend on."""
        own: State = {
            "sums": self._sums.copy(),
            "counts": np.array([self._rounds, self._judged, self._with_looks]),
            "costs": np.array([self._looks, self._trials]),
        }
        return super().state() | joined({"duel": own})

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(state)
        own = parted(state, "duel")
        self._sums = np.array(own["sums"], dtype=np.float64)
        counts = np.array(own["counts"], dtype=np.int64).tolist()
        self._rounds, self._judged, self._with_looks = counts
        self._looks, self._trials = np.array(own["costs"], dtype=np.float64).tolist()
