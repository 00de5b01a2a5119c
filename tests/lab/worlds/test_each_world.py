"""What one world promises and others do not."""

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.exact.expected import expected_totals
from weitzman.lab.worlds import WORLDS
from weitzman.lab.worlds.adversarial import STRETCH, Adversarial, directions
from weitzman.lab.worlds.bandit import Bandit
from weitzman.lab.worlds.correlated import Correlated
from weitzman.lab.worlds.drifting import Drifting
from weitzman.lab.worlds.instance import Instance
from weitzman.lab.worlds.noncontextual import NonContextual
from weitzman.lab.worlds.paper import Orthant, Shifted, Signed
from weitzman.lab.worlds.spread import Agree, Spread
from weitzman.lab.worlds.unrealizable import DAY, Unrealizable

LEARNERS = [wz.FTRL(intercept=False), wz.Ridge(intercept=False)]


def _played(instance: Instance, learner: wz.Learner, feedback: str) -> wz.Played:
    _, boxes, dimension = instance.contexts.shape
    searcher = wz.Searcher(
        boxes=boxes,
        dimension=dimension,
        learner=learner,
        feedback=feedback,  # type: ignore[arg-type]
    )
    return searcher.play(instance.contexts, instance.costs, instance.values)


def test_the_experiment_cannot_be_run_as_written() -> None:
    draws = [Signed().draw(256, seed).reservation_values for seed in range(200)]
    assert np.mean(np.array(draws) < 1.0) == pytest.approx(0.77, abs=0.01)


def test_signed_values_lie_between_zero_and_one_end() -> None:
    instance = Signed().draw(1000, 0)
    assert ((instance.lower == 0.0) ^ (instance.upper == 0.0)).all()
    lengths = np.linalg.norm(instance.contexts, axis=2)
    assert lengths.max() <= 1.0 + 1e-12


def test_orthant_values_are_not_negative() -> None:
    instance = Orthant().draw(1000, 0)
    assert (instance.lower == 0.0).all()
    assert (instance.contexts >= 0.0).all()
    assert instance.reservation_values.min() == 1.0
    clipped = [(Orthant().draw(256, s).reservation_values == 1.0).mean() for s in range(200)]
    assert np.mean(clipped) == pytest.approx(0.083, abs=0.01)


@pytest.mark.parametrize("world", [Shifted(), Drifting()], ids=lambda w: w.name)
def test_shifted_values_end_at_the_reservation_value(world: Shifted | Drifting) -> None:
    instance = world.draw(1000, 0)
    assert np.abs(instance.upper[0] - instance.reservation_values).max() < 1e-12
    assert (clairvoyant(instance).opened_count == 1).mean() > 0.999


def test_the_clairvoyant_opens_several_boxes_where_spreads_differ() -> None:
    opened = [clairvoyant(Spread().draw(256, seed)).opened_count.mean() for seed in range(200)]
    assert 1.6 < np.mean(opened) < 1.9


def test_mean_and_reservation_value_agree() -> None:
    instance = Agree(cost=0.7).draw(500, 0)
    middle = 0.5 * (instance.lower[0] + instance.upper[0])
    assert np.abs(middle - instance.reservation_values).max() < 1e-12


def test_boxes_without_contexts_stay_as_they_are() -> None:
    instance = NonContextual().draw(600, 0)
    assert (instance.contexts == 1.0).all()
    assert (np.ptp(instance.reservation_values, axis=0) == 0.0).all()
    assert np.ptp(instance.reservation_values[0]) > 1.0


def test_drifting_weights_go_round_a_circle() -> None:
    world = Drifting(period=500.0)
    instance = world.draw(1000, 3)
    angle = 2.0 * np.pi * np.arange(1000)[:, None] / 500.0
    for i in range(world.boxes):
        x = instance.contexts[:, i]
        turning = np.concatenate([np.cos(angle) * x, np.sin(angle) * x], axis=1)
        fitted, *_ = np.linalg.lstsq(turning, instance.reservation_values[:, i], rcond=None)
        assert np.abs(turning @ fitted - instance.reservation_values[:, i]).max() < 1e-9
        a, b = fitted[:5], fitted[5:]
        assert np.linalg.norm(a) == pytest.approx(np.linalg.norm(b), rel=1e-9)
        assert abs(a @ b) < 1e-9
        assert np.linalg.norm(a) <= 4.0


def test_drifting_rewards_those_who_forget() -> None:
    regrets = {}
    for name, learner in {
        "all": wz.FTRL(intercept=False),
        "window": wz.FTRL(window=100, intercept=False),
    }.items():
        regret = 0.0
        for seed in range(3):
            instance = Drifting().draw(3000, seed)
            totals = _played(instance, learner, "full").totals
            regret += (totals - clairvoyant(instance).totals).sum()
        regrets[name] = regret
    assert regrets["window"] < 0.5 * regrets["all"]


def test_adversarial_directions_are_withheld() -> None:
    contexts = Adversarial().draw(600, 1).contexts
    for t in range(600):
        shown = min(5, directions(t))
        assert (contexts[t, :, shown:] == 0.0).all()
        assert (contexts[t, :, :shown] != 0.0).all()
    assert (np.linalg.norm(contexts, axis=2) <= 1.0 + 1e-12).all()


def test_adversarial_contexts_alternate_and_rise() -> None:
    contexts = Adversarial().draw(640, 1).contexts
    assert (contexts[0::2] == -contexts[1::2]).all()
    for start in range(0, 640, STRETCH):
        newest = min(5, directions(start)) - 1
        assert (np.diff(contexts[start : start + STRETCH : 2, :, newest], axis=0) >= 0.0).all()


def test_adversarial_means_mislead() -> None:
    instance = Adversarial().draw(2048, 1)
    means = 0.5 * (instance.lower[0] + instance.upper[0])
    even, odd = slice(0, None, 2), slice(1, None, 2)
    sigma = instance.reservation_values
    assert np.corrcoef(sigma[even].ravel(), means[even].ravel())[0, 1] < -0.7
    assert np.abs(means[odd] - (sigma[odd] - 1.0)).max() < 1e-12
    # The box that is best to open first hardly ever has the smallest mean, less often than by chance
    first = sigma[even].argmin(axis=1) == means[even].argmin(axis=1)
    assert first.mean() < 0.1


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_looks_are_so_dear_that_one_box_is_opened(feedback: str) -> None:
    single = []
    for seed in range(10):
        instance = Bandit().draw(300, seed)
        assert (clairvoyant(instance).opened_count == 1).all()
        assert np.ptp(instance.values) < 9.0 < instance.costs.min()
        single.append(
            (_played(instance, wz.FTRL(intercept=False), feedback).opened_count == 1).mean()
        )
    assert np.mean(single) > 0.99


def test_a_shock_makes_the_rule_itself_lose_in_every_round() -> None:
    instance = Correlated().draw(2048, 0)
    lost = expected_totals(instance, instance.reservation_values)
    lost = lost - clairvoyant(instance).expected_totals
    assert lost.min() > -1e-12
    halves = lost[:1024].mean(), lost[1024:].mean()
    assert min(halves) > 3.0
    assert halves[1] == pytest.approx(halves[0], rel=0.05)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_regret_is_linear_with_a_shock(learner: wz.Learner, feedback: str) -> None:
    instance = Correlated().draw(4096, 1)
    regret = _played(instance, learner, feedback).totals - clairvoyant(instance).totals
    late = regret[2048:].reshape(8, 256).mean(axis=1)
    assert (late > 2.0).all()


def test_a_shock_that_a_look_may_hide_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match=r"at least 3 times the cost, 6\.0"):
        Correlated(cost=2.0, shock=5.9).draw(1, 0)


def test_thresholds_say_where_the_zero_is() -> None:
    instance = Unrealizable().draw(64 * DAY, 0)
    assert (instance.contexts[:, 0] == instance.contexts[:, 1]).all()
    days = instance.contexts[:, 0, 0].reshape(64, DAY)
    assert (np.ptp(days, axis=1) == 0.0).all()
    assert len(set(days[:, 0])) == 64
    x = instance.contexts[:, 0, 1].reshape(64, DAY)
    zero_in_first = (instance.values[:, 0] == 0.0).reshape(64, DAY)
    below = np.where(zero_in_first, x, 0.0).max(axis=1)
    above = np.where(zero_in_first, 1.0, x).min(axis=1)
    assert (below < above).all()
    assert (above - below == 0.5**DAY).all()
    assert (instance.values.sum(axis=1) == 1.0).all()


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_nobody_learns_to_guess_a_coin(learner: wz.Learner, feedback: str) -> None:
    # At cost 1 a wrong first box loses 1, whatever comes next. Hoeffding: false alarms below 1e-6
    rounds = 8192
    instance = Unrealizable().draw(rounds, 3)
    known = clairvoyant(instance)
    assert (known.totals == 1.0).all()
    regret = (_played(instance, learner, feedback).totals - known.totals).reshape(2, -1).sum(axis=1)
    assert (regret > rounds / 4 - np.sqrt(np.log(2e6) * rounds / 4)).all()


def test_unrealizable_has_two_boxes_and_two_coordinates() -> None:
    for bad in ({"boxes": 3}, {"dimension": 3}):
        with pytest.raises(wz.InvalidInputError, match="of world 'unrealizable' must"):
            Unrealizable(**bad).draw(1, 0)


def test_worlds_far_out_in_a_run_are_drawn_as_quickly() -> None:
    far = 10**9
    for world in WORLDS.values():
        assert len(world().draw(10, 0, start=far)) == 10
