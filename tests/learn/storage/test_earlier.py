"""Files of version 2, when a policy was a rule of a panel: they load, and go on to the same totals.

The files were written by the release that wrote version 2, after 12 rounds of the grid; the totals are what
that release went on to in the next 20 (``expected.json``).
"""

import json
from pathlib import Path
from typing import Any

import pytest

import weitzman as wz
from tests.learn.storage.test_format import grid
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy
from weitzman.learn.storage.earlier import is_earlier, upgraded
from weitzman.learn.storage.registry import described_policy, policy_from

FILES = Path(__file__).parent / "golden" / "version2"
# They say nothing of how they explore: as it was then
SHARED = wz.FTRL(shared=True, intercept=False, explore="between")
OWN = wz.FTRL(intercept=False, explore="between")
CANDIDATES: tuple[Policy, ...] = (
    *(wz.Simple(rule, shared=True, prepare="contexts") for rule in RULES if rule != "cheapest"),
    wz.Weitzman(SHARED),
    wz.Joint("past", "index", 0.0, shared=True, prepare="contexts"),
    wz.Joint("past", "greedy", 0.0, shared=True, prepare="contexts"),
    wz.Weitzman(SHARED, prepare="contexts"),
    wz.Joint("linear", "index", 1.0, shared=True, prepare="contexts"),
    wz.Joint("linear", "greedy", 1.0, shared=True, prepare="contexts"),
    wz.Joint("linear", "fixed", shared=True, prepare="contexts"),
)
POLICIES: dict[str, Policy] = {
    "paper": wz.Weitzman(OWN),
    "standardised": wz.Weitzman(OWN, prepare="contexts"),
    "aware": wz.Aware(OWN),
    "simple": wz.Simple("mean", shared=True, prepare="contexts"),
    "portfolio": wz.Portfolio(
        candidates=CANDIDATES, incumbent="paper", clarity=0.5, shared=True, prepare="contexts"
    ),
    "portfolio-opened": wz.Portfolio(
        candidates=CANDIDATES,
        incumbent="paper",
        clarity=0.5,
        exploration=0.5,
        shared=True,
        prepare="contexts",
    ),
}
# A policy had a seed of its own
SEEDS = {"portfolio": 9, "portfolio-opened": 0}
EXPECTED: dict[str, Any] = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", POLICIES)
def test_a_file_of_version_2_goes_on_to_the_same_totals(name: str) -> None:
    loaded = wz.load(FILES / f"{name}.wz")
    assert loaded.policy == POLICIES[name]
    assert (loaded.names, loaded.rounds) == (["a", "b", 3], 12)
    assert loaded.rng == SEEDS.get(name, 4)
    again = wz.load(loaded.to_bytes())
    assert again.policy == loaded.policy
    contexts, values = grid(20, 12)
    for searcher in (loaded, again):
        played = searcher.play(contexts, [0.25, 0.5, 0.125], values, outside=1.5)
        assert played.totals.tolist() == EXPECTED[name]["totals"]
        assert played.chosen.tolist() == EXPECTED[name]["chosen"]
    assert again.digest() == loaded.digest()


def test_what_is_written_today_is_not_taken_for_an_earlier_description() -> None:
    for policy in (*POLICIES.values(), wz.default_policy(prepare="contexts")):
        assert not is_earlier(described_policy(policy))
    assert not is_earlier(None)
    assert not is_earlier("default")


@pytest.mark.parametrize(
    ("incumbent", "expected"), [("ridge", "Ridge standardised"), ("all", "all"), (None, None)]
)
def test_a_candidate_with_a_name_of_its_own_is_found_under_its_name_of_today(
    incumbent: str | None, expected: str | None
) -> None:
    ridge = {"class": "Index", "learner": {"class": "Ridge"}, "name": "ridge", "standardise": True}
    described: dict[str, Any] = {
        "class": "Portfolio",
        "panels": [{"class": "Simple", "rules": ["all"]}, ridge],
        "incumbent": incumbent,
    }
    assert is_earlier(described)
    policy = policy_from(upgraded(described))
    candidates = (
        wz.Simple("all", prepare="contexts"),
        wz.Weitzman(wz.Ridge(intercept=False), prepare="contexts"),
    )
    assert policy == wz.Portfolio(candidates=candidates, incumbent=expected, prepare="contexts")


def test_laws_by_trees_of_boxes_without_history_had_plain_rules_only() -> None:
    law = {"class": "Law", "kind": "trees", "plain": ["fixed", "one-shot"]}
    described = {"class": "Portfolio", "panels": [law], "incumbent": None, "shared": True}
    policy: Any = policy_from(upgraded(described))
    assert [one.name for one in policy.candidates] == ["trees fixed", "trees one-shot"]
