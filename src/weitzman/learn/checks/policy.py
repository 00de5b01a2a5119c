"""The contract of policies, as checks that anyone can run on their own.

``check_policy(policy)`` starts the policy on small rounds, with boxes that are absent now and then, rounds
without an outside option and values that do not come, and raises an ``AssertionError`` that names the first
promise it breaks. With ``feedback="opened"`` it learns the values of what it opened, and no others; with
``"chosen"`` and ``"total"`` what :mod:`weitzman.learn.revealed` says.

- a rule opens rows of its round, none twice, at least one where there is no outside option, and ends; or it
  takes one unopened;
- the same calls give the same bits, and asking for a rule changes nothing;
- what was not revealed changes nothing;
- a value that does not come, or a round that reveals nothing, is no reason to stop working;
- a rule depends on what its round has shown, not on how often it was asked; and if it says at once which rows
  it opens, these are the rows that it opens look by look;
- a restored state goes on bit for bit, and so does a rule that can be kept
  (:mod:`weitzman.learn.storage.rules`);
- what is kept grows at most linearly with the rounds.
"""

import math
from collections.abc import Callable

import numpy as np

from weitzman.feedback import Feedback
from weitzman.learn.bank_input import hash_of
from weitzman.learn.policy import Floats, Player, Policy, Round, walk
from weitzman.learn.revealed import check_learns, teach
from weitzman.learn.storage.rules import KINDS, rule_from, rule_state
from weitzman.search.rule import STOP, Action, Open, Rule, Take
from weitzman.search.state import RoundState

Data = list[tuple[Round, Floats]]
Lesson = tuple[Round, Rule, RoundState, Floats, Feedback]

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


def _start(policy: Policy, feedback: Feedback) -> Player:
    player = policy.start(boxes=BOXES, dimension=DIMENSION, feedback=feedback, seed=0)
    check_learns(player, feedback)
    return player


def _play(
    player: Player, data: Data, feedback: Feedback
) -> tuple[list[tuple[int, ...]], list[Lesson]]:
    """Play rounds; return what was opened in each, and what lets another player learn the same."""
    opened, learned = [], list[Lesson]()
    for shown, values in data:
        rule = player.rule(shown)
        done = walk(rule, shown, values)
        opened.append(tuple(done.opened))
        learned.append((shown, rule, done, values, feedback))
        teach(player, *learned[-1])
    return opened, learned


def _steps(rule: Rule, shown: Round, values: Floats) -> list[Action]:
    """Follow a rule to its end, no further than a round can go; return all that it said."""
    state, said = RoundState(shown.costs.tolist(), shown.outside), list[Action]()
    while True:
        action = rule.next(state)
        said.append(action)
        if action is STOP:
            return said
        assert isinstance(action, Open | Take), "a rule opens, takes or stops"
        row = action.box
        assert 0 <= row < len(values), "a rule opens rows of its round"
        if isinstance(action, Take):
            return said
        assert row not in state.opened, "a rule opens no row twice"
        state.open(row)
        if math.isnan(values[row]):
            state.miss()
        else:
            state.see(row, float(values[row]))


def check_rules(policy: Policy, feedback: Feedback) -> None:
    """Check that rules open rows of their rounds, each once, and end."""
    player = _start(policy, feedback)
    for shown, values in _data(ROUNDS):
        first = _steps(player.rule(shown), shown, values)[0]
        stays = first is STOP and shown.outside == math.inf
        assert not stays, "without an outside option a box is opened"
        _play(player, [(shown, values)], feedback)


def check_determinism(policy: Policy, feedback: Feedback) -> None:
    """Check that the same calls give the same bits, and that asking for a rule changes nothing."""
    one, other, silent = (_start(policy, feedback) for _ in range(3))
    data = _data(ROUNDS)
    opened, learned = _play(one, data, feedback)
    assert _play(other, data, feedback)[0] == opened, "the same calls give the same looks"
    assert hash_of(one.state()) == hash_of(other.state()), "the same calls give the same bits"
    for lesson in learned:
        teach(silent, *lesson)
    assert hash_of(silent.state()) == hash_of(one.state()), "asking for a rule changes nothing"


def check_missing(policy: Policy, feedback: Feedback) -> None:
    """Check that values that do not come, and rounds that reveal nothing, are lived with."""
    player = _start(policy, feedback)
    for number, (shown, values) in enumerate(_data(ROUNDS)):
        hidden = np.arange(len(values)) % 3 == number % 3
        found = np.where(hidden | (number % 10 == 0), np.nan, values)
        _steps(player.rule(shown), shown, found)
        _play(player, [(shown, found)], feedback)
    shown, values = _data(1, seed=1)[0]
    _steps(player.rule(shown), shown, values)


def check_unrevealed(policy: Policy, feedback: Feedback) -> None:
    """Check that a rule is the same whatever the boxes hold that it has not opened."""
    player = _start(policy, feedback)
    _play(player, _data(ROUNDS), feedback)
    for shown, values in _data(10, seed=2):
        said = _steps(player.rule(shown), shown, values)
        opened = [action.box for action in said if isinstance(action, Open)]
        others = np.where(np.isin(np.arange(len(values)), opened), values, -1e6)
        again = _steps(player.rule(shown), shown, others)
        assert again == said, "what was not revealed changes nothing"


def check_rule_is_a_function(policy: Policy, feedback: Feedback) -> None:
    """Check that a rule answers from what the round has shown, however often it is asked."""
    player = _start(policy, feedback)
    _play(player, _data(ROUNDS), feedback)
    for shown, values in _data(10, seed=3):
        said = _steps(player.rule(shown), shown, values)
        rule, state = player.rule(shown), RoundState(shown.costs.tolist(), shown.outside)
        for wanted in said:
            for _ in range(2):
                assert rule.next(state) == wanted, "asking again changes nothing"
            if type(rule) in KINDS.values():
                kept = rule_from(rule_state(rule))
                assert kept.next(state) == wanted, "a rule that is kept goes on"
            if isinstance(wanted, Open):
                state.open(wanted.box)
                state.see(wanted.box, float(values[wanted.box]))


def check_restore(policy: Policy, feedback: Feedback) -> None:
    """Check that a restored player goes on as if it had never stopped."""
    data = _data(ROUNDS + 20)
    one, other = _start(policy, feedback), _start(policy, feedback)
    _play(one, data[:ROUNDS], feedback)
    _play(other, _data(7, seed=4), feedback)
    state = one.state()
    for array in state.values():
        assert array.dtype.str in {"<f8", "<i8", "|b1", "|u1"}, (
            "a state is numbers and truth values"
        )
    other.restore(state)
    assert hash_of(other.state()) == hash_of(one.state()), "restore brings the state back"
    later = data[ROUNDS:]
    opened, _ = _play(one, later, feedback)
    assert _play(other, later, feedback)[0] == opened, "a restored player goes on"
    assert hash_of(other.state()) == hash_of(one.state()), "a restored player learns the same"


def check_course(policy: Policy, feedback: Feedback) -> None:
    """Check that a rule which says at once what it opens says what it opens look by look."""
    player = _start(policy, feedback)
    for number, (shown, values) in enumerate(_data(ROUNDS)):
        found = np.where(np.arange(len(values)) % 3 == number % 3, np.nan, values)
        for given in (values, found):
            said = _steps(player.rule(shown), shown, given)
            opened = [action.box for action in said if isinstance(action, Open)]
            at_once = walk(player.rule(shown), shown, given).opened
            assert at_once == opened, "a course is what the rule opens look by look"
        _play(player, [(shown, values)], feedback)


def check_memory(policy: Policy, feedback: Feedback) -> None:
    """Check that what is kept grows at most linearly with the rounds."""
    player, sizes = _start(policy, feedback), []
    for seed in range(3):
        for shown, values in _data(150, seed=seed):
            player.learn(shown, values)
        sizes.append(sum(array.nbytes for array in player.state().values()))
    assert sizes[2] - sizes[1] <= 1.25 * max(0, sizes[1] - sizes[0]) + 64, "memory grows linearly"


CHECKS: tuple[Callable[[Policy, Feedback], None], ...] = (
    check_rules,
    check_determinism,
    check_missing,
    check_unrevealed,
    check_rule_is_a_function,
    check_restore,
    check_memory,
    check_course,
)


def check_policy(policy: Policy, feedback: Feedback = "full") -> None:
    """Run all checks on a policy; the first broken promise raises an ``AssertionError``.

    Parameters
    ----------
    policy
        What is checked.
    feedback
        What rounds reveal: ``"full"``, ``"opened"``, ``"chosen"`` or ``"total"``.
    """
    for check in CHECKS:
        check(policy, feedback)
