"""Partial or full looks: optimum, commitments and bounds against a plain programme in fractions."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.search.brute import Sense
from tests.search.ratios import report, report_ratios
from tests.search.variants.programmes import random_outside
from weitzman.search.rule import STOP, Rule, advance
from weitzman.search.state import RoundState
from weitzman.search.variants.hard.partial_look import Looks

SENSES: list[Sense] = ["min", "max"]
Mode = Literal["full", "partial", "any"]
Law = list[tuple[Fraction, Fraction]]
METHODS = ["committing", "index", "turning", "whittle", "single"]
ALONE = {"committing", "whittle", "single"}
"""Methods that are best for one box."""


@dataclass(frozen=True)
class Psi:
    """A box: both costs, and of each signal its chance and the outcomes after it."""

    full: Fraction
    partial: Fraction
    signals: list[tuple[Fraction, Law]]

    def made(self, name: str) -> wz.PartialBox:
        laws = {
            k: (float(p), wz.Discrete(*zip(*[(float(v), float(q)) for v, q in law], strict=True)))
            for k, (p, law) in enumerate(self.signals)
        }
        return wz.PartialBox(name, float(self.full), float(self.partial), laws)


def programme(
    boxes: list[Psi], sense: Sense, outside: Fraction | None, modes: tuple[Mode, ...]
) -> Fraction:
    """Return the best expected total if each box is looked at first in its mode."""
    sign = 1 if sense == "min" else -1
    known: dict[tuple[tuple[int | None, ...], Fraction | None], Fraction] = {}

    def value(sights: tuple[int | None, ...], best: Fraction | None) -> Fraction:
        """None: closed; −1: open; else the signal."""
        if (sights, best) in known:
            return known[sights, best]
        options = [] if best is None else [best]
        for i, sight in enumerate(sights):
            box = boxes[i]
            if sight is None and modes[i] != "full":
                total = box.partial
                for k, (p, _) in enumerate(box.signals):
                    total += p * value((*sights[:i], k, *sights[i + 1 :]), best)
                options.append(total)
            looks: list[tuple[Fraction, Law]] = []
            if sight is None and modes[i] != "partial":
                looks = box.signals
            elif sight is not None and sight >= 0:
                looks = [(Fraction(1), box.signals[sight][1])]
            if looks:
                total = box.full
                for p, law in looks:
                    for v, q in law:
                        hand = sign * v if best is None else min(best, sign * v)
                        total += p * q * value((*sights[:i], -1, *sights[i + 1 :]), hand)
                options.append(total)
        known[sights, best] = min(options)
        return known[sights, best]

    return sign * value((None,) * len(boxes), None if outside is None else sign * outside)


def play_all(
    rule: Rule, boxes: list[Psi], sense: Sense, outside: Fraction | None
) -> tuple[float, list[float], list[float]]:
    """Return a rule's expected total over all signals and values, and what was looked at and kept."""
    sign = 1 if sense == "min" else -1
    costs = [float(c) for box in boxes for c in (box.partial, box.full)]
    start = math.inf if outside is None else float(sign * outside)
    total, looked, kept = 0.0, [0.0] * len(costs), [0.0] * len(boxes)
    outcomes = [
        [(k, v, p * q) for k, (p, law) in enumerate(box.signals) for v, q in law] for box in boxes
    ]
    for drawn in product(*outcomes):
        chance = float(math.prod((p for _, _, p in drawn), start=Fraction(1)))
        state = RoundState(costs, start, signals=range(0, len(costs), 2))
        while (action := advance(rule, state)) is not STOP:
            signal, v, _ = drawn[action.box // 2]
            state.see(action.box, float(sign * v) if action.box % 2 else float(signal))
        total += chance * state.total
        for row in state.opened:
            looked[row] += chance
        if state.kept is not None:
            kept[state.kept // 2] += chance
    return sign * total, looked, kept


def draw(rng: np.random.Generator, most: int) -> list[Psi]:
    """Return boxes with partial looks, some free, some for more than a full one."""
    boxes = []
    for _ in range(int(rng.integers(1, most + 1))):
        weights = rng.integers(1, 4, size=int(rng.integers(1, 4)))
        signals = []
        for w in weights:
            masses = rng.integers(1, 4, size=int(rng.integers(1, 3)))
            law = [
                (Fraction(int(rng.integers(0, 17)), 2), Fraction(int(m), int(masses.sum())))
                for m in masses
            ]
            signals.append((Fraction(int(w), int(weights.sum())), law))
        full = Fraction(int(rng.integers(0, 25)), 8)
        boxes.append(Psi(full, full * Fraction(int(rng.integers(0, 9)), 8), signals))
    return boxes


def check(seed: int, sense: Sense, count: int, most: int) -> dict[str, list[float]]:
    """Check so many random problems; return the ratios of the rules, and of the bound, to the optimum."""
    rng = np.random.default_rng([20, seed])
    sign = 1.0 if sense == "min" else -1.0
    ratios: dict[str, list[float]] = {name: [] for name in (*METHODS, "bound")}
    for _ in range(count):
        boxes, outside = draw(rng, most), random_outside(rng)
        given = None if outside is None else float(outside)
        made = [box.made(f"b{i}") for i, box in enumerate(boxes)]
        free: Mode = "any"
        best = float(programme(boxes, sense, outside, (free,) * len(boxes)))
        modes: tuple[Mode, ...] = ("full", "partial")
        committed = [
            programme(boxes, sense, outside, tuple(modes[k] for k in choice))
            for choice in product(range(2), repeat=len(boxes))
        ]
        for method in (*METHODS, "exact"):
            plan = wz.plan(made, sense=sense, outside=given, method=method)
            total, looked, kept = play_all(plan.rule, boxes, sense, outside)
            assert plan.expected_total == pytest.approx(total, abs=1e-12)
            assert list(plan.step_probabilities) == pytest.approx(looked, abs=1e-12)
            assert list(plan.open_probabilities.values()) == pytest.approx(looked[1::2], abs=1e-12)
            assert list(plan.keep_probabilities.values()) == pytest.approx(kept, abs=1e-12)
            assert sign * plan.bound <= sign * best + 1e-12
            assert sign * total >= sign * best - 1e-12
            if method == "exact" or (len(boxes) == 1 and method in ALONE):
                assert total == pytest.approx(best, abs=1e-12)
            if method != "exact" and best > 0.0:
                ratios[method].append(total / best)
            if method == "committing":
                nearest = float(sign) * min(sign * float(one) for one in committed)
                assert total == pytest.approx(nearest, abs=1e-12)
                if best > 0.0:
                    ratios["bound"].append(plan.bound / best)
    return ratios


@pytest.mark.parametrize("sense", SENSES)
def test_small_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    check(1, sense, 20, 2)


@pytest.mark.slow
@pytest.mark.parametrize("sense", SENSES)
def test_many_problems_agree_with_the_plain_programme(sense: Sense) -> None:
    ratios = check(2, sense, 2000, 3)
    bad, good = ("low", "high") if sense == "max" else ("high", "low")
    for name, numbers in ratios.items():
        report_ratios(f"partial {sense}, {name}", numbers, worst=good if name == "bound" else bad)


def check_optimum(seed: int, count: int) -> None:
    """Check the optimum of four or five boxes: what the bound cuts off is not needed."""
    rng = np.random.default_rng([22, seed])
    for turn in range(count):
        sense: Sense = "min" if turn % 2 else "max"
        while len(boxes := draw(rng, 5)) < 4:
            pass
        outside = random_outside(rng)
        free: Mode = "any"
        made = wz.plan(
            [box.made(f"b{i}") for i, box in enumerate(boxes)],
            sense=sense,
            outside=None if outside is None else float(outside),
            method="exact",
        )
        best = programme(boxes, sense, outside, (free,) * len(boxes))
        assert made.expected_total == pytest.approx(float(best), abs=1e-12)


def test_the_optimum_of_a_few_boxes() -> None:
    check_optimum(1, 20)


@pytest.mark.slow
def test_the_optimum_of_a_few_boxes_often() -> None:
    check_optimum(2, 1000)


def like_the_paper(rng: np.random.Generator) -> wz.PartialBox:
    """Return a box as the paper describes them, drawn until both thresholds are positive.

    Two thirds have five values, one in each fifth of [0, 10], and three signals with laws uniform on the
    simplex; a third two values far apart and two signals that nearly tell which. A full look costs up to 5
    (4), a partial one up to 3 (2) and no more than a full one.
    """
    while True:
        if rng.random() < 2 / 3:
            values = 2.0 * (np.arange(5) + rng.random(5))
            laws = [wz.Discrete(values, rng.dirichlet(np.ones(5))) for _ in range(3)]
            chances, full, partial = rng.dirichlet(np.ones(3)), rng.uniform(0, 5), rng.uniform(0, 3)
        else:
            values = np.array([rng.uniform(0, 3), rng.uniform(7, 10)])
            low = rng.uniform(0, 0.2), rng.uniform(0.8, 1)
            laws = [wz.Discrete(values, [p, 1 - p]) for p in low]
            chances, full, partial = rng.dirichlet(np.ones(2)), rng.uniform(0, 4), rng.uniform(0, 2)
        if partial >= full:
            continue
        signals = {k: (float(p), law) for k, (p, law) in enumerate(zip(chances, laws, strict=True))}
        box = wz.PartialBox(str(rng.random()), full, partial, signals)
        look = Looks(box, "max")
        # Larger is better: thresholds are turned
        if look.full < 0.0 and look.partial < 0.0:
            return box


def pool(
    rng: np.random.Generator, size: int = 56, *, partial_first: bool = False
) -> list[wz.PartialBox]:
    """Return boxes at least 0.5 apart in their two thresholds; perhaps only those with σ^P better."""
    chosen: list[wz.PartialBox] = []
    places: list[tuple[float, float]] = []
    while len(chosen) < size:
        box = like_the_paper(rng)
        look = Looks(box, "max")
        if partial_first and look.partial >= look.full:
            continue
        if all(math.dist((look.full, look.partial), place) >= 0.5 for place in places):
            chosen.append(box)
            places.append((look.full, look.partial))
    return chosen


# Table 3, mean and worst, and table 4, by number of boxes; single is their STP, which table 4 leaves out
PAPER: dict[str, dict[int, tuple[float, ...]]] = {
    "index": {
        2: (0.987, 0.605, 0.543),
        3: (0.995, 0.804, 0.614),
        4: (0.998, 0.882, 0.622),
        5: (0.999, 0.958, 0.661),
        6: (0.999, 0.966, 0.686),
        7: (0.999, 0.984, 0.701),
        8: (0.999, 0.989, 0.715),
        9: (0.999, 0.991, 0.733),
    },
    "whittle": {
        2: (0.922, 0.033, 0.238),
        3: (0.901, 0.298, 0.065),
        4: (0.893, 0.403, 0.023),
        5: (0.890, 0.373, 0.002),
        6: (0.890, 0.438, 0.001),
        7: (0.888, 0.503, 0.000),
        8: (0.879, 0.494, 0.001),
        9: (0.877, 0.522, 0.000),
    },
    "committing": {
        2: (0.999, 0.933, 0.835),
        3: (1.000, 0.960, 0.850),
        4: (1.000, 0.976, 0.853),
        5: (1.000, 0.993, 0.892),
        6: (1.000, 0.993, 0.904),
        7: (1.000, 0.996, 0.927),
        8: (1.000, 0.996, 0.944),
        9: (1.000, 0.997, 0.943),
    },
    "single": {
        2: (0.963, 0.709),
        3: (0.947, 0.601),
        4: (0.943, 0.611),
        5: (0.938, 0.652),
        6: (0.940, 0.691),
        7: (0.933, 0.575),
        8: (0.937, 0.564),
        9: (0.935, 0.653),
    },
}


def shares_of_the_optimum(
    boxes: list[wz.PartialBox], n: int, count: int, rng: np.random.Generator
) -> dict[str, list[float]]:
    """Return by rule what it reaches of the optimum on so many instances drawn from a pool."""
    ratios: dict[str, list[float]] = {method: [] for method in METHODS}
    settings: dict[str, Any] = {"sense": "max", "outside": 0.0}
    for _ in range(count):
        chosen = [
            replace(boxes[k], name=str(place))
            for place, k in enumerate(rng.integers(len(boxes), size=n))
        ]
        best = wz.plan(chosen, method="exact", **settings).expected_total
        for method in METHODS:
            total = wz.plan(chosen, method=method, **settings).expected_total
            ratios[method].append(total / best)
    return ratios


def report_shares(ratios: dict[str, list[float]], n: int, *more: object) -> None:
    """Write for each rule mean, its standard error, worst, and the share solved; what the paper has."""
    for method, found in ratios.items():
        mean, error = float(np.mean(found)), float(np.std(found)) / math.sqrt(len(found))
        solved = float(np.mean(np.array(found) > 1.0 - 1e-4))
        shown = (f"{mean:.3f}", f"{error:.4f}", f"{min(found):.3f}", f"{solved:.3f}")
        report(*more, n, len(found), method, *shown, *PAPER.get(method, {}).get(n, ()))
        assert max(found) <= 1.0 + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "count"),
    [(2, 1000), (3, 1000), (4, 1000), (5, 1000), (6, 1000), (7, 500), (8, 500), (9, 300)],
)
def test_tables_3_and_4_of_the_paper(n: int, count: int) -> None:
    rng = np.random.default_rng([21, n])
    boxes = pool(rng)
    ratios = shares_of_the_optimum(boxes, n, count, rng)
    report_shares(ratios, n)
    means = {method: float(np.mean(found)) for method, found in ratios.items()}
    assert means["single"] <= means["index"] <= means["committing"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_pool_decides_how_often_a_rule_is_the_optimum(n: int) -> None:
    solved = {}
    for partial_first in (False, True):
        found: dict[str, list[float]] = {}
        for seed in range(3):
            rng = np.random.default_rng([23, n, seed])
            boxes = pool(rng, 30, partial_first=partial_first)
            for method, ratios in shares_of_the_optimum(boxes, n, 100, rng).items():
                found.setdefault(method, []).extend(ratios)
        report_shares(found, n, "partial look first" if partial_first else "any box")
        solved[partial_first] = np.mean(np.array(found["index"]) > 1.0 - 1e-4)
    assert solved[True] < solved[False]


@given(st.data())
def test_the_worth_of_a_box_is_that_of_its_best_use(data: st.DataObject) -> None:
    boxes = draw(np.random.default_rng(data.draw(st.integers(0, 10**6))), 1)
    look = Looks(boxes[0].made("a"), "min")
    for o in np.linspace(-1.0, 12.0, 53).tolist():
        full = look.box.cost + o - float(look.whole.excess_below(o))
        pairs = zip(look.box.chances.tolist(), look.laws, strict=True)
        after = (p * min(o, look.box.cost + o - float(law.excess_below(o))) for p, law in pairs)
        best = min(o, full, look.box.partial_cost + sum(after))
        assert o - float(look.worth.excess_below(o)) == pytest.approx(best, abs=1e-12)


def test_a_free_partial_look_is_the_chain_of_two_stages() -> None:
    signals = {"good": (0.5, wz.Discrete([1.0, 3.0])), "bad": (0.5, wz.Discrete([6.0, 9.0]))}
    made = wz.plan([wz.PartialBox("a", 1.0, 0.0, signals)], outside=4.0)
    # Half of the rounds: 1 is paid for a mean of 2
    assert made.expected_total == 0.5 * (1.0 + 2.0) + 0.5 * 4.0
    assert made.expected_total == made.bound


def test_a_live_search_is_given_signals() -> None:
    signals = {"good": (0.5, wz.Discrete([1.0, 3.0])), "bad": (0.5, wz.Discrete([6.0, 9.0]))}
    made = wz.plan([wz.PartialBox("a", 1.0, 0.1, signals)], outside=4.0)
    search = made.search()
    good: Any = "good"
    assert next(search) == "a"
    search.see(good)
    assert next(search) == "a"
    search.see(3.0)
    assert list(search) == []
    assert search.close().total == pytest.approx(4.1)
    assert "expected total" in repr(made)


def single_test(boxes: list[wz.PartialBox]) -> float:
    """Return the net value of the short-sighted rule, larger better and 0 outside, by its definition."""

    def gain(box: wz.PartialBox, sight: int | None, hand: float) -> tuple[float, str]:
        def full(signals: list[tuple[float, Any]]) -> float:
            return -box.cost + sum(
                p * float(law.probabilities @ np.maximum(hand, law.values)) for p, law in signals
            )

        signals: list[tuple[float, Any]] = list(box.signals.values())
        if sight is not None:
            return full([(1.0, signals[sight][1])]), "full"
        partial = -box.partial_cost + sum(p * max(hand, full([(1.0, law)])) for p, law in signals)
        return max((full(signals), "full"), (partial, "partial"))

    def worth(sights: tuple[int | None, ...], hand: float) -> float:
        """None: closed; −1: open; else the signal."""
        able = [i for i, sight in enumerate(sights) if sight != -1]
        best = max(((*gain(boxes[i], sights[i], hand), i) for i in able), default=(hand, "", 0))
        if best[0] <= hand:
            return hand
        i, box = best[2], boxes[best[2]]
        signals = list(box.signals.values())
        if best[1] == "partial":
            after = ((*sights[:i], k, *sights[i + 1 :]) for k in range(len(signals)))
            worths = (p * worth(s, hand) for (p, _), s in zip(signals, after, strict=True))
            return sum(worths) - box.partial_cost
        sight = sights[i]
        if sight is not None:
            signals = [(1.0, signals[sight][1])]
        opened = (*sights[:i], -1, *sights[i + 1 :])
        laws: list[tuple[float, Any]] = list(signals)
        return -box.cost + sum(
            p * q * worth(opened, max(hand, v))
            for p, law in laws
            for v, q in zip(map(float, law.values), map(float, law.probabilities), strict=True)
        )

    return worth((None,) * len(boxes), 0.0)


def test_the_single_rule_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(8)
    for n in (1, 2, 3) * 6:
        boxes = [replace(like_the_paper(rng), name=f"b{i}") for i in range(n)]
        made = wz.plan(boxes, sense="max", outside=0.0, method="single")
        assert made.expected_total == pytest.approx(single_test(boxes), abs=1e-9)


def test_many_boxes_by_simulation() -> None:
    rng = np.random.default_rng(6)
    made = wz.plan([like_the_paper(rng) for _ in range(6)], sense="max", outside=0.0)
    played = made.simulate(4000, 7)
    # Five standard errors: a false alarm in a million
    assert abs(played.mean - made.expected_total) < 5.0 * played.standard_error


def test_what_is_refused() -> None:
    with pytest.raises(wz.InvalidInputError, match="The chances of the signals of box 'a' must be"):
        wz.PartialBox("a", 1.0, 0.5, {"good": (0.5, 1.0)})
    box = wz.PartialBox("a", 1.0, 0.5, {"good": (1.0, 1.0)})
    with pytest.raises(wz.InvalidInputError, match="The method must be 'committing', 'index'"):
        wz.plan([box], method="best")
    with pytest.raises(wz.InvalidInputError, match="names of the boxes must be distinct"):
        wz.plan([box, box])
    with pytest.raises(wz.InvalidInputError, match="Box 'b' must be a PartialBox"):
        wz.plan([box, wz.Box("b", 1.0, 2.0)])  # type: ignore[list-item]
