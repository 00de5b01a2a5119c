"""Seven tuning problems on the data that come with scikit-learn, with trials of 10 to 500 ms."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import optuna
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

FOLDS = 3


@dataclass(frozen=True)
class Problem:
    """A data set, a model for every trial, and the score; what is reported is a loss.

    ``worth`` is how many seconds a unit of the loss is worth at least: one trial then costs about a hundredth
    of the spread of random trials.
    """

    name: str
    load: Callable[..., Any]
    model: Callable[[optuna.Trial], Any]
    score: str
    unit: str
    factor: float
    worth: float

    def objective(self) -> Callable[[optuna.Trial], float]:
        """Return a function of a trial; it notes the CPU seconds and the scores of the folds."""
        from optuna.terminator import report_cross_validation_scores

        x, y = self.load(return_X_y=True)
        split = KFold if self.score.startswith("neg_root") else StratifiedKFold
        folds = split(FOLDS, shuffle=True, random_state=0)

        def run(trial: optuna.Trial) -> float:
            begin = time.process_time()
            scores = cross_val_score(self.model(trial), x, y, scoring=self.score, cv=folds)
            trial.set_user_attr("seconds", time.process_time() - begin)
            losses = self.factor * (1.0 - scores if self.score == "accuracy" else -scores)
            report_cross_validation_scores(trial, losses.tolist())
            return float(np.mean(losses))

        return run


def _scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def _digits_svm(trial: optuna.Trial) -> Any:
    c = trial.suggest_float("C", 1e-2, 1e3, log=True)
    return SVC(C=c, gamma=trial.suggest_float("gamma", 1e-5, 1e-1, log=True))


def _cancer_forest(trial: optuna.Trial) -> Any:
    return RandomForestClassifier(
        n_estimators=trial.suggest_int("trees", 5, 120, log=True),
        max_depth=trial.suggest_int("depth", 1, 12),
        min_samples_leaf=trial.suggest_int("leaf", 1, 20),
        max_features=trial.suggest_float("features", 0.05, 1.0),
        random_state=0,
    )


def _diabetes_boosting(trial: optuna.Trial) -> Any:
    return GradientBoostingRegressor(
        n_estimators=trial.suggest_int("trees", 10, 200, log=True),
        learning_rate=trial.suggest_float("rate", 0.01, 0.5, log=True),
        max_depth=trial.suggest_int("depth", 1, 5),
        subsample=trial.suggest_float("subsample", 0.3, 1.0),
        random_state=0,
    )


def _diabetes_svr(trial: optuna.Trial) -> Any:
    return _scaled(
        SVR(
            C=trial.suggest_float("C", 1e-1, 1e4, log=True),
            gamma=trial.suggest_float("gamma", 1e-5, 1.0, log=True),
            epsilon=trial.suggest_float("epsilon", 0.1, 50.0, log=True),
        )
    )


def _wine_network(trial: optuna.Trial) -> Any:
    return _scaled(
        MLPClassifier(
            (trial.suggest_int("units", 2, 64, log=True),),
            activation=trial.suggest_categorical("activation", ["relu", "tanh", "logistic"]),
            alpha=trial.suggest_float("alpha", 1e-5, 10.0, log=True),
            learning_rate_init=trial.suggest_float("rate", 1e-4, 1e-1, log=True),
            max_iter=trial.suggest_int("epochs", 10, 100, log=True),
            random_state=0,
        )
    )


def _cancer_models(trial: optuna.Trial) -> Any:
    model = trial.suggest_categorical("model", ["logistic", "svm", "neighbours"])
    if model == "logistic":
        return _scaled(LogisticRegression(C=trial.suggest_float("C", 1e-4, 1e4, log=True)))
    if model == "svm":
        c = trial.suggest_float("svm C", 1e-3, 1e3, log=True)
        gamma = trial.suggest_float("gamma", 1e-5, 1.0, log=True)
        return _scaled(SVC(C=c, gamma=gamma))
    count = trial.suggest_int("neighbours", 1, 50)
    weights = trial.suggest_categorical("weights", ["uniform", "distance"])
    return _scaled(KNeighborsClassifier(count, weights=weights))


def _digits_models(trial: optuna.Trial) -> Any:
    model = trial.suggest_categorical("model", ["forest", "neighbours", "network"])
    if model == "forest":
        return RandomForestClassifier(
            n_estimators=trial.suggest_int("trees", 5, 60, log=True),
            max_features=trial.suggest_float("features", 0.02, 0.5),
            random_state=0,
        )
    if model == "neighbours":
        count = trial.suggest_int("neighbours", 1, 30)
        return KNeighborsClassifier(count, p=trial.suggest_categorical("p", [1, 2]))
    return _scaled(
        MLPClassifier(
            (trial.suggest_int("units", 4, 64, log=True),),
            alpha=trial.suggest_float("alpha", 1e-5, 10.0, log=True),
            max_iter=trial.suggest_int("epochs", 4, 20, log=True),
            random_state=0,
        )
    )


_WRONG = ("accuracy", "% wrong", 100.0)
_NATS = ("neg_log_loss", "0.01 nats", 100.0)
_ROOT = ("neg_root_mean_squared_error", "RMSE", 1.0)

PROBLEMS = (
    Problem("digits, svm", load_digits, _digits_svm, *_WRONG, worth=1.5),
    Problem("cancer, forest", load_breast_cancer, _cancer_forest, *_NATS, worth=2.0),
    Problem("diabetes, boosting", load_diabetes, _diabetes_boosting, *_ROOT, worth=1.5),
    Problem("diabetes, svr", load_diabetes, _diabetes_svr, *_ROOT, worth=0.15),
    Problem("wine, network", load_wine, _wine_network, *_NATS, worth=0.05),
    Problem("cancer, three models", load_breast_cancer, _cancer_models, *_WRONG, worth=0.3),
    Problem("digits, three models", load_digits, _digits_models, *_WRONG, worth=0.3),
)
