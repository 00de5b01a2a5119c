"""A plan over a forest as a table: boxes and stages as trees, with what happens how often."""

import math
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from weitzman.search.table import number, percent
from weitzman.search.variants.plain_table import summary

if TYPE_CHECKING:
    from weitzman.search.variants.forest.forest import Twig
    from weitzman.search.variants.forest.plan import ForestPlan

MOST_ROWS = 40
_DEEPEST = 6


def forest_table(plan: "ForestPlan") -> Group:
    """Return what can be opened as trees, best first, and below it what the search is worth."""
    bound = "at most" if plan.sense == "min" else "at least"
    best = (
        "the best value in hand is" if plan.places == 1 else f"the best {plan.places} in hand are"
    )
    head = f"Open what has the best reservation value; stop when {best} {bound} all of them."
    table = Table()
    table.add_column("box, stage", overflow="fold")
    for heading in ("cost", "reservation value", "opened", "kept"):
        table.add_column(heading, justify="right")
    shown = lines(plan)
    for prefix, twig in shown[:MOST_ROWS]:
        _add(table, plan, prefix, twig)
    if len(shown) > MOST_ROWS:
        table.add_row(f"… {len(shown) - MOST_ROWS} more", "", "", "", "")
    return Group(Text(head), table, *(Text(line) for line in summary(plan, len(plan.boxes))))


def lines(plan: "ForestPlan") -> list[tuple[str, "Twig"]]:
    """Return the nodes as they stand in the trees, each once, with what is drawn before them."""
    found: list[tuple[str, Twig]] = []
    seen: set[int] = set()

    def add(twig: "Twig", depth: int, shown: str) -> None:
        if twig.row in seen:
            return
        seen.add(twig.row)
        indent = "  " * (min(depth, _DEEPEST) - 1) + "└ " if depth else ""
        found.append((indent + shown, twig))
        for place, children in enumerate(twig.children):
            for child in children:
                add(child, depth + 1, what_shows(plan, twig, place))

    for tree in sorted(plan.forest.trees, key=lambda tree: tree.key):
        add(tree, 0, "")
    return found


def what_shows(plan: "ForestPlan", twig: "Twig", place: int) -> str:
    """Return the signal or value that leads to a branch, for a line of text; empty if any does."""
    node = twig.node
    if node.labels is not None:
        return f"{node.labels[place]}: "
    if node.outcomes is not None:
        value = node.outcomes[place] * (1.0 if plan.sense == "min" else -1.0)
        if math.isinf(value):
            return "after a failure: "
        return f"{number(value + 0.0)}: "
    return ""


def name_of(twig: "Twig") -> str:
    """Return the name of a box, or of a stage behind another one of its box."""
    node, before = twig.node, twig.parent
    if node.stage is None:
        return node.box
    same = before is not None and before.node.box == node.box
    return node.stage if same else f"{node.box}, {node.stage}"


def _add(table: Table, plan: "ForestPlan", prefix: str, twig: "Twig") -> None:
    sign = 1.0 if plan.sense == "min" else -1.0
    holds = any(branch.value is not None for branch in twig.node.branches)
    table.add_row(
        Text(prefix + name_of(twig)),
        number(twig.node.cost),
        number(sign * twig.key[0] + 0.0),
        percent(plan.step_probabilities[twig.row]),
        percent(plan.kept_by_step[twig.row]) if holds else "",
    )
