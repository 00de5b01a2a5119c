"""Looks with real costs: decided and learned by the expected ones, booked with the others."""

import numpy as np
import pytest

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.bank_input import hash_of
from weitzman.learn.policy import Policy

POLICIES: list[Policy] = [wz.default_policy(trees=False), wz.Weitzman(wz.FTRL()), wz.Aware()]


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: str(policy.name))
def test_what_is_decided_and_learned_does_not_depend_on_it(
    policy: Policy, feedback: Feedback, sense: wz.search.reservation.Sense
) -> None:
    rng = np.random.default_rng(0)
    told, untold = (
        wz.Searcher(boxes=3, dimension=2, policy=policy, feedback=feedback, sense=sense)
        for _ in range(2)
    )
    sign = 1.0 if sense == "min" else -1.0
    for _ in range(25):
        contexts, values, real = (
            rng.normal(size=(3, 2)),
            rng.normal(size=3),
            rng.exponential(size=3),
        )
        one, other = (s.open(contexts, 0.3) for s in (told, untold))
        opened = []
        for box in one:
            assert next(other) == box
            assert isinstance(box, int)
            one.see(values[box], cost=real[box])
            other.see(values[box])
            opened.append(box)
        shown = values if feedback == "full" else None
        with_costs, without = one.close(shown), other.close(shown)
        assert with_costs.opened == without.opened == tuple(opened)
        assert with_costs.paid == pytest.approx(real[opened].sum())
        assert with_costs.total == pytest.approx(with_costs.value + sign * with_costs.paid)
        assert without.paid == pytest.approx(0.3 * len(opened))
    # Means of real costs are kept beside it, for rounds that are opened without
    assert hash_of(told._player.state()) == hash_of(untold._player.state())


def test_a_search_goes_on_elsewhere_with_its_costs() -> None:
    searcher = wz.Searcher(boxes=list("abc"), dimension=1, policy=wz.Simple("all"))
    search = searcher.open(np.ones((3, 1)), 1.0)
    box = next(search)
    search.see(4.0, cost=0.125)
    state = search.state()
    again = searcher.reopen(state)
    assert np.array_equal(again.state()["spent"], state["spent"], equal_nan=True)
    for other in (again, search):
        for _ in other:
            other.see(3.0, cost=2.0)
    assert again.close() == search.close()
    assert search.state()["spent"].tolist()[searcher.names.index(box)] == 0.125
    # As earlier versions kept it
    del state["spent"]
    assert np.isnan(searcher.reopen(state).state()["spent"]).all()
