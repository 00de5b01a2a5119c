"""Does a box starve where only what is opened is seen? Regret of FTRL as it explores now, and as before.

``python benchmarks/bench_starvation.py PART [--seeds N] [--first SEED] [--learners NAME …]`` prints one line
per world and learner: mean regret with its standard error at each number of rounds, the difference from
the first learner at the last (paired), the worst seed, and the exponent of the mean regret from 1,000
rounds on.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import weitzman as wz
from weitzman.lab.exact.clairvoyant import clairvoyant
from weitzman.lab.exact.expected import expected_totals
from weitzman.lab.study.evaluate import PIECE
from weitzman.lab.worlds import WORLDS, World

Array = NDArray[np.float64]
LEARNERS = {
    "between": wz.FTRL(intercept=False, explore="between"),
    "own": wz.FTRL(intercept=False),
    "own, prior 0": wz.FTRL(intercept=False, explore="own"),
    "noise": wz.FTRL(intercept=False, eta="noise"),
}
UNITS = {"any units": wz.FTRL()}
PAPER = ("signed", "orthant", "shifted")
MORE = (*PAPER, "agree", "bandit", "drifting")


def regrets(
    learner: wz.Learner,
    world: World,
    seeds: Sequence[int],
    at: Sequence[int],
    optimism: float | Literal["auto"] = "auto",
) -> Array:
    """Return the realised regret of each seed after these numbers of rounds."""
    out = np.empty((len(seeds), len(at)))
    for k, seed in enumerate(seeds):
        searcher = wz.Searcher(
            boxes=world.boxes,
            dimension=world.dimension,
            learner=learner,
            feedback="opened",
            rng=seed,
            optimism=optimism,
        )
        lost = []
        for start in range(0, at[-1], PIECE):
            piece = world.draw(min(PIECE, at[-1] - start), seed, start=start)
            played = searcher.play(piece.contexts, piece.costs, piece.values)
            lost.append(played.totals - clairvoyant(piece).totals)
        out[k] = np.cumsum(np.concatenate(lost))[np.array(at) - 1]
    return out


def line(name: str, found: Array, base: Array, at: Sequence[int]) -> str:
    """Return what there is to say of one learner in one world."""
    root = np.sqrt(len(found))
    cells = [
        f"{t}: {x.mean():7.1f} ({x.std(ddof=1) / root:5.1f})"
        for t, x in zip(at, found.T, strict=True)
    ]
    apart = (found - base)[:, -1]
    cells.append(f"apart {apart.mean():+7.1f} ({apart.std(ddof=1) / root:5.1f})")
    cells.append(f"worst {found[:, -1].max():6.0f}")
    late = [i for i, t in enumerate(at) if t >= 1000]
    if len(late) > 1:
        slope = np.polyfit(np.log(np.array(at)[late]), np.log(found.mean(axis=0)[late]), 1)[0]
        cells.append(f"exponent {slope:.2f}")
    return f"{name:30s} " + "  ".join(cells)


def compare(
    names: Sequence[str], learners: dict[str, wz.FTRL], seeds: Sequence[int], at: Sequence[int]
) -> None:
    """Print one line per world and learner."""
    for name in names:
        base = None
        for label, learner in learners.items():
            found = regrets(learner, WORLDS[name](), seeds, at)
            base = found if base is None else base
            print(line(f"{name}, {label}", found, base, at), flush=True)


def two_boxes(seeds: Sequence[int], rounds: int = 10_000) -> None:
    """Values 5 for sure against 0 or 100: the second is the better one, and may look bad at first."""
    for label, learner in LEARNERS.items():
        lost, starved = [], 0
        for seed in seeds:
            values = np.full((rounds, 2), 5.0)
            values[:, 1] = 100.0 * (np.random.default_rng(seed).random(rounds) < 0.5)
            searcher = wz.Searcher(
                boxes=2, dimension=1, learner=learner, feedback="opened", rng=seed
            )
            played = searcher.play(np.ones((rounds, 2, 1)), np.ones(2), values)
            best = np.where(values[:, 1] < 6.0, 1.0 + values[:, 1], 7.0)
            lost.append(float((played.totals - best).sum()))
            starved += not (played.chosen[rounds // 2 :] == 1).any()
        error = np.std(lost, ddof=1) / np.sqrt(len(lost))
        print(
            f"two boxes, {label:14s} regret {np.mean(lost):8.1f} ({error:.1f})  worst {max(lost):.0f}  "
            f"never chosen in the second half: {starved} of {len(lost)}",
            flush=True,
        )


def where(seeds: Sequence[int], rounds: int = 10_000) -> None:
    """Expected regret in ``spread``: what is left of it where only some errors of σ remain.

    An error is what the search went by, less the reservation value itself. Values of ``wide`` boxes are more
    than 30 c apart.
    """
    ends = np.array([0, 100, 300, 1000, 3000, rounds])
    for label, learner in LEARNERS.items():
        lost: dict[str, list[Array]] = {}
        for seed in seeds:
            world = WORLDS["spread"]()
            drawn = world.draw(rounds, seed)
            searcher = wz.Searcher(
                boxes=world.boxes, dimension=world.dimension, learner=learner, feedback="opened"
            )
            played = searcher.play(drawn.contexts, drawn.costs, drawn.values, predictions=True)
            right = drawn.reservation_values
            # Beyond all values is as good as infinite
            went_by = np.clip(
                np.asarray(played.reservation_values),
                drawn.lower.min() - 1.0,
                drawn.upper.max() + 1.0,
            )
            wide = (drawn.upper - drawn.lower)[0, 0] > 30.0 * drawn.costs[0]
            kept = {
                "all": np.ones_like(right, dtype=bool),
                "too high": went_by > right,
                "too high, wide": (went_by > right) & wide,
                "too high, narrow": (went_by > right) & ~wide,
                "too low": went_by < right,
            }
            best = expected_totals(drawn, right)
            for name, some in kept.items():
                total = expected_totals(drawn, np.where(some, went_by, right)) - best
                lost.setdefault(name, []).append(np.add.reduceat(total, ends[:-1]))
        for name, parts in lost.items():
            found = np.array(parts)
            error = found.sum(axis=1).std(ddof=1) / np.sqrt(len(found))
            cells = "  ".join(
                f"to {t}: {x:4.0f}" for t, x in zip(ends[1:], found.mean(0), strict=True)
            )
            print(
                f"{label}, {name:18s} {found.sum(axis=1).mean():5.0f} ({error:.0f})  {cells}",
                flush=True,
            )


def strengths(seeds: Sequence[int]) -> None:
    """Regret in ``spread`` with other strengths of optimism."""
    at, world, base = [300, 1000, 3000, 10_000], WORLDS["spread"](), None
    for kappa in (0.75, 0.0, 0.1875, 0.375, 1.5, 3.0):
        found = regrets(wz.FTRL(intercept=False), world, seeds, at, optimism=kappa)
        base = found if base is None else base
        print(line(f"spread, kappa {kappa:g}", found, base, at), flush=True)


def main() -> None:
    """Run one of the parts."""
    parts: dict[str, tuple[int, Callable[[Sequence[int]], None]]] = {
        "two": (500, two_boxes),
        "short": (
            400,
            lambda seeds: compare((*MORE, "spread", "non-contextual"), LEARNERS, seeds, [300]),
        ),
        "middle": (60, lambda seeds: compare(PAPER, LEARNERS, seeds, [300, 3000])),
        "growth": (
            24,
            lambda seeds: compare(MORE, LEARNERS, seeds, [300, 1000, 3000, 10_000]),
        ),
        "long": (
            24,
            lambda seeds: compare(
                ("non-contextual", "spread"),
                LEARNERS,
                seeds,
                [300, 1000, 3000, 10_000, 30_000, 100_000],
            ),
        ),
        "where": (16, where),
        "strengths": (16, strengths),
        "units": (40, lambda seeds: compare(PAPER, UNITS, seeds, [300])),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--first", type=int, default=91_000)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    options = parser.parse_args()
    for name in set(LEARNERS) - set(options.learners):
        del LEARNERS[name]
    count, run = parts[options.part]
    run(range(options.first, options.first + (options.seeds or count)))


if __name__ == "__main__":
    main()
