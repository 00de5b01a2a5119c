"""Nodes: what can be opened, and what opening it leads to.

Opening a *node* costs c, takes time worth a factor β (1 without discounting), and shows one thing.
What is shown picks a *branch*, by its chance. A branch may hold a value, which can be kept, and
nodes, which can be opened from then on. So

    a box                        one branch: the value
    a stage that shows signals   one branch a signal: the next stage
    a box with children          one branch: the value, and the children
    children that depend on it   one branch an outcome: that value, and the children given it

Smaller values are better: whoever makes nodes has turned signs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weitzman.search.laws.distribution import Distribution


@dataclass(frozen=True, eq=False)
class Branch:
    """What a node may lead to: how likely, a value to keep or none, and nodes to open then."""

    chance: float
    value: Distribution | None = None
    then: tuple["Node", ...] = ()


@dataclass(frozen=True, eq=False)
class Node:
    """Something to open: a box, or one stage of it.

    ``labels`` are the signals that it shows, one a branch; None if it shows a value. ``outcomes``
    are the values that tell the branches apart, where there are several.
    """

    box: str
    cost: float
    branches: tuple[Branch, ...]
    stage: str | None = None
    discount: float = 1.0
    labels: tuple[Any, ...] | None = None
    outcomes: tuple[float, ...] | None = None

    def branch(self, shown: float) -> Branch | None:
        """Return the branch that what was shown leads to; None for a value that cannot be."""
        if self.labels is not None:
            return self.branches[int(shown)]
        if self.outcomes is None:
            return self.branches[0]
        return self.branches[self.outcomes.index(shown)] if shown in self.outcomes else None


def all_nodes(roots: Sequence[Node]) -> list[Node]:
    """Return every node once, parents before children, in the order of the roots."""
    found: dict[int, Node] = {}
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found[id(node)] = node
            behind = [child for branch in node.branches for child in branch.then]
            waiting += reversed(behind)
    return list(found.values())
