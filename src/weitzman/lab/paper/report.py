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

from weitzman.figures.chart_matplotlib import save_pictures
from weitzman.figures.charts import Sheet
from weitzman.figures.page import Fold, Section, render, write_page
from weitzman.lab.paper.words import (
    Material,
    bound_table,
    claim_folds,
    claim_table,
    exponent_table,
    final_table,
    probe_words,
)
from weitzman.lab.study.charts import PAGE, curve_charts, curve_sheet
from weitzman.lab.study.summary import Curve, select

# Below so many seeds standard errors and verdicts mean little
_FEW = 10
_TITLE = "Contextual Pandora's Box: the experiment, run again"


def write_report(directory: Path, material: Material) -> None:
    """Write the page and the figures into a directory."""
    figures = directory / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    save_pictures(figures, report_sheets(material), ".png", ".pdf")
    write_page(directory / "index.html", report_page(material))


def report_sheets(material: Material) -> list[Sheet]:
    """Return the figures for print."""
    pair, probed = _feedbacks(material.curves)
    bounds = material.bounds
    found = [
        curve_sheet(select(pair, world=w), file=f"experiment-{w}", bounds=bounds)
        for w in dict.fromkeys(c.world for c in pair)
    ]
    found.append(curve_sheet(pair, file="experiment", bounds=bounds, width=PAGE))
    if probed:
        found.append(curve_sheet(probed, file="probe", bounds=bounds, width=PAGE))
    growth = curve_sheet(
        material.grown, file="growth", bounds=material.long_bounds, measure="expected_regret",
        log=True, width=PAGE,
    )  # fmt: skip
    return [*found, growth]


def report_page(material: Material) -> str:
    """Return the page."""
    pair, probed = _feedbacks(material.curves)
    sections = (
        Section(
            heading="What holds, and what does not",
            text=(
                "CPB is the paper's algorithm. Its learner has a step size η: the default follows "
                "the contexts, the tuned one is 10, the theorem's is that of the paper's proof. "
                "Linear regression predicts the mean and is searched by in the same way.",
            ),
            tables=(claim_table(material.claims),),
            folds=claim_folds(material.claims),
        ),
        Section(
            heading="The paper's figure, in three completions",
            text=(
                "Mean regret over seeds with a band of ± one standard error. Under full feedback all "
                "values are seen after a round; under opened only those of the boxes that were opened.",
            ),
            charts=curve_charts(pair, bounds=material.bounds),
        ),
        Section(
            heading="Looks that are paid for only to learn",
            text=probe_words(material),
            charts=curve_charts(probed, bounds=material.bounds) if probed else (),
            small=True,
        ),
        Section(heading="Final regrets", tables=(final_table(material.experiment),)),
        Section(
            heading="How fast regret grows",
            text=(
                "Both axes are logarithmic: a straight line is a power of the number of rounds, "
                "and its slope the exponent. The bound has the exponent 3/4 under full feedback.",
            ),
            charts=curve_charts(
                material.grown, bounds=material.long_bounds, measure="expected_regret", log=True
            ),
            small=True,
            tables=(exponent_table(material.exponents),),
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
    return render(title=_TITLE, lead=_lead(material), sections=sections)


def _feedbacks(curves: list[Curve]) -> tuple[list[Curve], list[Curve]]:
    """Return the curves under full and opened, and those under probe."""
    probed = select(curves, feedback="probe")
    return [c for c in curves if c.feedback != "probe"], probed


def _lead(material: Material) -> tuple[str, ...]:
    curves = material.curves
    rounds, seeds = max(c.rounds for c in curves), max(c.seeds.size for c in curves)
    few = f"Only {seeds} seeds: a look at what a report is like, and no evidence for anything."
    return (
        *((few,) if seeds < _FEW else ()),
        "Looking into a box costs something, and the best box is not known. A searcher learns from "
        "contexts which box to open first and when to stop. Its regret is what it pays more than "
        "the clairvoyant, who knows the true reservation values, on the same draws: smaller is "
        f"better. Here: {material.setting}, {rounds:,} rounds, {seeds} seeds.",
        "The experiment cannot be run as written: where the reservation value is below the cost, "
        "no uniform value from 0 upwards has it. Three honest completions stand for it: signed "
        "(values may be negative), orthant (weights and contexts are made positive, and small "
        "reservation values cut off) and shifted (values in an interval below the reservation value).",
    )
