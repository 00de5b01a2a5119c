"""From rounds that were searched live with draws to a judgement, as the how-to does it."""

from typing import Any

import numpy as np
import pyarrow

import weitzman as wz
from tests.replays.judgement.worlds import Fixed
from weitzman.search.rule import WeitzmanRule

NAMES = ["near", "web", "far"]
COSTS = [0.2, 0.3, 0.4]
RIVAL = np.array([np.inf, -np.inf, 10.0])


def _offers(rounds: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    market = rng.exponential(4.0, (rounds, 1))
    return 6.0 + market + rng.exponential(2.0, (rounds, 3)) - [0.0, 0.0, 2.0]


def _rival(values: Any) -> float:
    """Return what the rival pays: web first, then far if that is above 10."""
    total = 0.3 + float(values[1])
    return total if values[1] <= 10.0 else 0.7 + float(min(values[1], values[2]))


def _searched(offers: Any, needs: wz.Policy | None = None) -> wz.Log:
    """Search round by round, and write down what a log needs."""
    policy = wz.Exploring(wz.Simple("cheapest"), share=0.1, needs=needs)
    searcher = wz.Searcher(boxes=NAMES, dimension=1, policy=policy)
    rows = []
    for number, values in enumerate(offers):
        search = searcher.open(np.ones((3, 1)), COSTS, outside=20.0)
        for box in search:
            search.see(float(values[NAMES.index(str(box))]))
        outcome, chances = search.close(), search.chances
        for k, name in enumerate(NAMES):
            opened = name in outcome.opened
            rows.append(
                {
                    "round": number,
                    "box": name,
                    "cost": COSTS[k],
                    "value": float(values[k]) if opened else None,
                    "outside": 20.0,
                    "opened": opened,
                    "chance": chances[name],
                }
            )
    return wz.read_log(pyarrow.Table.from_pylist(rows))


def test_draws_of_whole_rounds_and_of_what_a_rule_needs_answer_the_question() -> None:
    offers = _offers(1500, 0)
    truth = float(np.mean([_rival(values) for values in offers]))
    rival = Fixed("rival", WeitzmanRule(RIVAL))
    whole = wz.judge(_searched(offers), [rival]).of("rival")
    assert whole.unidentified == 0.0
    assert whole.low < truth < whole.high
    assert whole.high - whole.low < 1.5
    log = _searched(offers, rival)
    every = _searched(offers)
    assert log.opened is not None and every.opened is not None
    assert log.opened.sum() < every.opened.sum()
    found = wz.judge(log, [rival], explored_for="rival").of("rival")
    assert found.low < truth < found.high
    assert found.high - found.low < 1.5
    # Whatever the draws opened, the naive mean would be that of explored rounds
    assert found.rounds_explored == whole.rounds_explored
