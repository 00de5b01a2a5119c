"""The theorem of docs/explanation/learned-boxes.md: a lower bound of σ from the values of opened boxes.

Nothing here is taken from the library: laws have their σ and their c(σ) = E(σ − v)⁺ in closed form.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]
COST = 1.0


@dataclass(frozen=True)
class Law:
    """A law with its reservation value σ, R ≥ σ − v, and c(s) for s ≤ σ."""

    draw: Callable[[np.random.Generator, tuple[int, ...]], Array]
    sigma: float
    reach: float
    worth: Callable[[float], float]


WIDE = Law(
    draw=lambda rng, shape: 50.0 * rng.random(shape),
    sigma=10.0,
    reach=10.0,
    worth=lambda s: max(s, 0.0) ** 2 / 100.0,
)
RARE = Law(
    draw=lambda rng, shape: np.where(rng.random(shape) < 0.1, -8.0, 5.0),
    sigma=2.0,
    reach=10.0,
    worth=lambda s: 0.1 * max(s + 8.0, 0.0),
)
NARROW = Law(
    draw=lambda rng, shape: 3.0 + 2.0 * rng.random(shape),
    sigma=5.0,
    reach=2.0,
    worth=lambda s: max(s - 3.0, 0.0) ** 2 / 4.0,
)
LAWS = {"wide": WIDE, "rare": RARE, "narrow": NARROW}


def lower_bound(values: Array, reach: float, confidence: float) -> float:
    """The root of (1/m) Σ (s − v)⁺ = c − √(2RcL/m); −∞ if the right side is not above 0."""
    m = len(values)
    wanted = m * COST - math.sqrt(2.0 * m * reach * COST * confidence)
    if wanted <= 0.0:
        return -math.inf
    ordered = np.sort(values)
    for k in range(1, m + 1):
        root = (wanted + float(ordered[:k].sum())) / k
        if k == m or root <= ordered[k]:
            return root
    raise AssertionError


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("looks", [5, 25, 125])
def test_it_is_below_the_reservation_value_as_often_as_it_says(law: Law, looks: int) -> None:
    rng, confidence, times = np.random.default_rng(looks), 1.5, 4000
    samples = law.draw(rng, (times, looks))
    assert law.worth(law.sigma) == pytest.approx(COST)
    bounds = [lower_bound(row, law.reach, confidence) for row in samples]
    above = np.mean([bound > law.sigma for bound in bounds])
    assert above <= math.exp(-confidence)
    # And a look at it costs little more than it is worth, but for twice that chance
    most = (math.sqrt(2.0 * law.reach * COST) + law.reach / math.sqrt(2.0)) * math.sqrt(
        confidence / looks
    )
    lost = np.array([COST - law.worth(bound) if bound > -math.inf else COST for bound in bounds])
    assert np.mean(lost > most) <= 2.0 * math.exp(-confidence)


def test_going_by_it_keeps_the_promise_and_starves_no_box() -> None:
    """Regret is that of expectations at the laws: 5 for sure, or 0 and 100 with chance ½ each."""
    rounds, reach, boxes = 3000, 2.0, 2
    confidence = math.log(2 * boxes * rounds**2)
    promised = boxes * (
        COST
        + 2.0
        * (math.sqrt(2.0 * reach * COST) + reach / math.sqrt(2.0))
        * math.sqrt(confidence * rounds)
    )
    for seed in range(5):
        rng = np.random.default_rng(seed)
        values = np.stack([np.full(rounds, 5.0), 100.0 * (rng.random(rounds) < 0.5)], axis=1)
        looks, low, lost = [0, 0], [0.0, 0.0], 0.0
        for t in range(rounds):
            sigma = [-math.inf] * 2
            for i in range(2):
                # Values of the first are all 5; of the second those that are 0 count, once there are 70 looks
                m = looks[i]
                wanted = m * COST - math.sqrt(2.0 * m * reach * COST * confidence)
                if wanted > 0.0:
                    sigma[i] = 5.0 + wanted / m if i == 0 else wanted / max(low[1], 1.0)
            best, paid = math.inf, 0.0
            for i in sorted(range(2), key=lambda i: sigma[i]):
                if best <= sigma[i]:
                    break
                paid += COST
                best = min(best, float(values[t, i]))
                looks[i] += 1
                low[i] += values[t, i] == 0.0
            # σ is 2 and 6: look at the second box, then at the first if that showed 100
            lost += best + paid - (1.0 if values[t, 1] == 0.0 else 7.0)
        assert lost <= promised
        assert min(looks) > 1000
