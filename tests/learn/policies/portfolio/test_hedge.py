"""AdaHedge is the published algorithm, and what is played keeps the bound that is stated for it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weitzman as wz
from weitzman.learn.policies.portfolio.hedge import AdaHedge, Gate
from weitzman.learn.policy import Floats

ROUNDS = 1000


def mixed(eta: float, sums: list[float]) -> tuple[list[float], float]:
    """Return weights and the mix loss of all rounds so far, straight from the paper."""
    least = min(sums)
    if math.isinf(eta):
        raw = [float(s == least) for s in sums]
        return [r / sum(raw) for r in raw], least
    raw = [math.exp(-eta * (s - least)) for s in sums]
    return [r / sum(raw) for r in raw], least - math.log(sum(raw) / len(sums)) / eta


def plain(losses: list[list[float]]) -> tuple[list[list[float]], list[float]]:
    """Return AdaHedge's weights and expected losses."""
    sums, delta = [0.0] * len(losses[0]), 0.0
    weights, expected = [], []
    for row in losses:
        eta = math.log(len(row)) / delta if delta > 0.0 else math.inf
        share, before = mixed(eta, sums)
        h = sum(p * x for p, x in zip(share, row, strict=True))
        sums = [s + x for s, x in zip(sums, row, strict=True)]
        delta += max(0.0, h - (mixed(eta, sums)[1] - before))
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
        np.testing.assert_allclose(hedge.weights, weights[t], rtol=1e-9, atol=1e-12)
        assert hedge.weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert hedge.add(row) == pytest.approx(expected[t], rel=1e-9, abs=1e-12)


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
        if rng.uniform() < spite:
            row = shift + (hedge.weights == hedge.weights.max()).astype(float)
        paid += hedge.add(row)
        sums += row
        ranges.append(float(np.ptp(row)))
        assert hedge.bound == pytest.approx(bound(np.array(ranges), candidates), rel=1e-9)
        assert paid - sums.min() <= hedge.bound + 1e-9


def test_a_loss_that_no_rate_foresaw_is_taken_in() -> None:
    # The rate is so large that all weights but one are 0, and the one that is left loses most
    hedge = AdaHedge(3)
    for row in ([0.0, 1e-12, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]):
        before = hedge.bound
        hedge.add(np.array(row))
        assert hedge.bound >= before
        assert np.isfinite(hedge.weights).all()
    assert hedge.weights[0] < 0.99


class Misled(Gate):
    """A gate that is always played as advised."""

    is_trusted = True


def margins(gate: Gate, kind: str, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return limit minus regret after each round: weighted by what was seen, and plain by (4)."""
    count = len(gate.weights())
    known = adversary(kind, count, rng)
    sums, paid, weighted, owed = np.zeros(count), 0.0, np.zeros(count), 0.0
    ranges, seen, four = np.empty(rounds), np.empty(rounds), np.empty(rounds)
    log, widest = math.log(count), 0.0
    for t in range(1, rounds + 1):
        weights = gate.weights()
        row = known[t - 1]
        if kind == "spiteful":
            row = (weights == weights.max()).astype(float)
        elif kind == "teasing":
            # The incumbent is good while it is not played
            row = np.full(count, 0.5)
            row[0] = float(weights[0] > 0.5)
        elif kind == "luring":
            # Whoever was just let in turns bad, until the incumbent is back
            row = np.where(np.arange(count) == 0, 0.6, 0.5)
            row[int(weights.argmax())] = 1.0
        paid += float(weights @ row)
        owed += t * float(weights @ row)
        sums += row
        weighted += t * row
        gate.add(row)
        widest = max(widest, float(np.ptp(row)))
        ranges[t - 1] = t * float(np.ptp(row))
        seen[t - 1] = 2.0 * bound(ranges[:t], count) + ranges[:t].max() - (owed - weighted.min())
        limit = 6.0 * math.sqrt(t * log) + (8.0 / 3.0 * log + 5.0) * (1.0 + math.log(t))
        four[t - 1] = widest * limit - (paid - sums.min())
    return seen, four


KINDS = ["random", "alternating", "blocks", "growing", "spiteful", "teasing", "luring"]


@pytest.mark.parametrize("clarity", [0.0, 2.25, 50.0])
@pytest.mark.parametrize("incumbent", [None, 0])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_played_keeps_its_guarantee(
    kind: str, incumbent: int | None, clarity: float
) -> None:
    gate = Gate(5, incumbent=incumbent, clarity=clarity)
    for margin in margins(gate, kind, ROUNDS, np.random.default_rng(1)):
        assert margin.min() >= 0.0


@pytest.mark.parametrize("incumbent", [None, 0])
@pytest.mark.parametrize("kind", ["spiteful", "luring"])
def test_advice_alone_would_break_the_guarantee(kind: str, incumbent: int | None) -> None:
    rng = np.random.default_rng(1)
    for margin in margins(Misled(5, incumbent=incumbent), kind, ROUNDS, rng):
        assert margin.min() < 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.booleans())
def test_the_guarantee_holds_whatever_the_losses(
    candidates: int, seed: int, spite: float, gated: bool
) -> None:
    rng = np.random.default_rng(seed)
    gate = Gate(candidates, incumbent=0 if gated else None)
    weighted, owed, ranges = np.zeros(candidates), 0.0, []
    for t in range(1, 121):
        weights = gate.weights()
        row = rng.uniform(size=candidates) * 10.0 ** rng.integers(-2, 3) - 3.0
        if rng.uniform() < spite:
            row = (weights == weights.max()) * 10.0 ** rng.integers(-2, 3)
        owed += t * float(weights @ row)
        weighted += t * row
        ranges.append(t * float(np.ptp(row)))
        gate.add(row)
        limit = 2.0 * bound(np.array(ranges), candidates) + max(ranges)
        assert owed - weighted.min() <= limit + 1e-9


@pytest.mark.parametrize(
    ("clarity", "falls_after"), [(0.5, math.inf), (2.0, math.inf), (3.0, 30.0)]
)
def test_the_incumbent_is_advised_until_it_is_beaten_by_standard_errors(
    clarity: float, falls_after: float
) -> None:
    rng = np.random.default_rng(5)
    gate = Gate(4, incumbent=1, clarity=clarity, falls_after=falls_after)
    losses = rng.normal(size=(400, 4)) + np.array([0.0, 0.25, 0.1, 0.6])
    changes = 0
    for t in range(1, 401):
        gate.add(losses[t - 1])
        w = np.arange(1.0, t + 1)
        leader = int((w @ losses[:t]).argmin())
        apart = losses[:t, 1] - losses[:t, leader]
        n = w.sum() ** 2 / (w**2).sum()
        variance = (w**2 * (apart - np.average(apart, weights=w)) ** 2).sum()
        bar = clarity if t <= falls_after else clarity * math.sqrt(falls_after) / math.sqrt(t)
        clear = t > 1 and w @ apart > bar * math.sqrt(variance * n / (n - 1.0))
        wanted = leader if clear else 1
        changes += wanted != 1
        assert gate.leader == wanted
        assert gate.is_open == (wanted != 1)
        np.testing.assert_array_equal(gate.weights(), np.eye(4)[wanted])
    assert 10 < changes < 400


def test_a_candidate_that_is_better_by_as_much_in_every_round_is_believed_after_two() -> None:
    gate = Gate(2, incumbent=1)
    seen = []
    for _ in range(4):
        seen.append(gate.leader)
        gate.add(np.array([0.0, 1.0]))
    assert seen == [1, 1, 0, 0]
    assert Gate(1, incumbent=0).weights().tolist() == [1.0]


def test_advice_that_has_cost_too_much_is_not_followed() -> None:
    gate, drawn = Gate(5), 0
    for _ in range(200):
        weights = gate.weights()
        drawn += int(weights.max() < 1.0)
        assert gate.is_trusted == (weights.max() == 1.0)
        gate.add((weights == weights.max()).astype(float))
    assert 100 < drawn < 200


def test_a_restored_hedge_goes_on_bit_for_bit() -> None:
    losses = np.random.default_rng(0).normal(size=(60, 4))
    one, two = (Gate(4, incumbent=2) for _ in range(2))
    for row in losses[:30]:
        one.add(row)
    two.restore(one.state())
    for row in losses[30:]:
        assert one.weights().tobytes() == two.weights().tobytes()
        one.add(row)
        two.add(row)
        for name, array in one.state().items():
            assert array.tobytes() == two.state()[name].tobytes()


@pytest.mark.parametrize(
    ("arguments", "subject"), [({"incumbent": 4}, "incumbent"), ({"clarity": -1.0}, "clarity")]
)
def test_what_is_refused(arguments: dict[str, object], subject: str) -> None:
    with pytest.raises(wz.InvalidInputError, match=subject):
        Gate(4, **arguments)  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="losses"):
        Gate(2).add(np.array([0.0, np.nan]))
    with pytest.raises(wz.InvalidInputError, match="state"):
        Gate(2).restore(Gate(3).state())


def test_few_rounds_count_as_few() -> None:
    """Student's t instead of the normal law: the deviate is as rare, and a constant lead is no proof."""
    from scipy.stats import norm, t

    from weitzman.learn.policies.portfolio.hedge import _deviate

    for freedom in (2.0, 5.5, 30.0, 1000.0):
        for ratio in (0.1, 1.0, 5.0):
            exact = norm.isf(t.sf(np.sqrt(ratio * freedom), freedom))
            if exact < 8.0:
                assert _deviate(ratio, freedom) == pytest.approx(exact, rel=0.04)
    plain, careful = (Gate(2, incumbent=0, clarity=3.5, few=few) for few in (False, True))
    opened = []
    for gate in (plain, careful):
        rounds = 0
        while not gate.is_open:
            gate.add(np.array([1.0, 0.0]))
            rounds += 1
        opened.append(rounds)
    assert opened[0] == 2
    assert 8 <= opened[1] <= 20


class PlainGate:
    """The gate from the formulas of its module, with all rounds kept and everything summed again."""

    def __init__(self, count: int, incumbent: int | None, clarity: float, few: bool) -> None:
        self.incumbent, self.clarity, self.few = incumbent, clarity, few
        self.rows: list[list[float]] = []
        self.count, self.spent, self.trusted = count, 0.0, True
        self.leader = 0 if incumbent is None else incumbent

    def add(self, row: Floats) -> None:
        self.rows.append(row.tolist())
        t = len(self.rows)
        weighted = [[(k + 1) * x for x in old] for k, old in enumerate(self.rows)]
        if self.trusted:
            self.spent += t * float(row[self.leader]) - plain(weighted)[1][-1]
        ranges = np.array([max(old) - min(old) for old in weighted])
        self.trusted = self.spent <= bound(ranges, self.count)
        sums = np.sum(weighted, axis=0)
        best = int(sums.argmin())
        self.leader = best if self.is_clear(best) else self.incumbent or 0

    def is_clear(self, best: int) -> bool:
        """Whether (2) holds, in the form for few rounds if wished."""
        t = len(self.rows)
        if self.incumbent is None or best == self.incumbent:
            return True
        if t < 2:
            return False
        w, losses = np.arange(1.0, t + 1), np.array(self.rows)
        apart = losses[:, self.incumbent] - losses[:, best]
        ahead, n = float(w @ apart), w.sum() ** 2 / (w**2).sum()
        squares = float((w**2 * (apart - ahead / w.sum()) ** 2).sum())
        if ahead <= self.clarity * math.sqrt(n / (n - 1.0) * squares):
            return False
        if not self.few:
            return True
        # One more round like the last, in which nobody is ahead
        variance = n / (n - 1.0) * (squares + (t * ahead / w.sum()) ** 2)
        f = n - 1.0
        rare = math.sqrt(f * math.log1p(ahead**2 / (f * variance)))
        return bool((8.0 * f + 1.0) / (8.0 * f + 3.0) * rare > self.clarity)

    def weights(self) -> list[float]:
        if self.trusted:
            return [float(k == self.leader) for k in range(self.count)]
        weighted = [[(k + 1) * x for x in old] for k, old in enumerate(self.rows)]
        return plain([*weighted, [0.0] * self.count])[0][-1]


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(("incumbent", "clarity"), [(None, 2.25), (0, 0.0), (2, 1.0), (1, 2.25)])
@pytest.mark.parametrize("kind", ["random", "spiteful", "drifting", "scaled"])
def test_every_state_of_a_gate_is_that_of_its_formulas(
    kind: str, incumbent: int | None, clarity: float, few: bool
) -> None:
    rng = np.random.default_rng(11)
    gate = Gate(3, incumbent=incumbent, clarity=clarity, few=few)
    wanted = PlainGate(3, incumbent, clarity, few)
    seen: set[tuple[bool, bool]] = set()
    for t in range(1, 61):
        assert (gate.leader, gate.is_trusted) == (wanted.leader, wanted.trusted)
        assert gate.is_open == (wanted.leader != incumbent)
        weights = gate.weights()
        np.testing.assert_allclose(weights, wanted.weights(), rtol=1e-9, atol=1e-12)
        seen.add((gate.is_open, gate.is_trusted))
        row = rng.normal(size=3)
        if kind == "spiteful":
            row = (weights == weights.max()).astype(float)
        elif kind == "drifting":
            row += [0.0, 0.5 * (t < 20), 0.02 * t]
        elif kind == "scaled":
            row *= 10.0 ** rng.integers(-3, 4)
        gate.add(row)
        wanted.add(row)
        state = gate.state()
        assert state["counts"].tolist() == [t, wanted.leader]
        assert float(state["spent"][0]) == pytest.approx(wanted.spent, rel=1e-9, abs=1e-9)
    if kind == "spiteful":
        assert {trusted for _, trusted in seen} == {True, False}


def test_a_gate_that_is_restored_while_it_is_not_trusted_stays_so() -> None:
    one = Gate(3)
    while one.is_trusted:
        weights = one.weights()
        one.add((weights == weights.max()).astype(float))
    two = Gate(3)
    two.restore(one.state())
    assert not two.is_trusted
    assert two.leader == one.leader
    assert two.weights().tobytes() == one.weights().tobytes()


def test_the_weights_and_the_state_of_a_gate_are_copies() -> None:
    gate = Gate(2)
    while gate.is_trusted:
        weights = gate.weights()
        gate.add((weights == weights.max()).astype(float))
    kept, state = gate.weights(), gate.state()
    for array in (gate.weights(), *state.values()):
        array[:] = 7
    np.testing.assert_array_equal(gate.weights(), kept)
    assert gate.state()["counts"][0] != 7


@pytest.mark.parametrize(
    "arguments", [{"incumbent": -1}, {"incumbent": 2}, {"clarity": math.inf}, {"falls_after": 0.0}]
)
def test_what_a_gate_refuses(arguments: dict[str, object]) -> None:
    with pytest.raises(wz.InvalidInputError):
        Gate(2, **arguments)  # type: ignore[arg-type]
    with pytest.raises(wz.InvalidInputError, match="losses"):
        Gate(2).add(np.zeros(3))
