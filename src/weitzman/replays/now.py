"""What a searcher does now: it is asked again about the last rounds of the log that it has lived through.

While a policy learns it does what it no longer does afterwards, so shares over a whole log do not say what
comes next. The searcher has learned these rounds already: this describes a policy, and estimates no total.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weitzman.arrays import Flags, Floats, Ints
from weitzman.learn.intake.past import rule_now
from weitzman.learn.policy import Round, walk
from weitzman.learn.searcher import Searcher
from weitzman.logs.log import Log
from weitzman.search.rule import Rule

LAST = 100
"""How many of the last rounds are looked at."""

_CLEARLY = 0.9
"""In how many of the rounds a sentence has to be true."""


class LastRound(NamedTuple):
    """One of the last rounds, and what a searcher does in it as it is now.

    Attributes
    ----------
    label
        What the log calls it.
    shown, values, rule
        The round as the next one of the searcher, its values, smaller is better, and what decides in it.
    looks
        The places of the boxes that are opened, in order.
    """

    label: str
    shown: Round
    values: Floats
    rule: Rule
    looks: list[int]


def last_rounds(log: Log, searcher: Searcher) -> list[LastRound]:
    """Return what a searcher does in the last rounds of a log, as it is now."""
    rounds = log.past()
    labels = log.rounds[~np.isnan(log.values).all(axis=1)]
    found = []
    for number, (past, values) in enumerate(rounds):
        if number >= len(rounds) - LAST:
            shown, rule = rule_now(searcher, past)
            looks = shown.places[walk(rule, shown, values).opened].tolist()
            found.append(LastRound(str(labels[number]), shown, values, rule, looks))
    return found


def next_after(place: int, last: Sequence[LastRound]) -> tuple[Floats, Ints]:
    """Return what is found in the rounds that begin with a box, and what is opened next, −1: nothing.

    Rounds without another box say nothing and are left out.
    """
    found, following = [], []
    for one in last:
        if one.looks[:1] == [place] and len(one.values) > 1:
            found.append(float(one.values[int(np.searchsorted(one.shown.places, place))]))
            following.append(one.looks[1] if len(one.looks) > 1 else -1)
    return np.array(found), np.array(following, dtype=np.int64)


def cut_between(found: Floats, goes_on: Flags) -> float | None:
    """Return the largest value found that is enough to stop; None if no value parts most rounds.

    Examples
    --------
    >>> cut_between(np.array([0.0, 20.0, 0.0, 20.0]), np.array([0, 1, 0, 1], dtype=bool))
    0.0
    >>> cut_between(np.array([0.0, 20.0, 0.0, 20.0]), np.array([0, 1, 1, 0], dtype=bool)) is None
    True
    """
    if goes_on.all() or not goes_on.any():
        return None
    order = np.argsort(found, kind="stable")
    found, goes = found[order], goes_on[order]
    # Stops at or below each value are right, and what goes on above it
    right = np.cumsum(~goes) + (goes.sum() - np.cumsum(goes))
    ends = np.flatnonzero(np.append(found[1:] > found[:-1], True))
    best = ends[int(np.argmax(right[ends]))]
    return float(found[best]) if right[best] >= _CLEARLY * len(found) else None
