"""Studies of many trials, kept as files: what a rule would have done can then be asked of any rule."""

import pickle
import warnings
from pathlib import Path

import optuna

from tuning.problems import Problem

TRIALS = 100
LONG = 400
"""How many trials a study has that a rule is asked about which does not stop before."""


def recorded(
    problem: Problem, seed: int, folder: Path, count: int = TRIALS
) -> list[optuna.trial.FrozenTrial]:
    """Return the trials of a study by Optuna's default sampler, from its file if it has been run."""
    more = "" if count == TRIALS else f"-{count}"
    place = folder / f"{problem.name.replace(', ', '-').replace(' ', '-')}-{seed}{more}.pickle"
    if not place.exists():
        folder.mkdir(parents=True, exist_ok=True)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # networks that have not converged
            study.optimize(problem.objective(), n_trials=count)
        place.write_bytes(pickle.dumps(study.trials))
    trials: list[optuna.trial.FrozenTrial] = pickle.loads(place.read_bytes())
    return trials
