"""A plan with a bound, as a table for people."""

from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from weitzman.search.variants.hard.bounded import BoundedPlan
    from weitzman.search.variants.hard.partial_plan import PartialPlan
    from weitzman.search.variants.hard.scenarios import ScenarioPlan

_MOST_ROWS = 40


def bounded_table(plan: "BoundedPlan | PartialPlan") -> Group:
    """Return the boxes, and below them what the search is worth and what may be lost."""
    table = Table()
    table.add_column("box", overflow="fold")
    for heading in ("cost", "opened", "kept"):
        table.add_column(heading, justify="right")
    for name, cost in list(plan.costs.items())[:_MOST_ROWS]:
        opened, kept = plan.open_probabilities[name], plan.keep_probabilities[name]
        table.add_row(Text(name), f"{cost:.6g}", f"{opened:.1%}", f"{kept:.1%}")
    if len(plan.boxes) > _MOST_ROWS:
        table.add_row(f"… {len(plan.boxes) - _MOST_ROWS} more", "", "", "")
    what = "expected total" if plan.sense == "min" else "expected net value"
    total = Text(
        f"{what} {plan.expected_total:.6g} ({plan.kind}), {plan.expected_opened:.3g} opened"
    )
    if plan.kind == "exact":
        return Group(table, total)
    lost = f"no search is better than {plan.bound:.6g}: at most {plan.most_lost:.4g} is lost"
    return Group(table, total, Text(lost))


def printed(thing: Any) -> str:
    """Return what rich prints, as plain text."""
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(thing)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def scenario_table(plan: "ScenarioPlan") -> Group:
    """Return the beginning of the tree, and below it what the search is worth."""
    lines = plan.tree.split("\n")
    shown = lines[:_MOST_ROWS]
    if len(lines) > _MOST_ROWS:
        shown.append(f"… {len(lines) - _MOST_ROWS} more lines")
    what = "expected total" if plan.sense == "min" else "expected net value"
    below = [
        f"{what} {plan.expected_total:.6g} ({plan.kind}), {plan.expected_opened:.3g} opened",
        f"taking the boxes for independent: {plan.independent_total:.6g}",
    ]
    if plan.kind != "exact":
        below.append(
            f"no search is better than {plan.bound:.6g}: at most {plan.most_lost:.4g} is lost"
        )
    return Group(*(Text(line) for line in (*shown, *below)))
