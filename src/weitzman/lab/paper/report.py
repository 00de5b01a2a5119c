"""The report of the paper's experiment: one page, its figures, its rows.

::

    report/
      index.html          the page, self-contained
      figures/*.png *.pdf the figures for print
      rows.parquet        the rows of the experiment
      growth.parquet      those of the long runs
      study.json          the experiment, the versions and the machine
      studies/            the runs, one file each
"""

from pathlib import Path
from typing import TYPE_CHECKING

from weitzman.figures.chart_matplotlib import save_figure
from weitzman.figures.page import Fold, Section, render, write_page
from weitzman.lab.paper.proved import drawn_bounds
from weitzman.lab.paper.words import (
    Material,
    bound_table,
    claim_folds,
    claim_table,
    claims_of,
    exponent_table,
    exponents_of,
    final_table,
    probe_words,
)
from weitzman.lab.pictures.regret import Bounds
from weitzman.lab.pictures.regret_matplotlib import PAGE, draw_regret
from weitzman.lab.pictures.regret_plotly import explore_panels
from weitzman.lab.study.summary import Curve, select, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["report_figures", "report_page", "write_report"]

# Below so many seeds standard errors and verdicts mean little
_FEW = 10
_TITLE = "Contextual Pandora's Box: the experiment, run again"


def write_report(directory: Path, material: Material) -> None:
    """Write the page and the figures into a directory."""
    figures = directory / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for name, figure in report_figures(material).items():
        save_figure(figure, [figures / f"{name}.png", figures / f"{name}.pdf"])
    write_page(directory / "index.html", report_page(material))


def report_figures(material: Material) -> "dict[str, Figure]":
    """Return the figures for print by the names of their files."""
    curves, grown, bounds, long_bounds = _drawn(material)
    worlds = list(dict.fromkeys(c.world for c in curves))
    pair = [c for c in curves if c.feedback in ("full", "opened")]
    found = {f"experiment-{w}": draw_regret(select(pair, world=w), bounds=bounds) for w in worlds}
    found["experiment"] = draw_regret(pair, bounds=bounds, width=PAGE)
    if probed := select(curves, feedback="probe"):
        found["probe"] = draw_regret(probed, bounds=bounds, width=PAGE)
    found["growth"] = draw_regret(
        grown, bounds=long_bounds, measure="expected_regret", log=True, width=PAGE
    )
    return found


def report_page(material: Material) -> str:
    """Return the page."""
    curves, grown, bounds, long_bounds = _drawn(material)
    claims = claims_of(material)
    pair = [c for c in curves if c.feedback in ("full", "opened")]
    probed = select(curves, feedback="probe")
    sections = (
        Section(
            heading="What holds, and what does not",
            text=(
                "CPB is the paper's algorithm. Its learner has a step size η: the default follows "
                "the contexts, the tuned one is 10, the theorem's is that of the paper's proof. "
                "Linear regression predicts the mean and is searched by in the same way.",
            ),
            tables=(claim_table(claims),),
            folds=claim_folds(claims),
        ),
        Section(
            heading="The paper's figure, in three completions",
            text=(
                "Mean regret over seeds with a band of ± one standard error. Under full feedback all "
                "values are seen after a round; under opened only those of the boxes that were opened.",
            ),
            figures=explore_panels(pair, bounds=bounds),
            pairs=True,
        ),
        Section(
            heading="Looks bought to learn",
            text=probe_words(material),
            figures=explore_panels(probed, bounds=bounds),
        ),
        Section(heading="Final regrets", tables=(final_table(material.experiment),)),
        Section(
            heading="How fast regret grows",
            text=(
                "Both axes are logarithmic: a straight line is a power of the number of rounds, "
                "and its slope the exponent. The bound has the exponent 3/4 under full feedback.",
            ),
            figures=explore_panels(grown, bounds=long_bounds, measure="expected_regret", log=True),
            tables=(exponent_table(exponents_of(material.growth, material.low, material.high)),),
        ),
        Section(
            heading="The bounds",
            text=(
                "No theorem covers learning from opened boxes, nor a world in which the reservation "
                "value is not linear in the context.",
            ),
            tables=(bound_table(material),),
        ),
        Section(
            heading="How this was made",
            text=tuple(
                f"{name}: {text}" for name, text in material.made.items() if "\n" not in text
            ),
            folds=tuple(
                Fold(summary=name, text=text)
                for name, text in material.made.items()
                if "\n" in text
            ),
        ),
    )
    return render(title=_TITLE, lead=_lead(curves, material.setting), sections=sections)


def _drawn(material: Material) -> tuple[list[Curve], list[Curve], Bounds, Bounds]:
    curves = summarise(material.experiment)
    grown = summarise(material.growth, "expected_regret")
    return curves, grown, _bounds(curves, material), _bounds(grown, material)


def _bounds(curves: list[Curve], material: Material) -> Bounds:
    longest: dict[tuple[str, str], int] = {}
    for c in curves:
        key = (c.world, c.feedback)
        longest[key] = max(c.rounds, longest.get(key, 0))
    return {
        key: drawn_bounds(material.known[key[0]], key[1], rounds) for key, rounds in longest.items()
    }


def _lead(curves: list[Curve], setting: str) -> tuple[str, ...]:
    rounds, seeds = max(c.rounds for c in curves), max(c.seeds.size for c in curves)
    few = f"Only {seeds} seeds: a look at what a report is like, and no evidence for anything."
    return (
        *((few,) if seeds < _FEW else ()),
        "Looking into a box costs something, and the best box is not known. A searcher learns from "
        "contexts which box to open first and when to stop. Its regret is what it pays more than "
        "the clairvoyant, who knows the true reservation values, on the same draws: smaller is "
        f"better. Here: {setting}, {rounds:,} rounds, {seeds} seeds.",
        "The experiment cannot be run as written: where the reservation value is below the cost, "
        "no uniform value from 0 upwards has it. Three honest completions stand for it: signed "
        "(values may be negative), orthant (weights and contexts are made positive, and small "
        "reservation values cut off) and shifted (values in an interval below the reservation value).",
    )
