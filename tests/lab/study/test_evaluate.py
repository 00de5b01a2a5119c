"""Evaluation: sums that agree with rounds played by hand, unbiased expectations, no trace of pieces."""

import importlib
import math
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from tests.lab.instances import boxes_of
from weitzman.feedback import Feedback
from weitzman.lab.study.contender import CONTENDERS, Contender
from weitzman.lab.study.evaluate import checkpoints_of, evaluate
from weitzman.lab.study.rows import Row
from weitzman.lab.worlds import WORLDS
from weitzman.lab.worlds.paper import Signed
from weitzman.lab.worlds.spread import Spread

SUMS = ("total", "expected_total", "regret", "expected_regret", "opened", "paid", "certificate")


def sums(row: Row) -> list[float]:
    return [asdict(row)[name] for name in SUMS]


def by_hand(contender: Contender, rounds: int, seed: int) -> dict[str, float]:
    """Play the world `spread` through live searches, and evaluate each round in the search room."""
    world = Spread(boxes=4, dimension=3)
    instance = world.draw(rounds, seed)
    searcher = contender.searcher(
        boxes=4, dimension=3, rounds=rounds, cost=world.cost, rng=seed, radius=world.radius
    )
    found: dict[str, float] = dict.fromkeys(SUMS, 0.0)
    for t in range(rounds):
        boxes = boxes_of(instance, t)
        sigma = searcher.reservation_values(instance.contexts[t], instance.costs)
        guessed = wz.plan(boxes, reservation_values={str(i): s for i, s in enumerate(sigma)})
        truth = wz.plan(boxes)
        search = searcher.open(instance.contexts[t], instance.costs)
        for box in search:
            search.see(instance.values[t, int(str(box))])
        full = contender.feedback == "full"
        outcome = search.close(values=dict(enumerate(instance.values[t])) if full else None)
        best = truth.search()
        for name in best:
            best.see(instance.values[t, int(name)])
        found["total"] += outcome.total
        found["regret"] += outcome.total - best.close().total
        found["expected_total"] += guessed.expected_total
        found["expected_regret"] += guessed.expected_total - truth.expected_total
        found["opened"] += len(outcome.opened)
        found["paid"] += outcome.paid
        found["certificate"] += guessed.certificate
    return found


@pytest.mark.parametrize("feedback", ["full", "opened"])
def test_rows_agree_with_rounds_played_by_hand(feedback: Feedback) -> None:
    contender = Contender(feedback=feedback)
    rows = evaluate({"x": contender}, Spread(boxes=4, dimension=3), 60, 5, checkpoints=[20])
    assert [(r.round, r.rounds, r.seed, r.searcher, r.feedback) for r in rows] == [
        (20, 60, 5, "x", feedback),
        (60, 60, 5, "x", feedback),
    ]
    # The search room's quadrature promises ten digits, and there are 60 rounds
    for row in rows:
        hand = by_hand(contender, row.round, 5)
        assert sums(row) == pytest.approx([hand[name] for name in SUMS], rel=1e-8, abs=1e-7)


@pytest.mark.parametrize("feedback", ["full", "opened", "probe"])
def test_pieces_leave_no_trace(feedback: Feedback, monkeypatch: pytest.MonkeyPatch) -> None:
    contenders = {n: replace(CONTENDERS[n], feedback=feedback, block=3) for n in ("cpb", "newton")}
    whole = evaluate(contenders, Signed(), 700, 1)
    monkeypatch.setattr(importlib.import_module("weitzman.lab.study.evaluate"), "PIECE", 100)
    assert evaluate(contenders, Signed(), 700, 1) == whole


def test_contenders_do_not_see_each_other() -> None:
    names = ("cpb", "linear-regression", "cpb-theorem")
    together = evaluate({n: CONTENDERS[n] for n in names}, Signed(), 200, 3)
    alone = [r for n in names for r in evaluate({n: CONTENDERS[n]}, Signed(), 200, 3)]
    assert together == alone


def test_a_short_run_is_the_beginning_of_a_long_one() -> None:
    long = evaluate({"cpb": Contender()}, Signed(), 400, 2, checkpoints=[150])
    short = evaluate({"cpb": Contender()}, Signed(), 150, 2, checkpoints=[])
    assert sums(long[0]) == sums(short[0])


@pytest.mark.parametrize("feedback", ["full", "opened", "probe", "opened+probe"])
def test_expected_regret_is_the_mean_of_regret(feedback: Feedback) -> None:
    """Their difference is a sum of 300 bounded martingale steps: near normal, of mean 0.

    With 100 seeds the mean is beyond 6 s.e. with probability 4e-8 (Student, 99 degrees), so that
    false alarms of the four together are rarer than 1e-6.
    """
    contender = Contender(feedback=feedback, block=4)
    gaps = []
    for seed in range(100):
        row = evaluate({"x": contender}, Spread(boxes=5), 300, seed, checkpoints=[])[-1]
        gaps.append(row.regret - row.expected_regret)
        assert row.certificate >= row.expected_regret - 1e-9
    assert abs(np.mean(gaps)) <= 6.0 * np.std(gaps, ddof=1) / 10.0
    assert np.std(gaps) > 1.0


def test_bought_looks_are_in_the_expected_total() -> None:
    """With k = 1 all boxes are opened: what is paid is certain, and so is the count."""
    row = evaluate({"x": Contender(feedback="probe", block=1)}, Signed(), 100, 0)[-1]
    assert (row.opened, row.paid) == (1000, 1000.0)
    assert row.expected_regret > 700.0


def test_without_expectations_the_rest_is_the_same() -> None:
    contenders = {"x": Contender(), "y": Contender(feedback="probe", block=2)}
    for short, long in zip(
        evaluate(contenders, Signed(), 120, 0, expected=False),
        evaluate(contenders, Signed(), 120, 0),
        strict=True,
    ):
        nothing = (short.expected_total, short.expected_regret, short.certificate)
        assert all(math.isnan(number) for number in nothing)
        assert (short.total, short.regret, short.opened, short.paid) == (
            long.total,
            long.regret,
            long.opened,
            long.paid,
        )


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_is_evaluated(name: str) -> None:
    made: Any = WORLDS[name]
    row = evaluate({"cpb": Contender(feedback="full")}, made(), 80, 0)[-1]
    assert (row.world, row.round) == (name, 80)
    assert math.isnan(row.certificate) == (name == "correlated")
    assert row.expected_regret > 0.0


def test_progress_counts_all_rounds() -> None:
    told: list[tuple[int, int]] = []
    evaluate(
        {"x": Contender(), "y": Contender(feedback="full")},
        Signed(boxes=2, dimension=1),
        20_000,
        0,
        expected=False,
        progress=lambda done, rounds: told.append((done, rounds)),
    )
    assert told == [(16384, 40000), (32768, 40000), (36384, 40000), (40000, 40000)]


@pytest.mark.parametrize("rounds", [1, 2, 59, 300, 10**7])
def test_default_checkpoints(rounds: int) -> None:
    points = checkpoints_of(rounds)
    assert points[0] == 1
    assert points[-1] == rounds
    assert len(points) <= 100
    assert list(points) == sorted(set(points))


def test_bad_input_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="number of rounds must be an integer >= 1"):
        evaluate({}, Signed(), 0, 0)
    with pytest.raises(wz.InvalidInputError, match="checkpoint must be an integer >= 1"):
        evaluate({}, Signed(), 10, 0, checkpoints=[0])


def test_what_is_no_contender_or_no_world_is_refused() -> None:
    world: Any = wz.WORLDS["signed"]
    with pytest.raises(wz.InvalidInputError, match="The contender 'a' must be a Contender"):
        wz.evaluate({"a": wz.FTRL(intercept=False)}, world(), rounds=5, rng=0)  # type: ignore[dict-item]
    wrong: Any
    for wrong in (world, "signed"):
        with pytest.raises(wz.InvalidInputError, match="The world must be a world"):
            wz.evaluate({"a": wz.Contender()}, wrong, rounds=5, rng=0)
