"""How fast the exact core is: `make bench`. Each benchmark checks the figure it is kept for."""

import time
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz

FAMILIES = ("uniform", "norm", "expon", "gamma", "lognorm", "beta", "weibull_min", "logistic")


def boxes(n: int, families: tuple[str, ...] = FAMILIES) -> list[wz.Box]:
    """Continuous boxes of mixed families, costs a twentieth to a half of their spread."""
    rng = np.random.default_rng(n)
    made = []
    for i in range(n):
        loc, scale = rng.uniform(0.0, 10.0), rng.uniform(0.5, 4.0)
        shapes = {"gamma": (2.5,), "lognorm": (0.6,), "beta": (2.0, 3.0), "weibull_min": (1.7,)}
        name = families[i % len(families)]
        value = getattr(scipy.stats, name)(*shapes.get(name, ()), loc, scale)
        made.append(wz.Box(f"b{i}", cost=scale * rng.uniform(0.05, 0.5), value=value))
    return made


def run(given: list[wz.Box]) -> float:
    plan = wz.plan(given)
    _ = plan.order, plan.open_probabilities
    return plan.expected_total


def test_plan_of_10_continuous_boxes(benchmark: Any) -> None:
    benchmark(run, boxes(10))
    assert benchmark.stats.stats.median <= 0.010


def test_plan_of_10_boxes_without_closed_forms(benchmark: Any) -> None:
    values = [f(i) for i in range(5) for f in (_student, _gumbel)]
    benchmark(run, [wz.Box(f"b{i}", 0.3, v) for i, v in enumerate(values)])


def _student(i: int) -> Any:
    return scipy.stats.t(3, i, 2)


def _gumbel(i: int) -> Any:
    return scipy.stats.gumbel_r(i, 2)


def test_plan_of_1000_boxes(benchmark: Any) -> None:
    benchmark(run, boxes(1000))
    assert benchmark.stats.stats.median <= 2.0


def test_plan_of_1000_empirical_boxes_of_1000_values(benchmark: Any) -> None:
    rng = np.random.default_rng(0)
    given = [
        wz.Box(f"b{i}", 0.2, wz.Empirical(rng.gamma(3.0, rng.uniform(1.0, 3.0), 1000)))
        for i in range(1000)
    ]
    benchmark(run, given)


def test_growth_of_a_plan_is_no_faster_than_n_log_n(benchmark: Any) -> None:
    sizes = [500, 1000, 2000, 4000, 8000]
    seconds = []
    for n in sizes:
        given = boxes(n)
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            run(given)
            times.append(time.perf_counter() - begin)
        seconds.append(min(times))
    benchmark.pedantic(run, (boxes(sizes[-1]),), rounds=1)
    shape = [s / (n * np.log(n)) for n, s in zip(sizes, seconds, strict=True)]
    print("\nn, seconds:", *(f"{n}: {s:.4f}" for n, s in zip(sizes, seconds, strict=True)))
    assert shape[-1] <= 1.5 * shape[0]


@pytest.mark.parametrize("family", ["uniform", "norm", "expon"])
def test_a_million_reservation_values(benchmark: Any, family: str) -> None:
    rng = np.random.default_rng(1)
    loc, scale = rng.normal(0.0, 5.0, 1_000_000), rng.uniform(0.1, 10.0, 1_000_000)
    cost = scale * 10.0 ** rng.uniform(-4.0, 1.0, 1_000_000)
    value = getattr(scipy.stats, family)(loc, scale)
    benchmark.pedantic(wz.reservation_value, (value, cost), rounds=3, warmup_rounds=1)
    assert family not in ("uniform", "norm") or benchmark.stats.stats.median <= 1.0


def test_ten_thousand_reservation_values_without_a_closed_root(benchmark: Any) -> None:
    rng = np.random.default_rng(1)
    value = scipy.stats.gamma(rng.uniform(1.0, 4.0, 10_000), scale=rng.uniform(0.1, 10.0, 10_000))
    cost = 10.0 ** rng.uniform(-4.0, 1.0, 10_000)
    benchmark.pedantic(wz.reservation_value, (value, cost), rounds=3, warmup_rounds=1)
