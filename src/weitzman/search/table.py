"""A plan as a table for people."""

from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from weitzman.search.plan import Plan

_MOST_ROWS = 40


def plan_table(plan: "Plan") -> Group:
    """Return the boxes in opening order, and below them what the search is worth."""
    bound = "at most" if plan.sense == "min" else "at least"
    head = f"Open from the top; stop when the best value in hand is {bound} the next reservation value."
    table = Table()
    table.add_column("box", overflow="fold")
    for heading in ("cost", "reservation value", "opened", "alone"):
        table.add_column(heading, justify="right")
    costs = {b.name: b.expected_cost for b in plan.boxes}
    for name in plan.order[:_MOST_ROWS]:
        table.add_row(
            Text(name),
            number(costs[name]),
            number(plan.reservation_values[name]),
            percent(plan.open_probabilities[name]),
            number(plan.single_totals[name]),
        )
    if len(plan.order) > _MOST_ROWS:
        table.add_row(f"… {len(plan.order) - _MOST_ROWS} more", "", "", "", "")
    return Group(Text(head), table, *(Text(line) for line in _summary(plan)))


def plan_text(plan: "Plan") -> str:
    """Return the table as plain text."""
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(plan)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def number(x: float) -> str:
    """Return a number with six digits, or all those before the point."""
    return f"{x:.0f}" if 1e6 <= abs(x) < 1e15 else f"{x:.6g}"


def percent(p: float) -> str:
    """Return a probability in per cent; 0 and 100 are kept for what is never and always."""
    if 0.0 < p < 0.0005:
        return "<0.1 %"
    if 0.9995 < p < 1.0:
        return ">99.9 %"
    return f"{100.0 * p:.1f} %"


def _summary(plan: "Plan") -> list[str]:
    what, part = "expected total", "of which costs"
    if plan.sense == "max":
        what, part = "expected net value", "after costs of"
    kind = "" if plan.kind == "exact" else f" ({plan.kind})"
    lines = [
        f"{what} {number(plan.expected_total)}{kind}, {part} {number(plan.expected_paid)}; "
        f"{plan.expected_opened:.3g} of {len(plan.boxes)} boxes opened",
        f"opening one box only ({plan.best_single}): {number(plan.single_totals[plan.best_single])}; "
        f"opening all: {number(plan.all_total)}",
    ]
    if plan.outside is not None:
        verdict = "" if plan.searches else " (do not search at all)"
        lines.append(f"outside option: {number(plan.outside)}{verdict}")
    if plan.regret > 1e-9 * max(1.0, abs(plan.optimal_total)):
        lines.append(
            f"given reservation values: {plan.regret:.4g} worse than the optimum "
            f"{number(plan.optimal_total)} (certificate {plan.certificate:.4g}, "
            f"l1 bound {plan.l1_bound:.4g})"
        )
    return lines
