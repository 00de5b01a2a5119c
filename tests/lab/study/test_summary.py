"""Curves hold what the rows say."""

import math
import statistics

import numpy as np
import pytest

from tests.replays.synthetic import roots, rows, table
from weitzman.errors import InvalidInputError
from weitzman.lab.study.rows import table_of
from weitzman.lab.study.summary import finals, select, summarise


def test_means_and_errors_are_those_of_the_seeds() -> None:
    seeds = (3, 5, 8, 9)
    for curve in summarise(table(roots, seeds=seeds)):
        for place, t in enumerate(curve.at.tolist()):
            sums = [roots(curve.searcher, seed, t) for seed in seeds]
            assert curve.mean[place] == pytest.approx(statistics.fmean(sums), rel=1e-14)
            error = statistics.stdev(sums) / math.sqrt(len(seeds))
            assert curve.error[place] == pytest.approx(error, rel=1e-12)


def test_the_order_of_rows_does_not_matter() -> None:
    made = rows(roots, horizons=(50, 100))
    shuffled = [made[i] for i in np.random.default_rng(0).permutation(len(made))]

    one, two = (sorted(summarise(table_of(r)), key=lambda c: (c.feedback, c.searcher, c.rounds))
                for r in (made, shuffled))  # fmt: skip
    for a, b in zip(one, two, strict=True):
        assert (a.feedback, a.searcher, a.rounds) == (b.feedback, b.searcher, b.rounds)
        assert np.array_equal(a.sums, b.sums)
        assert np.array_equal(a.seeds, b.seeds)


def test_one_seed_has_no_error() -> None:
    (curve,) = summarise(table(roots, seeds=(4,), feedbacks=("full",), searchers=("cpb",)))
    assert np.isnan(curve.error).all()
    assert curve.mean[-1] == roots("cpb", 4, 100)


def test_a_missing_checkpoint_is_refused() -> None:
    made = rows(roots)
    with pytest.raises(InvalidInputError, match="same checkpoints for every seed"):
        summarise(table_of(made[:-1]))


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="The measure must be one of"):
        summarise(table(roots), "luck")


def test_select_by_any_part_of_a_run() -> None:
    curves = summarise(table(roots, worlds=("signed", "shifted"), horizons=(50, 100)))
    assert len(curves) == 16
    found = select(curves, world="shifted", feedback="full", searcher="cpb")
    assert [c.rounds for c in found] == [50, 100]
    assert select(curves, rounds=70) == []


def test_finals_are_per_run_and_per_round() -> None:
    found = finals(table(roots, seeds=(0, 2)))
    assert [(r["feedback"], r["searcher"]) for r in found] == [
        ("full", "cpb"), ("full", "linear-regression"),
        ("opened", "cpb"), ("opened", "linear-regression"),
    ]  # fmt: skip
    row = found[1]
    assert (row["world"], row["rounds"], row["seeds"]) == ("signed", 100, 2)
    assert row["regret_mean"] == pytest.approx(2.0 * 1.1 * 10.0)
    assert row["regret_se"] == pytest.approx(2.0)
    assert row["expected_regret_mean"] == row["regret_mean"]
    assert (row["opened"], row["paid"]) == (2.0, 2.0)
