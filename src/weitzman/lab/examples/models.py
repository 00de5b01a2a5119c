"""A real log of model training: a dozen scikit-learn models on resampled data sets, trained here and now.

A round is a small problem of classification: some rows and columns of a data set that comes with
scikit-learn, and labels of which a share is wrong. A look trains a model on one half and finds its error on
the other half. Values are points, percents of wrong predictions. A second of training costs :data:`SECOND`
points. What it will take is not known beforehand: ``cost`` is the mean of the rounds before, ``paid`` what it
really took. The outside option is to predict the most frequent class, without training anything.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

SECOND = 40.0
"""How many points a second of training costs."""

Made = Callable[[int], Any]


def _models() -> dict[str, Made]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        GradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def scaled(model: Any) -> Any:
        return make_pipeline(StandardScaler(), model)

    return {
        "naive-bayes": lambda _: GaussianNB(),
        "nearest-1": lambda _: scaled(KNeighborsClassifier(1)),
        "nearest-15": lambda _: scaled(KNeighborsClassifier(15)),
        "tree-3": lambda s: DecisionTreeClassifier(max_depth=3, random_state=s),
        "tree": lambda s: DecisionTreeClassifier(random_state=s),
        "logistic": lambda _: scaled(LogisticRegression(max_iter=200)),
        "linear-discriminant": lambda _: LinearDiscriminantAnalysis(),
        "support-vectors": lambda _: scaled(SVC()),
        "forest": lambda s: RandomForestClassifier(20, random_state=s),
        "extra-trees": lambda s: ExtraTreesClassifier(20, random_state=s),
        "boosting": lambda s: GradientBoostingClassifier(n_estimators=10, random_state=s),
        "network": lambda s: scaled(
            MLPClassifier((16,), solver="lbfgs", max_iter=60, random_state=s)
        ),
    }


def _problem(rng: np.random.Generator, sets: list[Any]) -> tuple[Any, Any, str]:
    """Return rows, labels of which some are wrong, and the name of the data set."""
    name, (x, y) = sets[rng.integers(len(sets))]
    rows = rng.permutation(len(x))[: rng.integers(80, 401)]
    columns = np.sort(rng.permutation(x.shape[1])[: rng.integers(2, min(x.shape[1], 30) + 1)])
    labels = y[rows].copy()
    wrong = rng.uniform(size=len(rows)) < rng.uniform(0.0, 0.3)
    labels[wrong] = rng.integers(labels.max() + 1, size=int(wrong.sum()))
    return x[np.ix_(rows, columns)], labels, name


def _trained(model: Any, x: Any, y: Any) -> Any:
    with warnings.catch_warnings():
        # A network that is stopped early says so
        warnings.simplefilter("ignore")
        return model.fit(x, y)


def models_columns(
    rounds: int = 100, *, seed: int = 0, tick: Callable[[int], object] = lambda _: None
) -> dict[str, Any]:
    """Train all models in every round, and return the columns of the log; ``tick`` hears of each round."""
    from sklearn import datasets

    loaders = ("iris", "wine", "breast_cancer", "digits")
    sets = [(n, getattr(datasets, f"load_{n}")(return_X_y=True)) for n in loaders]
    rng, models = np.random.default_rng(seed), _models()
    spent: dict[str, list[float]] = {name: [] for name in models}
    rows: list[dict[str, Any]] = []
    # The first training of each loads what it needs, which is no part of its cost
    for make in models.values():
        _trained(make(seed), *sets[0][1])
    for number in range(rounds):
        x, y, source = _problem(rng, sets)
        half = len(x) // 2
        shown = {"round": number, "x_rows": half, "x_columns": x.shape[1], "x_source": source}
        frequent = np.bincount(y[:half]).argmax()
        shown["outside"] = 100.0 * float((y[half:] != frequent).mean())
        for name, make in models.items():
            begin = time.process_time()
            model = _trained(make(seed), x[:half], y[:half])
            paid = SECOND * (time.process_time() - begin)
            error = 100.0 * float((model.predict(x[half:]) != y[half:]).mean())
            before = spent[name]
            cost = sum(before) / len(before) if before else paid
            before.append(paid)
            rows.append({**shown, "box": name, "cost": cost, "paid": paid, "value": error})
        tick(1)
    return {column: [row[column] for row in rows] for column in rows[0]}
