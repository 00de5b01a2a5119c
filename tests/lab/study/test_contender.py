"""Contenders: what a run fills in, and what it leaves alone."""

import math
from dataclasses import replace
from typing import Any, Literal

import pytest

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.lab.study.contender import CONTENDERS, Contender
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.policies.portfolio.portfolio import default_policy
from weitzman.learn.policies.weitzman import Weitzman
from weitzman.learn.searcher import Searcher

RUN: dict[str, Any] = {"boxes": 3, "dimension": 2, "rounds": 1000, "cost": 1.0, "rng": 5}


def policy_of(searcher: Searcher) -> Weitzman:
    assert isinstance(searcher.policy, Weitzman)
    return searcher.policy


def test_theorem_learners_get_the_horizon_and_the_radius_of_the_world() -> None:
    searcher = CONTENDERS["cpb-theorem"].searcher(**RUN, radius=4.0)
    assert policy_of(searcher).learner == wz.FTRL(
        eta="theorem", radius=4.0, horizon=1000, intercept=False
    )


def test_what_a_learner_says_itself_stays() -> None:
    learner = wz.FTRL(eta="theorem", radius=2.0, horizon=7, intercept=False)
    searcher = Contender(learner=learner).searcher(**RUN, radius=4.0)
    assert policy_of(searcher).learner == learner
    assert policy_of(Contender().searcher(**RUN, radius=4.0)).learner == wz.FTRL(intercept=False)


@pytest.mark.parametrize("block", [None, "theorem"])
def test_the_block_of_the_theorem(block: Literal["theorem"] | None) -> None:
    contender = Contender(feedback="probe", block=block)
    searcher = contender.searcher(**{**RUN, "rounds": 10**7}, radius=4.0)
    assert policy_of(searcher).block == wz.block_length(horizon=10**7, cost=1.0, radius=4.0) > 1
    with pytest.raises(wz.InvalidInputError, match="block must be a number for a world"):
        contender.searcher(**RUN)


def test_a_block_is_used_with_bought_looks_only() -> None:
    assert policy_of(Contender(feedback="full", block=9).searcher(**RUN)).block is None
    searcher = Contender(feedback="opened+probe", block=9).searcher(**RUN)
    assert (policy_of(searcher).block, searcher.rng, searcher.feedback) == (9, 5, "opened+probe")


@pytest.mark.parametrize("name", CONTENDERS)
@pytest.mark.parametrize("feedback", ["full", "opened", "probe"])
def test_every_contender_starts(name: str, feedback: Feedback) -> None:
    if name == "default" and feedback == "probe":
        with pytest.raises(wz.InvalidInputError, match="looks are bought by Weitzman"):
            replace(CONTENDERS[name], feedback=feedback).searcher(**RUN)
        return
    contender = replace(CONTENDERS[name], feedback=feedback)
    assert contender.searcher(**RUN, radius=4.0).rounds == 0


def test_a_policy_takes_the_place_of_a_learner() -> None:
    searcher = CONTENDERS["default"].searcher(**RUN)
    assert searcher.policy == default_policy()
    assert (searcher.rng, searcher.feedback) == (RUN["rng"], "opened")
    both = Contender(learner=Ridge(intercept=False), policy=default_policy(prepare="contexts"))
    with pytest.raises(wz.InvalidInputError, match="a policy or a learner, not both"):
        both.searcher(**RUN)


def test_a_policy_is_evaluated_beside_a_learner() -> None:
    contenders = {
        "cpb": Contender(feedback="full"),
        "paper": Contender(feedback="full", policy=Weitzman(FTRL(intercept=False))),
        "default": replace(CONTENDERS["default"], feedback="full"),
    }
    rows = wz.evaluate(contenders, wz.WORLDS["signed"](), rounds=60, rng=0)
    last = {row.searcher: row for row in rows if row.round == 60}
    # The rule of the paper on contexts as they are is the learner itself
    assert last["paper"].total == last["cpb"].total
    assert last["default"].regret > 0.0
    assert math.isnan(last["default"].expected_regret)
    assert math.isfinite(last["cpb"].expected_regret)


def test_a_named_policy_is_the_policy() -> None:
    both = {
        "named": Contender(policy="mean"),
        "whole": Contender(policy=wz.Simple("mean")),
    }
    rows = wz.evaluate(both, wz.WORLDS["signed"](), rounds=30, rng=0)
    named, whole = ([r.total for r in rows if r.searcher == name] for name in both)
    assert named == whole
    with pytest.raises(wz.InvalidInputError, match="The name of a policy must be 'default'"):
        Contender(policy="other").searcher(**RUN)
