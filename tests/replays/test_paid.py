"""A log that knows what looks really cost: rules go by ``cost``, totals are counted with ``paid``."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import weitzman as wz
from tests.replays.logs import normal_log
from weitzman.feedback import Feedback
from weitzman.logs.log import Log
from weitzman.logs.rounds import LogRounds


def paid_log() -> Log:
    log = normal_log(0.3, rounds=60, boxes=3)
    rng = np.random.default_rng(0)
    paid = log.costs * rng.exponential(size=log.costs.shape)
    paid[rng.uniform(size=paid.shape) < 0.3] = np.nan
    return replace(log, paid=paid, opened=rng.uniform(size=paid.shape) < 0.8)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", ["default", "mean", "FTRL", "trees index 1"])
def test_totals_are_those_of_live_searches_that_are_told_the_costs(
    policy: str, feedback: Feedback
) -> None:
    log = paid_log()
    assert log.paid is not None
    found = wz.replay(log, policy, feedback=feedback)
    chosen = wz.learn.storage.registry.named_policy(policy, shared=False)
    searcher = wz.Searcher(boxes=log.boxes, dimension=1, policy=chosen, feedback=feedback)
    totals = []
    for t in range(len(log)):
        search = searcher.open(log.contexts[t], log.costs[t])
        for box in search:
            at = log.boxes.index(str(box))
            real = float(log.paid[t, at])
            search.see(log.values[t, at], cost=None if np.isnan(real) else real)
        totals.append(search.close(log.values[t] if feedback == "full" else None).total)
    assert found.of(found.main).tolist() == totals


def test_decisions_are_those_without_it() -> None:
    log = paid_log()
    known, unknown = (
        wz.replay(one, ["default", "mean"], feedback="full")
        for one in (log, replace(log, paid=None))
    )
    for name in ("default", "mean", "all"):
        opened = [r.opened[:, r.names.index(name)].tolist() for r in (known, unknown)]
        assert opened[0] == opened[1]
    assert known.of("all").tolist() != unknown.of("all").tolist()


def test_hindsight_and_what_was_done_count_it() -> None:
    log = paid_log()
    rounds = LogRounds(log, 2.0)
    assert log.paid is not None
    real = 2.0 * np.where(np.isnan(log.paid), log.costs, log.paid)
    assert rounds.least == pytest.approx((log.values + real).min(axis=1))
    found = rounds.happened()
    if found is not None:
        assert log.opened is not None
        best = np.where(log.opened, log.values, np.inf).min(axis=1)
        assert found[0] == pytest.approx(best + np.where(log.opened, real, 0.0).sum(axis=1))


def test_it_is_a_column_of_the_log_and_no_feature() -> None:
    table = {"round": [1, 1], "box": ["a", "b"], "cost": [1.0, 1.0], "value": [1.0, 2.0]}
    log = wz.read_log(pa.table({**table, "paid": [0.5, None], "size": [1.0, 2.0]}))
    assert log.features == ["size"]
    assert log.paid is not None
    assert log.paid[0].tolist()[0] == 0.5
    assert np.isnan(log.paid[0, 1])
    assert wz.read_log(pa.table(table)).paid is None
    named = wz.read_log(pa.table({**table, "took": [3.0, 4.0]}), paid="took")
    assert named.paid is not None
    assert named.paid.tolist() == [[3.0, 4.0]]
    with pytest.raises(wz.InvalidInputError, match="row 2, column 'paid': the paid must be"):
        wz.read_log(pa.table({**table, "paid": [0.5, -1.0]}))
    with pytest.raises(wz.InvalidInputError, match="column of a feature"):
        wz.read_log(pa.table({**table, "paid": [0.5, 1.0]}), features=["paid"])
