"""A played sequence is the rounds one by one, for every learner and feedback."""

from functools import partial

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from tests.learn.learners.test_contract import LEARNERS
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.learn.learner import Bank, Learner
from weitzman.learn.learners.compiled_bank import CompiledBank
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.play import play_compiled
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.policies.weitzman import Weitzman, WeitzmanPlayer
from weitzman.learn.record import Played, Record, checked_record, play_record
from weitzman.learn.searcher import Searcher
from weitzman.search.reservation import Sense
from weitzman.search.rule import NO_BOX, next_box, opening_order

Array = NDArray[np.float64]
ROUNDS, BOXES, DIMENSION = 120, 5, 3


def draw(seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(ROUNDS, BOXES, DIMENSION))
    values = contexts @ np.array([1.0, 2.0, -1.0]) + rng.exponential(size=(ROUNDS, BOXES))
    contexts[rng.uniform(size=(ROUNDS, BOXES)) < 0.1] = np.nan
    values[rng.uniform(size=(ROUNDS, BOXES)) < 0.1] = np.nan
    return contexts, rng.uniform(0.05, 0.5, size=(ROUNDS, BOXES)), values


def recorded(contexts: Array, costs: ArrayLike, values: Array, outside: float = np.inf) -> Record:
    boxes, dimension = contexts.shape[1:]
    return checked_record(
        boxes, dimension, contexts=contexts, costs=costs, values=values, outside=outside
    )


def player_of(spec: Learner, feedback: Feedback, optimism: float = 0.0) -> WeitzmanPlayer:
    policy = Weitzman(spec, optimism=optimism)
    return policy.player(boxes=BOXES, dimension=DIMENSION, feedback=feedback, seed=0)


def played(player: WeitzmanPlayer, record: Record, first: int = 0) -> Played:
    return player.play(record, first=first, predictions=False)


def with_probes(bank: Bank, record: Record, probes: NDArray[np.bool_]) -> Played:
    """Play with bought looks that are given, not drawn."""
    assert isinstance(bank, CompiledBank)
    return play_compiled(
        bank, record, feedback="probe", optimism=0.0, probes=probes, predictions=False
    )


def one_round(
    bank: Bank, contexts: Array, costs: Array, values: Array, outside: float, feedback: str
) -> tuple[float, float, int, int]:
    present = np.flatnonzero(~np.isnan(contexts).any(axis=1))
    sigma = bank.predict(contexts[present], costs[present], present)
    order = opening_order(sigma)
    best, paid, chosen = outside, 0.0, -1
    opened: list[int] = []
    while (place := next_box(order, sigma, len(opened), best)) != NO_BOX:
        box = int(present[place])
        opened.append(box)
        paid += costs[box]
        if values[box] < best:
            best, chosen = values[box], box
    rows = present if feedback == "full" else np.array(opened, dtype=np.int64)
    bank.update(rows, contexts[rows], values[rows], costs[rows])
    return best + paid, paid, chosen, len(opened)


@pytest.mark.parametrize("spec", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("outside", [np.inf, 0.5])
def test_play_is_the_rounds_one_by_one(spec: Learner, feedback: Feedback, outside: float) -> None:
    contexts, costs, values = draw()
    whole = player_of(spec, feedback)
    single = spec.start(boxes=BOXES, dimension=DIMENSION)
    assert isinstance(whole.bank, Bank)
    assert isinstance(single, Bank)
    record = recorded(contexts, costs, values, outside)
    got = played(whole, record)
    for t in range(ROUNDS):
        one = one_round(single, contexts[t], costs[t], values[t], outside, feedback)
        assert one == (got.totals[t], got.paid[t], got.chosen[t], got.opened_count[t])
    assert whole.bank.digest() == single.digest()
    plain = player_of(spec, feedback)
    loop = play_record(plain, record, feedback=feedback, first=0, predictions=False)
    np.testing.assert_array_equal(loop.totals, got.totals)
    assert plain.bank.digest() == single.digest()


def test_play_in_pieces_is_play() -> None:
    contexts, costs, values = draw()
    whole, pieces = (
        player_of(FTRL(intercept=False), "full"),
        player_of(FTRL(intercept=False), "full"),
    )
    totals = played(whole, recorded(contexts, costs[0], values)).totals
    parts = [
        played(pieces, recorded(contexts[i : i + 7], costs[0], values[i : i + 7]), first=i)
        for i in range(0, 120, 7)
    ]
    assert np.array_equal(totals, np.concatenate([part.totals for part in parts]))
    assert whole.bank.digest() == pieces.bank.digest()


def test_probes_are_paid_and_learned() -> None:
    contexts, costs, values = draw()
    contexts, values = np.nan_to_num(contexts), np.nan_to_num(values)
    probes = np.random.default_rng(1).uniform(size=values.shape) < 0.2
    bank, other = (Ridge(intercept=False).start(boxes=BOXES, dimension=3) for _ in range(2))
    record = recorded(contexts, costs, values)
    bought = with_probes(bank, record, probes)
    for t in range(ROUNDS):
        rows = np.flatnonzero(probes[t])
        other.update(rows, contexts[t, rows], values[t, rows], costs[t, rows])
    assert bank.digest() == other.digest()
    plain = with_probes(other, record, probes & False)
    assert bought.paid.sum() > 0.0
    assert plain.opened_count.min() >= 1


def test_optimism_opens_more() -> None:
    contexts, costs, values = draw()
    few, many = (
        played(player_of(FTRL(intercept=False), "opened", kappa), recorded(contexts, costs, values))
        for kappa in (0.0, 0.75)
    )
    assert many.opened_count.sum() > few.opened_count.sum()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 40, 133])
def test_many_boxes_are_opened_in_the_order_of_the_rule(count: int) -> None:
    rng = np.random.default_rng(count)
    contexts = rng.integers(0, 9, size=(30, count, 1)).astype(float)
    bank = Ridge(prior=[1.0], intercept=False).start(boxes=count, dimension=1)
    values = np.full((30, count), 1e6) - np.arange(count, dtype=np.float64)
    marks = np.zeros((30, count), dtype=bool)
    if count == 1:
        with_probes(bank, recorded(contexts, 1.0, values), marks)
    costs = 2.0 ** -np.arange(count).astype(float)
    outside = 4.0
    got = with_probes(bank, recorded(contexts, costs, values, outside), marks)
    for t in range(30):
        order = opening_order(contexts[t, :, 0])
        opened = order[contexts[t, order, 0] < outside]
        paid = 0.0
        for box in opened:
            paid += costs[box]
        assert got.paid[t] == paid


def test_wrong_inputs_change_nothing() -> None:
    contexts, costs, values = draw()
    searcher = Searcher(boxes=BOXES, dimension=3, learner=FTRL(), feedback="full")
    before = searcher.digest()
    for arguments in (
        (contexts[:, :, :2], costs, values),
        (contexts, -costs, values),
        (contexts, costs, values[:, :2]),
        (contexts, costs[:3], values),
        (np.where(np.isnan(contexts), np.inf, contexts), costs, values),
    ):
        with pytest.raises(InvalidInputError):
            searcher.play(*arguments)
    assert searcher.digest() == before


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_predictions_are_those_of_the_rounds_one_by_one(feedback: Feedback, sense: Sense) -> None:
    contexts, costs, values = draw()
    make = partial(
        Searcher,
        boxes=BOXES,
        dimension=DIMENSION,
        learner=FTRL(),
        feedback=feedback,
        sense=sense,
    )
    plain, recorded, live = make(), make(), make()
    sigma = recorded.play(contexts, costs, values, predictions=True).reservation_values
    assert sigma is not None
    assert plain.play(contexts, costs, values).reservation_values is None
    assert plain.digest() == recorded.digest()
    for t in range(ROUNDS):
        there = ~np.isnan(contexts[t]).any(axis=1)
        assert np.isnan(sigma[t, ~there]).all()
        boxes = np.flatnonzero(there).tolist()
        alone = live.reservation_values(contexts[t, there], costs[t, there], boxes=boxes)
        assert alone.tolist() == sigma[t, there].tolist()
        live.play(contexts[t : t + 1], costs[t : t + 1], values[t : t + 1])


def test_the_cost_of_an_absent_box_may_be_missing() -> None:
    contexts, costs, values = draw()
    absent = np.isnan(contexts).any(axis=2)
    one, two = (
        Searcher(boxes=BOXES, dimension=DIMENSION, learner=FTRL(), feedback="full")
        for _ in range(2)
    )
    missing = one.play(contexts, np.where(absent, np.nan, costs), values)
    np.testing.assert_array_equal(missing.totals, two.play(contexts, costs, values).totals)
    assert one.digest() == two.digest()
    with pytest.raises(InvalidInputError, match="costs"):
        one.play(contexts, np.where(absent, costs, np.nan), values)
