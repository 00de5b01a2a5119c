"""Curves from rows: what a searcher has lost after each checkpoint, seed by seed.

A run is one world × feedback × searcher × horizon × seed. Its rows hold sums up to each checkpoint.
Runs that differ only in the seed make a curve; with S seeds and sums x₁ … x_S at a checkpoint

    mean = x̄,   s.e. = √(Σ (x_s − x̄)² / (S − 1)) / √S,

and the s.e. is NaN for a single seed. Searchers of one world and seed meet the same draws, so two
curves are compared seed by seed: the s.e. of a difference is that of the paired differences.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weitzman.arrays import Floats, Ints
from weitzman.errors import InvalidInputError
from weitzman.lab.study.rows import Table


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The runs over so many rounds that differ only in their S seeds.

    ``at`` are its m checkpoints, numbers of rounds; ``sums``, (S, m), the measure summed up to
    each.
    """

    world: str
    feedback: str
    searcher: str
    rounds: int
    seeds: Ints
    at: Ints
    sums: Floats

    @property
    def mean(self) -> Floats:
        """The mean over seeds at each checkpoint."""
        return mean_and_error(self.sums)[0]

    @property
    def error(self) -> Floats:
        """The standard error of the mean at each checkpoint."""
        return mean_and_error(self.sums)[1]

    @property
    def final(self) -> Floats:
        """The sums at the end, one per seed."""
        return self.sums[:, -1]


def mean_and_error(sums: Floats) -> tuple[Floats, Floats]:
    """Return the mean over the first axis and its standard error, NaN for a single row.

    Examples
    --------
    >>> mean_and_error(np.array([[1.0], [3.0]]))
    (array([2.]), array([1.]))
    """
    count = sums.shape[0]
    if count < 2:
        return sums.mean(axis=0), np.full(sums.shape[1:], np.nan)
    return sums.mean(axis=0), sums.std(axis=0, ddof=1) / np.sqrt(count)


def mean_in_words(mean: float, error: float) -> str:
    """Return a mean ± its standard error; what is not known is left out.

    Examples
    --------
    >>> mean_in_words(1234.5, 6.0), mean_in_words(1.0, float("nan"))
    ('1,234.5 ± 6.0', '1.0')
    """
    if math.isnan(mean):
        return "–"
    return f"{mean:,.1f}" if math.isnan(error) else f"{mean:,.1f} ± {error:,.1f}"


def summarise(table: Table, measure: str = "regret") -> list[Curve]:
    """Return the curves of a table, in the order in which they first appear.

    The table is one of :func:`weitzman.lab.study.rows.read_rows`. The measure is any column of
    sums: ``regret``, ``expected_regret``, ``opened``, ``paid``, …
    """
    if measure not in table:
        raise InvalidInputError("The measure", f"be one of {sorted(table)}", measure)
    keys = [table[name].tolist() for name in ("world", "feedback", "searcher", "rounds")]
    groups: dict[tuple[str, str, str, int], list[int]] = {}
    for place, key in enumerate(zip(*keys, strict=True)):
        groups.setdefault(key, []).append(place)
    return [_curve(table, measure, key, np.array(places)) for key, places in groups.items()]


def finals(table: Table) -> list[dict[str, str | int | float]]:
    """Return what each curve ends with, one row per world, feedback, searcher and horizon.

    ``regret_mean``, ``regret_se``, the same of the expected regret, and per round ``opened`` boxes
    and what was ``paid`` for them.
    """
    measures = ("regret", "expected_regret", "opened", "paid")
    curves = zip(*(summarise(table, measure) for measure in measures), strict=True)
    return [
        {
            "world": regret.world,
            "feedback": regret.feedback,
            "searcher": regret.searcher,
            "rounds": regret.rounds,
            "seeds": regret.seeds.size,
            "regret_mean": float(regret.mean[-1]),
            "regret_se": float(regret.error[-1]),
            "expected_regret_mean": float(expected.mean[-1]),
            "expected_regret_se": float(expected.error[-1]),
            "opened": float(opened.mean[-1]) / regret.rounds,
            "paid": float(paid.mean[-1]) / regret.rounds,
        }
        for regret, expected, opened, paid in curves
    ]


def select(curves: list[Curve], **wanted: str | int) -> list[Curve]:
    """Return the curves with the ``world``, ``feedback``, ``searcher``, ``rounds`` given."""
    return [c for c in curves if all(getattr(c, name) == w for name, w in wanted.items())]


def _curve(
    table: Table, measure: str, key: tuple[str, str, str, int], places: NDArray[np.intp]
) -> Curve:
    world, feedback, searcher, rounds = key
    seed, at = table["seed"][places].astype(np.int64), table["round"][places].astype(np.int64)
    order = np.lexsort((at, seed))
    seeds, checkpoints = np.unique(seed), np.unique(at)
    whole = (seeds.size, checkpoints.size)
    steps = at[order]
    if steps.size != seeds.size * checkpoints.size or (steps.reshape(whole) != checkpoints).any():
        rule = "have the same checkpoints for every seed, each once"
        raise InvalidInputError(f"The runs of {searcher!r} in {world!r} ({feedback})", rule, whole)
    sums = table[measure][places][order].astype(np.float64).reshape(whole)
    return Curve(
        world=world,
        feedback=feedback,
        searcher=searcher,
        rounds=int(rounds),
        seeds=seeds,
        at=checkpoints,
        sums=sums,
    )
