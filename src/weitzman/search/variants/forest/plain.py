"""The plain problem as a forest without children, for what only forests compute."""

from weitzman.arrays import Floats
from weitzman.search.exact_total import Evaluation
from weitzman.search.variants.forest.chances import kept, room_for_one
from weitzman.search.variants.forest.forest import Forest
from weitzman.search.variants.forest.nodes import Branch, Node


def keep_probabilities(used: Evaluation) -> Floats:
    """Return the chance that each box is kept by Weitzman's rule at given reservation values."""
    costs = used.costs.tolist()
    roots = [
        Node(str(i), cost, (Branch(1.0, law),))
        for i, (cost, law) in enumerate(zip(costs, used.laws.laws, strict=True))
    ]
    return kept(Forest(roots, sigma=used.reservation_values), room_for_one, used.outside)
