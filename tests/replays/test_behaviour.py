"""What a policy does on a log, beside a plain account of the same rounds."""

import math
from dataclasses import replace

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import anonymous_log, named_log, two_valued_log
from weitzman.feedback import Feedback
from weitzman.logs.log import Log
from weitzman.replays.behaviour import behaviour_of
from weitzman.replays.replay import replay

LOGS = {"named": named_log, "two values": two_valued_log, "anonymous": anonymous_log}


def turned(log: Log) -> Log:
    """The same log, of a user for whom larger values are better."""
    return replace(log, sense="max")


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", ["default", "FTRL", "fixed-set"])
@pytest.mark.parametrize("name", LOGS)
def test_what_is_described_is_what_was_replayed(name: str, policy: str, feedback: Feedback) -> None:
    for log in (LOGS[name](), turned(LOGS[name]())):
        behaviour, searcher = behaviour_of(log, policy, feedback)
        played = replay(log, [policy], feedback=feedback)
        assert behaviour.totals.tolist() == played.of(policy).tolist()
        assert behaviour.counts.tolist() == played.opened[:, played.names.index(policy)].tolist()
        assert searcher.digest() == wz.Searcher.from_log(log, policy, feedback=feedback).digest()


def test_shares_of_options_are_those_of_a_plain_count() -> None:
    log = named_log()
    behaviour, _ = behaviour_of(log, "default", "opened")
    rows = [(shown, values.tolist()) for shown, values in log.past()]
    options = {o.name: o for o in behaviour.options()}
    for place, name in enumerate(log.boxes):
        looks = [
            (row.index(place), shown, values)
            for row, (shown, values) in zip(behaviour.looks, rows, strict=True)
            if place in row
        ]
        own = [s.places.tolist().index(place) for _, s, _ in looks]
        count = len(rows)
        assert options[name].first == sum(order == 0 for order, _, _ in looks) / count
        assert options[name].checked == len(looks) / count
        paid = math.fsum(float(s.costs[k]) for k, (_, s, _) in zip(own, looks, strict=True))
        assert options[name].paid == pytest.approx(paid / count)
        found = [v[k] for k, (_, _, v) in zip(own, looks, strict=True)]
        assert options[name].value == pytest.approx(float(np.mean(found)))
    # What is kept and what is paid make the total
    kept = [
        shown.outside if k < 0 else values[shown.places.tolist().index(k)]
        for k, (shown, values) in zip(behaviour.kept, rows, strict=True)
    ]
    paid = sum(o.paid for o in options.values())
    assert np.mean(kept) + paid == pytest.approx(behaviour.totals.mean())
    assert sum(o.kept for o in options.values()) == pytest.approx((behaviour.kept >= 0).mean())


def test_costs_are_those_that_were_played() -> None:
    log = named_log()
    once, twice = (behaviour_of(log, "all", "full", cost_scale=x)[0] for x in (1.0, 2.0))
    for one, two in zip(once.options(), twice.options(), strict=True):
        assert two.paid == pytest.approx(2.0 * one.paid)


def test_real_costs_are_paid_and_remembered() -> None:
    log = named_log()
    known = replace(log, paid=np.where(np.isnan(log.costs), np.nan, 7.0))
    behaviour, searcher = behaviour_of(known, "single", "opened")
    assert (
        behaviour.totals.tolist()
        == replay(known, ["single"], feedback="opened").of("single").tolist()
    )
    opened = {o.name for o in behaviour.options() if o.checked}
    assert all(o.paid == pytest.approx(7.0 * o.checked) for o in behaviour.options())
    # A round without costs is expected to cost what looks have cost
    x = np.zeros((len(log.boxes), log.contexts.shape[2]))
    assert {b.box for b in searcher.explain(x).boxes if b.cost == 7.0} >= opened
