"""How fast plans of variants are: `make bench-variants`."""

import time
from typing import Any

import numpy as np
import pytest

import weitzman as wz
from bench_core import boxes


def staged(n: int) -> list[wz.Box]:
    """Boxes of three stages: two signals, two more, and a continuous value that depends on them."""
    rng = np.random.default_rng(n)
    made = []
    for i, box in enumerate(boxes(n)):
        shift, cost = rng.uniform(0.5, 2.0), box.expected_cost
        good, bad = box.law, wz.affine(box.law, shift=shift)
        p, q = rng.uniform(0.2, 0.8, 2)
        first = wz.Stage("screen", 0.2 * cost, {"good": p, "bad": 1.0 - p})
        second = {"good": {"up": q, "down": 1.0 - q}, "bad": {"up": 0.2 * q, "down": 1.0 - 0.2 * q}}
        last = wz.Stage("trial", cost, {"up": good, "down": bad})
        stages = [first, wz.Stage("test", 0.4 * cost, second), last]
        made.append(wz.Box(f"b{i}", stages=stages))
    return made


def tree(n: int) -> list[wz.Box]:
    """Continuous boxes, each after a random one of those before it."""
    rng = np.random.default_rng(n)
    made = []
    for i, box in enumerate(boxes(n)):
        after = f"b{rng.integers(i)}" if i else None
        made.append(wz.Box(f"b{i}", box.expected_cost, box.law, after=after))
    return made


def test_1000_boxes_in_chains_of_three_stages(benchmark: Any) -> None:
    given = staged(1000)
    benchmark.pedantic(lambda: wz.plan(given).expected_total, rounds=3)
    assert benchmark.stats.stats.median <= 5.0


def test_a_tree_of_1000_continuous_boxes(benchmark: Any) -> None:
    given = tree(1000)
    benchmark.pedantic(lambda: wz.plan(given).expected_total, rounds=3)
    assert benchmark.stats.stats.median <= 10.0


def test_keep_10_of_1000_continuous_boxes(benchmark: Any) -> None:
    given = boxes(1000)
    benchmark.pedantic(lambda: wz.plan(given, keep=10).expected_total, rounds=3)
    assert benchmark.stats.stats.median <= 5.0


def test_5_boxes_and_1000_scenarios(benchmark: Any) -> None:
    rng = np.random.default_rng(4)
    values, names = rng.normal(size=(1000, 1)) + rng.normal(size=(1000, 5)), list("abcde")
    frame, costs = {n: values[:, i] for i, n in enumerate(names)}, dict.fromkeys(names, 0.2)
    benchmark.pedantic(lambda: wz.plan(scenarios=frame, costs=costs).expected_total, rounds=3)
    assert benchmark.stats.stats.median <= 1.0


@pytest.mark.parametrize("make", [staged, tree], ids=["staged", "tree"])
def test_growth_is_near_linear(benchmark: Any, make: Any) -> None:
    sizes = [250, 500, 1000, 2000]
    seconds = []
    for n in sizes:
        given = make(n)
        begin = time.perf_counter()
        _ = wz.plan(given).expected_total
        seconds.append(time.perf_counter() - begin)
    benchmark.pedantic(lambda: wz.plan(make(sizes[0])).expected_total, rounds=1)
    print("\nn, seconds:", *(f"{n}: {s:.2f}" for n, s in zip(sizes, seconds, strict=True)))
    assert seconds[-1] / seconds[0] <= 3.0 * sizes[-1] / sizes[0]


@pytest.mark.parametrize("make", [staged, tree], ids=["staged", "tree"])
def test_chances_of_100_boxes(benchmark: Any, make: Any) -> None:
    given = make(100)
    benchmark.pedantic(lambda: wz.plan(given).open_probabilities, rounds=1)


@pytest.mark.parametrize("make", [staged, tree], ids=["staged", "tree"])
def test_what_is_kept_of_20_boxes(benchmark: Any, make: Any) -> None:
    given = make(20)
    benchmark.pedantic(lambda: wz.plan(given).keep_probabilities, rounds=1)
