"""The contract of policies, as checks that anyone can run on their own.

``check_policy(policy)`` starts the policy on small rounds, with boxes that are absent now and then, rounds
without an outside option and values that do not come, and raises an ``AssertionError`` that names the first
promise it breaks:

- a rule opens rows of its round, none twice, at least one where there is no outside option, and ends;
- the same calls give the same bits, and asking for a rule changes nothing;
- what was not revealed changes nothing;
- a value that does not come, or a round that reveals nothing, is no reason to stop working;
- a rule depends on what its round has shown, not on how often it was asked;
- a restored state goes on bit for bit, and so does a rule that can be kept
  (:mod:`weitzman.learn.storage.rules`);
- what is kept grows at most linearly with the rounds.
"""

import math
from collections.abc import Callable

import numpy as np

from weitzman.learn.bank_input import hash_of
from weitzman.learn.policy import Feedback, Floats, Player, Policy, Round, walk
from weitzman.learn.storage.rules import KINDS, rule_from, rule_state
from weitzman.search.rule import STOP, Open, Rule, Take
from weitzman.search.state import RoundState

__all__ = ["CHECKS", "check_policy"]

Data = list[tuple[Round, Floats]]

BOXES, DIMENSION, ROUNDS = 4, 3, 40


def _data(rounds: int, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    data = []
    for number in range(rounds):
        places = np.flatnonzero(rng.uniform(size=BOXES) < 0.8)
        places = places if len(places) else np.arange(BOXES)
        contexts = rng.normal(size=(len(places), DIMENSION))
        values = contexts.sum(axis=1) + places + rng.normal() + rng.exponential(size=len(places))
        shown = Round(
            contexts=contexts,
            costs=rng.uniform(0.0, 0.5, size=len(places)),
            outside=math.inf if number % 3 else 2.0,
            places=places,
        )
        data.append((shown, values))
    return data


def _start(policy: Policy, feedback: Feedback = "full") -> Player:
    return policy.start(boxes=BOXES, dimension=DIMENSION, feedback=feedback, seed=0)


def _play(player: Player, data: Data, *, ask: bool = True) -> list[tuple[int, ...]]:
    opened = []
    for shown, values in data:
        if ask:
            opened.append(tuple(walk(player.rule(shown), shown, values).opened))
        player.learn(shown, values)
    return opened


def _steps(rule: Rule, shown: Round, values: Floats) -> list[int]:
    """Follow a rule to its end, no further than a round can go."""
    state = RoundState(shown.costs.tolist(), shown.outside)
    while (action := rule.next(state)) is not STOP:
        assert isinstance(action, Open | Take), "a rule opens, takes or stops"
        row = action.box
        assert 0 <= row < len(values), "a rule opens rows of its round"
        if isinstance(action, Take):
            break
        assert row not in state.opened, "a rule opens no row twice"
        state.open(row)
        if math.isnan(values[row]):
            state.miss()
        else:
            state.see(row, float(values[row]))
    return state.opened


def check_rules(policy: Policy) -> None:
    """Check that rules open rows of their rounds, each once, and end."""
    player = _start(policy)
    for shown, values in _data(ROUNDS):
        opened = _steps(player.rule(shown), shown, values)
        assert opened or shown.outside < math.inf, "without an outside option a box is opened"
        player.learn(shown, values)


def check_determinism(policy: Policy) -> None:
    """Check that the same calls give the same bits, and that asking for a rule changes nothing."""
    one, other, silent = (_start(policy) for _ in range(3))
    data = _data(ROUNDS)
    assert _play(one, data) == _play(other, data), "the same calls give the same looks"
    assert hash_of(one.state()) == hash_of(other.state()), "the same calls give the same bits"
    _play(silent, data, ask=False)
    assert hash_of(silent.state()) == hash_of(one.state()), "asking for a rule changes nothing"


def check_missing(policy: Policy) -> None:
    """Check that values that do not come, and rounds that reveal nothing, are lived with."""
    player = _start(policy)
    for number, (shown, values) in enumerate(_data(ROUNDS)):
        hidden = np.arange(len(values)) % 3 == number % 3
        found = np.where(hidden | (number % 10 == 0), np.nan, values)
        _steps(player.rule(shown), shown, found)
        player.learn(shown, found)
    shown, values = _data(1, seed=1)[0]
    _steps(player.rule(shown), shown, values)


def check_unrevealed(policy: Policy) -> None:
    """Check that a rule is the same whatever the boxes hold that it has not opened."""
    player = _start(policy)
    _play(player, _data(ROUNDS))
    for shown, values in _data(10, seed=2):
        opened = _steps(player.rule(shown), shown, values)
        others = np.where(np.isin(np.arange(len(values)), opened), values, -1e6)
        again = _steps(player.rule(shown), shown, others)
        assert again == opened, "what was not revealed changes nothing"


def check_rule_is_a_function(policy: Policy) -> None:
    """Check that a rule answers from what the round has shown, however often it is asked."""
    player = _start(policy)
    _play(player, _data(ROUNDS))
    for shown, values in _data(10, seed=3):
        opened = _steps(player.rule(shown), shown, values)
        rule, state = player.rule(shown), RoundState(shown.costs.tolist(), shown.outside)
        for count in range(len(opened) + 1):
            wanted = Open(opened[count]) if count < len(opened) else STOP
            for _ in range(2):
                assert rule.next(state) == wanted, "asking again changes nothing"
            if type(rule) in KINDS.values():
                kept = rule_from(rule_state(rule))
                assert kept.next(state) == wanted, "a rule that is kept goes on"
            if count < len(opened):
                state.open(opened[count])
                state.see(opened[count], float(values[opened[count]]))


def check_restore(policy: Policy) -> None:
    """Check that a restored player goes on as if it had never stopped."""
    data = _data(ROUNDS + 20)
    one, other = _start(policy), _start(policy)
    _play(one, data[:ROUNDS])
    _play(other, _data(7, seed=4))
    state = one.state()
    for array in state.values():
        assert array.dtype.str in {"<f8", "<i8", "|b1", "|u1"}, (
            "a state is numbers and truth values"
        )
    other.restore(state)
    assert hash_of(other.state()) == hash_of(one.state()), "restore brings the state back"
    later = data[ROUNDS:]
    assert _play(other, later) == _play(one, later), "a restored player goes on"
    assert hash_of(other.state()) == hash_of(one.state()), "a restored player learns the same"


def check_memory(policy: Policy) -> None:
    """Check that what is kept grows at most linearly with the rounds."""
    player, sizes = _start(policy), []
    for seed in range(3):
        _play(player, _data(150, seed=seed), ask=False)
        sizes.append(sum(array.nbytes for array in player.state().values()))
    assert sizes[2] - sizes[1] <= 1.25 * (sizes[1] - sizes[0]) + 64, "memory grows linearly"


CHECKS: tuple[Callable[[Policy], None], ...] = (
    check_rules,
    check_determinism,
    check_missing,
    check_unrevealed,
    check_rule_is_a_function,
    check_restore,
    check_memory,
)


def check_policy(policy: Policy) -> None:
    """Run all checks on a policy; the first broken promise raises an ``AssertionError``."""
    for check in CHECKS:
        check(policy)
