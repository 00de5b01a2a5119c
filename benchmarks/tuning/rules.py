"""When rules stop a recorded study, and what that would have paid."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optuna
from optuna.terminator import (
    BestValueStagnationEvaluator,
    CrossValidationErrorEvaluator,
    EMMREvaluator,
    MedianErrorEvaluator,
    RegretBoundEvaluator,
    StaticErrorEvaluator,
    Terminator,
)

from weitzman.arrays import Floats
from weitzman.integrations.optuna import WorthATrial

Trials = Sequence[optuna.trial.FrozenTrial]
EVERY = {"regret bound": 1, "emmr": 5, "stagnation": 1}
"""After how many trials each of Optuna's terminators is asked again; one of them takes a while."""
LEAST = 20
"""How many trials Optuna's terminators wait for, by default."""


def totals(trials: Trials, worth: float) -> Floats:
    """Return the best value plus all costs, in units of the value, if a study stops after each trial."""
    values = np.array([trial.value for trial in trials], dtype=np.float64)
    seconds = np.array([trial.user_attrs["seconds"] for trial in trials], dtype=np.float64)
    return np.asarray(np.minimum.accumulate(values) + np.cumsum(seconds) / worth)


def ours(trials: Trials, worth: float) -> int | None:
    """Return after how many trials WorthATrial stops; None for never."""
    rule, study = WorthATrial(value_of_a_unit=worth, cost="seconds"), optuna.create_study()
    for number, trial in enumerate(trials, 1):
        study.add_trial(trial)
        outlook = rule.outlook(study)
        if outlook is not None and outlook.stops:
            return number
    return None


def _terminator(name: str) -> Any:
    if name == "regret bound":
        return Terminator(RegretBoundEvaluator(), CrossValidationErrorEvaluator())
    if name == "emmr":
        emmr = EMMREvaluator(seed=0)
        return Terminator(emmr, MedianErrorEvaluator(emmr))
    return Terminator(BestValueStagnationEvaluator(30), StaticErrorEvaluator(0.0))


def of_optuna(name: str) -> Callable[[Trials], int | None]:
    """Return a function of trials: after how many one of Optuna's terminators stops; None for never."""

    def stop(trials: Trials) -> int | None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rule, study = _terminator(name), optuna.create_study()
            for number, trial in enumerate(trials, 1):
                study.add_trial(trial)
                if number >= LEAST and number % EVERY[name] == 0 and rule.should_terminate(study):
                    return number
        return None

    return stop
