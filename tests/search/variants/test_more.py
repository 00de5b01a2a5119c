"""Draws, a fixed order without recall, utilities, the worst share, and random costs: by brute force."""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
import scipy.stats

import weitzman as wz
from tests.search.variants.brute import Option, Terms, enumerated, optimal
from tests.search.variants.instances import law, outcomes, simple_boxes, staged_boxes

FEW, MANY = 300, 5000
ZERO, ONE = Fraction(0), Fraction(1)


def close(one: float, other: Fraction | float) -> bool:
    return abs(one - float(other)) <= 1e-12 * max(1.0, abs(float(other)))


def check_no_recall(seed: int) -> None:
    rng = Random(seed)
    boxes, roots, terms = simple_boxes(rng, 5)
    sign = terms.sign

    def value(place: int, offered: Fraction | None) -> Fraction | None:
        """Return the least expected cost from here; None if nothing can be had."""
        choices: list[Fraction | None] = [offered]
        if place == len(roots):
            if terms.outside is not None:
                choices.append(sign * terms.outside)
        else:
            choices.append(value(place + 1, None))  # pass over
            option = roots[place]
            rest = [(p, value(place + 1, sign * v)) for p, _, v, _ in option.ways if v is not None]
            if all(w is not None for _, w in rest):
                choices.append(option.cost + sum((p * w for p, w in rest if w is not None), ZERO))
        possible = [choice for choice in choices if choice is not None]
        return min(possible) if possible else None

    best = value(0, None)
    assert best is not None
    plan: Any = wz.plan(
        boxes,
        sense="max" if sign < 0 else "min",
        outside=None if terms.outside is None else float(terms.outside),
        recall=False,
    )
    assert close(plan.expected_total, sign * best)
    played = enumerated(plan.search, roots)
    assert close(played.total, sign * best)
    assert close(plan.expected_paid, played.paid)
    for box in boxes:
        assert close(plan.open_probabilities[box.name], played.opened.get(box.name, 0.0))
        assert close(plan.keep_probabilities[box.name], played.kept.get(box.name, 0.0))


def check_successes(seed: int) -> None:
    rng = Random(seed)
    count, sign = rng.randint(1, 3), rng.choice([1, -1])
    outside = Fraction(rng.randint(-2, 2))
    arms = []
    for _ in range(count):
        a, b = Fraction(rng.randint(1, 4), 2), Fraction(rng.randint(1, 4), 2)
        gain, price = Fraction(rng.randint(-1, 6)), Fraction(rng.randint(2, 8), 4)
        arms.append((a, b, outside * sign - gain, price))
    known: dict[Any, Fraction] = {}
    # More failures than anybody would bear
    most = [int(max(outside * sign - w, ZERO) * a / c) + 2 for a, _, w, c in arms]

    def value(failures: tuple[int, ...], best: Fraction) -> Fraction:
        """Return the least expected cost; an arm of -1 failures has succeeded."""
        if (failures, best) not in known:
            choices = [best]
            for i, (a, b, found, price) in enumerate(arms):
                if 0 <= failures[i] < most[i]:
                    p = a / (a + b + failures[i])
                    won = (*failures[:i], -1, *failures[i + 1 :])
                    lost = (*failures[:i], failures[i] + 1, *failures[i + 1 :])
                    after = p * value(won, min(best, found)) + (1 - p) * value(lost, best)
                    choices.append(price + after)
            known[failures, best] = min(choices)
        return known[failures, best]

    exact = sign * value((0,) * count, sign * outside)
    boxes = [
        wz.Box(f"b{i}", float(price), wz.Successes(float(sign * found), float(a), float(b)))
        for i, (a, b, found, price) in enumerate(arms)
    ]
    plan: Any = wz.plan(boxes, sense="min" if sign > 0 else "max", outside=float(outside))
    assert close(plan.expected_total, exact)

    def total(path: list[tuple[int, bool]]) -> float:
        """Return the expected total of the live search after some draws and their success."""
        search = plan.search()
        failures = [0] * count
        for box, success in path:
            assert next(search) == f"b{box}"
            if success:
                search.see(float(sign * arms[box][2]))
            else:
                search.miss()
                failures[box] += 1
        drawn = next(search, None)
        if drawn is None:
            return float(search.close().total)
        box = int(drawn[1:])
        a, b, _, _ = arms[box]
        p = float(a / (a + b + failures[box]))
        return p * total([*path, (box, True)]) + (1 - p) * total([*path, (box, False)])

    assert close(total([]), exact)


def check_known_draws(seed: int) -> None:
    """No number of draws does better than σ, and many come close."""
    rng = Random(seed)
    pairs = [(outcomes(rng), Fraction(rng.randint(1, 8), 4)) for _ in range(rng.randint(1, 3))]
    boxes = [
        wz.Box(f"b{i}", float(price), wz.Draws(law(each))) for i, (each, price) in enumerate(pairs)
    ]
    plan: Any = wz.plan(boxes)
    values = sorted({v for each, _ in pairs for v, _ in each})
    # What is best with at most so many draws left, for each value in hand; with none left
    ahead = {v: v for v in values}
    first = math.inf
    for _ in range(80):
        first = min(
            float(price) + sum(float(p) * float(ahead[v]) for v, p in each) for each, price in pairs
        )
        assert first >= plan.expected_total - 1e-9
        ahead = {
            best: min(
                best,
                *(price + sum(p * ahead[min(best, v)] for v, p in each) for each, price in pairs),
            )
            for best in values
        }
        ahead = {v: Fraction(float(w)) for v, w in ahead.items()}
    (last,) = {
        min(float(price) + sum(float(p * ahead[v]) for v, p in each) for each, price in pairs)
    }
    assert last == pytest.approx(plan.expected_total, abs=1e-4)


def policies(roots: tuple[Option, ...], best: Fraction | None, terms: Terms) -> Iterator[Any]:
    """Yield what every deterministic search gives: (chance, value, paid) of all its ends."""
    if best is not None:
        yield [(ONE, best, ZERO)]
    for option in roots:
        rest = tuple(other for other in roots if other is not option)
        after = []
        for p, _, v, _ in option.ways:
            assert v is not None
            worth = terms.sign * v
            now = worth if best is None else min(best, worth)
            after.append([(p, ends) for ends in policies(rest, now, terms)])
        for chosen in itertools.product(*after):
            yield [
                (p * q, value, option.cost + paid) for p, ends in chosen for q, value, paid in ends
            ]


def check_tail(seed: int) -> None:
    rng = Random(seed)
    boxes, roots, terms = simple_boxes(rng, 2)
    share = Fraction(rng.randint(1, 3), 4)
    start = None if terms.outside is None else terms.sign * terms.outside
    found = []
    for ends in policies(roots, start, terms):
        paid = sum(p * cost for p, _, cost in ends)
        left, worst = share, ZERO
        for p, value, _ in sorted(ends, key=lambda end: -end[1]):
            worst += min(p, left) * value
            left -= min(p, left)
        found.append(worst / share + paid)
    plan = wz.plan(
        boxes,
        sense="max" if terms.sign < 0 else "min",
        outside=None if terms.outside is None else float(terms.outside),
        tail=float(share),
    )
    assert close(plan.expected_total, terms.sign * min(found))


def transformed(option: Option, worth: Callable[[Fraction], Fraction]) -> Option:
    ways = [
        (p, shown, None if v is None else worth(v), tuple(transformed(o, worth) for o in then))
        for p, shown, v, then in option.ways
    ]
    return Option(option.box, option.cost, tuple(ways), option.discount)


def check_utility(seed: int) -> None:
    rng = Random(seed)
    boxes, roots, terms = staged_boxes(rng, 2)
    bend = rng.randint(-1, 3)

    def worth(value: Fraction) -> Fraction:
        return value + max(value - bend, ZERO) * 2

    outside = None if terms.outside is None else worth(terms.outside)
    exact = optimal(tuple(transformed(o, worth) for o in roots), Terms(terms.sense, outside))
    plan = wz.plan(
        boxes,
        sense="max" if terms.sign < 0 else "min",
        outside=None if terms.outside is None else float(terms.outside),
        utility=lambda value: value + max(value - bend, 0.0) * 2.0,
    )
    assert close(plan.expected_total, exact)
    assert close(enumerated(plan.search, roots).total, exact)


CHECKS = [check_no_recall, check_successes, check_tail, check_utility]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_variant_is_optimal(check: Callable[[int], None]) -> None:
    for seed in range(FEW):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_variant_is_optimal_thousands_of_times(check: Callable[[int], None]) -> None:
    for seed in range(MANY):
        check(10**6 + seed)


def test_known_draws_cost_the_best_reservation_value() -> None:
    for seed in range(20):
        check_known_draws(seed)


@pytest.mark.parametrize("sense", ["min", "max"])
def test_draws_happen_as_often_as_the_plan_says(sense: Any) -> None:
    """A false alarm has probability below 1e-6."""
    boxes = [
        wz.Box("a", 0.1, wz.Draws(scipy.stats.norm())),
        wz.Box("b", 0.05, wz.Draws(scipy.stats.uniform(-1, 2))),
    ]
    plan = wz.plan(boxes, sense=sense)
    run = plan.simulate(4000, 1)
    assert abs(run.mean - plan.expected_total) <= 5.0 * run.standard_error
    error = run.opened_count.std() / math.sqrt(4000)
    assert abs(run.opened_count.mean() - plan.expected_opened) <= 5.0 * error
    assert run.chosen_share()["a"] == plan.keep_probabilities["a"]


def test_one_box_of_successes_is_given_up_when_the_theorem_says() -> None:
    a, b, reward, price = 0.5, 2.0, 10.0, 0.7
    plan = wz.plan([wz.Box("x", price, wz.Successes(reward, a, b))], sense="max", outside=0.0)
    search, draws = plan.search(), 0
    for _ in search:
        draws += 1
        search.miss()
    assert draws == math.ceil(reward * a / price - a - b)


def test_a_random_cost_counts_by_its_mean() -> None:
    boxes = [wz.Box("a", scipy.stats.expon(0, 0.5), 3.0), wz.Box("b", 0.2, wz.Discrete([1, 5]))]
    known = [wz.Box("a", 0.5, 3.0), wz.Box("b", 0.2, wz.Discrete([1, 5]))]
    assert wz.plan(boxes).expected_total == wz.plan(known).expected_total
    assert wz.plan(boxes).order == wz.plan(known).order


@pytest.mark.parametrize("factor", [1.0, 0.95, 0.8])
def test_reservation_values_with_a_discount_are_weitzmans(factor: float) -> None:
    """Both by hand, from z = −c + β E max(v, z); at β = 1 the numbers of the paper, and its total."""
    omega = wz.Box("omega", 20.0, wz.Discrete([0, 240], [0.8, 0.2]), time=1.0)
    alpha = wz.Box("alpha", 15.0, wz.Discrete([55, 100]), time=1.0)
    plan: Any = wz.plan([omega, alpha], sense="max", discount=factor, keep=1, outside=0.0)
    values = plan.reservation_values
    assert values["omega"] == pytest.approx((factor * 48 - 20) / (1 - 0.8 * factor), rel=1e-12)
    by_hand = (factor * 50 - 15) / (1 - 0.5 * factor)
    if by_hand < 55:
        by_hand = factor * 77.5 - 15
    assert values["alpha"] == pytest.approx(by_hand, rel=1e-12)
    if factor == 1.0:
        assert plan.expected_total == pytest.approx(78.0)
