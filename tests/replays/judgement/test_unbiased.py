"""Estimates are right on average over all draws, exactly: every value and every draw of small searches.

Values, costs and chances are whole numbers and powers of two, so the arithmetic of the library is exact on
them, and is summed up in fractions.
"""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from tests.replays.judgement.worlds import AsItGoes, Fixed, index_search, log_of, other_search
from weitzman.replays.judgement.estimate import scores
from weitzman.replays.judgement.seen import seen_of
from weitzman.replays.judgement.trace import Trace, traces
from weitzman.search.rule import WeitzmanRule

DESIGNS = ("round", "box", "prefix", "levels", "none", "prefix of another")
LEVELS = (0.5, 0.25, 0.125)


class Instance:
    """A small search: a law of value vectors, a rule in force, a judged rule, draws."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.design = DESIGNS[seed % len(DESIGNS)]
        self.n = n = int(rng.integers(2, 4))
        self.costs = rng.integers(0, 4, n).tolist()
        # Boxes depend on each other: a law of a few vectors
        count = int(rng.integers(2, 5))
        self.vectors = [rng.integers(0, 9, n).tolist() for _ in range(count)]
        weights = rng.integers(1, 6, count).tolist()
        self.chances = [Fraction(w, sum(weights)) for w in weights]
        self.outside = float(rng.integers(3, 12)) if rng.random() < 0.6 else np.inf
        self.force = self._sigma(rng)
        self.judged = self._sigma(rng)
        self.rival = self._sigma(rng)
        self.general = AsItGoes(rng.permutation(n).tolist(), self._levels(rng, n))
        self.is_general = seed % 2 == 1
        self.phi = [float(rng.choice(LEVELS)) for _ in range(n)]

    def _sigma(self, rng: np.random.Generator) -> list[float]:
        sigma: list[float] = rng.integers(-1, 9, self.n).astype(float).tolist()
        if self.outside == np.inf:
            sigma[int(rng.integers(self.n))] = -np.inf
        return sigma

    def _levels(self, rng: np.random.Generator, n: int) -> list[float]:
        return [-np.inf if self.outside == np.inf else 2.0, *rng.integers(0, 8, n).astype(float)]

    def search(self, values: list[int]) -> tuple[list[int], Fraction]:
        """Return what the judged rule opens, and its total."""
        if self.is_general:
            return other_search(self.general, self.costs, values, self.outside)
        return index_search(self.judged, self.costs, values, self.outside)

    def draws(self, values: list[int]) -> Any:
        """Yield the chance of each draw, what is opened, and the chances that a log would have."""
        plain = set(index_search(self.force, self.costs, values, self.outside)[0])
        needed = self.search(values)[0]
        other = index_search(self.rival, self.costs, values, self.outside)[0]
        phi, every = self.phi[0], range(self.n)
        if self.design == "box":
            for bits in product((0, 1), repeat=self.n):
                chance = Fraction(1)
                for bit, p in zip(bits, self.phi, strict=True):
                    chance *= Fraction(p) if bit else 1 - Fraction(p)
                opened = plain | {k for k in every if bits[k]}
                yield chance, opened, [1.0 if k in plain else self.phi[k] for k in every]
            return
        if self.design == "levels":
            # One draw on [0, 1) opens each box that has a larger chance
            cuts = sorted({0.0, 1.0, *self.phi})
            for low, high in pairwise(cuts):
                opened = plain | {k for k in every if self.phi[k] >= high}
                told = [1.0 if k in plain else self.phi[k] for k in every]
                yield Fraction(high) - Fraction(low), opened, told
            return
        extra = {
            "round": set(every),
            "prefix": set(needed),
            "none": set(),
            "prefix of another": set(other),
        }[self.design]
        phi = 0.0 if self.design == "none" else phi
        for drawn, chance in ((True, Fraction(phi)), (False, 1 - Fraction(phi))):
            opened = plain | extra if drawn else plain
            told = [1.0 if k in plain else phi if k in extra else 0.0 for k in every]
            yield chance, opened, told

    def whole(self) -> tuple[list[Fraction], Any, Trace]:
        """Return the chance of each outcome, what the log shows of it, and of the rule."""
        outcomes = [
            (p * chance, values, opened, told)
            for p, values in zip(self.chances, self.vectors, strict=True)
            for chance, opened, told in self.draws(values)
            if chance > 0
        ]
        # Bounds go by the smallest and the largest value of the log: an outcome of no chance has both
        ends = [0, *[8] * (self.n - 1)]
        outcomes.append((Fraction(0), ends, set(range(self.n)), [1.0] * self.n))
        opened = np.array([[k in o for k in range(self.n)] for _, _, o, _ in outcomes])
        values = np.array([v for _, v, _, _ in outcomes], dtype=float)
        log = log_of(
            costs=np.tile(np.array(self.costs, dtype=float), (len(outcomes), 1)),
            values=np.where(opened, values, np.nan),
            opened=opened,
            # What could be opened and was not is known here; a log need not say it
            chances=np.array([told for _, _, _, told in outcomes]),
            draws="box" if self.design == "box" else "round",
            outside=np.full(len(outcomes), self.outside),
        )
        seen = seen_of(log)
        rule = self.general if self.is_general else WeitzmanRule(np.array(self.judged))
        columns, _ = traces([Fixed("judged", rule)], seen, learned=None, tick=lambda _: None)
        trace = Trace(*columns[0])
        return [chance for chance, *_ in outcomes], seen, trace

    @property
    def truth(self) -> Fraction:
        """The expected total of the judged rule."""
        totals = [self.search(values)[1] for values in self.vectors]
        return sum((p * t for p, t in zip(self.chances, totals, strict=True)), Fraction(0))


def _expected(chances: list[Fraction], series: Any) -> Fraction:
    return sum((p * Fraction(float(x)) for p, x in zip(chances, series, strict=True)), Fraction(0))


@pytest.mark.parametrize("block", range(8))
def test_estimates_are_right_on_average_over_every_value_and_every_draw(block: int) -> None:
    known = hidden = 0
    for seed in range(300 * block, 300 * (block + 1)):
        instance = Instance(seed)
        chances, seen, trace = instance.whole()
        assert sum(chances) == 1
        truth = instance.truth
        # Any function of plain boxes will do for a guess
        some = 3.0 + 2.0 * np.where(seen.plain, seen.values, 1.0).sum(axis=1)
        guesses = np.where(trace.certain, trace.totals, some)
        low = _expected(chances, scores(trace, trace.low))
        high = _expected(chances, scores(trace, trace.high))
        covered = _expected(chances, trace.weights)
        if covered == 1:
            known += 1
            ips = _expected(chances, np.where(trace.covered, trace.weights * trace.totals, 0.0))
            robust = _expected(chances, scores(trace, guesses))
            for found in (ips, robust, low, high):
                assert abs(found - truth) < Fraction(1, 10**12), (seed, instance.design)
        else:
            hidden += 1
            assert low <= truth <= high, (seed, instance.design)
            assert covered < 1
    assert known >= 150
    assert hidden >= 30


def test_what_is_covered_has_the_total_of_the_rule() -> None:
    for seed in range(600):
        instance = Instance(seed)
        _, _, trace = instance.whole()
        at = 0
        for values in instance.vectors:
            needed, total = instance.search(values)
            for chance, opened, told in instance.draws(values):
                if chance == 0:
                    continue
                assert trace.covered[at] == (set(needed) <= opened), seed
                assert trace.low[at] <= total <= trace.high[at], seed
                if trace.covered[at]:
                    assert trace.totals[at] == total
                    assert trace.certain[at] == all(told[k] == 1.0 for k in needed)
                at += 1
        assert at == len(trace.totals) - 1
