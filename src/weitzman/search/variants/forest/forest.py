"""A forest of nodes: their rows and reservation values, and their ways unfolded.

Every node has a row in the round; of equal reservation values the one of the smaller row is opened
first, so nodes are compared by their *key* (σ, row). A node that is reached in several ways, such as
a stage that follows two signals, is one node and one row, and several *twigs* of the unfolded
forest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from weitzman.arrays import Floats
from weitzman.errors import InvalidInputError
from weitzman.search.variants.forest.capped import Capped
from weitzman.search.variants.forest.chains import leaves_of, solved
from weitzman.search.variants.forest.nodes import Branch, Node, all_nodes
from weitzman.search.variants.forest.outcomes import Outcomes, has_outcomes
from weitzman.search.variants.forest.parts import Leaf, Part, Way

Key = tuple[float, int]

MOST_WAYS = 200_000
MOST_DEPTH = 200


@dataclass(eq=False)
class Twig:
    """A node as it is reached on one way: the twig before it, the branch taken, those behind it."""

    node: Node
    row: int
    key: Key
    parent: "Twig | None" = None
    branch: int = 0
    children: list[list["Twig"]] = field(default_factory=list)

    def walk(self) -> Iterator["Twig"]:
        """Yield this one and all behind it."""
        yield self
        for branch in self.children:
            for child in branch:
                yield from child.walk()


class Forest:
    """Nodes with their rows and reservation values; smaller values are better.

    ``sigma`` takes the place of the true reservation values, by row; the capped laws are then those of
    the costs at which these would be the true ones.
    """

    def __init__(self, roots: Sequence[Node], *, sigma: Floats | None = None) -> None:
        self._given = sigma
        self.roots = tuple(roots)
        self.nodes = all_nodes(roots)
        self.row = {id(node): row for row, node in enumerate(self.nodes)}

    @cached_property
    def capped(self) -> list[Capped | Outcomes]:
        """The capped law of every node, by row."""
        found: dict[int, Capped | Outcomes] = {}
        if self._given is not None:
            for node in (node for level in self._levels() for node in level):
                ways = [_way(branch, found) for branch in node.branches]
                kind = Outcomes if has_outcomes(ways) else Capped
                given = float(self._given[self.row[id(node)]])
                found[id(node)] = kind(None, node.discount, ways, given)
            return [found[id(node)] for node in self.nodes]
        for level in self._levels():
            chains: list[tuple[Node, list[Way], list[Leaf]]] = []
            for node in level:
                ways = [_way(branch, found) for branch in node.branches]
                if has_outcomes(ways):
                    found[id(node)] = Outcomes(node.cost, node.discount, ways)
                elif node.cost > 0.0 and (leaves := leaves_of(node.discount, ways)) is not None:
                    chains.append((node, ways, leaves))
                else:
                    found[id(node)] = Capped(node.cost, node.discount, ways)
            if chains:
                sigma = solved(
                    [node.cost for node, _, _ in chains], [each for _, _, each in chains]
                )
                for (node, ways, leaves), s in zip(chains, sigma, strict=True):
                    found[id(node)] = Capped(node.cost, 1.0, ways, s, leaves)
        return [found[id(node)] for node in self.nodes]

    def _levels(self) -> list[list[Node]]:
        """Return the nodes by how much is behind them, at most."""
        height = self._heights
        levels: list[list[Node]] = [[] for _ in range(max(height.values()))]
        for node in self.nodes:
            levels[height[id(node)] - 1].append(node)
        return levels

    @cached_property
    def _heights(self) -> dict[int, int]:
        height: dict[int, int] = {}

        def measured(node: Node, depth: int) -> int:
            if depth > MOST_DEPTH:
                rule = f"have at most {MOST_DEPTH} boxes or stages one behind the other"
                raise InvalidInputError("The plan", rule, Words("more"))
            if id(node) not in height:
                behind = [c for b in node.branches for c in b.then]
                height[id(node)] = 1 + max((measured(c, depth + 1) for c in behind), default=0)
            return height[id(node)]

        for root in self.roots:
            measured(root, 1)
        return height

    @cached_property
    def sigma(self) -> Floats:
        """The reservation value of every row."""
        if self._given is not None:
            return self._given
        return np.array([law.sigma for law in self.capped])

    @property
    def root_laws(self) -> list[Capped | Outcomes]:
        """The capped laws of the roots."""
        return [self.capped[self.row[id(root)]] for root in self.roots]

    @cached_property
    def trees(self) -> list[Twig]:
        """Each tree unfolded."""
        count = 0

        def grown(node: Node, parent: Twig | None, branch: int) -> Twig:
            nonlocal count
            count += 1
            if count > MOST_WAYS:
                rule = f"have at most {MOST_WAYS:,} ways through its stages"
                raise InvalidInputError("The plan", rule, Words("more"))
            row = self.row[id(node)]
            twig = Twig(node, row, (float(self.sigma[row]), row), parent, branch)
            for place, taken in enumerate(node.branches):
                twig.children.append([grown(child, twig, place) for child in taken.then])
            return twig

        return [grown(root, None, 0) for root in self.roots]

    @cached_property
    def nothing(self) -> list[float]:
        """The chance of each tree to hold no value at all."""
        known: dict[int, float] = {}
        for node in (node for level in self._levels() for node in level):
            without = [branch for branch in node.branches if branch.value is None]
            known[id(node)] = float(
                sum(b.chance * np.prod([known[id(child)] for child in b.then]) for b in without)
            )
        return [known[id(root)] for root in self.roots]


def _way(branch: Branch, found: dict[int, Capped | Outcomes]) -> Way:
    value = () if branch.value is None else (Part(branch.value),)
    return Way(branch.chance, (*value, *(found[id(child)] for child in branch.then)))


class Words(str):
    """What was found, for a message: shown as it is, without quotes."""

    __slots__ = ()
    __repr__ = str.__str__
