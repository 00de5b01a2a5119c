"""The report of a judgement: one page, its pictures, its rows.

::

    DIR/
      index.html          the page, self-contained
      figures/*.png       the pictures for print
      rows.json           a row per policy
"""

import json
from pathlib import Path

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.figures.chart_matplotlib import save_pictures
from weitzman.figures.charts import Chart, Series
from weitzman.figures.page import PageTable, Section, render, write_page
from weitzman.replays.judgement.design import Exploration
from weitzman.replays.judgement.estimate import METHODS
from weitzman.replays.judgement.judge import Judgement
from weitzman.replays.judgement.table import HEADINGS, cells, lead_lines, notes
from weitzman.replays.report.report import check_place

_BLOCKS = 40
_HEAVIEST = 30


def write_judgement_report(
    directory: Path, judgement: Judgement, source: str, plans: dict[str, Exploration]
) -> None:
    """Write the page, the pictures and the rows into a directory."""
    check_place(directory)
    sections = _sections(judgement, plans)
    pictures = [chart for section in sections for chart in section.charts]
    save_pictures(directory / "figures", pictures, ".png")
    write_page(
        directory / "rows.json", json.dumps(judgement.rows(), indent=2, allow_nan=False) + "\n"
    )
    title = f"What would it have cost? {Path(source).name}"
    page = render(title=title, lead=tuple(lead_lines(judgement)), sections=sections)
    write_page(directory / "index.html", page)


def _sections(judgement: Judgement, plans: dict[str, Exploration]) -> tuple[Section, ...]:
    rows = [
        dict(zip(HEADINGS, cells(name, one), strict=True)) for name, one in judgement.shown.items()
    ]
    weights = weight_chart(judgement)
    return (
        Section(
            heading="What every policy would have cost",
            text=tuple(notes(judgement)),
            charts=tuple(c for c in (estimate_chart(judgement),) if c is not None),
            tables=(
                PageTable(caption=_per_round(judgement), rows=rows, words=("policy", "verdict")),
            ),
        ),
        Section(
            heading="What the log knows",
            text=(
                "The share of rounds in which all boxes that a policy opens are known whatever was drawn. "
                "The rest is known through the rounds that were opened by chance, or not at all.",
            ),
            charts=(coverage_chart(judgement),),
        ),
        *(
            ()
            if weights is None
            else (
                Section(
                    heading="Which rounds decide",
                    text=(
                        "By how much single explored rounds move the estimate, the heaviest first. Where "
                        "a few of them are as large as the interval, wait for more.",
                    ),
                    charts=(weights,),
                ),
            )
        ),
        *(
            (Section(heading="What exploration would cost", tables=(plan_table(plans),)),)
            if plans
            else ()
        ),
    )


def _per_round(judgement: Judgement) -> str:
    return f"Per round, in {judgement.unit}" if judgement.unit else "Per round"


def plan_table(plans: dict[str, Exploration]) -> PageTable:
    """Return what exploration would cost for each policy."""
    rows = [dict(zip(PLAN_HEADINGS, plan_cells(n, plan), strict=True)) for n, plan in plans.items()]
    return PageTable(
        caption="Over as many rounds as the log has", rows=rows, words=("policy", "spread")
    )


PLAN_HEADINGS = (
    "policy",
    "to ±",
    "share drawn",
    "rounds drawn",
    "price, all",
    "price, prefix",
    "spread",
)
"""The headings of :func:`plan_cells`."""


def plan_cells(name: str, plan: Exploration) -> list[str]:
    """Return what exploration for a policy takes, as texts."""
    return [
        name,
        f"{plan.half_width:.3g}",
        f"{100.0 * plan.share:.2g} %",
        f"{plan.rounds:,.0f}",
        f"{plan.whole:,.4g}",
        f"{plan.prefix:,.4g}",
        "measured" if plan.measured else "at most, by bounds",
    ]


def estimate_chart(judgement: Judgement) -> Chart | None:
    """Return the estimates of every policy, by estimator; None if nothing can be estimated."""
    rules = judgement.shown
    names = [n for n, one in rules.items() if np.isfinite(one.estimates[METHODS[0]].mean)]
    if not names:
        return None
    shown = ("doubly robust", "ips", "naive")
    series = tuple(
        Series(
            name=method,
            x=np.array([rules[n].estimates[method].mean for n in names]),
            error=np.nan_to_num([rules[n].estimates[method].se for n in names]),
        )
        for method in shown
    )
    recorded = judgement.recorded
    return Chart(
        file="estimates",
        title="Mean total per round" + ("" if recorded is None else ", and what was recorded"),
        across="total per round ± s.e.",
        kind="dots",
        names=tuple(names),
        series=series,
        reference=None if recorded is None else judgement.sign * float(recorded.mean()),
    )


def coverage_chart(judgement: Judgement) -> Chart:
    """Return the share of rounds that are known for certain, over time."""
    edges = np.unique(
        np.linspace(0, judgement.rounds, min(_BLOCKS, judgement.rounds) + 1).astype(np.int64)
    )
    middle = (edges[:-1] + edges[1:] + 1) / 2.0
    return Chart(
        file="coverage",
        title="Rounds that are known for certain",
        across="round",
        up="share of rounds",
        kind="lines",
        series=tuple(
            Series(name=name, x=middle, y=_shares(one.trace.certain, edges))
            for name, one in judgement.rules.items()
        ),
        limits=(-0.03, 1.03),
    )


def _shares(marks: Flags, edges: Ints) -> Floats:
    sums = np.concatenate([[0.0], np.cumsum(marks)])[edges]
    return np.asarray(np.diff(sums) / np.diff(edges))


def weight_chart(judgement: Judgement) -> Chart | None:
    """Return by how much explored rounds move the estimates, the heaviest first; None if none does."""
    series = []
    for name, one in judgement.rules.items():
        trace = one.trace
        drawn = trace.covered & ~trace.certain
        moved = np.abs(trace.weights * (trace.totals - one.guesses))[drawn] / judgement.rounds
        heaviest = np.sort(moved)[::-1][:_HEAVIEST]
        if len(heaviest):
            series.append(Series(name=name, x=np.arange(1.0, len(heaviest) + 1.0), y=heaviest))
    if not series:
        return None
    return Chart(
        file="weights",
        title="What single explored rounds add",
        across="explored round, the heaviest first",
        up="total per round",
        kind="lines",
        series=tuple(series),
    )
