"""What `default` makes on recorded problems: `make bench-default`.

A row is a log, a factor of the costs and a feedback, replayed as `weitzman replay` does it:

- the share of the gap between the best simple rule and hindsight that `default` closes, with its standard
  error; the rule of the paper counts as simple, and which rule is best is chosen afterwards;
- its mean total over that of the best simple rule, each playing for itself;
- the same of the first 20 rounds, where the best simple rule is the one that is best in them.

With ``--orders N`` the first 20 rounds of N random orders follow, under `full`: the mean ratio to the simple
rule that is best in each of them, its standard error, and the share of orders in which it is above 1.25.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import weitzman as wz
from weitzman.learn.policies.simple import RULES
from weitzman.replays.replay import Replay

DATA = Path(__file__).parents[2] / "shared" / "data"
NAMES = ("model_training", "reaction_yields", "kernel_tuning", "query_plans", "llm_calls")
START, LIMIT = 20, 1.25


def start_ratio(found: Replay) -> float:
    """Return the total of the first rounds over that of the simple rule which is best in them."""
    simple = [name for name in found.simple if name in RULES]
    best = min(found.of(name)[:START].sum() for name in simple)
    return float(found.of("default")[:START].sum() / best)


def other_orders(path: Path, count: int) -> Iterator[wz.Log]:
    """Return logs of the first rounds of random orders."""
    whole = pq.read_table(path)
    numbers = np.unique(whole["round"].to_numpy())
    shared = wz.read_log(path).shared
    for seed in range(1, count + 1):
        drawn = np.random.default_rng(seed).permutation(numbers)[:START]
        parts = [whole.filter(pc.equal(whole["round"], number)) for number in drawn.tolist()]
        names = [pa.array([place] * len(part)) for place, part in enumerate(parts)]
        again = [
            part.set_column(part.schema.get_field_index("round"), "round", name)
            for part, name in zip(parts, names, strict=True)
        ]
        yield wz.read_log(pa.concat_tables(again), shared=shared)


def main() -> None:
    """Print a row for each log, factor and feedback."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the logs")
    parser.add_argument("--logs", nargs="+", default=NAMES)
    parser.add_argument("--scales", nargs="+", type=float, default=[1.0, 0.25, 4.0])
    parser.add_argument("--feedbacks", nargs="*", default=["full", "opened"])
    parser.add_argument("--orders", type=int, default=0, help="how many random orders")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print("log feedback costs: share (s.e.) | total / best simple rule | first 20 rounds")
    for feedback in given.feedbacks:
        for scale in given.scales:
            shares = []
            for name in given.logs:
                log = wz.read_log(given.data / f"{name}.parquet")
                found = wz.replay(log, feedback=feedback, cost_scale=scale, workers=given.workers)
                share, error = found.share(found.expected)
                shares.append(share)
                ratio = found.of("default").mean() / found.of(found.best_simple).mean()
                print(
                    f"{name} {feedback} × {scale:g}: {share:+.3f} ({error:.3f}) | {ratio:.3f} "
                    f"{found.best_simple} | {start_ratio(found):.3f}",
                    flush=True,
                )
            print(f"mean share {feedback} × {scale:g}: {np.mean(shares):+.3f}", flush=True)
    for scale in given.scales if given.orders else []:
        for name in given.logs:
            logs = other_orders(given.data / f"{name}.parquet", given.orders)
            ratios = np.array([start_ratio(wz.replay(log, cost_scale=scale)) for log in logs])
            error = ratios.std() / np.sqrt(len(ratios))
            print(
                f"{name} full × {scale:g}, first {START} of {given.orders} orders: "
                f"{ratios.mean():.3f} ({error:.3f}), {(ratios > LIMIT).mean():.0%} above {LIMIT}",
                flush=True,
            )


if __name__ == "__main__":
    main()
