"""The same rounds as an Optuna study in SQLite: `python optuna_study.py FILE SAMPLER SECONDS` prints JSON.

A decision is `ask`, the choice of a box, and the contexts kept with the trial; a value is `tell`. Optuna
is a library: one process and thread calls it, without HTTP, with its own durable commits.
"""

import json
import random
import sys
import time

import optuna

BOXES, DIMENSION = 10, 5


def main(file: str, sampler: str, seconds: float) -> dict[str, object]:
    """Ask and tell for so long; return the latencies."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"random": optuna.samplers.RandomSampler, "tpe": optuna.samplers.TPESampler}
    study = optuna.create_study(storage=f"sqlite:///{file}", sampler=samplers[sampler](seed=0))
    boxes = [f"b{k}" for k in range(BOXES)]
    rng = random.Random(1)
    latencies: dict[str, list[float]] = {"rounds": [], "values": []}
    cpu, end = time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < end:
        rows = [[round(rng.gauss(0, 1), 6) for _ in range(DIMENSION)] for _ in range(BOXES)]
        began = time.perf_counter()
        trial = study.ask()
        trial.set_user_attr("contexts", rows)
        trial.suggest_categorical("box", boxes)
        decided = time.perf_counter()
        study.tell(trial, rng.uniform(0.0, 4.0))
        told = time.perf_counter()
        latencies["rounds"].append(decided - began)
        latencies["values"].append(told - decided)
    return {
        "sampler": sampler,
        "version": optuna.__version__,
        "cpu": time.process_time() - cpu,
        "latencies": latencies,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
