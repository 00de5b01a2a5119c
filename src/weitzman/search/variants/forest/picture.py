"""A plan over a forest as a picture: boxes and stages as trees, with how often each is opened."""

from typing import TYPE_CHECKING

from weitzman.search.extras import need
from weitzman.search.picture import GREY, ORANGE, draw_bars
from weitzman.search.table import number
from weitzman.search.variants.forest.table import lines, name_of, what_shows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from weitzman.search.variants.forest.forest import Twig
    from weitzman.search.variants.forest.plan import ForestPlan

_MOST_ROWS = 40


def draw_forest(plan: "ForestPlan") -> "Figure":
    """Return a figure of the plan: trees on the left, on the right how often each node is opened."""
    need("A picture needs matplotlib", "plot", "matplotlib.figure")
    from matplotlib.figure import Figure

    whole = lines(plan)
    shown = [twig for _, twig in whole[:_MOST_ROWS]]
    figure = Figure(figsize=(7.5, 1.6 + 0.36 * len(shown)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[2, 1])
    _draw_trees(left, plan, shown)
    draw_bars(
        right,
        [plan.step_probabilities[twig.row] for twig in shown],
        [plan.kept_by_step[twig.row] for twig in shown],
    )
    for axes in (left, right):
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False, labelleft=False)
    what = "Expected total" if plan.sense == "min" else "Expected net value"
    more = f" (first {len(shown)} of {len(whole)} lines)" if len(whole) > len(shown) else ""
    looks = f"{plan.expected_opened:.2f} looks"
    figure.suptitle(f"{what} {plan.expected_total:.4g}, {looks}{more}", fontsize="medium")
    return figure


def _draw_trees(axes: "Axes", plan: "ForestPlan", shown: list["Twig"]) -> None:
    place = {twig.row: row for row, twig in enumerate(shown)}
    depth: dict[int, int] = {}
    sign = 1.0 if plan.sense == "min" else -1.0
    for row, twig in enumerate(shown):
        parent = twig.parent
        level = depth[twig.row] = 0 if parent is None else depth[parent.row] + 1
        words = name_of(twig)
        if parent is not None:
            above = place[parent.row]
            axes.plot(
                [level - 1, level - 1, level], [above, row, row], color=GREY, lw=1.0, zorder=1
            )
            words = what_shows(plan, parent, twig.branch) + words
        axes.plot(level, row, "o", color=ORANGE, ms=5.0, zorder=2)
        sigma = number(sign * twig.key[0] + 0.0)
        axes.annotate(
            f"{words}  ({number(twig.node.cost)} → {sigma})".replace("$", r"\$"),
            (level, row),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    axes.set_xlim(-0.3, max(depth.values()) + 3.0)
    axes.set_xticks([])
    axes.set_xlabel("box or stage (cost → reservation value)")
    axes.spines["bottom"].set_visible(False)
