"""Policies by name: tables, commands and study files call a policy alike."""

from dataclasses import replace
from typing import Any

import pytest

import weitzman as wz
from weitzman.learn.policies.portfolio.portfolio import default_policy, policy_name
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy
from weitzman.learn.storage.registry import LEARNERS, named_policy

WAYS = ("index 0", "index 1", "moving 0", "greedy 2", "greedy 0.5", "fixed", "one-shot")
NAMES = [
    *("default", "paper", "aware"),
    *RULES,
    *LEARNERS,
    *(
        f"{kind} {way}"
        for kind in ("past", "linear", "trees", "trees+linear", "stacked")
        for way in WAYS
    ),
]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_that_of_the_policy_it_gives(name: str, shared: bool) -> None:
    policy: Any = named_policy(name, shared=shared)
    assert policy_name(policy) == name
    # The model of a learner says itself whether it serves all boxes
    assert getattr(policy, "shared", getattr(policy, "learner", policy).shared) == shared


def test_every_candidate_of_the_default_has_its_name() -> None:
    for shared in (False, True):
        for one in default_policy(shared=shared).candidates:
            named = named_policy(policy_name(one), shared=shared)
            if isinstance(one, wz.Aware):
                # The memory of the incumbent is bounded
                assert isinstance(one.learner, wz.FTRL)
                one = replace(one, learner=replace(one.learner, window=None))  # noqa: PLW2901
            assert named == one


CASES: list[tuple[str, Policy]] = [
    ("default", wz.default_policy()),
    ("FTRL", wz.Weitzman(wz.FTRL())),
    ("paper", wz.Weitzman(wz.FTRL(intercept=False))),
    ("Ridge", wz.Weitzman(wz.Ridge())),
    ("trees index 1", wz.Joint("trees", "index", caution=1.0)),
    ("mean+cost", wz.Simple("mean+cost")),
    ("aware", wz.Aware()),
]


@pytest.mark.parametrize(("name", "policy"), CASES)
def test_what_a_name_stands_for(name: str, policy: Policy) -> None:
    assert named_policy(name, shared=False) == policy


def test_trees_may_be_left_out() -> None:
    without = named_policy("default", shared=True, trees=False)
    assert without == default_policy(shared=True, trees=False)


@pytest.mark.parametrize(
    "name",
    [
        *("", "other", "Default", "standardised", "mean standardised", "default standardised"),
        *("trees", "trees index", "trees index x", "trees index -1", "trees index nan"),
        *("trees index inf", "trees fixed 1", "bushes fixed", "trees look 1", "trees index 1 2"),
    ],
)
def test_other_names_are_refused_and_the_error_says_what_is_known(name: str) -> None:
    with pytest.raises(wz.InvalidInputError, match="The name of a policy must be") as caught:
        named_policy(name, shared=False)
    words = str(caught.value)
    for known in ("default", "mean+cost", "Ridge", "trees+linear", "index z"):
        assert known in words
