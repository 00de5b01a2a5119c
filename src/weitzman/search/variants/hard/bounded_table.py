"""A plan with a bound, as a table for people."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from weitzman.search.table import percent

if TYPE_CHECKING:
    from weitzman.search.variants.hard.bounded import BoundedPlan

_MOST_ROWS = 40


def bounded_table(plan: "BoundedPlan") -> Group:
    """Return the boxes or the tree, and below what the search is worth and what may be lost."""
    what = "expected total" if plan.sense == "min" else "expected net value"
    below = [
        f"{what} {plan.expected_total:.6g} ({plan.kind}), {plan.expected_opened:.3g} opened",
        *plan.notes,
    ]
    if plan.kind != "exact":
        # What differs by rounding alone is nothing
        lost = plan.most_lost if plan.most_lost > 1e-12 * max(1.0, abs(plan.bound)) else 0.0
        below.append(f"no search is better than {plan.bound:.6g}: at most {lost:.4g} is lost")
    if plan.outside is not None:
        below.append(f"outside option: {plan.outside:.6g}")
    above = _tree(plan) if plan.tree else [_boxes(plan)]
    return Group(*above, *(Text(line) for line in below))


def _tree(plan: "BoundedPlan") -> list[RenderableType]:
    """Return the beginning of the tree."""
    lines = plan.tree.split("\n")
    shown = lines[:_MOST_ROWS]
    if len(lines) > _MOST_ROWS:
        shown.append(f"… {len(lines) - _MOST_ROWS} more lines")
    return [Text(line) for line in shown]


def _boxes(plan: "BoundedPlan") -> Table:
    table = Table()
    table.add_column("box", overflow="fold")
    partial = plan.partial_probabilities
    headings = ("cost", *(("looked at partially",) if partial else ()), "opened", "kept")
    for heading in headings:
        table.add_column(heading, justify="right")
    for name, cost in list(plan.costs.items())[:_MOST_ROWS]:
        chances = [plan.open_probabilities[name], plan.keep_probabilities[name]]
        chances = [partial[name], *chances] if partial else chances
        table.add_row(Text(name), f"{cost:.6g}", *map(percent, chances))
    if len(plan.costs) > _MOST_ROWS:
        table.add_row(f"… {len(plan.costs) - _MOST_ROWS} more", *[""] * len(headings))
    return table
