"""The report in plain words: every number and every verdict is computed from the rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weitzman.figures.page import Fold, PageTable
from weitzman.lab.paper.bounds import printed_full_bound, printed_lipschitz, printed_probe_bound
from weitzman.lab.paper.claims import Claim, check_feedback, check_growth, check_regression
from weitzman.lab.paper.proved import Applicable, drawn_bounds
from weitzman.lab.paper.reference import REFERENCE, ROUNDS, distance
from weitzman.lab.study.charts import Bounds
from weitzman.lab.study.exponent import Exponent, growth_exponent
from weitzman.lab.study.rows import Table
from weitzman.lab.study.summary import Curve, finals, mean_in_words, select, summarise
from weitzman.learn.probing import block_length

_RUN = ("world", "feedback", "searcher")
VARIANTS = {
    "cpb": "CPB with the default settings",
    "cpb-tuned": "CPB with a tuned η",
    "cpb-theorem": "CPB with the theorem's η",
}


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a report is made of: the rows of the experiment and those of the long runs.

    ``known`` is what the bounds need to know, by world; growth is fitted between ``low`` and
    ``high`` rounds. ``setting`` describes the worlds in words, and ``made`` how all this was made.
    """

    experiment: Table
    growth: Table
    known: Mapping[str, Applicable]
    low: int
    high: int
    setting: str
    made: Mapping[str, str]

    @cached_property
    def curves(self) -> list[Curve]:
        """The regret of the experiment."""
        return summarise(self.experiment)

    @cached_property
    def grown(self) -> list[Curve]:
        """The expected regret of the long runs."""
        return summarise(self.growth, "expected_regret")

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds beside the curves of the experiment."""
        return drawn_bounds(self.known, self.curves)

    @cached_property
    def long_bounds(self) -> Bounds:
        """The bounds beside those of the long runs."""
        return drawn_bounds(self.known, self.grown)

    @cached_property
    def exponents(self) -> dict[tuple[str, str, str], Exponent]:
        """The growth exponent of expected regret for each world, feedback and searcher."""
        groups: dict[tuple[str, str, str], list[Curve]] = {}
        for curve in self.grown:
            groups.setdefault((curve.world, curve.feedback, curve.searcher), []).append(curve)
        return {
            key: growth_exponent(same, low=self.low, high=self.high) for key, same in groups.items()
        }

    @cached_property
    def claims(self) -> list[Claim]:
        """The paper's claims about its experiment, checked."""
        names = ("cpb", "cpb-theorem", "cpb-tuned", "linear-regression")
        checked = [check_feedback(self.curves, names)]
        checked += [check_regression(self.curves, name, words) for name, words in VARIANTS.items()]
        grown = {key[2] for key in self.exponents}
        checked += [
            check_growth(self.exponents, name, words)
            for name, words in VARIANTS.items()
            if name in grown
        ]
        return [claim for claim in checked if claim.cases]


def claim_table(claims: list[Claim]) -> PageTable:
    """Return the claims with their verdicts."""
    return PageTable(
        caption="A case is open within three standard errors of no difference. A claim holds if "
        "it does in every case, and fails if it does somewhere and holds nowhere.",
        rows=[{"claim": c.says, "verdict": c.verdict, "where": c.where} for c in claims],
        words=("claim", "verdict", "where"),
    )


def claim_folds(claims: list[Claim]) -> tuple[Fold, ...]:
    """Return the cases of each claim, to be unfolded."""
    return tuple(
        Fold(
            summary=f"Case by case: {claim.says}",
            table=PageTable(
                caption="Mean regret over seeds; differences are paired, ± one standard error.",
                rows=[
                    {"case": c.place, "found": c.found, "verdict": c.verdict} for c in claim.cases
                ],
                words=("case", "found", "verdict"),
            ),
        )
        for claim in claims
    )


def final_table(table: Table) -> PageTable:
    """Return the final regrets beside those known from elsewhere."""
    rows = []
    for row in finals(table):
        reference = None
        if row["rounds"] == ROUNDS:
            key = (str(row["world"]), str(row["feedback"]), str(row["searcher"]))
            reference = REFERENCE.get(key)
        mean, error = float(row["regret_mean"]), float(row["regret_se"])
        expected = float(row["expected_regret_mean"]), float(row["expected_regret_se"])
        away = None if reference is None else distance(mean, error, reference)
        rows.append(
            {
                **{name: str(row[name]) for name in _RUN},
                "regret": mean_in_words(mean, error),
                "expected regret": mean_in_words(*expected),
                "opened": f"{row['opened']:.2f}",
                "reference": "" if reference is None else f"{reference:g}",
                "away": "" if away is None else f"{away:+.1f}",
            }
        )
    return PageTable(
        caption="Regret at the end, mean ± standard error over seeds; opened: boxes per round. "
        "Reference: two independent prototypes; away: the difference to it in its standard errors, "
        "√2 times ours.",
        rows=rows,
        words=_RUN,
    )


def exponent_table(exponents: dict[tuple[str, str, str], Exponent]) -> PageTable:
    """Return the growth exponents."""
    return PageTable(
        caption="Expected regret ≈ b Tᵃ: the exponent a, with its bootstrap interval over seeds.",
        rows=[
            {
                **dict(zip(_RUN, key, strict=True)),
                "exponent": f"{fit.exponent:.2f}",
                "95 % interval": f"{fit.low:.2f} to {fit.high:.2f}",
                "fitted on (rounds)": f"{fit.rounds[0]:,} to {fit.rounds[-1]:,}",
            }
            for key, fit in exponents.items()
        ],
        words=_RUN,
    )


def bound_table(material: Material) -> PageTable:
    """Return the bounds beside what was lost and what can be lost."""
    rows = []
    for key in dict.fromkeys((c.world, c.feedback) for c in material.curves):
        known = material.known[key[0]]
        same = select(material.curves, world=key[0], feedback=key[1])
        rounds = max(c.rounds for c in same)
        regrets = [float(c.mean[-1]) for c in same]
        right = known.at(key[1], rounds)
        word = "no theorem applies" if right is None else "says something"
        if known.vacuous(key[1], rounds):
            word = "vacuous"
        rows.append(
            {
                "world": key[0],
                "feedback": key[1],
                "as printed": _printed(known, key[1], rounds),
                "corrected": "" if right is None else f"{right:,.0f}",
                "most one can lose": f"{known.most * rounds:,.0f}",
                "lost here": f"{min(regrets):,.0f} to {max(regrets):,.0f}",
                "word": word,
            }
        )
    return PageTable(
        caption="Bounds on the regret over all rounds. A bound above the most that any policy can "
        "lose on these rounds is vacuous.",
        rows=rows,
        words=("world", "feedback", "word"),
    )


def probe_words(material: Material) -> tuple[str, ...]:
    """Return what bought looks cost, compared with learning from opened boxes."""
    rows = finals(material.experiment)
    bought = [r for r in rows if r["feedback"] == "probe"]
    if not bought:
        return ()
    rounds = int(bought[0]["rounds"])
    blocks = {
        block_length(horizon=rounds, cost=known.cost, radius=known.radius)
        for known in material.known.values()
        if known.radius is not None
    }
    words = (
        "The theorem for costly feedback learns only from looks that it buys, one per box in each "
        f"block of k rounds. Its k is {' or '.join(map(str, sorted(blocks)))} at {rounds:,} rounds. "
        f"A searcher then opens {np.mean([float(r['opened']) for r in bought]):.1f} boxes a round, "
        f"and loses {_range(bought)}"
    )
    free = [r for r in rows if r["feedback"] == "opened" and r["searcher"] == "cpb"]
    if free:
        words += f", against {_range(free)} for CPB that learns from the boxes it opens anyway"
    return (
        f"{words}. The smallest and the largest mean regret over worlds and searchers are given.",
    )


def _range(rows: list[dict[str, str | int | float]]) -> str:
    means = sorted(float(r["regret_mean"]) for r in rows)
    return f"{means[0]:,.0f} to {means[-1]:,.0f}"


def _printed(known: Applicable, feedback: str, rounds: int) -> str:
    if known.radius is None or feedback not in ("full", "probe"):
        return ""
    slope = printed_lipschitz(cost=known.cost, radius=known.radius)
    size: Any = {"boxes": known.boxes, "rounds": rounds, "radius": known.radius, "slope": slope}
    if feedback == "full":
        return f"{printed_full_bound(**size):,.0f}"
    return f"{printed_probe_bound(**size, cost=known.cost):,.0f}"
