"""Looks bought to learn: once a block, evenly, paid once, kept if better, learned."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

import weitzman as wz
from tests.learn.test_searcher import bank_of, every_learner, live_round, make, record
from weitzman.learn.learner import Bank
from weitzman.learn.probing import probes

Array = NDArray[np.float64]


def offsets(seed: int, block: int, blocks: int, boxes: int) -> NDArray[np.int64]:
    """The offset of the bought round, per block and box."""
    marks = probes(seed=seed, block=block, first=0, rounds=block * blocks, boxes=boxes)
    return np.asarray(np.argmax(marks.reshape(blocks, block, boxes), axis=1), dtype=np.int64)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 16, 100])
@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_each_box_is_bought_once_a_block(block: int, seed: int) -> None:
    marks = probes(seed=seed, block=block, first=0, rounds=50 * block, boxes=9)
    assert (marks.reshape(50, block, 9).sum(axis=1) == 1).all()


def test_a_block_of_one_buys_every_box_every_round() -> None:
    assert probes(seed=3, block=1, first=17, rounds=20, boxes=5).all()


@pytest.mark.parametrize("first", [0, 1, 6, 7, 12345, 2**40])
def test_a_round_is_asked_for_by_its_number_alone(first: int) -> None:
    whole = probes(seed=5, block=7, first=first, rounds=40, boxes=6)
    for t in range(40):
        one = probes(seed=5, block=7, first=first + t, rounds=1, boxes=6)
        assert np.array_equal(one[0], whole[t])


def test_boxes_that_join_do_not_move_the_looks_of_others() -> None:
    few = probes(seed=5, block=7, first=0, rounds=70, boxes=3)
    many = probes(seed=5, block=7, first=0, rounds=70, boxes=8)
    assert np.array_equal(few, many[:, :3])


def assert_even(counts: NDArray[np.int64], tests: int) -> None:
    """A chi-square test; all tests together raise a false alarm once in a million seeds."""
    flat = counts.ravel().astype(float)
    expected = flat.sum() / flat.size
    statistic = float(((flat - expected) ** 2 / expected).sum())
    assert statistic < scipy.stats.chi2.isf(1e-6 / tests, flat.size - 1)


@pytest.mark.parametrize("block", [2, 5, 8])
def test_offsets_are_uniform_for_every_box(block: int) -> None:
    drawn = offsets(12, block, 6000, 6)
    for box in range(6):
        assert_even(np.bincount(drawn[:, box], minlength=block), 3 * 6)


@pytest.mark.parametrize("block", [2, 5, 8])
def test_offsets_of_two_boxes_and_of_two_blocks_are_independent(block: int) -> None:
    drawn = offsets(12, block, 6000, 6)
    pairs = list(itertools.combinations(range(6), 2))
    for one, other in pairs:
        joint = np.bincount(drawn[:, one] * block + drawn[:, other], minlength=block**2)
        assert_even(joint, 3 * (len(pairs) + 12))
    for box, lag in itertools.product(range(6), (1, 2)):
        joint = np.bincount(drawn[lag:, box] * block + drawn[:-lag, box], minlength=block**2)
        assert_even(joint, 3 * (len(pairs) + 12))


@pytest.mark.parametrize("block", [2, 5, 8])
def test_offsets_are_uniform_over_seeds(block: int) -> None:
    drawn = np.array([offsets(seed, block, 2, 2).ravel() for seed in range(3000)])
    for column in drawn.T:
        assert_even(np.bincount(column, minlength=block), 3 * 4)


def test_another_seed_buys_other_rounds() -> None:
    assert (offsets(0, 50, 40, 5) == offsets(1, 50, 40, 5)).mean() < 0.1


# The block length


@pytest.mark.parametrize("horizon", [1, 300, 10**4, 10**6, 10**9])
@pytest.mark.parametrize("cost", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("radius", [1.0, 4.0, 50.0])
@pytest.mark.parametrize("lipschitz", [None, 0.2, 3.0])
def test_the_block_length_has_the_least_bound(
    horizon: int, cost: float, radius: float, lipschitz: float | None
) -> None:
    """√(2T k r(T/k)) + c T/k with r(T) = L M √(2T), at every integer k."""
    slope = max(cost, radius - cost) if lipschitz is None else lipschitz

    def bound(k: int) -> float:
        oracle = k * slope * radius * math.sqrt(2.0 * horizon / k)
        return math.sqrt(2.0 * horizon * oracle) + cost * horizon / k

    found = wz.block_length(horizon=horizon, cost=cost, radius=radius, lipschitz=lipschitz)
    assert isinstance(found, int)
    assert bound(found) <= min(bound(k) for k in range(1, 5000)) * (1 + 1e-12)


def test_the_block_length_is_never_below_one() -> None:
    assert wz.block_length(horizon=1, cost=1e-9, radius=1e9) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"horizon": 0},
        {"horizon": -5},
        {"horizon": math.nan},
        {"horizon": math.inf},
        {"cost": 0.0},
        {"cost": -1.0},
        {"cost": math.nan},
        {"cost": math.inf},
        {"radius": 0.0},
        {"radius": math.nan},
        {"lipschitz": 0.0},
        {"lipschitz": -1.0},
        {"lipschitz": math.nan},
    ],
    ids=str,
)
def test_a_wrong_block_length_argument_is_refused(wrong: dict[str, float]) -> None:
    given: dict[str, float] = {"horizon": 100, "cost": 1.0, "radius": 2.0} | wrong
    with pytest.raises(wz.InvalidInputError) as caught:
        wz.block_length(**given)  # type: ignore[arg-type]
    assert str(next(iter(wrong.values()))) in str(caught.value)


# Bought looks in a searcher


def bought_by_hand(searcher: wz.Searcher, t: int) -> list[int]:
    """The boxes bought in round t, asked one by one."""
    assert isinstance(searcher.policy, wz.Weitzman)
    assert searcher.policy.block is not None
    boxes = len(searcher.names)
    row = probes(seed=searcher.rng, block=searcher.policy.block, first=t, rounds=1, boxes=boxes)[0]
    return [box for box in range(boxes) if row[box]]


def fresh_bank(searcher: wz.Searcher, learner: wz.Learner) -> Bank:
    return learner.start(boxes=len(searcher.names), dimension=searcher.dimension)


@every_learner
@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
def test_bought_looks_are_paid_once_kept_if_better_and_learned(
    learner: wz.Learner, feedback: str
) -> None:
    """Against a round written out by hand, over a bank that is told what the feedback shows."""
    contexts, costs, values = record(80, gaps=False, seed=4)
    searcher = make(feedback, learner=learner, rng=9)
    played = searcher.play(contexts, costs, values, outside=0.1)
    bank = fresh_bank(searcher, learner)
    for t, (x, c, v) in enumerate(zip(contexts, costs, values, strict=True)):
        sigma = bank.predict(x, c)
        best, chosen, opened = 0.1, -1, []
        for box in sorted(range(4), key=lambda i: (sigma[i], i)):
            if best <= sigma[box]:
                break
            opened.append(box)
            best, chosen = min((best, chosen), (float(v[box]), box), key=lambda pair: pair[0])
        bought = bought_by_hand(searcher, t)
        extra = [box for box in bought if box not in opened]
        for box in extra:
            best, chosen = min((best, chosen), (float(v[box]), box), key=lambda pair: pair[0])
        paid = sum(c[box] for box in opened + extra)
        assert played.paid[t] == pytest.approx(paid, abs=1e-14)
        assert played.totals[t] == pytest.approx(best + paid, abs=1e-13)
        assert played.chosen[t] == chosen
        assert played.opened_count[t] == len(opened) + len(extra)
        rows = sorted(bought if feedback == "probe" else set(bought) | set(opened))
        bank.update(np.array(rows, dtype=np.int64), x[rows], v[rows], c[rows])
    assert searcher.digest().partition("-")[2] == bank.digest()


def test_a_live_search_hands_out_bought_boxes_after_the_rule_stops() -> None:
    contexts, costs, values = record(1, gaps=False)
    searcher = make("probe", block=1)
    search = searcher.open(contexts[0], costs[0], outside=-1e6)
    assert list(_see_all(search, values[0])) == [0, 1, 2, 3]
    outcome = search.close()
    assert outcome.chosen is None
    assert outcome.paid == pytest.approx(costs[0].sum())
    assert bank_of(searcher).looks().tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_bought_look_is_kept_if_it_is_better(sense: str) -> None:
    sign = 1.0 if sense == "min" else -1.0
    contexts, costs, _ = record(1, gaps=False)
    values = sign * np.array([[-1.0, -9.0, -5.0, 0.0]])
    searcher, twin = (make("probe", block=1, sense=sense) for _ in range(2))
    search = searcher.open(contexts[0], costs[0], outside=-3.0 * sign)
    _see_all(search, values[0])
    outcome = search.close()
    assert (outcome.chosen, outcome.value) == (1, -9.0 * sign)
    assert outcome.total == -9.0 * sign + sign * outcome.paid
    played = twin.play(contexts, costs, values, outside=-3.0 * sign)
    assert (played.chosen[0], played.totals[0]) == (1, outcome.total)


def _see_all(search: object, values: Array) -> list[int]:
    found = []
    for box in search:  # type: ignore[attr-defined]
        found.append(box)
        search.see(values[box])  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
def test_every_box_is_learned_at_least_once_a_block(feedback: str) -> None:
    contexts, costs, values = record(60, gaps=False)
    searcher = make(feedback, block=6)
    searcher.play(contexts, costs, values, outside=-1e6)
    assert bank_of(searcher).looks().tolist() == [10, 10, 10, 10]


@pytest.mark.parametrize("feedback", ["probe", "opened+probe"])
def test_round_numbers_go_on_after_save_and_load(
    feedback: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("saved") / "searcher"
    contexts, costs, values = record(47, gaps=False)
    whole, first = make(feedback, rng=8), make(feedback, rng=8)
    played = whole.play(contexts, costs, values)
    parts = [first.play(contexts[:13], costs[:13], values[:13]).paid]
    first.save(path)
    second = wz.load(path)
    assert second.rounds == 13
    live = [live_round(second, contexts[t], costs[t], values[t])[1] for t in range(13, 29)]
    parts += [np.array(live), second.play(contexts[29:], costs[29:], values[29:]).paid]
    assert np.array_equal(np.concatenate(parts), played.paid)
    assert second.digest() == whole.digest()


def test_rounds_are_numbered_as_they_are_opened_not_as_they_are_closed() -> None:
    contexts, costs, values = record(12, gaps=False)
    searcher = make("probe", block=4, rng=2)
    searches = [searcher.open(contexts[t], costs[t], outside=-1e6) for t in range(12)]
    for t in (5, 0, 11, 3, 8, 1, 10, 2, 9, 4, 7, 6):
        assert _see_all(searches[t], values[t]) == bought_by_hand(searcher, t)
        searches[t].close()
    assert bank_of(searcher).looks().tolist() == [3, 3, 3, 3]


def test_a_round_that_is_refused_has_no_number() -> None:
    contexts, costs, values = record(20, gaps=False)
    plain, bothered = make("probe"), make("probe")
    for t in range(20):
        with pytest.raises(wz.InvalidInputError):
            bothered.open(contexts[t] * np.nan, costs[t])
        with pytest.raises(wz.InvalidInputError):
            bothered.play(contexts, costs, values * np.inf)
        for searcher in (plain, bothered):
            live_round(searcher, contexts[t], costs[t], values[t])
    assert bothered.digest() == plain.digest()


def test_an_absent_box_is_not_bought() -> None:
    contexts, costs, values = record(30, gaps=False)
    contexts[:, 2] = np.nan
    searcher = make("probe", block=1)
    played = searcher.play(contexts, costs, values)
    assert bank_of(searcher).looks().tolist() == [30, 30, 0, 30]
    assert (played.opened_count == 3).all()
