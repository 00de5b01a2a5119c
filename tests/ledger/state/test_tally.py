"""What a tally tells, beside the same sums taken over all rounds at once."""

import numpy as np
import pytest

from weitzman.ledger.bodies import Closed, Created, Opened, Seen
from weitzman.ledger.state.problem import Problem

BOXES, ROUNDS = 4, 300


@pytest.fixture(scope="module", params=["min", "max"])
def played(request: pytest.FixtureRequest) -> tuple[Problem, dict[str, np.ndarray]]:
    """Rounds of the rule under reservation values drawn at random; smaller is better in what is told."""
    sense = request.param
    sign = 1.0 if sense == "min" else -1.0
    names = [f"b{i}" for i in range(BOXES)]
    problem = Problem(
        name="p",
        at=0,
        settings=Created(
            boxes=names,
            features=["x"],
            sense=sense,
            feedback="full",
            waiting=10,
            learner="Ridge",
            parameters={},
            policy=None,
            optimism="auto",
        ),
    )
    rng = np.random.default_rng(5)
    sigma = rng.normal(1.0, 1.0, (ROUNDS, BOXES))
    values = rng.normal(1.5, 1.0, (ROUNDS, BOXES))
    costs = rng.uniform(0.1, 0.6, (ROUNDS, BOXES))
    outside = rng.normal(2.0, 1.0, ROUNDS)
    opened = np.zeros((ROUNDS, BOXES), dtype=bool)
    for t in range(ROUNDS):
        told = (sign * sigma[t]).tolist()
        body = Opened([[1.0]] * BOXES, costs[t].tolist(), told, float(sign * outside[t]))
        problem.open(f"r{t}", t, body)
        while (row := problem.rounds[f"r{t}"].next()) is not None:
            problem.see(f"r{t}", t, Seen([(row, float(sign * values[t, row]))]))
            opened[t, row] = True
        rest = [(r, float(sign * values[t, r])) for r in range(BOXES) if not opened[t, r]]
        problem.close(f"r{t}", t, Closed(rest))
    return problem, {
        "sigma": sigma,
        "values": values,
        "costs": costs,
        "outside": outside,
        "opened": opened,
    }


Played = tuple[Problem, dict[str, np.ndarray]]


def _totals(told: dict[str, np.ndarray]) -> np.ndarray:
    kept = np.where(told["opened"], told["values"], np.inf).min(axis=1)
    paid = (told["costs"] * told["opened"]).sum(axis=1)
    totals: np.ndarray = np.minimum(kept, told["outside"]) + paid
    return totals


def test_savings_are_against_what_they_say(played: Played) -> None:
    problem, told = played
    tally, totals = problem.tally, _totals(told)
    least = np.minimum(told["values"].min(axis=1), told["outside"])
    everything = least + told["costs"].sum(axis=1)
    single = (told["values"] + told["costs"]).sum(axis=0).min()
    assert tally.total == pytest.approx(totals.sum())
    assert tally.saved_looks == pytest.approx((told["costs"] * ~told["opened"]).sum())
    assert tally.saved_outside == pytest.approx((told["outside"] - totals).sum())
    assert tally.saved_everything == pytest.approx((everything - totals).sum())
    assert tally.saved_fixed() == pytest.approx(single - totals.sum())
    assert tally.spreads.saved_everything.mean == pytest.approx((everything - totals).mean())
    error = totals.std(ddof=1) / np.sqrt(ROUNDS)
    assert tally.spreads.total.error() == pytest.approx(error)


def test_a_round_comes_to_what_was_promised_plus_the_shortfall(played: Played) -> None:
    problem, told = played
    promised = np.maximum(told["sigma"], told["values"]).min(axis=1)
    promised = np.minimum(promised, told["outside"])
    marks = problem.tally.marks
    beyond = (_totals(told) - promised).cumsum()
    assert [m.shortfall for m in marks] == pytest.approx([beyond[m.closed - 1] for m in marks])
    assert problem.tally.spreads.shortfall.mean == pytest.approx(beyond[-1] / ROUNDS)


def test_rounds_are_counted_by_their_looks_and_listed(played: Played) -> None:
    problem, told = played
    looks = told["opened"].sum(axis=1)
    assert problem.tally.depth == np.bincount(looks, minlength=BOXES + 1).tolist()
    newest = problem.tally.recent[-1]
    assert (newest.name, newest.looks) == (f"r{ROUNDS - 1}", looks[-1])
    assert newest.total == pytest.approx(_totals(told)[-1])
    assert len(problem.tally.recent) == 100


def test_a_calibration_has_an_error(played: Played) -> None:
    problem, told = played
    tally = problem.tally
    for box in range(BOXES):
        seen = told["opened"][:, box]
        excess = np.maximum(told["sigma"] - told["values"], 0.0)[seen, box]
        costs = told["costs"][seen, box]
        ratio = excess.sum() / costs.sum()
        error = np.sqrt(((excess - ratio * costs) ** 2).sum()) / costs.sum()
        found = tally.ratios[box].error(tally.excess[box], tally.price[box])
        assert found == pytest.approx(error, rel=1e-9)


def test_rounds_that_end_with_nothing_are_counted_apart() -> None:
    settings = Created(
        boxes=["a", "b"],
        features=["x"],
        sense="min",
        feedback="opened",
        waiting=10,
        learner="Ridge",
    )
    problem = Problem(name="p", at=0, settings=settings)
    for number in range(1, 4):
        name = f"r{number}"
        problem.open(name, number, Opened([[1.0], [2.0]], [0.5, 0.25], [1.0, 2.0], None))
        problem.see(name, number, Seen([(0, None)]))
        problem.close(name, number, Closed([]))
        tally = problem.tally
        assert (tally.closed, tally.empty, tally.missing) == (number, number, number)
        assert (tally.paid, tally.total, tally.value) == (0.5 * number, 0.0, 0.0)
        assert tally.recent[-1].total is None
    problem.open("last", 9, Opened([[1.0], [2.0]], [0.5, 0.25], [1.0, 2.0], None))
    problem.see("last", 9, Seen([(0, 0.75)]))
    problem.close("last", 9, Closed([]))
    assert (tally.closed, tally.empty, tally.total) == (4, 3, 1.25)
    assert (tally.waited, tally.late, tally.imported) == (0, 0, 0)
