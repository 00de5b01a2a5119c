"""Claims are judged by the rows, seed by seed."""

import numpy as np
import pytest

from tests.replays.synthetic import table
from weitzman.lab.paper.claims import (
    Case,
    Claim,
    check_feedback,
    check_growth,
    check_regression,
    compared,
)
from weitzman.lab.study.exponent import Exponent
from weitzman.lab.study.summary import Curve, summarise


def ends(*sums: float) -> Curve:
    return Curve(
        world="w", feedback="full", searcher="s", rounds=10, seeds=np.arange(len(sums)),
        at=np.array([10]), sums=np.array(sums)[:, None],
    )  # fmt: skip


def test_differences_are_paired() -> None:
    # Seeds differ far more than the searchers do: only pairs show the difference
    case = compared(ends(1.0, 101.0, 201.0), ends(2.0, 102.1, 202.2), "here")
    assert case.verdict == "holds"
    assert case.place == "here"
    mean, error = -1.1, np.std([1.0, 1.1, 1.2], ddof=1) / np.sqrt(3)
    assert f"difference {mean:+.1f} ± {error:.1f}" in case.found


@pytest.mark.parametrize(
    ("other", "verdict"),
    [((2.0, 3.1, 4.2), "holds"), ((0.0, 0.9, 1.8), "fails"), ((2.0, 1.0, 3.0), "open")],
)
def test_three_standard_errors_decide(other: tuple[float, ...], verdict: str) -> None:
    assert compared(ends(1.0, 2.0, 3.0), ends(*other), "").verdict == verdict


def test_one_seed_decides_nothing() -> None:
    assert compared(ends(1.0), ends(9.0), "").verdict == "open"


def test_only_shared_seeds_count() -> None:
    assert "2 against 4" in compared(ends(1.0, 3.0), ends(3.0, 5.0, 900.0), "").found


@pytest.mark.parametrize(
    ("verdicts", "all_of_it"),
    [
        ("holds holds", "holds"), ("fails fails", "fails"), ("open open", "open"),
        ("holds open", "in part"), ("holds fails", "in part"), ("fails open", "fails"),
    ],
)  # fmt: skip
def test_a_claim_is_judged_by_its_cases(verdicts: str, all_of_it: str) -> None:
    cases = tuple(Case(place=str(i), found="", verdict=v) for i, v in enumerate(verdicts.split()))
    claim = Claim(says="", cases=cases)
    assert claim.verdict == all_of_it
    one = len(set(verdicts.split())) == 1
    assert claim.where == ("in all 2 cases" if one else "; ".join(
        f"{v} in {i}" for i, v in enumerate(verdicts.split())
    ))  # fmt: skip


def test_the_claims_of_the_paper_find_their_runs() -> None:
    def shape(searcher: str, seed: int, t: int) -> float:
        return t * (1.0 if searcher == "cpb" else 2.0) + 0.01 * seed

    curves = summarise(table(shape, worlds=("signed", "shifted")))
    claim = check_regression(curves, "cpb", "CPB")
    assert claim.says == "CPB loses less than linear regression."
    assert [c.place for c in claim.cases] == [
        "signed, full", "shifted, full", "signed, opened", "shifted, opened",
    ]  # fmt: skip
    assert claim.verdict == "holds"
    # No difference between the feedbacks: not one that holds
    feedback = check_feedback(curves, ("cpb", "linear-regression"))
    assert (len(feedback.cases), feedback.verdict) == (4, "open")


def test_growth_is_sublinear_if_its_interval_is_below_one() -> None:
    def fit(low: float, high: float) -> Exponent:
        return Exponent(exponent=(low + high) / 2, low=low, high=high, rounds=(1, 2), seeds=2)

    exponents = {
        ("a", "full", "cpb"): fit(0.1, 0.3),
        ("b", "full", "cpb"): fit(0.9, 1.1),
        ("c", "full", "cpb"): fit(1.1, 1.2),
        ("c", "full", "other"): fit(0.1, 0.2),
    }
    claim = check_growth(exponents, "cpb", "CPB")
    assert [c.verdict for c in claim.cases] == ["holds", "open", "fails"]
    assert claim.cases[0].found == "exponent 0.20 (0.10 to 0.30)"
