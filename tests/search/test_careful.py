"""Samples of stages and of boxes after others: the promise holds on new rounds, or is refused."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats

import weitzman as wz
from tests.search.ratios import report
from tests.search.variants.brute import Option, enumerated
from tests.search.variants.instances import forest, staged_boxes
from weitzman.search.variants.careful import OTHER

Law = dict[float, Fraction]
THIRD = Fraction(1, 3)
PHONE = {"good": Fraction(2, 5), "bad": Fraction(3, 5)}
WEEK: dict[str, Law] = {
    "good": {2.0: Fraction(1, 2), 4.0: Fraction(1, 4), 9.0: Fraction(1, 4)},
    "bad": {3.0: Fraction(1, 5), 8.0: Fraction(4, 5)},
}
LICENCE: Law = {6.0: Fraction(1, 2), 9.0: Fraction(1, 2)}
MODULE: Law = {1.0: THIRD, 5.0: THIRD, 7.0: THIRD}
WORST = 10.0


def leaf(name: str, cost: Fraction, law: Law, then: tuple[Option, ...] = ()) -> Option:
    return Option(name, cost, tuple((p, v, Fraction(v), then) for v, p in law.items()))


def truth() -> tuple[Option, ...]:
    """Return a box of two stages, and one after another, with laws that nobody knows."""
    ways = [(p, s, None, (leaf("ann", Fraction(1), WEEK[s]),)) for s, p in PHONE.items()]
    module = leaf("module", Fraction(1, 2), MODULE)
    return (
        Option("ann", Fraction(1, 2), tuple(ways)),
        leaf("licence", Fraction(1, 4), LICENCE, (module,)),
    )


def drawn(rng: np.random.Generator, law: Law, size: int) -> wz.Empirical:
    return wz.Empirical(rng.choice(list(law), size, p=[float(p) for p in law.values()]))


def sampled(rng: np.random.Generator, size: int) -> list[wz.Box]:
    """Return the boxes with samples for laws."""
    counts = Counter({"good": 0, "bad": 0})
    counts.update(rng.choice(list(PHONE), size, p=[float(p) for p in PHONE.values()]).tolist())
    weeks = {s: drawn(rng, WEEK[s], max(counts[s], 1)) for s in PHONE}
    stages = [wz.Stage("phone", 0.5, counts), wz.Stage("week", 1.0, weeks)]
    return [
        wz.Box("ann", stages=stages),
        wz.Box("licence", 0.25, drawn(rng, LICENCE, size)),
        wz.Box("module", 0.5, drawn(rng, MODULE, size), after="licence"),
    ]


def coverage(size: int, draws: int, settings: dict[str, Any], seed: int) -> tuple[float, float]:
    """Return how often the promise held, and by how much it misses the optimum on average."""
    rng = np.random.default_rng(seed)
    held, promised = 0, 0.0
    roots = truth()
    for _ in range(draws):
        made = wz.plan(sampled(rng, size), confidence=0.95, **settings)
        true = enumerated(made.search, roots).total
        held += true <= made.guaranteed_total
        promised += made.guaranteed_total - true
    return held / draws, promised / draws


SETTINGS: dict[str, dict[str, Any]] = {
    "worst value": {"worst": WORST},
    "outside option": {"outside": 7.0},
    "discount": {"worst": WORST, "discount": 0.9},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_promise_is_kept_with_stages_and_trees(name: str) -> None:
    draws = 60
    held, promised = coverage(40, draws, SETTINGS[name], seed=1)
    assert held * draws >= scipy.stats.binom(draws, 0.95).ppf(1e-6)
    assert promised > 0.0


def test_the_promise_tightens_with_the_sample() -> None:
    gaps = [coverage(size, 5, SETTINGS["worst value"], seed=2)[1] for size in (50, 500, 5000)]
    assert gaps[0] > 1.5 * gaps[1] > 2.25 * gaps[2] > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 200, 2000])
@pytest.mark.parametrize("name", SETTINGS)
def test_the_promise_is_kept_over_many_samples(name: str, size: int) -> None:
    held, promised = coverage(size, 10_000, SETTINGS[name], seed=3)
    report(f"stages and a tree, {name}", size, 10_000, f"{held:.4f}", f"{promised:.3f}")
    assert held >= 0.95


def worse(box: wz.Box, rng: Random, sign: int) -> wz.Box:
    """Return a box of which every value is at least as bad."""

    def law(given: Any) -> Any:
        if isinstance(given, dict):
            return {signal: law(one) for signal, one in given.items()}
        shift = np.array([rng.randint(0, 6) / 2 for _ in given.values])
        return wz.Discrete(given.values + sign * shift, given.probabilities)

    if box.stages:
        *before, last = box.stages
        return replace(box, stages=[*before, replace(last, shows=law(last.shows))])
    return replace(box, value=law(box.value))


def check_monotone(seed: int) -> None:
    rng = Random(seed)
    kind = rng.choice(["stages", "keep", "trees", "both"])
    if kind in {"stages", "keep"}:
        boxes, roots, terms = staged_boxes(rng, 3, keep=2 if kind == "keep" else 1)
    else:
        boxes, roots, terms = forest(rng, 4, stages=kind == "both")
    feared = wz.plan(
        [worse(box, rng, terms.sign) for box in boxes],
        sense="max" if terms.sign < 0 else "min",
        outside=None if terms.outside is None else float(terms.outside),
        keep=terms.keep,
    )
    played = enumerated(feared.search, roots).total
    assert terms.sign * (played - feared.expected_total) <= 1e-12 * max(1.0, abs(played))


def test_a_rule_for_worse_laws_gives_at_least_what_it_would_there() -> None:
    for seed in range(300):
        check_monotone(seed)


@pytest.mark.slow
def test_a_rule_for_worse_laws_gives_at_least_what_it_would_there_often() -> None:
    for seed in range(5000):
        check_monotone(10**6 + seed)


def test_a_sampled_value_that_another_law_depends_on_may_break_the_promise() -> None:
    """Of the two values of `a` the worse one leads to a better `b`, so that worse is better."""

    def total(chance: float) -> float:
        a = wz.Box("a", 0.0, wz.Discrete([5.0, 6.0], [chance, 1.0 - chance]))
        return wz.plan([a, wz.Box("b", 0.0, {5.0: 9.0, 6.0: 0.0}, after="a")]).expected_total

    assert total(0.5) < total(0.9)
    sampled_a = wz.Box("a", 0.0, wz.Empirical([5.0, 6.0]))
    b = wz.Box("b", 0.0, {5.0: 9.0, 6.0: 0.0}, after="a")
    message = "The value of box 'a' must be of a law that is known, since that of box 'b' depends"
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.plan([sampled_a, b], confidence=0.9, worst=9.0)
    known = wz.Box("a", 0.0, wz.Discrete([5.0, 6.0]))
    laws = {5.0: wz.Empirical([7.0, 9.0] * 50), 6.0: wz.Empirical([0.0, 1.0] * 50)}
    made = wz.plan([known, replace(b, value=laws)], confidence=0.9, worst=9.0)
    assert made.plain_total < made.guaranteed_total


def test_other_signals_are_part_of_the_search() -> None:
    boxes = sampled(np.random.default_rng(5), 50)
    search: Any = wz.plan(boxes[:1], confidence=0.95, worst=WORST).search()
    assert next(search) == "ann"
    search.see(OTHER)
    assert next(search).stage == "week"
    made = wz.plan(boxes, confidence=0.95, outside=8.0)
    assert "on new rounds the expected total is at most" in repr(made)
    assert made.kind == "holds with 95 % confidence"
    assert made.guaranteed_total <= 8.0


@pytest.mark.parametrize("worst", [None, 9.0])
def test_where_a_signal_leads_to_nothing_so_does_any_other(worst: float | None) -> None:
    """Nothing is worse than any value: what is not vouched for may be that."""
    counts, weeks = Counter(good=30, bad=20), {"good": wz.Discrete([1.0])}
    stages = [wz.Stage("phone", 0.1, counts), wz.Stage("week", 0.1, weeks)]
    made = wz.plan([wz.Box("a", stages=stages)], outside=20.0, worst=worst, confidence=0.9)
    sure = scipy.stats.beta(30, 21).ppf(0.05)
    assert made.guaranteed_total == pytest.approx(0.1 + sure * 1.1 + (1 - sure) * 20.0, rel=1e-12)


def test_one_box_of_one_stage_is_the_plain_box() -> None:
    values = wz.Empirical([1.0, 2.0, 5.0] * 20)
    plain = wz.plan([wz.Box("a", 0.5, values)], confidence=0.9, worst=9.0)
    staged = wz.plan(
        [wz.Box("a", stages=[wz.Stage("look", 0.5, values)])], confidence=0.9, worst=9.0
    )
    assert staged.guaranteed_total == pytest.approx(plain.guaranteed_total, rel=1e-12)


def test_counts_are_frequencies_without_a_confidence() -> None:
    weeks = {"good": wz.Discrete([2.0]), "bad": wz.Discrete([6.0])}
    plans = [
        wz.plan([wz.Box("a", stages=[wz.Stage("s", 0.5, shows), wz.Stage("t", 1.0, weeks)])])
        for shows in (Counter(good=1, bad=3), {"good": 0.25, "bad": 0.75})
    ]
    assert plans[0].expected_total == plans[1].expected_total


@pytest.mark.parametrize(
    ("box", "settings", "message"),
    [
        (wz.Box("a", 1.0, 2.0), {"worst": 9.0}, "The boxes must hold a sample"),
        (
            wz.Box("a", 1.0, wz.Empirical([1.0, 2.0], [0.5, 0.25])),
            {"worst": 9.0},
            "The sample of box 'a' must have no weights, or whole ones",
        ),
        (wz.Box("a", 1.0, wz.Empirical([1.0])), {}, "The worst possible value must be given"),
        (
            wz.Box("a", stages=[wz.Stage("s", 0.5, Counter({"x": 2.5})), wz.Stage("t", 1.0, 2.0)]),
            {"worst": 9.0},
            "must be an integer >= 0",
        ),
        (
            wz.Box("a", stages=[wz.Stage("s", 0.5, Counter(x=2)), wz.Stage("t", 1.0, 12.0)]),
            {"worst": 9.0},
            "The sample of box 'a' must have no value worse than 9.0",
        ),
        (
            wz.Box(
                "a",
                stages=[wz.Stage("s", 0.5, Counter(x=2)), wz.Stage("t", 1.0, scipy.stats.norm())],
            ),
            {"worst": "sample"},
            "The worst possible value of box 'a' must be a finite number",
        ),
    ],
)
def test_what_cannot_be_promised_is_refused(
    box: wz.Box, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(wz.InvalidInputError, match=message):
        wz.plan([box], confidence=0.9, **settings)
