"""The line-up of a replay: every policy has a name of its own that a reader understands."""

import pytest

import weitzman as wz
from tests.replays.test_replay import a_log
from weitzman.replays.lineup import PAPER, distinct_names, lineup_of


def ridge(eta: float) -> wz.Weitzman:
    return wz.Weitzman(wz.Ridge(eta=eta))


def test_two_settings_of_one_learner_are_told_apart_by_what_differs() -> None:
    replay = wz.replay(a_log(), [ridge(1.0), ridge(10.0), wz.Weitzman(wz.Ridge())])
    assert replay.names[:3] == ["Ridge eta=1", "Ridge eta=10", "Ridge eta=auto"]
    for eta in (1.0, 10.0):
        alone = wz.replay(a_log(), [ridge(eta)])
        assert replay.of(f"Ridge eta={eta:g}").tolist() == alone.of("Ridge").tolist()


@pytest.mark.parametrize(
    ("policies", "names"),
    [
        ([ridge(1.0), wz.Weitzman(wz.FTRL())], ["Ridge", "FTRL"]),
        (
            [wz.Weitzman(wz.FTRL(window=9)), wz.Weitzman(wz.FTRL(window=9), optimism=0.5)],
            ["FTRL optimism=auto", "FTRL optimism=0.5"],
        ),
        (
            [wz.Weitzman(wz.FTRL(window=9)), wz.Weitzman(wz.FTRL(forget=0.5))],
            ["FTRL forget=1 window=9", "FTRL forget=0.5 window=None"],
        ),
        ([wz.Aware(), wz.Aware(wz.Ridge())], ["aware learner=FTRL", "aware learner=Ridge"]),
        (
            [wz.Simple("all"), wz.Simple("all", shared=True)],
            ["all shared=False", "all shared=True"],
        ),
    ],
)
def test_names_say_what_differs_and_no_more(policies: list[wz.Policy], names: list[str]) -> None:
    assert distinct_names(policies) == names
    assert list(lineup_of(policies, shared=False))[: len(names)] == names


def test_a_candidate_that_is_told_apart_leaves_the_paper_its_own_totals() -> None:
    """Of two that are called FTRL one is a candidate of the first policy, and neither is the paper's."""
    short, long = wz.Weitzman(wz.FTRL(window=3)), wz.Weitzman(wz.FTRL(window=5))
    main = wz.Portfolio(candidates=(wz.Simple("stay"), short), incumbent="FTRL")
    replay = wz.replay(a_log(), [main, short, long])
    for name, policy in (
        ("FTRL window=3", short),
        ("FTRL window=5", long),
        (PAPER, wz.Weitzman(wz.FTRL())),
    ):
        assert replay.of(name).tolist() == wz.replay(a_log(), [policy]).of(PAPER).tolist()


def test_the_same_policy_twice_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match=r"have distinct names. Got 'Ridge'"):
        wz.replay(a_log(), [ridge(1.0), ridge(1.0)])
