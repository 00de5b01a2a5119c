"""What a searcher may be asked for together."""

from typing import Any

import pytest

import weitzman as wz


@pytest.mark.parametrize("policy", ["default", "Ridge", wz.Aware(), wz.Weitzman(wz.Ridge())])
@pytest.mark.parametrize(
    "more", [{"optimism": 0.5}, {"block": 3}, {"optimism": 0.0}, {"optimism": 0.5, "block": 3}]
)
@pytest.mark.parametrize("feedback", ["opened", "full", "opened+probe"])
def test_optimism_and_block_are_left_to_a_policy(policy: Any, more: Any, feedback: Any) -> None:
    given = more.get("optimism", more.get("block"))
    with pytest.raises(
        wz.InvalidInputError, match=rf"must be left to the policy where there is one. Got {given}\."
    ):
        wz.Searcher(boxes=2, dimension=1, policy=policy, feedback=feedback, **more)


@pytest.mark.parametrize("policy", ["default", wz.Aware()])
def test_a_policy_and_a_learner_are_not_asked_for_together(policy: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="have a policy or a learner, not both"):
        wz.Searcher(boxes=2, dimension=1, policy=policy, learner=wz.Ridge())


@pytest.mark.parametrize("policy", ["default", "all", wz.Aware(), wz.Simple("mean")])
@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
def test_looks_are_bought_by_weitzmans_rule_alone(policy: Any, feedback: Any) -> None:
    with pytest.raises(
        wz.InvalidInputError, match="feedback of a policy must be 'full' or 'opened'"
    ):
        wz.Searcher(boxes=2, dimension=1, policy=policy, feedback=feedback)
