"""What judgements are worth: recorded rounds of which everything is known, masked, and judged.

    python benchmarks/bench_judge.py DATA OUT [--maskings 300] [--intervals 30] [--only llm_calls]
    python benchmarks/bench_judge.py --worlds
    python benchmarks/bench_judge.py --speed 1000000

DATA holds the recorded problems (docs/reference/recorded-problems.md). Rules learn from the first half of a
log, with every value known, and are fixed then. Each is in force on the second half, if it is one of four,
and judged there, if it is a candidate: what is in force opens, and a share of draws, is left of the log.
Its true mean total is known, as nothing is hidden from this script. A part of the work is one log at one
cost scale; finished parts are kept in OUT, so that a run that was stopped goes on, and OUT/cells.json has
all cells.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import weitzman as wz
from weitzman.feedback import Feedback
from weitzman.learn.policy import bounded, walk
from weitzman.learn.storage.registry import named_policy
from weitzman.replays.judgement.estimate import estimate, farthest, scores
from weitzman.replays.judgement.guess import guesses
from weitzman.replays.judgement.judged import Part
from weitzman.replays.judgement.seen import Seen, seen_of
from weitzman.replays.judgement.trace import Trace
from weitzman.replays.judgement.verdict import Side, compared
from weitzman.replays.judgement.walk import COLUMNS, Frame, walk_rule
from weitzman.search.rule import WeitzmanRule

LOGS = ("model_training", "reaction_yields", "kernel_tuning", "query_plans", "llm_calls")
SCALES = (1.0, 0.25, 4.0)
SIMPLE = (
    "stay",
    "all",
    "cheapest",
    "single",
    "fixed-set",
    "one-shot",
    "mean",
    "mean+cost",
    "no-context",
)
CANDIDATES = (*SIMPLE, "paper", "aware", "default")
FORCE = ("FTRL", "cascade", "single", "default")
DESIGNS = {"1 %": 0.01, "5 %": 0.05, "prefix 5 %": 0.05}


class Fixed:
    """Rules as the first half of a log left them, and what they open on the second, everything known."""

    def __init__(self, log: wz.Log, scale: float, names: tuple[str, ...]) -> None:
        self.seen = seen_of(log, scale)
        self.first = len(log) // 2
        boxes, dimension = self.seen.contexts.shape[1:]
        players: dict[str, Any] = {
            name: named_policy(name, shared=log.shared).start(
                boxes=boxes, dimension=dimension, feedback="full", seed=0
            )
            for name in names
        }
        for t, (shown, places) in enumerate(self.seen.rounds()):
            if t == self.first:
                break
            for player in players.values():
                player.learn(shown, self.seen.values[t, places])
        self.rounds = list(self.seen.rounds(self.first))
        self.rules = {
            name: [
                bounded(getattr(player, "favourite", player.rule)(shown), shown)
                for shown, _ in self.rounds
            ]
            for name, player in players.items()
        }
        shape = (len(self.rounds), boxes)
        self.opened = {name: np.zeros(shape, dtype=np.bool_) for name in names}
        self.totals = {name: np.empty(len(self.rounds)) for name in names}
        for name, rules in self.rules.items():
            for t, (rule, (shown, places)) in enumerate(zip(rules, self.rounds, strict=True)):
                done = walk(rule, shown, self.seen.values[self.first + t, places])
                self.opened[name][t, places[done.opened]] = True
                self.totals[name][t] = done.total

    def cascade(self) -> Any:
        """Return what is opened by asking the cheapest boxes until one is as good as half of all values."""
        seen, past = self.seen, slice(0, self.first)
        costs = np.nanmean(seen.costs[past], axis=0)
        good = float(np.nanmedian(seen.values[past]))
        opened = np.zeros((len(self.rounds), len(costs)), dtype=np.bool_)
        for t, values in enumerate(seen.values[self.first :]):
            there = [k for k in np.argsort(costs, kind="stable") if not np.isnan(values[k])]
            for k in there[:2]:
                opened[t, k] = True
                if values[k] <= good:
                    break
        return opened


def traced(
    fixed: Fixed, name: str, plain: Any, extra: Any, phi: float
) -> tuple[Trace, Trace, Seen]:
    """Return what the log shows of a rule if every round is drawn, and if none is."""
    seen, first = fixed.seen, fixed.first
    there = ~np.isnan(seen.costs[first:])
    both = []
    for known in (plain | extra, plain):
        values = np.where(known, seen.values[first:], np.nan)
        plain_values = np.where(plain, seen.values[first:], np.nan)
        chances = np.where(plain, 1.0, np.where(extra & there, phi, np.nan))
        columns = np.empty((len(COLUMNS), len(fixed.rounds)))
        for t, (rule, (shown, places)) in enumerate(
            zip(fixed.rules[name], fixed.rounds, strict=True)
        ):
            frame = Frame(
                seen.prices[first + t, places], values[t, places], plain_values[t, places],
                known[t, places], plain[t, places], chances[t, places], True, seen.floor, seen.ceiling,
            )  # fmt: skip
            columns[:, t] = walk_rule(rule, shown, frame)
        both.append(Trace(*columns))
    return both[0], both[1], seen


def cell(
    fixed: Fixed, name: str, plain: Any, design: str, maskings: int, intervals: int
) -> dict[str, Any]:
    """Return the figures of one cell."""
    seen, first, phi = fixed.seen, fixed.first, DESIGNS[design]
    there = ~np.isnan(seen.costs[first:])
    extra = fixed.opened[name] if design.startswith("prefix") else there
    drawn, undrawn, _ = traced(fixed, name, plain, extra, phi)
    truth = float(fixed.totals[name].mean())
    plain_values = np.where(plain, seen.values[first:], np.nan)
    best = np.minimum(
        np.where(np.isnan(plain_values), seen.ceiling, plain_values).min(axis=1),
        seen.outside[first:],
    )
    in_hand = np.where(np.isnan(plain_values), np.inf, plain_values).min(axis=1)
    in_force = np.minimum(in_hand, seen.outside[first:]) + np.where(
        plain, seen.prices[first:], 0
    ).sum(axis=1)
    apart = truth - float(in_force.mean())
    means: dict[str, list[float]] = {k: [] for k in ("ips", "robust", "sn", "truncated", "naive")}
    inside, explored, words, widths = [], [], [], []
    for masking in range(maskings):
        e = np.random.default_rng([masking, 7]).random(len(best)) < phi
        trace = Trace(
            *(np.where(e, getattr(drawn, c), getattr(undrawn, c)) for c in drawn.__dict__)
        )
        guessed = guesses(trace, best)
        w, covered = trace.weights, trace.covered
        known = np.where(covered, trace.totals, 0.0)
        means["ips"].append(float((w * known).mean()))
        means["sn"].append(float((w * known).sum() / w.sum()) if w.any() else float("nan"))
        means["robust"].append(float(scores(trace, guessed).mean()))
        means["truncated"].append(float(scores(trace, guessed, len(best) ** 0.5).mean()))
        means["naive"].append(
            float(trace.totals[covered].mean()) if covered.any() else float("nan")
        )
        count = int((covered & ~trace.certain).sum())
        explored.append(count)
        if masking < intervals:
            part = Part(trace=trace, guesses=guessed, side=side_of(trace, guessed, count))
            if part.is_reachable:
                robust = scores(trace, guessed)
                more = farthest(trace, guessed)
                found = estimate(robust, (robust - guessed)[covered & ~trace.certain], more)
                inside.append(found.low <= truth <= found.high)
                widths.append(found.high - found.low)
            else:
                inside.append(float(trace.low.mean()) <= truth <= float(trace.high.mean()))
            verdict = compared(part.side, Side(low=in_force, high=in_force))
            words.append(verdict.word)
    wrong = {"better": apart >= 0.0, "worse": apart <= 0.0}
    prices = np.nan_to_num(seen.prices[first:])
    return {
        "truth": truth,
        "apart": apart,
        "certain": float(drawn.certain.mean()),
        "drawn": phi * len(best),
        "explored": float(np.mean(explored)),
        "inside": float(np.mean(inside)),
        "first_inside": bool(inside[0]),
        "first_explored": explored[0],
        "width": float(np.mean(widths)) if widths else None,
        "words": {w: words.count(w) for w in sorted(set(words))},
        "wrong_better": words.count("better") * wrong["better"],
        "wrong_worse": words.count("worse") * wrong["worse"],
        "verdicts": len(words),
        "bias": {k: float(np.nanmean(v)) - truth for k, v in means.items()},
        "sd": {k: float(np.nanstd(v)) for k, v in means.items()},
        "maskings": maskings,
        "price": phi * float((prices * (extra & there & ~plain)).sum(axis=1).mean()),
    }


def side_of(trace: Trace, guessed: Any, count: int) -> Side:
    """Return a side as a judgement makes it where every round may be drawn."""
    if count > 1 or trace.certain.all():
        return Side(low=guessed, high=guessed, trace=trace)
    return Side(low=trace.low, high=trace.high)


def part(
    data: Path, name: str, scale: float, maskings: int, intervals: int
) -> list[dict[str, Any]]:
    """Return all cells of one log at one cost scale."""
    log = wz.read_log(
        data / f"{name}.parquet", least=0.0 if name in ("llm_calls", "query_plans") else None
    )
    fixed = Fixed(
        log, scale, tuple(dict.fromkeys([*CANDIDATES, *(f for f in FORCE if f != "cascade")]))
    )
    cells = []
    for force in FORCE:
        plain = fixed.cascade() if force == "cascade" else fixed.opened[force]
        for design in DESIGNS:
            for candidate in CANDIDATES:
                if candidate == "stay" and not np.isfinite(fixed.seen.outside).all():
                    continue
                found = cell(fixed, candidate, plain, design, maskings, intervals)
                labels = {"log": name, "scale": scale, "force": force, "design": design}
                cells.append({**labels, "candidate": candidate, **found})
    return cells


FORCED = np.array([-np.inf, 3.0, 99.0, 99.0])
RIVALS = {
    "more of the same": np.array([-np.inf, 2.0, 3.0, 99.0]),
    "another order": np.array([4.0, 99.0, -np.inf, 3.0]),
    "all": np.full(4, -np.inf),
}
PRICES = [0.2, 0.3, 0.4, 0.1]


def worlds(replications: int = 400, rounds: int = 1000, phi: float = 0.05) -> None:
    """Print how judgements do where expectations are exact: discrete boxes, given a common state."""
    levels = np.array([0.0, 2.0, 6.0])
    for world in ("independent", "correlated", "drifting"):
        rng = np.random.default_rng([*map(ord, world)])
        spread = rng.integers(0, 6, (4, 5)).astype(float)
        shift = 0.0 * levels if world == "independent" else levels
        share = np.full((rounds, 3), 1.0 / 3.0)
        if world == "drifting":
            share = np.linspace([0.8, 0.15, 0.05], [0.05, 0.15, 0.8], rounds)
        for name, sigma in RIVALS.items():
            each = [
                wz.expected_total(
                    [wz.Box(str(k), PRICES[k], wz.Empirical(spread[k] + x)) for k in range(4)],
                    sigma,
                    outside=9.0,
                )
                for x in shift
            ]
            truth = float((share @ each).mean())
            rows = [
                _replication(spread, shift, share, sigma, phi, seed) for seed in range(replications)
            ]
            print(f"{world}, {name}: {_in_words(rows, truth)}", flush=True)


def _replication(
    spread: Any, shift: Any, share: Any, sigma: Any, phi: float, seed: int
) -> dict[str, Any]:
    """Draw rounds, mask them, and judge a rule."""
    from weitzman.learn.features import Encoding

    rng = np.random.default_rng(seed)
    rounds = len(share)
    state = (rng.random((rounds, 1)) > np.cumsum(share, axis=1)[:, :2]).sum(axis=1)
    values = spread[np.arange(4), rng.integers(0, 5, (rounds, 4))] + shift[state][:, None]
    plain = np.zeros((rounds, 4), dtype=np.bool_)
    plain[:, 0] = True
    plain[:, 1] = values[:, 0] > FORCED[1]
    opened = plain | (rng.random((rounds, 1)) < phi)
    log = wz.Log(
        rounds=np.arange(rounds), boxes=list("0123"), shared=False, contexts=np.zeros((rounds, 4, 0)),
        features=[], costs=np.tile(PRICES, (rounds, 1)), values=np.where(opened, values, np.nan),
        outside=np.full(rounds, 9.0), opened=opened, chances=np.where(plain, 1.0, phi), skipped=0,
        source="table", columns={}, encoding=Encoding(features=()),
    )  # fmt: skip
    one = wz.judge(log, [Steady(sigma)]).of("Steady")
    return {
        "ips": one.estimates["ips"].mean,
        "robust": one.estimates["doubly robust"].mean,
        "naive": one.estimates["naive"].mean,
        "low": one.low,
        "high": one.high,
    }


def _in_words(rows: list[dict[str, Any]], truth: float) -> str:
    inside = np.mean([row["low"] <= truth <= row["high"] for row in rows])
    words = [f"truth {truth:.4f}, intervals cover {inside:.3f}"]
    for k in ("ips", "robust", "naive"):
        found = np.array([row[k] for row in rows])
        error = found.std() / len(found) ** 0.5
        words.append(f"{k} bias {found.mean() - truth:+.4f} ({error:.4f}), sd {found.std():.3f}")
    return "; ".join(words)


class Steady:
    """A policy that goes by the same reservation values in every round, and its player."""

    def __init__(self, sigma: Any) -> None:
        self._rule = WeitzmanRule(sigma)

    def start(
        self, *, boxes: int, dimension: int, feedback: Feedback = "full", seed: int = 0
    ) -> "Steady":
        """Return itself: nothing is learned."""
        return self

    def rule(self, shown: wz.Round) -> WeitzmanRule:
        """Return the rule."""
        return self._rule

    def learn(self, shown: wz.Round, values: Any) -> None:
        """Learn nothing."""

    def state(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def restore(self, state: Any) -> None:
        """Take nothing."""


def speed(rounds: int) -> None:
    """Print how long rounds of twelve boxes take against ten simple rules, in two processes."""
    import resource

    from weitzman.learn.features import Encoding

    rng = np.random.default_rng(0)
    boxes = 12
    market = rng.exponential(size=(rounds, 1))
    values = market + rng.exponential(size=(rounds, boxes))
    plain = np.zeros((rounds, boxes), dtype=np.bool_)
    plain[:, 0] = True
    plain[:, 1] = values[:, 0] > 1.5
    opened = plain | (rng.random((rounds, 1)) < 0.02)
    log = wz.Log(
        rounds=np.arange(rounds), boxes=[str(k) for k in range(boxes)], shared=False,
        contexts=(values + rng.normal(size=values.shape))[:, :, None], features=["x_a"],
        costs=np.full((rounds, boxes), 0.1), values=np.where(opened, values, np.nan),
        outside=np.full(rounds, 5.0), opened=opened, chances=np.where(plain, 1.0, 0.02), skipped=0,
        source="table", columns={}, encoding=Encoding(features=()),
    )  # fmt: skip
    begin, mine = time.perf_counter(), time.process_time()
    found = wz.judge(log, [*SIMPLE, "ski-rental"], workers=2)
    took, mine = time.perf_counter() - begin, time.process_time() - mine
    print(found)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"CPU time: {mine:.0f} s here, {spent.ru_utime + spent.ru_stime:.0f} s in both processes")
    used = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"{took:.0f} s, {used / 2**20:.1f} GB at most in one process")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("out", nargs="?", type=Path)
    parser.add_argument("--maskings", type=int, default=300)
    parser.add_argument("--intervals", type=int, default=30)
    parser.add_argument("--only", choices=LOGS)
    parser.add_argument("--worlds", action="store_true")
    parser.add_argument("--speed", type=int, metavar="ROUNDS")
    asked = parser.parse_args()
    if asked.speed is not None:
        speed(asked.speed)
        return
    if asked.worlds:
        worlds()
        return
    if asked.data is None or asked.out is None:
        parser.error("DATA and OUT are needed, or --speed")
    asked.out.mkdir(parents=True, exist_ok=True)
    cells = []
    for scale in SCALES:
        for name in LOGS if asked.only is None else (asked.only,):
            kept = asked.out / f"{name}-{scale:g}-{asked.maskings}-{asked.intervals}.json"
            if not kept.exists():
                begin = time.perf_counter()
                done = part(asked.data, name, scale, asked.maskings, asked.intervals)
                begun = kept.with_suffix(".begun")
                begun.write_text(json.dumps(done))
                begun.rename(kept)
                print(f"{kept.name}: {time.perf_counter() - begin:.0f} s", flush=True)
            cells += json.loads(kept.read_text())
    (asked.out / "cells.json").write_text(json.dumps(cells))
    summary(cells)


def summary(cells: list[dict[str, Any]]) -> None:
    """Print what the cells say together."""
    many = [c for c in cells if c["explored"] >= 50]
    bare = [c for c in cells if c["explored"] >= 1 and c["certain"] < 1.0]
    print(f"{len(cells)} cells, {len(many)} with 50 explored rounds or more")
    for label, some in (("50 explored rounds or more", many), ("all", cells)):
        inside = [c["inside"] for c in some]
        if inside:
            first = np.mean([c["first_inside"] for c in some])
            print(f"intervals cover, {label}: {np.mean(inside):.3f}; of first maskings {first:.3f}")
    for k in ("ips", "robust", "sn", "truncated", "naive"):
        z = [abs(c["bias"][k]) / c["sd"][k] * c["maskings"] ** 0.5 for c in bare if c["sd"][k] > 0]
        print(f"bias within 2 s.e., {k}: {np.mean(np.array(z) < 2.0):.3f} of {len(z)}")
        relative = np.median([abs(c["bias"][k]) / abs(c["truth"]) for c in bare])
        print(f"  in the median {100 * relative:.2f} % of the mean total")
    errors = {
        k: np.array([np.hypot(c["bias"][k], c["sd"][k]) for c in bare])
        for k in ("ips", "robust", "sn", "truncated")
    }
    for k in ("robust", "sn", "truncated"):
        ratio = errors[k] / errors["ips"]
        share = np.mean(errors[k] <= errors["ips"])
        print(
            f"RMSE {k} <= IPS: {share:.3f}; ratio, median {np.median(ratio):.3f}, most {ratio.max():.2f}"
        )
    names = ("log", "scale", "force", "candidate")
    full = {tuple(c[n] for n in names): c["price"] for c in bare if c["design"] == "5 %"}
    prefix = [
        (c["price"], full.get(tuple(c[n] for n in names), 0.0))
        for c in bare
        if "prefix" in c["design"]
    ]
    ratios = [one / other for one, other in prefix if other > 0.0]
    print(f"price of prefix draws over that of whole rounds, median {np.median(ratios):.3f}")
    said, verdicts = (
        sum(c["words"].get("better", 0) for c in cells),
        sum(c["verdicts"] for c in cells),
    )
    wrong = sum(c["wrong_better"] for c in cells)
    print(f"better: said {said} times of {verdicts}, wrongly {wrong}")
    said, wrong = (
        sum(c["words"].get("worse", 0) for c in cells),
        sum(c["wrong_worse"] for c in cells),
    )
    print(f"worse: said {said} times, wrongly {wrong}")


if __name__ == "__main__":
    main()
