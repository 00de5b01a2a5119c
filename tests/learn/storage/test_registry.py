"""Policies in plain words, and saved searchers that run them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.own import Thrifty
from tests.learn.storage.test_format import grid
from tests.learn.test_policies import POLICIES, both_feedbacks, every_policy, make
from tests.learn.test_searcher import columns, record
from weitzman.learn.policy import Policy
from weitzman.learn.storage.registry import described_policy, policy_from


@pytest.mark.parametrize(
    "policy",
    [
        *POLICIES.values(),
        wz.default_policy(prepare="contexts"),
        wz.default_policy(shared=True, trees=False, prepare="contexts"),
        wz.Weitzman(wz.Ridge(intercept=False), optimism=0.5, block=3, prepare="contexts"),
        wz.Aware(wz.Ridge(intercept=False), optimism=0.5, shared=True, prepare="contexts"),
    ],
)
def test_a_description_is_plain_and_gives_the_policy_back(policy: Policy) -> None:
    described = described_policy(policy)
    assert policy_from(json.loads(json.dumps(described))) == policy


@pytest.mark.parametrize(
    "learner",
    [wz.Ridge(eta=2.0, intercept=False), wz.FTRL(window=9, prior=(0.5, 1.0, 2.0), intercept=False)],
)
def test_learners_are_described_too(learner: wz.Learner) -> None:
    for policy in (
        wz.Weitzman(learner),
        wz.Portfolio(candidates=(wz.Aware(learner),), prepare="contexts"),
    ):
        assert policy_from(json.loads(json.dumps(described_policy(policy)))) == policy


@pytest.mark.parametrize(
    "wrong",
    [
        Thrifty(),
        wz.Portfolio(candidates=(Thrifty(),), prepare="contexts"),
        wz.FTRL(intercept=False),
        wz.Simple("all", prepare="contexts").family(),
        3,
        None,
    ],
)
def test_what_cannot_be_read_back_is_refused(wrong: Any) -> None:
    with pytest.raises(wz.InvalidInputError, match="A saved policy must be made of"):
        described_policy(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"class": "FTRL"},
        {"class": "os.system"},
        {"class": ["Simple"]} | {"rule": "all"},
        {"class": "Simple", "rule": "all", "colour": "red"},
        {"class": "Portfolio", "candidates": [{"class": "Own"}]},
        {"class": "Portfolio", "candidates": [{"class": "Simple"}]},
    ],
    ids=str,
)
def test_descriptions_of_something_else_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((wz.InvalidInputError, TypeError)):
        policy_from(wrong)


@every_policy
@both_feedbacks
@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_loaded_searcher_goes_on_as_if_it_had_never_stopped(
    policy: Policy, feedback: str, sense: str, tmp_path: Path
) -> None:
    contexts, costs, values = record(60)
    whole, first = (make(policy, feedback, sense=sense, rng=4) for _ in range(2))
    played = whole.play(contexts, costs, values, outside=0.5)
    one = first.play(contexts[:33], costs[:33], values[:33], outside=0.5)
    first.save(tmp_path / "searcher.wz")
    second = wz.load(tmp_path / "searcher.wz")
    assert (second.policy, second.rounds) == (first.policy, 33)
    assert second.digest() == first.digest()
    assert wz.load(first.to_bytes()).digest() == first.digest()
    two = second.play(contexts[33:], costs[33:], values[33:], outside=0.5)
    parts = zip(columns(one), columns(two), strict=True)
    assert columns(played) == tuple(begin + end for begin, end in parts)
    assert second.digest() == whole.digest()


def test_the_default_policy_is_saved_and_goes_on() -> None:
    contexts, costs, values = record(60)
    whole, first = (make("default", "full") for _ in range(2))
    played = whole.play(contexts, costs, values, outside=0.5)
    one = first.play(contexts[:40], costs[:40], values[:40], outside=0.5)
    second = wz.load(first.to_bytes())
    two = second.play(contexts[40:], costs[40:], values[40:], outside=0.5)
    np.testing.assert_array_equal(np.concatenate([one.totals, two.totals]), played.totals)
    assert second.digest() == whole.digest()


def test_a_policy_of_ones_own_runs_and_is_not_saved(tmp_path: Path) -> None:
    contexts, costs, values = record(5)
    searcher = make(Thrifty(), "full")
    searcher.play(contexts, costs, values, outside=0.5)
    with pytest.raises(wz.InvalidInputError, match="A saved policy must be made of"):
        searcher.save(tmp_path / "searcher.wz")
    assert list(tmp_path.iterdir()) == []


def test_a_file_whose_policy_does_not_fit_its_arrays_is_refused() -> None:
    contexts, costs, values = record(10)
    searcher = make(POLICIES["portfolio"])
    searcher.play(contexts, costs, values, outside=0.5)
    other = make(POLICIES["paper"])
    from weitzman.learn.storage.format import pack, unpack

    settings, _ = unpack(other.to_bytes())
    _, arrays = unpack(searcher.to_bytes())
    with pytest.raises(wz.InvalidFileError, match="hold a whole searcher"):
        wz.load(pack(settings, arrays))


# A file of the first version with a policy, and a search that was open then


def golden_searcher() -> wz.Searcher:
    """The searcher in the file, which was made with ``golden_searcher().save(GOLDEN)``."""
    policy = wz.Joint("linear", "index", caution=1.0, prepare="contexts")
    searcher = wz.Searcher(boxes=["a", "b", 3], dimension=2, policy=policy, feedback="full")
    contexts, values = grid(12, 0)
    searcher.play(contexts, [0.25, 0.5, 0.125], values)
    return searcher


GOLDEN = Path(__file__).parent / "golden"
GOLDEN_TOTALS: list[float] = [-0.25, 2.75, 1.0, 1.625, 0.25, 1.125, -0.625, 2.25]


def golden_search(searcher: wz.Searcher) -> wz.LiveSearch[Any]:
    """The search in the file: after its first look."""
    contexts, values = grid(1, 12)
    search = searcher.open(contexts[0], [0.25, 0.5, 0.125], outside=4.0)
    search.see(values[0][searcher.names.index(next(search))])
    return search


def test_a_file_of_version_2_still_loads_and_goes_on() -> None:
    loaded, made = wz.load(GOLDEN / "searcher-v2.wz"), golden_searcher()
    assert (loaded.policy, loaded.rounds) == (made.policy, 13)
    search, same = loaded.reopen((GOLDEN / "search-v1.wz").read_bytes()), golden_search(made)
    contexts, values = grid(9, 12)
    for one in (search, same):
        for box in one:
            one.see(values[0][made.names.index(box)])
    assert search.close(values[0]).opened == same.close(values[0]).opened
    old, new = (s.play(contexts[1:], [0.25, 0.5, 0.125], values[1:]) for s in (loaded, made))
    assert old.totals.tolist() == GOLDEN_TOTALS
    np.testing.assert_allclose(new.totals, GOLDEN_TOTALS, rtol=1e-12)
