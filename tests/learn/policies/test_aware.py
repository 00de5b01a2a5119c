"""The rule that is aware of its round, against a plain re-enactment written from the definition."""

import numpy as np
import pytest

import weitzman as wz
from tests.learn.rounds import revealed, seen_in, some_rounds
from weitzman.errors import InvalidInputError
from weitzman.feedback import Feedback
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.worlds import WORLDS
from weitzman.learn.loss import loss
from weitzman.learn.models.history import History
from weitzman.learn.policies.aware import Aware
from weitzman.learn.policies.family import Members
from weitzman.learn.policy import Floats, Round, walk
from weitzman.search.rule import follow
from weitzman.search.state import RoundState


class Brute:
    """Everything from the definitions: own regressions refitted by the library, own loop, own sums."""

    def __init__(self, boxes: int) -> None:
        self.base = wz.FTRL(intercept=False).start(boxes=boxes, dimension=2)
        self.shift = wz.FTRL(shared=True, intercept=False).start(boxes=1, dimension=4)
        self.residuals: list[list[float]] = [[] for _ in range(boxes)]
        self.leads: list[float] = []

    def play(self, shown: Round, values: Floats) -> tuple[float, list[tuple[int, tuple[int, ...]]]]:
        sigma = self.base.predict(shown.contexts, shown.costs, shown.places)
        centre, spread = self.moments(shown)
        (u,) = np.asarray(self.shift.weights())
        if not self.leads or sum(self.leads) <= np.sqrt(sum(d * d for d in self.leads)):
            u = np.zeros(4)
        left = list(range(len(values)))
        opened: list[int] = []
        asked: list[tuple[int, tuple[int, ...]]] = []
        best, paid = shown.outside, 0.0
        while left:
            now = sigma + spread * float(
                np.dot(u, self.told(opened, values, sigma, centre, spread))
            )
            head = min(left, key=lambda row: (now[row], row))
            asked.append((head, tuple(opened)))
            if best <= now[head]:
                break
            left.remove(head)
            opened.append(head)
            paid += shown.costs[head]
            best = min(best, values[head])
        for row, before in asked:
            self.note(row, before, shown, values, sigma, centre, spread)
        self.flush(shown)
        for row, place in enumerate(shown.places):
            self.residuals[place].append(values[row] - sigma[row])
        self.base.update(shown.places, shown.contexts, values, shown.costs)
        return best + paid, asked

    def moments(self, shown: Round) -> tuple[Floats, Floats]:
        centre, spread = np.zeros(len(shown.places)), np.zeros(len(shown.places))
        for row, place in enumerate(shown.places):
            mean = square = 0.0
            for k, r in enumerate(self.residuals[place], 1):
                mean += 2.0 / (k + 1.0) * (r - mean)
                square += 2.0 / (k + 1.0) * (r * r - square)
            centre[row] = mean
            if len(self.residuals[place]) > 4:
                spread[row] = np.sqrt(square - mean * mean)
        return centre, spread

    def told(
        self, rows: list[int], values: Floats, sigma: Floats, centre: Floats, spread: Floats
    ) -> Floats:
        r = [(values[j] - sigma[j] - centre[j]) / spread[j] for j in rows if spread[j] > 0.0]
        r = [min(max(q, -4.0), 4.0) for q in r]
        k = len(r)
        return np.array([1.0, 1.0 / k, sum(r) / k, sum(r) / k / k]) if k else np.zeros(4)

    def note(
        self,
        row: int,
        before: tuple[int, ...],
        shown: Round,
        values: Floats,
        sigma: Floats,
        centre: Floats,
        spread: Floats,
    ) -> None:
        told = self.told(list(before), values, sigma, centre, spread)
        if told[0] == 0.0 or spread[row] == 0.0:
            return
        pair = told, (values[row] - sigma[row]) / spread[row], shown.costs[row] / spread[row]
        self.pairs = [*getattr(self, "pairs", []), pair]

    def flush(self, shown: Round) -> None:
        pairs, self.pairs = getattr(self, "pairs", []), []
        if not pairs:
            return
        told, targets, costs = (np.array(column) for column in zip(*pairs, strict=True))
        (u,) = np.asarray(self.shift.weights())
        before, after = loss(-targets, costs), loss(told @ u - targets, costs)
        self.leads.append(float((before - after).sum()))
        self.shift.update(np.zeros(len(pairs), dtype=np.int64), told, targets, costs)


def started(spec: Aware, boxes: int = 4, feedback: Feedback = "full") -> Members:
    history = History(boxes=boxes, dimension=2, prepare="nothing", feedback=feedback)
    return spec.family().start(history, seed=0)


def test_every_round_is_the_plain_re_enactment() -> None:
    members, brute = started(Aware(wz.FTRL(intercept=False))), Brute(4)
    depths = set()
    for shown, values in some_rounds(250, seed=3):
        (total,), (count,) = members.totals(shown, values)
        expected, asked = brute.play(shown, values)
        assert total == pytest.approx(expected, rel=1e-9)
        assert count in {len(asked), len(asked) - 1}
        depths.add(len(asked))
        members.learn(shown, values)
        got = members.state()["shift.weights"]
        assert np.allclose(got, np.asarray(brute.shift.weights()), rtol=1e-7, atol=1e-9)
    assert sum(brute.leads) > np.sqrt(sum(d * d for d in brute.leads))
    assert len(depths) >= 3


def test_the_rule_opens_at_once_what_it_opens_look_by_look() -> None:
    members, lengths, rng = (
        started(Aware(wz.FTRL(intercept=False))),
        set(),
        np.random.default_rng(2),
    )
    for shown, values in some_rounds(200, seed=4):
        rule = members.rule(shown, 0)
        found = np.where(rng.random(len(values)) < 0.1, np.nan, values)
        stepwise = follow(rule, RoundState(shown.costs.tolist(), shown.outside), found)
        assert seen_in(walk(rule, shown, found)) == seen_in(stepwise)
        lengths.add(len(stepwise.opened))
        members.learn(shown, values)
    assert len(lengths) >= 4


def test_totals_follow_the_rule() -> None:
    members = started(Aware(wz.FTRL(intercept=False)))
    for shown, values in some_rounds(60):
        done = walk(members.rule(shown, 0), shown, values)
        (total,), (count,) = members.totals(shown, values)
        assert (total, count) == (done.total, len(done.opened))
        members.learn(shown, values)


def test_a_value_that_is_not_known_gives_no_total_and_is_not_learned() -> None:
    members = started(Aware(wz.FTRL(intercept=False)), feedback="opened")
    for shown, values in some_rounds(120):
        done = walk(members.rule(shown, 0), shown, values)
        seen = revealed(done.opened, values)
        assert members.totals(shown, seen)[0][0] == done.total
        if done.opened:
            assert np.isnan(members.totals(shown, np.full(len(values), np.nan))[0][0])
        members.learn(shown, seen)
    looks = members.state()["own.spread"][:, 2].sum()
    assert looks < sum(len(values) for _, values in some_rounds(120))
    assert members.state()["own.lead"][1] > 0.0


@pytest.mark.parametrize("shared", [False, True])
def test_a_restored_player_goes_on_bit_for_bit(shared: bool) -> None:
    policy = Aware(wz.FTRL(shared=shared, intercept=False), shared=shared)
    whole = policy.start(boxes=4, dimension=2)
    rounds = some_rounds(120)
    for shown, values in rounds[:70]:
        whole.learn(shown, values)
    half = policy.start(boxes=4, dimension=2)
    half.restore(whole.state())
    for shown, values in rounds[70:]:
        one, other = (seen_in(walk(p.rule(shown), shown, values)) for p in (whole, half))
        assert one == other
        whole.learn(shown, values)
        half.learn(shown, values)
    states = whole.state(), half.state()
    assert states[0].keys() == states[1].keys()
    assert all(a.tobytes() == states[1][name].tobytes() for name, a in states[0].items())


def test_the_state_of_another_rule_is_refused() -> None:
    members = started(Aware(wz.FTRL(intercept=False)))
    with pytest.raises(InvalidInputError, match="aware rule"):
        members.restore(started(Aware(wz.FTRL(intercept=False)), boxes=3).state())


def test_any_learner_can_be_made_aware() -> None:
    members, bank = (
        started(Aware(wz.Logistic(intercept=False))),
        wz.Logistic(intercept=False).start(boxes=4, dimension=2),
    )
    for shown, values in some_rounds(30):
        members.learn(shown, values)
        bank.update(shown.places, shown.contexts, values, shown.costs)
    assert members.names == ("aware",)
    for name, array in bank.state().items():
        np.testing.assert_array_equal(members.state()[f"bank.{name}"], array)


def regret(world: str, policy: wz.Weitzman | Aware, seeds: range) -> Floats:
    found = []
    for seed in seeds:
        drawn = WORLDS[world]().draw(300, seed)
        boxes, dimension = drawn.contexts.shape[1:]
        history = History(boxes=boxes, dimension=dimension, prepare="nothing")
        members, total = policy.family().start(history, seed=0), 0.0
        for t in range(300):
            costs = np.broadcast_to(drawn.costs, drawn.values.shape)[t].copy()
            shown = Round(
                contexts=drawn.contexts[t].copy(),
                costs=costs,
                outside=np.inf,
                places=np.arange(boxes),
            )
            total += float(members.totals(shown, drawn.values[t].copy())[0][0])
            members.learn(shown, drawn.values[t].copy())
        found.append(total - float(clairvoyant(drawn).totals.sum()))
    return np.array(found)


def test_where_boxes_are_correlated_most_of_the_regret_goes() -> None:
    seeds = range(9000, 9004)
    plain, aware = (
        regret("correlated", p, seeds).mean()
        for p in (wz.Weitzman(wz.FTRL(intercept=False)), Aware(wz.FTRL(intercept=False)))
    )
    assert aware < 0.2 * plain


@pytest.mark.slow
@pytest.mark.parametrize("world", ["signed", "orthant", "shifted", "spread", "agree"])
def test_where_boxes_are_independent_it_costs_nothing(world: str) -> None:
    seeds = range(9100, 9140)
    plain, aware = (
        regret(world, p, seeds)
        for p in (wz.Weitzman(wz.FTRL(intercept=False)), Aware(wz.FTRL(intercept=False)))
    )
    error = (aware - plain).std(ddof=1) / np.sqrt(len(plain)) / plain.mean()
    assert aware.mean() / plain.mean() <= 1.02 + 2.0 * error
