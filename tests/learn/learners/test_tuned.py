"""FTRL at several strengths, beside a plain re-enactment of which of them predicts."""

import math
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.tuned import NARROW, STRENGTHS, TunedBank

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
    """Learners side by side, whose weights are held by the size of what they are given."""

    def __init__(self, features: int) -> None:
        self.banks = [
            FTRL(eta=2.0, prior="boxes", intercept=False).start(
                boxes=BOXES, dimension=1 if s == math.inf else 1 + features
            )
            for s in STRENGTHS
        ]
        self.ahead: list[list[float]] = [[] for _ in STRENGTHS]

    def given(self, k: int, contexts: Array) -> Array:
        s = STRENGTHS[k]
        if s == math.inf:
            return contexts[:, :1]
        if s == 1.0:
            return np.hstack([NARROW * contexts[:, :1], contexts[:, 1:]])
        # Weights of features that are √s times as small are held s times as strongly
        return np.hstack([contexts[:, :1], contexts[:, 1:] / math.sqrt(s)])

    def sigma(self, k: int, contexts: Array, optimism: float) -> Array:
        return self.banks[k].predict(self.given(k, contexts), COSTS, optimism=optimism)

    def leader(self) -> int:
        best, most = 0, 0.0
        for k, ahead in enumerate(self.ahead):
            lead = sum(ahead)
            if lead > most and lead**2 > sum(d * d for d in ahead):
                best, most = k, lead
        return best

    def learn(self, contexts: Array, values: Array) -> None:
        lost = []
        for k in range(len(STRENGTHS)):
            z = self.sigma(k, contexts, 0.0) - values
            lost.append(float(np.nansum(np.maximum(z, 0.0) ** 2 / 2.0 - COSTS * z)))
            self.banks[k].update(EVERY, self.given(k, contexts), values, COSTS)
        for k, ahead in enumerate(self.ahead):
            ahead.append(lost[0] - lost[k])


@pytest.mark.parametrize(("features", "slope"), [(1, 2.0), (12, 0.0), (12, 1.0)])
@pytest.mark.parametrize("optimism", [0.0, 0.75])
def test_who_predicts_is_clearly_better_than_the_first(
    features: int, slope: float, optimism: float
) -> None:
    bank, plain = TunedBank(LEARNER, boxes=BOXES, dimension=1 + features), Plain(features)
    for contexts, values in rounds(60, features, 1, slope):
        k = plain.leader()
        assert bank.leader == k
        lowered = plain.sigma(0, contexts, optimism) - plain.sigma(0, contexts, 0.0)
        expected = plain.sigma(k, contexts, 0.0) + lowered
        found = bank.predict(contexts, COSTS, optimism=optimism)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
        bank.update(EVERY, contexts, values, COSTS)
        plain.learn(contexts, values)
    # Features that say nothing are not gone by
    if slope != 1.0:
        assert (bank.leader == 0) == (slope > 0.0)


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


def test_a_restored_bank_goes_on_alike() -> None:
    bank, again = (TunedBank(LEARNER, boxes=BOXES, dimension=5) for _ in range(2))
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
    del state["squares"], state["constants"]
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
