"""Several rules on one law, followed through a round whose values are known, or supposed.

Rules that opened the same boxes in the same order, and saw the same values, are at one *node*: its weights,
gains and errors are computed once. So is its choice: more caution leaves fewer boxes worth a look, and if the
choice of less caution is still among them, it is still the choice. Nodes are kept as long as the law is: a
round that is completed in two ways (:mod:`weitzman.learn.policies.portfolio.completion`) is the same up to
the first value that is supposed.
"""

import math
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Floats, Ints
from weitzman.compiled.decorators import kernel
from weitzman.learn.models.sample_steps import choose, judge, reweigh
from weitzman.search.rule import NO_BOX

_UNKNOWN = -2


class Nodes(NamedTuple):
    """The nodes of a law.

    Attributes
    ----------
    number
        How many there are, (1,); 0 for another law.
    child, value
        The node that is reached by opening each box, −1 if none was, and the value that it showed there.
    gains, errors
        Of the closed boxes.
    picked
        The choice of each rule.
    weights
        The weights of the vectors.
    """

    number: Ints
    child: Ints
    value: Floats
    gains: Floats
    errors: Floats
    picked: Ints
    weights: Floats

    @classmethod
    def blank(cls, rules: int, boxes: int, vectors: int) -> "Nodes":
        """Return room for what so many rules may reach in two rounds, for laws of so many vectors."""
        most = 2 * rules * boxes + 1
        return cls(
            number=np.zeros(1, dtype=np.int64),
            child=np.empty((most, boxes), dtype=np.int64),
            value=np.empty((most, boxes)),
            gains=np.empty((most, boxes)),
            errors=np.empty((most, boxes)),
            picked=np.empty((most, rules), dtype=np.int64),
            weights=np.empty((most, vectors)),
        )


@kernel
def _add(nodes: Nodes) -> int:
    """Add a node of which nothing is known."""
    node: int = nodes.number[0]
    nodes.child[node] = -1
    nodes.picked[node] = _UNKNOWN
    nodes.number[0] += 1
    return node


@kernel
def _picked_before(
    nodes: Nodes, node: int, rule: int, rules: Ints, cautions: Floats, costs: Floats, best: float
) -> int:
    """Return the choice of an earlier rule with no more caution, if it must be that of this one."""
    for other in range(rule - 1, -1, -1):
        box = nodes.picked[node, other]
        if rules[other] != rules[rule] or cautions[other] > cautions[rule] or box == _UNKNOWN:
            continue
        sure = nodes.gains[node, box] - cautions[rule] * nodes.errors[node, box]
        if box == NO_BOX or best == math.inf or sure > costs[box]:
            return int(box)
        return _UNKNOWN
    return _UNKNOWN


@kernel
def walk_rules(
    ranked: Floats, order: Ints, rows: Ints, shift: Floats, w: Floats, costs: Floats, values: Floats,
    outside: float, least: float, prices: Floats, found: Floats, hand: float,
    rules: Ints, cautions: Floats, nodes: Nodes, totals: Floats, counts: Ints,
) -> None:  # fmt: skip
    """Follow several rules on one law; set the total of each, NaN if a value it meets is.

    Rules go by ``costs``, ``values`` and ``outside``; totals are counted in ``prices``, ``found`` and
    ``hand``, which are the same in the units of the user.
    """
    boxes, size = rows.shape[0], w.shape[0]
    opened = np.zeros(boxes, dtype=np.bool_)
    if nodes.number[0] + rules.shape[0] * boxes > nodes.child.shape[0]:
        nodes.number[0] = 0
    if nodes.number[0] == 0:
        root = _add(nodes)
        nodes.weights[root, :size] = w
        judge(
            ranked, order, rows, shift, w, opened, outside, least,
            nodes.gains[root], nodes.errors[root],
        )  # fmt: skip
    for rule in range(rules.shape[0]):
        node, best, count, known = 0, outside, 0, True
        kept, paid = hand, 0.0
        opened[:] = False
        while True:
            at, box = nodes.weights[node, :size], nodes.picked[node, rule]
            if box == _UNKNOWN:
                box = _picked_before(nodes, node, rule, rules, cautions, costs, best)
            if box == _UNKNOWN:
                box = choose(
                    ranked, order, rows, shift, at, costs, opened, best,
                    rules[rule], cautions[rule], nodes.gains[node], nodes.errors[node],
                )  # fmt: skip
            nodes.picked[node, rule] = box
            if box == NO_BOX:
                break
            opened[box] = True
            paid += prices[box]
            count += 1
            if math.isnan(values[box]):
                known = False
            else:
                best, kept = min(best, values[box]), min(kept, found[box])
            if count == boxes:
                break
            if nodes.child[node, box] < 0 or nodes.value[node, box] != values[box]:
                after = _add(nodes)
                reweigh(
                    ranked[rows[box]], order[rows[box]], values[box] - shift[box], at,
                    nodes.weights[after, :size],
                )  # fmt: skip
                judge(
                    ranked, order, rows, shift, nodes.weights[after, :size], opened, best, least,
                    nodes.gains[after], nodes.errors[after],
                )  # fmt: skip
                nodes.child[node, box], nodes.value[node, box] = after, values[box]
            node = nodes.child[node, box]
        totals[rule] = kept + paid if known else math.nan
        counts[rule] = count
