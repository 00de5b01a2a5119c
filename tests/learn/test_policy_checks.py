"""Every policy keeps the contract, and one that breaks a promise is found out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.own import Thrifty
from tests.learn.test_policies import POLICIES
from weitzman.feedback import Feedback
from weitzman.learn.checks.policy import CHECKS, check_policy
from weitzman.learn.policies.joint import Kind, Way
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Floats, Policy, Round
from weitzman.learn.storage.registry import LEARNERS as KNOWN
from weitzman.learn.storage.registry import POLICIES as SAVED
from weitzman.search.rule import STOP, Action, Open, WeitzmanRule
from weitzman.search.state import RoundState

KINDS: tuple[Kind, ...] = ("past", "linear", "trees", "trees+linear", "stacked")
WAYS: tuple[Way, ...] = ("index", "greedy", "moving", "fixed", "one-shot")
LEARNERS: dict[str, wz.Learner] = {
    "Fourier": wz.Fourier(features=8, intercept=False),
    "FTRL, window": wz.FTRL(window=20, intercept=True),
    "FTRL, shared": wz.FTRL(shared=True, intercept=False),
    "LinearisedFTRL": wz.LinearisedFTRL(intercept=False),
    "Logistic": wz.Logistic(intercept=False),
    "NewtonStep": wz.NewtonStep(intercept=False),
    "LinUCB": wz.LinUCB(),
    "OptimisticLaw": wz.OptimisticLaw(),
    "OptimisticResidual": wz.OptimisticResidual(intercept=True),
    "Residual": wz.Residual(memory=12, intercept=False),
    "Ridge": wz.Ridge(intercept=False),
    "Thompson": wz.Thompson(intercept=True),
}
EVERY: dict[str, Policy] = {
    **POLICIES,
    **{rule: wz.Simple(rule, prepare="contexts") for rule in RULES},
    **{f"{kind} {way}": wz.Joint(kind, way, prepare="contexts") for kind in KINDS for way in WAYS},
    **{name: wz.Weitzman(learner) for name, learner in LEARNERS.items()},
    "Ridge standardised": wz.Weitzman(wz.Ridge(intercept=False), optimism=0.5, prepare="contexts"),
    "aware standardised": wz.Aware(wz.Ridge(intercept=False), prepare="contexts"),
    "one shot, shared": wz.Simple("one-shot", shared=True, prepare="nothing"),
    "trees greedy 0": wz.Joint("trees", "greedy", caution=0.0, prepare="contexts"),
    "stacked moving 1": wz.Joint("stacked", "moving"),
    "default": wz.default_policy(prepare="contexts"),
    "default, shared": wz.default_policy(shared=True, prepare="contexts"),
    "default, no trees, as it is": wz.default_policy(trees=False, prepare="nothing"),
    "one's own": Thrifty(),
    "portfolio of one's own": wz.Portfolio(
        candidates=[wz.Simple("all"), Thrifty()], prepare="contexts"
    ),
}


def test_every_exported_policy_is_checked() -> None:
    exported = {name for name in wz.__all__ if hasattr(getattr(wz, name), "start")}
    policies = exported - KNOWN.keys() - {"Policy", "Learner"}
    assert policies == set(SAVED)
    assert {type(policy).__name__ for policy in EVERY.values()} >= policies


@pytest.mark.parametrize("policy", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract(
    policy: Policy, feedback: Feedback, check: Callable[[Policy, Feedback], None]
) -> None:
    check(policy, feedback)


class Broken:
    """A player that opens everything, and breaks one promise."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.count = 0

    def start(self, *, boxes: int, dimension: int, feedback: Feedback, seed: int) -> "Broken":
        return Broken(self.what)

    def rule(self, shown: Round) -> Any:
        self.count += self.what == "counts questions"
        return BrokenRule(self.what, len(shown.costs))

    def learn(self, shown: Round, values: Floats) -> None:
        self.count += 1
        if self.what == "wants values":
            assert not np.isnan(values).any(), "a value is missing"

    def state(self) -> dict[str, Any]:
        size = self.count**2 if self.what == "grows" else 1
        return {"count": np.full(size, self.count)}

    def restore(self, state: Any) -> None:
        self.count = int(state["count"][0])
        if self.what == "loses":
            self.count = 0


class BrokenRule(WeitzmanRule):
    def __init__(self, what: str, count: int) -> None:
        super().__init__(np.full(count, -np.inf))
        self.what, self.asked = what, 0

    def next(self, state: RoundState) -> Action:
        self.asked += 1
        if self.what == "opens twice" and state.opened:
            return Open(state.opened[0])
        if self.what == "opens others" and state.opened:
            return Open(17)
        if self.what == "says a number":
            return 0  # type: ignore[return-value]
        stops = {
            "opens nothing": True,
            "says another course": len(state.opened) == 2,
            "remembers being asked": self.asked > 2,
        }
        return STOP if stops.get(self.what) else super().next(state)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("opens twice", "no row twice"),
        ("opens others", "rows of its round"),
        ("says a number", "opens, takes or stops"),
        ("opens nothing", "a box is opened"),
        ("counts questions", "asking for a rule changes nothing"),
        ("wants values", "a value is missing"),
        ("remembers being asked", "asking again changes nothing"),
        ("loses", "restore brings the state back"),
        ("grows", "memory grows linearly"),
        ("says another course", "opens look by look"),
    ],
)
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_a_broken_promise_is_named(what: str, text: str, feedback: Feedback) -> None:
    with pytest.raises(AssertionError, match=text):
        check_policy(Broken(what), feedback)


def test_check_policy_runs_all_checks() -> None:
    check_policy(POLICIES["one shot"])
    check_policy(POLICIES["one shot"], "opened")
