"""Boosted reservation values: where σ is not linear in the context.

Each round has five boxes. The value of a box is uniform on an interval whose lower end and length are
curved functions of its context, so its reservation value is too. Four indices are learned from the
same rows; the table shows the exact expected total of Weitzman's rule with each of them, on rounds
that none has seen.

    pip install 'weitzman[boosting]'
    python examples/boosting.py
"""

from typing import Any

import numpy as np
import scipy.stats
from lightgbm import LGBMRegressor
from numpy.typing import NDArray

import weitzman as wz
from weitzman.learn.learners.estimator import ReservationValueRegressor
from weitzman.learn.learners.parts.boosting import objective

COST = 0.5
BOXES = 5
TREES: dict[str, Any] = {"n_estimators": 150, "num_leaves": 15, "verbosity": -1, "n_jobs": 1}

Floats = NDArray[np.float64]


def interval(contexts: Floats) -> tuple[Floats, Floats]:
    """Return the lower end and the length of the values of each box."""
    low = 4.0 + 2.0 * np.sin(6.0 * contexts[..., 0])
    length = np.where(contexts[..., 1] > 0.5, 1.0 + 8.0 * contexts[..., 2], 1.0)
    return low, length


def learn(contexts: Floats, values: Floats, fresh: Floats) -> dict[str, Floats]:
    """Return the reservation values of the fresh contexts by each way to learn them."""
    # Boosting starts a given objective from 0: this makes 0 the best constant
    constant = wz.reservation_value(wz.Empirical(values), COST)
    linear = ReservationValueRegressor(cost=COST).fit(contexts, values)
    means = LGBMRegressor(**TREES).fit(contexts, values)
    boosted = LGBMRegressor(objective=objective(COST), **TREES).fit(contexts, values - constant)
    return {
        "one constant": np.full(len(fresh), constant),
        "linear": linear.predict(fresh),
        "boosted mean": np.asarray(means.predict(fresh)),
        "boosted": constant + np.asarray(boosted.predict(fresh)),
    }


def main(rows: int = 20_000, rounds: int = 400) -> dict[str, float]:
    """Print the table, and return the mean expected totals."""
    rng = np.random.default_rng(0)
    contexts = rng.uniform(size=(rows, 3))
    low, length = interval(contexts)
    values = rng.uniform(low, low + length)

    fresh = rng.uniform(size=(rounds * BOXES, 3))
    laws: Any = scipy.stats.uniform(*interval(fresh))
    truth = np.asarray(wz.reservation_value(laws, COST))
    indices = {**learn(contexts, values, fresh), "true": truth}

    problems = [
        [
            wz.Box(str(i), cost=COST, value=scipy.stats.uniform(a, b))
            for i, (a, b) in enumerate(ends)
        ]
        for ends in np.stack(interval(fresh), axis=-1).reshape(rounds, BOXES, 2)
    ]
    totals = {}
    for name, sigma in indices.items():
        each = zip(problems, sigma.reshape(rounds, BOXES), strict=True)
        totals[name] = float(np.mean([wz.expected_total(boxes, row) for boxes, row in each]))

    heads = ("reservation values", "error (rms)", "expected total", "above the least")
    print("{:<20}{:>12}{:>16}{:>17}".format(*heads))
    for name, sigma in indices.items():
        error = np.sqrt(np.mean((sigma - truth) ** 2))
        above = totals[name] - totals["true"]
        print(f"{name:<20}{error:>12.3f}{totals[name]:>16.3f}{above:>17.3f}")
    return totals


if __name__ == "__main__":
    main()
