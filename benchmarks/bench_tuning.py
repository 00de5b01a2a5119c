"""What stopping a study costs: WorthATrial beside 100 trials, Optuna's terminators and hindsight.

``python benchmarks/bench_tuning.py`` with the packages of ``benchmarks/tuning/requirements.txt``. Studies
are recorded once, in ``benchmarks/tuning/results``; ``--propose`` runs studies that try what is promising.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"  # before numpy is imported: one thread for everyone

import argparse  # noqa: E402
import json  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402
import optuna  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from tuning.problems import PROBLEMS, Problem  # noqa: E402
from tuning.record import LONG, TRIALS, recorded  # noqa: E402
from tuning.rules import of_optuna, ours, totals  # noqa: E402
from weitzman.integrations.optuna import WorthATrial  # noqa: E402

RESULTS = Path(__file__).parent / "tuning/results"
FACTORS = (1.0, 4.0, 16.0)
TERMINATORS = ("regret bound", "emmr", "stagnation")


def proposed(problem: Problem, seed: int, worth: float) -> list[optuna.trial.FrozenTrial]:
    """Return the trials of a study that tries what is promising, until it stops."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    rule = WorthATrial(value_of_a_unit=worth, cost="seconds", propose=True)
    study.optimize(problem.objective(), n_trials=TRIALS, callbacks=[rule])
    trials: list[optuna.trial.FrozenTrial] = study.get_trials(states=(TrialState.COMPLETE,))
    return trials


def later_stop(problem: Problem, seed: int, worth: float) -> dict[str, Any]:
    """Return when WorthATrial stops a study that is over 100 trials long, and what it pays there."""
    trials = recorded(problem, seed, RESULTS, LONG)
    stop, paid = ours(trials, worth), totals(trials, worth)
    best = int(paid.argmin())
    return {"stop": stop, "total": paid[(stop or LONG) - 1], "hindsight": [best + 1, paid[best]]}


def row(problem: Problem, seed: int, *, propose: bool, terminators: bool) -> list[dict[str, Any]]:
    """Return what rules pay in one study, for three values of a unit."""
    trials = recorded(problem, seed, RESULTS)
    found = []
    stops = {name: of_optuna(name)(trials) for name in TERMINATORS} if terminators else {}
    first = np.array([trial.value for trial in trials[:10]], dtype=np.float64)
    for factor in FACTORS:
        worth = factor * problem.worth
        paid = totals(trials, worth)
        begin = time.process_time()
        stop = ours(trials, worth)
        spent = (time.process_time() - begin) / ((stop or TRIALS) - 9)
        made = {"WorthATrial": stop, f"{TRIALS} trials": TRIALS, "10 trials": 10, **stops}
        at = {name: [n, paid[(n or TRIALS) - 1]] for name, n in made.items()}
        at["hindsight"] = [int(paid.argmin()) + 1, paid.min()]
        if propose:
            own = proposed(problem, seed, worth)
            end = len(own) if len(own) < TRIALS else None
            at["WorthATrial, proposing"] = [end, totals(own, worth)[-1]]
        spread = float(np.subtract(*np.quantile(first, [0.75, 0.25])))
        about = {"problem": problem.name, "seed": seed, "worth": worth, "factor": factor}
        later = None if stop is not None else later_stop(problem, seed, worth)
        found.append({**about, "spread": spread, "seconds": spent, "at": at, "later": later})
    return found


def show(rows: list[dict[str, Any]]) -> None:
    """Print the tables of the evidence page."""
    names = [n for n in rows[0]["at"] if n != "hindsight"]
    print("| problem | worth | " + " | ".join(["hindsight", *names]) + " |")
    for problem in PROBLEMS:
        for factor in FACTORS:
            here = [r for r in rows if r["problem"] == problem.name and r["factor"] == factor]
            cells = []
            for name in ["hindsight", *names]:
                total = np.mean([r["at"][name][1] for r in here])
                count = np.mean([r["at"][name][0] or TRIALS for r in here])
                cells.append(f"{total:.2f} ({count:.0f})")
            if here:
                print(f"| {problem.name} | {here[0]['worth']:g} s | " + " | ".join(cells) + " |")
    print("\n| rule | " + " | ".join(f"x {f:g}" for f in FACTORS) + " | never stops |")
    for name in names:
        cells = []
        for factor in FACTORS:
            over = [
                100.0 * (r["at"][name][1] - r["at"]["hindsight"][1]) / r["spread"]
                for r in rows
                if r["factor"] == factor
            ]
            error = np.std(over, ddof=1) / np.sqrt(len(over))
            cells.append(f"{np.mean(over):.1f} ± {error:.1f}")
        never = sum(r["at"][name][0] is None for r in rows)
        said = "" if name.endswith(" trials") else f"{never} of {len(rows)}"
        print(f"| {name} | " + " | ".join(cells) + f" | {said} |")
    for r in rows:
        if r["later"] is not None:
            print(f"\n{r['problem']}, seed {r['seed']}, x {r['factor']:g}, goes on:", r["later"])
    print("\nCPU seconds a callback:", round(float(np.mean([r["seconds"] for r in rows])), 3))


def main() -> None:
    """Record, play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--propose", action="store_true")
    parser.add_argument("--no-terminators", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS / "rows.json")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows: list[dict[str, Any]] = []
    for seed in range(1, given.seeds + 1):
        for problem in PROBLEMS:
            rows += row(problem, seed, propose=given.propose, terminators=not given.no_terminators)
            stops = [r["at"]["WorthATrial"][0] for r in rows[-3:]]
            print(problem.name, seed, stops, round(time.process_time()), "s", flush=True)
            given.out.write_text(json.dumps(rows, default=float), encoding="utf-8")
    show(rows)


if __name__ == "__main__":
    main()
