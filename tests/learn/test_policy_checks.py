"""Every policy keeps the contract, and one that breaks a promise is found out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from weitzman.learn.policies.checks import CHECKS, check_policy
from weitzman.learn.policies.panel import Chosen

from tests.learn.test_bypolicy import POLICIES
from weitzman.learn.policies.joint import Law
from weitzman.learn.policies.portfolio import default
from weitzman.learn.policies.simple import RULES, Simple
from weitzman.learn.policy import Floats, IndexCourse, Policy, Round

EVERY: dict[str, Policy] = {
    **POLICIES,
    **{rule: Chosen(panel=Simple(), rule=rule) for rule in RULES},
    "paper, opened": replace(POLICIES["paper"], feedback="opened"),  # type: ignore[type-var]
    "trees": Chosen(panel=Law(kind="trees"), rule="trees greedy 0"),
    "default": default(),
    "default, opened": default(feedback="opened"),
    "default, shared": default(shared=True),
    "default, no trees, as it is": default(trees=False, standardise=False),
}


@pytest.mark.parametrize("policy", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract(policy: Policy, check: Callable[[Policy], None]) -> None:
    check(policy)


class Broken:
    """A player that opens everything, and breaks one promise."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.count = 0

    def start(self, *, boxes: int, dimension: int) -> "Broken":
        return Broken(self.what)

    def propose(self, shown: Round) -> Any:
        self.count += self.what == "counts proposals"
        return BrokenCourse(self.what, len(shown.costs))

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


class BrokenCourse(IndexCourse):
    def __init__(self, what: str, count: int) -> None:
        super().__init__(np.full(count, -np.inf))
        self.what, self.asked = what, 0

    def next(self, opened: Sequence[int], found: Sequence[float], best: float) -> int:
        self.asked += 1
        if self.what == "opens twice" and opened:
            return opened[0]
        if self.what == "opens others" and opened:
            return 17
        if self.what == "opens nothing":
            return -1
        if self.what == "remembers being asked" and self.asked > 2:
            return -1
        return super().next(opened, found, best)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("opens twice", "no row twice"),
        ("opens others", "rows of its round"),
        ("opens nothing", "a box is opened"),
        ("counts proposals", "proposing changes nothing"),
        ("wants values", "a value is missing"),
        ("remembers being asked", "asking again changes nothing"),
        ("loses", "restore brings the state back"),
        ("grows", "memory grows linearly"),
    ],
)
def test_a_broken_promise_is_named(what: str, text: str) -> None:
    with pytest.raises(AssertionError, match=text):
        check_policy(Broken(what))


def test_check_policy_runs_all_checks() -> None:
    check_policy(POLICIES["one shot"])
