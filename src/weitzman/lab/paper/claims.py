"""What the paper says about its experiment, checked on the rows.

The appendix of the paper claims [Atsidakou 2024]: (1) regret is smaller under full feedback than when
only opened boxes are seen; (2) it grows sublinearly; (3) CPB loses significantly less than linear
regression under both. Each is checked case by case, a case being a world, and a feedback where the
claim speaks of both.

Two runs on the same draws are compared by their paired differences over seeds: a case *holds* if
the mean difference is on the claimed side of 0 by three standard errors, *fails* if it is on the
other side by as much, and is *open* in between. Growth is sublinear in a case if the interval of
its exponent lies below 1, and fails to be if it lies above. A claim holds if all cases do, is open
if all are, fails if it fails somewhere and holds nowhere, and holds *in part* otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from weitzman.lab.study.exponent import Exponent
from weitzman.lab.study.summary import Curve, mean_and_error, select

HOLDS, FAILS, OPEN, PART = "holds", "fails", "open", "in part"
_ERRORS: Final = 3.0
Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One place where a claim can be checked: what was found, in words, and the verdict."""

    place: str
    found: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim, what it was checked on, and the verdict."""

    says: str
    cases: tuple[Case, ...]

    @property
    def verdict(self) -> str:
        """``holds``, ``fails``, ``open`` or ``in part``."""
        kinds = {case.verdict for case in self.cases}
        if len(kinds) == 1:
            return kinds.pop()
        return PART if HOLDS in kinds else FAILS

    @property
    def where(self) -> str:
        """Where it holds, fails and is open, in words."""
        if len({case.verdict for case in self.cases}) == 1:
            return f"in all {len(self.cases)} cases"
        found = {v: [c.place for c in self.cases if c.verdict == v] for v in (HOLDS, FAILS, OPEN)}
        return "; ".join(f"{v} in {' · '.join(places)}" for v, places in found.items() if places)


def compared(less: Curve, more: Curve, place: str) -> Case:
    """Return whether the first curve ends below the second."""
    shared = np.intersect1d(less.seeds, more.seeds)
    pairs = [c.final[np.isin(c.seeds, shared)] for c in (less, more)]
    mean, error = (float(x) for x in mean_and_error(pairs[0] - pairs[1]))
    words = f"{pairs[0].mean():,.0f} against {pairs[1].mean():,.0f}, difference {mean:+,.1f} ± {error:,.1f}"
    side = HOLDS if mean < 0.0 else FAILS
    return Case(place=place, found=words, verdict=side if abs(mean) > _ERRORS * error else OPEN)


def check_feedback(curves: list[Curve], searchers: Iterable[str]) -> Claim:
    """Return whether regret is smaller under full feedback than when only opened boxes are seen."""
    cases = tuple(
        compared(less, more, f"{more.world}, {searcher}")
        for searcher in searchers
        for more in select(curves, searcher=searcher, feedback="opened")
        for less in select(curves, searcher=searcher, feedback="full", world=more.world)
    )
    return Claim(says="Regret is smaller under full feedback.", cases=cases)


def check_regression(curves: list[Curve], searcher: str, words: str) -> Claim:
    """Return whether a searcher loses less than linear regression."""
    rivals = select(curves, searcher="linear-regression")
    cases = tuple(
        compared(less, more, f"{less.world}, {feedback}")
        for feedback in ("full", "opened")
        for less in select(curves, searcher=searcher, feedback=feedback)
        for more in select(rivals, feedback=feedback, world=less.world)
    )
    return Claim(says=f"{words} loses less than linear regression.", cases=cases)


def check_growth(exponents: dict[Key, Exponent], searcher: str, words: str) -> Claim:
    """Return whether a searcher's regret grows sublinearly."""
    cases = []
    for (world, feedback, name), fit in exponents.items():
        if name == searcher:
            found = f"exponent {fit.exponent:.2f} ({fit.low:.2f} to {fit.high:.2f})"
            verdict = HOLDS if fit.high < 1.0 else FAILS if fit.low > 1.0 else OPEN
            cases.append(Case(place=f"{world}, {feedback}", found=found, verdict=verdict))
    return Claim(says=f"The regret of {words} grows sublinearly.", cases=tuple(cases))
