"""The Gymnasium environment: its contract, its rules, and Weitzman's rule played through it."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import weitzman as wz
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.gym import ID, SearchEnv
from weitzman.lab.worlds import WORLDS
from weitzman.search.rule import NO_BOX


# A value has no bounds that hold in every world
@pytest.mark.filterwarnings("ignore:.*Box observation space m(in|ax)imum value is -?infinity")
@pytest.mark.parametrize("name", WORLDS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    env = gymnasium.make(f"weitzman.lab.gym:{ID}", world=WORLDS[name]())
    check_env(env.unwrapped)


@pytest.mark.parametrize("name", ["spread", "unrealizable", "non-contextual"])
def test_the_rule_through_the_environment_gives_the_clairvoyants_totals(name: str) -> None:
    rounds, seed = 300, 11
    world = WORLDS[name]()
    instance = world.draw(rounds, seed)
    known = clairvoyant(instance)
    env = SearchEnv(world=world)
    for t in range(rounds):
        observation, info = env.reset(seed=seed) if t == 0 else env.reset()
        assert info["round"] == t
        assert (observation["contexts"] == instance.contexts[t]).all()
        total, returned, steps = _play(env, observation, instance.reservation_values[t])
        assert total == known.totals[t]
        assert returned == pytest.approx(-total, abs=1e-12)
        assert steps == known.opened_count[t] + 1


def _play(env: SearchEnv, observation: dict[str, Any], sigma: Any) -> tuple[float, float, int]:
    order = np.argsort(sigma, kind="stable")
    info: dict[str, Any] = {}
    returned, steps, done = 0.0, 0, False
    while not done:
        opened = int(observation["opened"].sum())
        best = float(observation["best"][0]) if opened else np.inf
        box = wz.next_box(order, sigma, opened, best)
        action = env.world.boxes if box == NO_BOX else box
        observation, reward, done, _, info = env.step(np.int64(action))
        returned, steps = returned + reward, steps + 1
    return info["total"], returned, steps


def test_what_is_not_allowed_is_paid_for_and_changes_nothing() -> None:
    env = SearchEnv(world=WORLDS["signed"](cost=2.0))  # type: ignore[call-arg]
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1] * 10 + [0]
    stop = np.int64(10)
    observation, reward, done, cut, _ = env.step(stop)
    assert (reward, done, cut) == (-2.0, False, False)
    assert observation["opened"].sum() == 0
    once, *_, info = env.step(np.int64(3))
    assert info["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]
    twice, reward, done, _, _ = env.step(np.int64(3))
    assert (reward, done) == (-2.0, False)
    assert all((once[key] == twice[key]).all() for key in once)
    _, reward, done, _, info = env.step(stop)
    assert done
    assert reward == -once["values"][3]
    assert info["total"] == pytest.approx(6.0 + once["values"][3])


def test_closed_boxes_show_nothing() -> None:
    env = SearchEnv()
    env.reset(seed=2)
    observation, *_ = env.step(np.int64(4))
    assert np.flatnonzero(observation["values"]).tolist() == [4]
    assert observation["best"][0] == observation["values"][4]


def test_without_a_seed_runs_differ_and_a_step_needs_a_reset() -> None:
    first, second = (SearchEnv().reset()[0]["contexts"] for _ in range(2))
    assert (first != second).any()
    with pytest.raises(wz.WeitzmanError, match="must be reset"):
        SearchEnv().step(np.int64(0))
