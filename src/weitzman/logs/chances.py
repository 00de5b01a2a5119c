"""Chances: with what probability boxes were opened by a draw, as a log says it.

A *draw* opens boxes that the rule in force would not have opened. It is made before the round and depends on
nothing that the boxes hold. One draw u, uniform on [0, 1), decides for all boxes of a round, and box i is
opened if u is below its chance; or each box has a draw of its own; or one box is drawn, and it alone is
opened (single looks, as contextual bandits write them). A chance is that of the box, given what all boxes
of its round hold: 1 where the rule in force opens it anyway.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from weitzman.arrays import Flags, Floats, Ints

Drawn = Literal["round", "box", "one"]
"""What a draw decides: for all boxes of a round, for one box, or which one is opened and no other."""


def broken_rules(chances: Floats, opened: Flags) -> Iterator[tuple[Flags, str]]:
    """Return the rules that chances must keep by themselves, each with where it is broken."""
    missing = np.isnan(chances)
    yield ~missing & ~((chances >= 0.0) & (chances <= 1.0)), "be a number from 0 to 1, or missing"
    yield opened & (chances == 0.0), "be above 0, as the box was opened"
    yield ~opened & (chances == 1.0), "be below 1, as the box was not opened"


def out_of_draw(chances: Floats, opened: Flags, rounds: Ints, good: Flags) -> tuple[Flags, str]:
    """Return which boxes one draw for the round would have opened too, and the rule.

    Examples
    --------
    >>> chances, opened = np.array([0.1, 0.1]), np.array([True, False])
    >>> out_of_draw(chances, opened, np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.bool_))[0]
    array([False,  True])
    """
    drawn = np.full(int(rounds.max(initial=0)) + 1, np.inf)
    looked = good & opened
    np.minimum.at(drawn, rounds[looked], chances[looked])
    wrong: Flags = good & ~opened & (chances >= drawn[rounds])
    return wrong, (
        "be below that of every opened box of its round, as one draw decides for all of them (where each "
        "box has its own, say --draws box, or draws='box' in Python)"
    )


def beside_another(opened: Flags, rounds: Ints, good: Flags) -> tuple[Flags, str]:
    """Return which boxes were opened after another one of their round, and the rule.

    Examples
    --------
    >>> beside_another(np.array([True, False, True]), np.array([0, 0, 0]), np.ones(3, dtype=np.bool_))[0]
    array([False, False,  True])
    """
    looked = np.flatnonzero(good & opened)
    _, firsts = np.unique(rounds[looked], return_index=True)
    wrong = np.zeros(len(opened), dtype=np.bool_)
    wrong[np.delete(looked, firsts)] = True
    return wrong, "stand in a round in which no other box was opened, as draws='one' says"
