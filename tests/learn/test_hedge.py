"""AdaHedge is the published algorithm, keeps its bound, and the gate does what it says."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weitzman as wz
from weitzman.learn.hedge import AdaHedge, Gate
from weitzman.learn.policy import Floats

ROUNDS = 400


def plain(losses: list[list[float]]) -> tuple[list[list[float]], list[float]]:
    """Return AdaHedge's weights and expected losses, straight from the paper, in exact order of its text."""
    count = len(losses[0])
    sums, delta = [0.0] * count, 0.0
    weights, expected = [], []
    for row in losses:
        least = min(sums)
        if delta == 0.0:
            raw = [1.0 if s == least else 0.0 for s in sums]
        else:
            eta = math.log(count) / delta
            raw = [math.exp(-eta * (s - least)) for s in sums]
        share = [r / sum(raw) for r in raw]
        h = sum(p * x for p, x in zip(share, row, strict=True))
        if delta == 0.0:
            m = min(x for p, x in zip(share, row, strict=True) if p > 0.0)
        else:
            eta = math.log(count) / delta
            m = (
                -math.log(sum(p * math.exp(-eta * x) for p, x in zip(share, row, strict=True)))
                / eta
            )
        delta += max(0.0, h - m)
        sums = [s + x for s, x in zip(sums, row, strict=True)]
        weights.append(share)
        expected.append(h)
    return weights, expected


def adversary(kind: str, candidates: int, rng: np.random.Generator) -> Floats:
    losses = rng.uniform(size=(ROUNDS, candidates))
    t = np.arange(ROUNDS)
    if kind == "alternating":
        losses[:] = 0.5
        losses[:, 0], losses[:, 1] = t % 2, 1 - t % 2
    elif kind == "blocks":
        losses = np.tile(((t // 40) % candidates)[:, None] != np.arange(candidates), 1).astype(
            float
        )
    elif kind == "growing":
        losses *= t[:, None] / ROUNDS
    return losses


@pytest.mark.parametrize("kind", ["random", "alternating", "blocks", "growing"])
@pytest.mark.parametrize("candidates", [2, 7])
def test_weights_are_those_of_plain_adahedge(kind: str, candidates: int) -> None:
    losses = adversary(kind, candidates, np.random.default_rng(3))
    weights, expected = plain(losses.tolist())
    hedge = AdaHedge(candidates)
    for t, row in enumerate(losses):
        np.testing.assert_allclose(hedge.weights(), weights[t], rtol=1e-9, atol=1e-12)
        assert hedge.weights() @ row == pytest.approx(expected[t], rel=1e-9)
        hedge.add(row)


def bound(ranges: Floats, candidates: int) -> float:
    log = math.log(candidates)
    return math.sqrt(log * float((ranges**2).sum())) + float(ranges.max()) * (4.0 / 3.0 * log + 2.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.floats(-5.0, 5.0))
def test_regret_of_adahedge_keeps_its_bound(
    candidates: int, seed: int, spite: float, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    hedge, sums, paid, ranges = AdaHedge(candidates), np.zeros(candidates), 0.0, []
    for _ in range(120):
        row = rng.uniform(size=candidates) * 10.0 ** rng.integers(-2, 3) + shift
        weights = hedge.weights()
        if rng.uniform() < spite:
            row = shift + (weights == weights.max()).astype(float)
        paid += float(weights @ row)
        sums += row
        ranges.append(float(np.ptp(row)))
        hedge.add(row)
        assert paid - sums.min() <= bound(np.array(ranges), candidates) + 1e-9


@pytest.mark.parametrize("closings", ["none", "doubling"])
@pytest.mark.parametrize("kind", ["random", "alternating", "blocks", "spiteful", "teasing"])
def test_plain_regret_with_later_rounds_counting_more_is_of_the_order_of_the_bound(
    kind: str, closings: str
) -> None:
    rng, candidates = np.random.default_rng(1), 5
    gate = (
        Gate(candidates)
        if closings == "none"
        else Gate(candidates, incumbent=0, clarity=1.5, closings="doubling")
    )
    known = adversary(kind, candidates, rng)
    sums, paid = np.zeros(candidates), 0.0
    for t in range(ROUNDS):
        weights = gate.weights()
        row = known[t]
        if kind == "spiteful":
            row = (weights == weights.max()).astype(float)
        elif kind == "teasing":
            # The incumbent is good while it is not played
            row = np.full(candidates, 0.5)
            row[0] = float(weights[0] > 0.5)
        paid += float(weights @ row)
        sums += row
        gate.add(row)
        log = math.log(candidates)
        limit = 3.0 * math.sqrt((t + 1) * log) + (4.0 / 3.0 * log + 2.0) * (1.0 + math.log(t + 1))
        if closings == "doubling":
            # z√Q ≤ 1.5 b^{3/2} and b R and (1), for stretches whose b^{3/2} sum up to 4 T^{3/2}
            limit += 4.0 * (3.0 * 1.5 + 3.0 + limit)
        assert paid - sums.min() <= limit


def test_a_gate_that_closes_freely_can_be_led_around() -> None:
    def closings(kind: str) -> int:
        gate = Gate(2, incumbent=0, clarity=0.0, closings=kind)  # type: ignore[arg-type]
        count, before = 0, gate.is_open
        for _ in range(1000):
            gate.add(np.array([0.0, 1.0]) if gate.is_open else np.array([1.0, 0.0]))
            count += before and not gate.is_open
            before = gate.is_open
        return count

    assert closings("free") > 100
    assert closings("doubling") <= 10


def test_the_incumbent_is_played_until_it_is_beaten_clearly() -> None:
    gate = Gate(2, incumbent=1, clarity=1.5)
    seen = []
    for _ in range(6):
        seen.append(gate.leader)
        gate.add(np.array([0.0, 1.0]))
    # A_inc − A_k = Σ t against 1.5 √Σ t²: 1, 3, 6 against 1.5, 3.35, 5.6
    assert seen == [1, 1, 1, 0, 0, 0]
    np.testing.assert_array_equal(Gate(2, incumbent=1).weights(), [0.0, 1.0])


def test_a_restored_hedge_goes_on_bit_for_bit() -> None:
    losses = np.random.default_rng(0).normal(size=(60, 4))
    one, two = (Gate(4, incumbent=2, closings="doubling") for _ in range(2))
    for row in losses[:30]:
        one.add(row)
    two.restore(one.state())
    for row in losses[30:]:
        one.add(row)
        two.add(row)
        assert one.weights().tobytes() == two.weights().tobytes()
    assert one.leader == two.leader


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        ({"incumbent": 4}, "incumbent"),
        ({"clarity": -1.0}, "clarity"),
        ({"closings": "no"}, "closings"),
    ],
)
def test_what_is_refused(arguments: dict[str, object], subject: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=subject):
        Gate(4, **arguments)  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="losses"):
        Gate(2).add(np.array([0.0, np.nan]))
    with pytest.raises(wz.InvalidInputError, match="state"):
        Gate(2).restore(Gate(3).state())
