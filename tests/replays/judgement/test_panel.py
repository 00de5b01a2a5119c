"""Simple rules that go through a log together, many rounds at a time, decide as each does one by one."""

import math
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.replays.judgement.worlds import log_of
from weitzman.learn.models.history import History
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Player
from weitzman.learn.preparation import Preparation
from weitzman.learn.prepared_rounds import take_rounds
from weitzman.logs.log import Log
from weitzman.replays.judgement.panel import panel_traces
from weitzman.replays.judgement.seen import seen_of
from weitzman.replays.judgement.trace import traces
from weitzman.replays.judgement.walk import COLUMNS


class Alone:
    """A policy that hides what it is, so that it goes through the rounds one by one."""

    name = "alone"

    def __init__(self, policy: wz.Simple) -> None:
        self._policy = policy

    def start(self, **given: Any) -> Player:
        """Return the player of the policy."""
        return self._policy.start(**given)


def _tick(rounds: int) -> None:
    assert rounds > 0


def _log(
    rounds: int, boxes: int, features: int, *, shared: bool = False, least: float | None = None,
    never: int = 0, outside: float | None = 1.0, piles: bool = False, absent: bool = False,
) -> Log:  # fmt: skip
    """Return rounds with gaps; ``outside`` is the share of rounds that have an outside option."""
    rng = np.random.default_rng([rounds, boxes, features])
    market = rng.exponential(size=(rounds, 1))
    values = market + rng.exponential(0.5, (rounds, boxes))
    if piles:
        values = np.maximum(values - 0.7, 0.0).round(1)
    plain = np.zeros((rounds, boxes), dtype=np.bool_)
    plain[:, 0] = True
    plain[:, 1] = values[:, 0] > 0.8
    opened = plain | (rng.random((rounds, 1)) < 0.1)
    opened[:, boxes - never :] = False
    costs = rng.uniform(0.05, 0.3, (rounds, boxes))
    contexts = market[:, :, None] + rng.normal(size=(rounds, boxes, features))
    # What a round is about is the same for all boxes, most of the time
    contexts[:, :, 0] = market
    contexts[rounds // 2, 0, 0] += 1.0
    if absent:
        gone = rng.random((rounds, boxes)) < 0.15
        gone[gone.all(axis=1)] = False
        costs[gone] = contexts[gone] = np.nan
        contexts[5, 1, 0] = np.nan
        opened, plain = opened & ~gone, plain & ~gone
    given = None
    if outside is not None:
        given = np.where(rng.random(rounds) < outside, 9.0, np.inf)
    return log_of(
        costs=costs, values=np.where(opened, values, np.nan), outside=given, contexts=contexts,
        features=[f"x_{k}" for k in range(features)], opened=opened,
        chances=np.where(plain, 1.0, 0.1), shared=shared, least=least,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("log", "learned"),
    [
        (_log(3000, 4, 2, piles=True), None),
        (_log(400, 4, 9, shared=True, absent=True), None),
        (_log(400, 3, 1, least=0.0, piles=True, outside=0.5, absent=True), None),
        (_log(300, 30, 2, never=3, outside=0.5, piles=True, absent=True), None),
        (_log(150, 150, 1, never=9), None),
        (_log(250, 9, 20, never=2, outside=None), 150),
        (_log(5000, 3, 2, outside=0.5, absent=True), 4500),
        (_log(60, 3, 2), 0),
    ],
)
def test_rules_that_go_together_have_the_bits_of_each_alone(log: Log, learned: int | None) -> None:
    seen = seen_of(log)
    policies = [wz.Simple(rule, log.shared) for rule in RULES]
    together, sigmas = panel_traces(policies, seen, learned=learned, tick=_tick, sigmas=True)
    assert sigmas is not None
    for rule, found, sigma in zip(policies, together, sigmas, strict=True):
        alone, own = traces([Alone(rule)], seen, learned=learned, tick=_tick, sigmas=True)
        for name, series, other in zip(COLUMNS, found, alone[0], strict=True):
            np.testing.assert_array_equal(series, other, f"{rule.name}: {name}")
        assert own is not None
        np.testing.assert_array_equal(sigma, own[0], rule.name)


def test_a_log_that_shows_nothing_before_its_last_round_is_judged() -> None:
    log = _log(20, 3, 1)
    values = np.full(log.values.shape, np.nan)
    values[-1, 0] = 1.0
    nothing = wz.judge(
        wz.Log(**{**vars(log), "values": values, "opened": ~np.isnan(values)}), RULES
    )
    assert nothing.of("stay").trace.totals.tolist() == [9.0] * 20
    assert math.isnan(nothing.of("all").trace.totals[0])


def test_rounds_that_close_together_leave_the_history_that_they_leave_one_by_one() -> None:
    # More rounds than a history keeps, in batches of many sizes; a column stops being common half way
    log = _log(9000, 3, 2, absent=True, piles=True)
    seen, dimension = seen_of(log), 2
    made = [
        (
            History(boxes=3, dimension=dimension, prepare="all", feedback="opened"),
            Preparation(dimension, values=True, feedback="opened"),
        )
        for _ in range(2)
    ]
    (one, first), (many, second) = made
    sizes, done = iter([1, 1, 63, 2, 900, 1, 4033, 3000, 9000]), 0
    for t, (shown, places) in enumerate(seen.rounds()):
        for history, preparation in made if t < 10 else made[:1]:
            ready, values = preparation.take(shown, seen.values[t, places])
            if ready.units is not None:
                history.add(ready, values)
    done = 10
    while done < len(seen):
        here = slice(done, done + next(sizes))
        closed = np.ones(len(seen.costs[here]), dtype=np.bool_)
        many.add_rounds(
            take_rounds(
                second, seen.contexts[here], seen.costs[here], seen.values[here], seen.outside[here],
                seen.least, closed,
            )
        )  # fmt: skip
        done = here.stop
    for state, other in ((one.state(), many.state()), (first.state(), second.state())):
        assert state.keys() == other.keys()
        for name, array in state.items():
            np.testing.assert_array_equal(array, other[name], name)
