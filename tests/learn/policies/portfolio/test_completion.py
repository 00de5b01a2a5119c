"""Completions keep what was seen, follow the donors that match, and look at nothing else."""

import numpy as np
import pytest

from tests.learn.rounds import some_rounds
from weitzman.learn.models.history import History
from weitzman.learn.policies.portfolio.completion import Completion, match
from weitzman.learn.policy import Floats, Round


def a_history(values: Floats) -> History:
    """Rounds without contexts to speak of, NaN where nothing was revealed."""
    history = History(boxes=values.shape[1], dimension=1, prepare="nothing", feedback="opened")
    for row in values:
        history.add(a_round(values.shape[1]), row)
    return history


def a_round(boxes: int) -> Round:
    return Round(
        contexts=np.zeros((boxes, 1)),
        costs=np.ones(boxes),
        outside=np.inf,
        places=np.arange(boxes),
    )


def by_hand(donors: Floats, seen: Floats) -> Floats:
    """The weights of the module's formula, written with arrays."""
    weights = np.ones(donors.shape[1])
    for column, number in zip(donors, seen, strict=True):
        known = ~np.isnan(column)
        if np.isnan(number) or not known.any():
            continue
        w, r = weights[known], column[known]
        deviation = np.sqrt(np.average((r - np.average(r, weights=w)) ** 2, weights=w))
        if deviation == 0.0:
            continue
        h = deviation * (w.sum() ** 2 / (w**2).sum()) ** -0.2
        k = np.exp(-0.5 * ((r - number) / h) ** 2)
        after = (w * k).sum() ** 2 / ((w * k) ** 2).sum()
        g = after / (after + 1.0)
        weights[known] = w * (g * k / np.average(k, weights=w) + 1.0 - g)
    return weights


def test_donors_weigh_as_the_formula_says() -> None:
    rng = np.random.default_rng(0)
    donors = rng.normal(size=(4, 60))
    donors[rng.uniform(size=donors.shape) < 0.4] = np.nan
    donors[3] = 2.0
    weights = np.empty(60)
    for seen in ([0.5, np.nan, -1.0, 2.0], [np.nan] * 4, [3.0, 0.1, 0.0, 1.0]):
        match(donors, np.array(seen), weights)
        np.testing.assert_allclose(weights, by_hand(donors, np.array(seen)), rtol=1e-10)


def test_what_was_seen_stays_and_the_rest_comes_from_one_donor() -> None:
    values = np.random.default_rng(0).normal(size=(40, 3))
    history = a_history(values)
    both = history.model(Completion).both(a_round(3), np.array([0.3, np.nan, np.nan]), 0)
    assert both is not None
    for completed in both:
        assert completed[0] == 0.3
    # All donors know everything, so the two boxes are those of one past round
    assert (both[1][1:] == values[:, 1:]).all(axis=1).any()


def test_boxes_that_go_together_are_completed_together() -> None:
    """Box 1 is box 0 in every second round and unseen in the others, where means would be no guide."""
    rng = np.random.default_rng(1)
    level = rng.choice([0.0, 10.0], size=400)
    values = np.column_stack([level, level]) + 0.1 * rng.normal(size=(400, 2))
    values[::2, 1] = np.nan
    completion = a_history(values).model(Completion)
    for low in (0.0, 10.0):
        both = completion.both(a_round(2), np.array([low, np.nan]), 0)
        assert both is not None
        for completed in both:
            assert abs(completed[1] - low) < 1.0


def test_selection_by_another_box_does_not_mislead() -> None:
    """Box 1 is opened only where box 0 disappoints; its mean over rounds comes out, not that over looks.

    The mean of 2,000 completed values has a standard error near 0.03; the mean over looks is off by 0.56.
    A false alarm beyond 0.2 is rarer than 1 in 10⁶ if completions are right, up to what kernels blur.
    """
    rng = np.random.default_rng(2)
    common = rng.normal(size=(2512, 1))
    truth = np.sqrt(0.7) * common + np.sqrt(0.3) * rng.normal(size=(2512, 2))
    opened = truth[:, 0] > 0.0
    # One round in fifty is open whatever box 0 shows
    revealed = np.where(opened | (rng.uniform(size=2512) < 0.02), truth[:, 1], np.nan)
    values = np.column_stack([truth[:, 0], revealed])
    assert abs(np.nanmean(revealed)) > 0.4
    history = a_history(values[:512])
    found = []
    for row in values[512:]:
        both = history.model(Completion).both(a_round(2), row, 0)
        assert both is not None
        found.append([completed[1] for completed in both])
        history.add(a_round(2), row)
    assert (np.abs(np.mean(found, axis=0) - truth[512:, 1].mean()) < 0.2).all()


def test_a_box_that_was_never_seen_takes_the_mean_of_all_values() -> None:
    values = np.column_stack([np.arange(10.0), np.full(10, np.nan)])
    completion = a_history(values).model(Completion)
    assert completion.both(a_round(2), np.array([1.0, np.nan]), 0)[0][1] == 4.5  # type: ignore[index]
    nothing = History(boxes=2, dimension=1).model(Completion)
    assert nothing.both(a_round(2), np.array([np.nan, np.nan]), 0) is None


@pytest.mark.parametrize("shared", [False, True])
def test_completions_depend_on_the_past_alone(shared: bool) -> None:
    histories = [History(boxes=4, dimension=2, shared=shared, feedback="opened") for _ in range(2)]
    rounds = some_rounds(30)
    for shown, values in rounds[:20]:
        histories[0].add(shown, np.where(values < 2.0, values, np.nan))
    for shown, values in rounds[20:25]:
        histories[1].add(shown, values)
        histories[1].model(Completion).both(shown, values, 0)
    histories[1].restore(histories[0].state())
    shown, values = rounds[29]
    revealed = np.where(np.arange(len(values)) == 0, values, np.nan)
    one, two = (history.model(Completion).both(shown, revealed, 5) for history in histories)
    assert one is not None
    assert two is not None
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True))
    other = histories[0].model(Completion).both(shown, revealed, 6)
    assert other is not None
    assert not np.array_equal(one[0], other[0])
