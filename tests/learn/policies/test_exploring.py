"""Exploring: what draws open, with what chance, the same live, recorded and reopened."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.learn.test_searcher import record
from weitzman.learn.policies.exploring import Exploring, ExploringRule, _followed
from weitzman.learn.policies.portfolio.both import Both
from weitzman.search.rule import Action, WeitzmanRule, follow
from weitzman.search.state import RoundState

SHARE = 0.3
ROUNDS = 60


def _searches(
    searcher: wz.Searcher, seed: int = 0, rounds: int = ROUNDS
) -> Iterator[tuple[wz.LiveSearch[Any], Any, wz.Outcome[Any]]]:
    """Play rounds live; yield each search, the values of its boxes, and its outcome."""
    contexts, costs, values = record(rounds, gaps=False, seed=seed)
    for t in range(rounds):
        search = searcher.open(contexts[t], costs[t], outside=2.5)
        for box in search:
            search.see(float(values[t, searcher.names.index(box)]))
        yield search, values[t], search.close()


def _make(**settings: Any) -> wz.Searcher:
    given: dict[str, Any] = {"boxes": 4, "dimension": 3, "policy": "no-context"} | settings
    return wz.Searcher(**given)


def test_drawn_rounds_open_everything_and_the_others_what_the_policy_does() -> None:
    drawn = 0
    for search, _, outcome in _searches(_make(explore=SHARE)):
        rule: Any = search._rule
        if rule.drawn:
            drawn += 1
            assert len(outcome.opened) == 4
        alone = follow(rule.first, RoundState(search._shown.costs.tolist(), 2.5), _values(search))
        assert search.chances == {k: 1.0 if k in alone.opened else SHARE for k in range(4)}
        assert set(outcome.opened) == set(range(4) if rule.drawn else alone.opened)
    assert 0.15 * ROUNDS < drawn < 0.45 * ROUNDS


def _is_drawn(search: wz.LiveSearch[Any]) -> bool:
    rule = search._rule
    assert isinstance(rule, ExploringRule)
    return rule.drawn


def _values(search: wz.LiveSearch[Any]) -> list[float]:
    return [search._state.values.get(k, np.nan) for k in range(4)]


def test_draws_depend_on_the_seed_and_the_number_alone() -> None:
    drawn = {}
    cases: list[tuple[str, int, dict[str, Any]]] = [
        ("one", 0, {}),
        ("other values", 3, {}),
        ("other policy", 0, {"policy": "all"}),
        ("other seed", 0, {"rng": 1}),
    ]
    for name, seed, settings in cases:
        searcher = _make(explore=SHARE, **settings)
        drawn[name] = [_is_drawn(search) for search, _, _ in _searches(searcher, seed=seed)]
    assert drawn["one"] == drawn["other values"] == drawn["other policy"]
    assert drawn["one"] != drawn["other seed"]
    # Not the draws by which a portfolio has its trials
    from weitzman.learn.policies.portfolio.exploration import is_drawn

    trials = [is_drawn(SHARE, seed=0, number=t) for t in range(ROUNDS)]
    assert drawn["one"] != trials


def test_prefix_exploration_opens_what_the_other_policy_needs() -> None:
    needed = wz.Simple("mean+cost")
    searcher = _make(policy=Exploring(wz.Simple("stay"), share=SHARE, needs=needed))
    needs = needed.start(boxes=4, dimension=3, feedback="opened", seed=0)
    opened = 0
    for search, values, outcome in _searches(searcher):
        shown, rule = search._shown, search._rule
        assert isinstance(rule, ExploringRule)
        wanted = follow(needs.rule(shown), RoundState(shown.costs.tolist(), 2.5), values).opened
        chances = search.chances
        if rule.drawn:
            opened += len(wanted)
            assert list(outcome.opened) == wanted
            assert chances == {k: SHARE if k in wanted else 0.0 for k in range(4)}
        else:
            assert outcome.opened == ()
            first = wanted[0] if wanted else None
            hidden = None if wanted else 0.0
            assert chances == {k: SHARE if k == first else hidden for k in range(4)}
        found = np.full(4, np.nan)
        found[list(outcome.opened)] = values[list(outcome.opened)]
        needs.learn(shown, found)
    assert opened > 5


@pytest.mark.parametrize("needs", [None, wz.Weitzman(wz.Ridge())])
def test_an_open_search_goes_on_elsewhere_with_its_draw(needs: wz.Policy | None) -> None:
    searcher = _make(policy=Exploring(wz.default_policy(), share=SHARE, needs=needs))
    for _ in _searches(searcher):
        pass
    contexts, costs, values = record(30, gaps=False, seed=5)
    drawn = 0
    for t in range(30):
        saved = searcher.to_bytes()
        search: Any = searcher.open(contexts[t], costs[t], outside=2.5)
        for box in search:
            search.see(float(values[t, box]))
            break
        there: Any = wz.load(saved).reopen(search.to_bytes())
        for one in (search, there):
            for box in one:
                one.see(float(values[t, box]))
        assert there.chances == search.chances
        drawn += _is_drawn(search)
        assert there.close() == search.close()
    assert 0 < drawn < 30


def test_a_searcher_that_explores_is_saved_and_goes_on() -> None:
    policy = Exploring(wz.Simple("single"), share=SHARE, needs=wz.Simple("no-context"))
    searcher = _make(policy=policy)
    for _ in _searches(searcher):
        pass
    other = wz.load(searcher.to_bytes())
    assert other.policy == policy
    assert other.digest() == searcher.digest()
    pair = zip(_searches(searcher, seed=2), _searches(other, seed=2), strict=True)
    assert all(one[2] == two[2] for one, two in pair)


def test_what_does_not_explore_has_chances_too() -> None:
    for search, _, outcome in _searches(_make(), rounds=5):
        assert search.chances == {k: float(k in outcome.opened) for k in range(4)}


def test_a_box_that_is_best_possible_does_not_end_a_drawn_round() -> None:
    rule = ExploringRule(WeitzmanRule(np.array([1.0, 2.0])), None, chance=0.5, drawn=True)
    done = follow(rule, RoundState([0.1, 0.1], 9.0), [0.0, 5.0])
    assert done.opened == [0, 1]
    assert rule.chances(done).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"explore": 0.0}, "The share of rounds to explore must be a number above 0 and below 1"),
        ({"explore": 1.0}, "The share of rounds to explore must be a number above 0 and below 1"),
        ({"policy": "nobody", "explore": 0.1}, "The name of a policy must be"),
        (
            {"explore": 0.1, "policy": None, "feedback": "probe", "block": 3},
            "The feedback must be 'full' or 'opened' where a share",
        ),
    ],
)
def test_what_cannot_explore_is_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=text):
        _make(**settings)


class _Asked:
    """Weitzman's rule behind a face of its own, so that it is followed step by step."""

    def __init__(self, rule: WeitzmanRule) -> None:
        self.rule = rule

    def next(self, state: RoundState) -> Action:
        return self.rule.next(state)

    def state(self) -> dict[str, Any]:
        return self.rule.state()


def test_a_rule_whose_order_is_known_is_followed_as_any_other() -> None:
    rng = np.random.default_rng(8)
    everything = WeitzmanRule(np.full(5, -np.inf))
    drawn_on = 0
    for _ in range(2_000):
        sigma = rng.choice([-np.inf, 0.0, 1.0, 2.0, 3.0, np.inf], size=5)
        state = RoundState([0.1] * 5, float(rng.choice([1.0, 2.5, np.inf])))
        for row in rng.permutation(5)[: rng.integers(0, 6)].tolist():
            state.open(row)
            if rng.random() < 0.8:
                state.see(row, float(rng.choice([0.0, 1.0, 2.0, 4.0])))
            elif rng.random() < 0.5:
                state.miss()
        rule = WeitzmanRule(sigma)
        assert rule.followed(state) == _followed(_Asked(rule), state)
        for drawn in (False, True):
            explores = ExploringRule(rule, None, chance=0.2, drawn=drawn)
            slowly = ExploringRule(_Asked(rule), None, chance=0.2, drawn=drawn)
            assert explores.logged(state) == slowly.logged(state)
            assert explores.next(state) == slowly.next(state)
        # A drawn round goes on where the rule stops, as two rules do one after the other
        assert explores.next(state) == Both(_Asked(rule), everything).next(state)
        drawn_on += rule.next(state) != explores.next(state)
    assert drawn_on > 500
