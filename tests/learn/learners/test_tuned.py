"""FTRL at several strengths, beside a plain re-enactment of which of them predicts."""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.tuned import STRENGTHS, TunedBank

Array = NDArray[np.float64]
BOXES = 3
EVERY = np.arange(BOXES)
COSTS = np.full(BOXES, 0.5)
LEARNER = FTRL(eta=2.0, prior="boxes", intercept=False)


def rounds(count: int, features: int, seed: int, slope: float) -> list[tuple[Array, Array]]:
    """Rounds whose values follow the first of the features as far as the slope says."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        contexts = np.hstack([np.full((BOXES, 1), 2.0), rng.normal(size=(BOXES, features))])
        values = EVERY + slope * contexts[:, 1] + rng.normal(size=BOXES)
        values[rng.random(BOXES) < 0.3] = np.nan
        made.append((contexts, values))
    return made


class Plain:
    """Learners side by side, whose weights are held by the size of what they are given.

    η is 2, so a level that is given x is held like 1/2 ÷ x² looks: by the first like one, by others like
    half of one; by the curious, as with two features, like a half and an eighth.
    """

    def __init__(self, features: int, *, curious: bool) -> None:
        self.curious = curious
        self.banks = [
            FTRL(eta=2.0, prior="boxes", intercept=False).start(
                boxes=BOXES, dimension=1 if s == math.inf else 1 + features
            )
            for s in STRENGTHS
        ]
        self.ahead: list[list[float]] = [[] for _ in STRENGTHS]
        self.usual: float | None = None
        self.features = features
        self.contexts: list[Array] = []

    def given(self, k: int, contexts: Array) -> Array:
        s = STRENGTHS[k]
        x = (1.0 if k == 0 else 2.0) if self.curious else (math.sqrt(0.5) if k == 0 else 1.0)
        level = np.full((len(contexts), 1), x)
        # Weights of features that are √s times as small are held s times as strongly
        return level if s == math.inf else np.hstack([level, contexts[:, 1:] / math.sqrt(s)])

    def dearer(self, costs: Array) -> Array:
        """What a look costs more than on average in the first round."""
        if self.usual is None or self.curious:
            return np.zeros(len(costs))
        return costs - self.usual

    def sigma(self, k: int, contexts: Array, costs: Array, optimism: float) -> Array:
        plain = self.banks[k].predict(self.given(k, contexts), costs, optimism=optimism)
        return plain + self.dearer(costs)

    def leader(self) -> int:
        shown = len(self.contexts)
        if not self.curious and shown < 2 * self.features:
            return min(k for k, s in enumerate(STRENGTHS) if 2 * self.features / s <= shown)
        best, most = 0, 0.0
        for k, ahead in enumerate(self.ahead):
            lead = sum(ahead)
            if lead > most and lead**2 > sum(d * d for d in ahead):
                best, most = k, lead
        return best

    def learn(self, contexts: Array, costs: Array, values: Array) -> None:
        self.usual = float(costs.mean()) if self.usual is None else self.usual
        lost = []
        for k in range(len(STRENGTHS)):
            z = self.sigma(k, contexts, costs, 0.0) - values
            lost.append(float(np.nansum(np.maximum(z, 0.0) ** 2 / 2.0 - costs * z)))
            left = values - self.dearer(costs)
            self.banks[k].update(EVERY, self.given(k, contexts), left, costs)
        for k, ahead in enumerate(self.ahead):
            ahead.append(lost[0] - lost[k])
        for row in contexts[~np.isnan(values)]:
            if not any(np.array_equal(row, one) for one in self.contexts):
                self.contexts.append(row)


@pytest.mark.parametrize(("features", "slope"), [(1, 2.0), (12, 0.0), (12, 1.0)])
@pytest.mark.parametrize(("optimism", "curious"), [(0.0, False), (0.75, True), (0.75, False)])
def test_who_predicts_is_clearly_better_than_the_first(
    features: int, slope: float, optimism: float, curious: bool
) -> None:
    bank = TunedBank(LEARNER, boxes=BOXES, dimension=1 + features, curious=curious)
    plain, rng = Plain(features, curious=curious), np.random.default_rng(5)
    for contexts, values in rounds(60, features, 1, slope):
        costs, k = rng.uniform(0.2, 1.0, size=BOXES), plain.leader()
        assert bank.leader == k
        lowered = plain.sigma(0, contexts, costs, optimism) - plain.sigma(0, contexts, costs, 0.0)
        expected = plain.sigma(k, contexts, costs, 0.0) + lowered
        found = bank.predict(contexts, costs, optimism=optimism)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
        bank.update(EVERY, contexts, values, costs)
        plain.learn(contexts, costs, values)
    # Features that say nothing are not gone by
    if slope != 1.0:
        assert (bank.leader == 0) == (slope > 0.0)


@pytest.mark.parametrize(
    ("own", "leaders"), [(False, [3, *[2] * 7, 1, 1]), (True, [3, 2, 2, *[1] * 7])]
)
def test_features_count_as_far_as_contexts_tell_them_apart(own: bool, leaders: list[int]) -> None:
    bank, rng = TunedBank(LEARNER, boxes=BOXES, dimension=1 + 32), np.random.default_rng(3)
    found = []
    for _ in leaders:
        found.append(bank.leader)
        contexts = np.full((BOXES, 33), 2.0)
        contexts[:, 1:] = rng.normal(size=(BOXES, 32) if own else 32)
        bank.update(EVERY, contexts, rng.normal(size=BOXES), COSTS)
    assert found == leaders


@pytest.mark.parametrize("features", [1, 5, 64])
def test_levels_are_held_alike_however_many_features_there_are(features: int) -> None:
    """One look moves the level of a box by 1/(1 + strength) of the way, in looks."""
    bank = TunedBank(replace(LEARNER, eta=4.0 / features), boxes=1, dimension=1 + features)
    contexts = np.hstack([np.full((1, 1), 2.0), np.zeros((1, features))])
    # Below 0, so that the look is active; it costs nothing
    bank.update([0], contexts, [-8.0], 0.0)
    for k, strength in enumerate((1.0, 0.5, 0.5, 0.5)):
        found = bank._sigma(k, contexts, np.zeros(1), np.zeros(1, dtype=np.int64), 0.0, math.inf)
        assert found[0] == pytest.approx(-8.0 / (1.0 + strength))


@pytest.mark.parametrize(("prior", "sure"), [("boxes", 1.0), ("agreed", 2.0)])
@pytest.mark.parametrize("kind", [FTRL, Ridge])
def test_a_new_box_is_predicted_by_what_the_others_agree_on(
    kind: type[FTRL] | type[Ridge], prior: Literal["boxes", "agreed"], sure: float
) -> None:
    bank = kind(eta=2.0, prior=prior, intercept=False).start(boxes=5, dimension=3)
    rng = np.random.default_rng(4)
    some = False
    for t in range(40):
        box = t % (1 + t // 10)
        others = [k for k in range(4) if k != box and bank.looks([k])[0] > 0]
        seen = [np.asarray(bank.weights([k]))[0] for k in others]
        x = rng.normal(size=(1, 3))
        bank.update([box], x, [float(x[0, 0] + rng.normal())], 0.5)
        if not seen:
            continue
        mean = np.mean(seen, axis=0)
        share = np.full(3, 0.5 if prior == "boxes" else 0.0)
        if len(seen) > (1 if prior == "boxes" else 2):
            variance = np.var(seen, axis=0, ddof=1) / len(seen)
            share = np.maximum(1.0 - sure**2 * variance / mean**2, 0.0)
        np.testing.assert_allclose(np.asarray(bank.weights([4]))[0], share * mean, atol=1e-12)
        some |= bool((share == 0.0).any() and (share > 0.5).any())
    assert some


@pytest.mark.parametrize("curious", [False, True])
def test_a_restored_bank_goes_on_alike(curious: bool) -> None:
    bank, again = (TunedBank(LEARNER, boxes=BOXES, dimension=5, curious=curious) for _ in range(2))
    made = rounds(40, 4, 2, 0.0)
    for t, (contexts, values) in enumerate(made):
        if t == 20:
            again.restore(bank.state())
        for one in (bank, again) if t >= 20 else (bank,):
            one.update(EVERY, contexts, values, COSTS)
    assert again.digest() == bank.digest()


def test_an_earlier_state_is_led_by_who_is_ahead_and_given_what_it_was_given() -> None:
    bank, again = (TunedBank(LEARNER, boxes=BOXES, dimension=13) for _ in range(2))
    for contexts, values in rounds(40, 12, 3, 0.0):
        bank.update(EVERY, contexts, values, COSTS)
    state = bank.state()
    del state["squares"], state["constants"], state["cost"], state["contexts"]
    losses = bank._losses + 7.0
    state["losses"] = losses
    again.restore(state)
    assert again.leader == int(np.argmin(losses))
    first = FTRL(eta=2.0, prior="boxes", intercept=False).start(boxes=BOXES, dimension=13)
    first.restore({n.removeprefix("bank0."): a for n, a in state.items() if n[:6] == "bank0."})
    contexts = rounds(1, 12, 4, 0.0)[0][0]
    lowered = first.predict(contexts, COSTS, optimism=0.75) - first.predict(contexts, COSTS)
    found = again.predict(contexts, COSTS, optimism=0.75) - again.predict(contexts, COSTS)
    np.testing.assert_allclose(found, lowered, atol=1e-12)
