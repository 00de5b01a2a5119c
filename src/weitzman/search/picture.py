"""A plan as a picture: each box's values, its reservation value, and how often it is opened.

Plans of variants without trees have a picture of how often each box is opened and kept.
"""

from typing import TYPE_CHECKING

import numpy as np

from weitzman.search.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from weitzman.search.plan import Plan
    from weitzman.search.variants.face import AnyPlan

_MOST_BOXES = 30
# Okabe and Ito's palette: distinct to colour-blind readers and in grey.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"


def draw_plan(plan: "Plan") -> "Figure":
    """Return a figure of the plan, boxes in opening order from the top."""
    need("A picture needs matplotlib", "plot", "matplotlib.figure")
    from matplotlib.figure import Figure

    names = plan.order[:_MOST_BOXES]
    figure = Figure(figsize=(7.0, 1.9 + 0.34 * len(names)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 1])
    rows = np.arange(len(names))
    _draw_values(left, plan, names)
    right.barh(rows, [100.0 * plan.open_probabilities[n] for n in names], color=BLUE, height=0.55)
    right.set(xlim=(0, 100), xlabel="opened (%)")
    left.set_yticks(rows, [name.replace("$", r"\$") for name in names])
    left.set_ylim(len(names) - 0.4, -0.6)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    what = "Expected total" if plan.sense == "min" else "Expected net value"
    more = (
        f" (first {_MOST_BOXES} of {len(plan.order)} boxes)" if len(plan.order) > len(names) else ""
    )
    figure.suptitle(
        f"{what} {plan.expected_total:.4g}, {plan.expected_opened:.2f} boxes opened{more}",
        fontsize="medium",
    )
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize="small"
    )
    return figure


def draw_chances(plan: "AnyPlan") -> "Figure":
    """Return a figure of how often each box is looked at and kept, boxes as they were given."""
    need("A picture needs matplotlib", "plot", "matplotlib.figure")
    from matplotlib.figure import Figure

    names = list(plan.open_probabilities)[:_MOST_BOXES]
    figure = Figure(figsize=(7.0, 1.6 + 0.34 * len(names)), layout="constrained")
    axes = figure.subplots()
    partial: dict[str, float] = getattr(plan, "partial_probabilities", {})
    if partial:
        shown = [100.0 * partial[name] for name in names]
        axes.barh(range(len(names)), shown, color=GREY, height=0.75, label="looked at partially")
    draw_bars(
        axes,
        [plan.open_probabilities[name] for name in names],
        [plan.keep_probabilities[name] for name in names],
    )
    axes.set_yticks(range(len(names)), [name.replace("$", r"\$") for name in names])
    axes.spines[["top", "right"]].set_visible(False)
    what = "Expected total" if plan.sense == "min" else "Expected net value"
    looks = "full looks" if partial else "looks"
    count = len(plan.open_probabilities)
    more = f" (first {len(names)} of {count} boxes)" if count > len(names) else ""
    figure.suptitle(
        f"{what} {plan.expected_total:.4g} ({plan.kind}), {plan.expected_opened:.2f} {looks}{more}",
        fontsize="medium",
    )
    return figure


def draw_bars(axes: "Axes", opened: "ArrayLike", kept: "ArrayLike") -> None:
    """Draw how often each row is opened and kept, the first row on top, with a legend below."""
    rows = np.arange(np.size(opened))
    axes.barh(rows, 100.0 * np.asarray(opened), color=BLUE, height=0.55, label="opened")
    axes.barh(rows, 100.0 * np.asarray(kept), color=ORANGE, height=0.25, label="kept")
    axes.set(xlim=(0, 100), xlabel="of rounds (%)", ylim=(rows.size - 0.4, -0.6))
    handles, labels = axes.get_legend_handles_labels()
    axes.figure.legend(
        handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize="small"
    )


def _draw_values(axes: "Axes", plan: "Plan", names: tuple[str, ...]) -> None:
    laws = {b.name: b.law for b in plan.boxes}
    rows = np.arange(len(names))
    levels = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
    q = np.array([laws[name].quantile(levels) for name in names]).T
    sigma = np.array([plan.reservation_values[name] for name in names])
    sigma = np.where(np.isfinite(sigma), sigma, np.nan)
    axes.hlines(rows, q[0], q[4], color=GREY, lw=1.2, label="5–95 % of values")
    axes.hlines(rows, q[1], q[3], color=GREY, lw=5.0, alpha=0.6, label="25–75 %")
    axes.plot(sigma, rows, "D", color=ORANGE, ms=6.5, label="reservation value")
    axes.plot(q[2], rows, "o", color="white", mec=GREY, ms=4.5, label="median")
    if plan.outside is not None:
        axes.axvline(plan.outside, color="black", ls=":", lw=1.2)
        axes.annotate("outside", (plan.outside, -0.55), fontsize="small", ha="center", va="bottom")
    better = "smaller" if plan.sense == "min" else "larger"
    axes.set_xlabel(f"value ({better} is better)")
