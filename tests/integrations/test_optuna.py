"""The callback in the real Optuna: what it sees of a study, when it stops it, and what it says.

It has an environment of its own, ``make test-integrations``; elsewhere these tests are skipped.
"""

import subprocess
import sys
from collections.abc import Iterator
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern

optuna = pytest.importorskip("optuna", reason="make test-integrations has Optuna")

from weitzman.errors import InvalidInputError  # noqa: E402
from weitzman.integrations.optuna import WorthATrial  # noqa: E402
from weitzman.integrations.tuning.worth import Outlook  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MOST = 60


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


def bowl(trial: Any) -> float:
    """Return a loss with one valley, which two models see differently."""
    x = trial.suggest_float("x", -5.0, 5.0)
    if trial.suggest_categorical("model", ["tree", "line"]) == "tree":
        depth = trial.suggest_int("depth", 1, 30)
        return float(0.3 * (x - 1.0) ** 2 + 0.01 * (depth - 12) ** 2)
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    return float(1.0 + 0.4 * abs(x) + (np.log10(rate) + 2.0) ** 2)


def study(direction: str = "minimize", seed: int = 0, **given: Any) -> Any:
    sampler = optuna.samplers.TPESampler(seed=seed)
    return optuna.create_study(direction=direction, sampler=sampler, **given)


def outlook_of(worth: WorthATrial, running: Any) -> Outlook:
    outlook = worth.outlook(running)
    assert outlook is not None
    return outlook


def test_a_study_stops_and_says_why(caplog: pytest.LogCaptureFixture) -> None:
    optuna.logging.set_verbosity(optuna.logging.INFO)
    optuna.logging.enable_propagation()
    worth, running = WorthATrial(value_of_a_unit=1.0, cost=0.05), study()
    running.optimize(bowl, n_trials=MOST, callbacks=[worth])
    optuna.logging.disable_propagation()
    assert 10 <= len(running.trials) < MOST
    reason = running.user_attrs["worth_a_trial"]
    assert reason.startswith(
        f"After {len(running.trials)} trials another one is not worth its cost"
    )
    assert reason in [record.message for record in caplog.records]
    outlooks = worth.history(running)
    assert [o.stops for o in outlooks] == [False] * (len(outlooks) - 1) + [True]
    assert outlooks[-1] == worth.outlook(running)
    assert outlooks[-1].best == running.best_value


def test_a_larger_value_of_a_unit_goes_on_for_longer() -> None:
    counts = []
    for worth in (2.0, 20.0):
        running = study()
        running.optimize(
            bowl, n_trials=MOST, callbacks=[WorthATrial(value_of_a_unit=worth, cost=1.0)]
        )
        counts.append(len(running.trials))
    assert counts[0] < counts[1]


def test_larger_values_that_are_better_are_the_mirror_image() -> None:
    worth = WorthATrial(value_of_a_unit=1.0, cost=0.05)
    smaller, larger = study(), study("maximize")
    smaller.optimize(bowl, n_trials=MOST, callbacks=[worth])
    for trial in smaller.trials:
        turned = optuna.trial.create_trial(
            params=trial.params, distributions=trial.distributions, value=-trial.value
        )
        larger.add_trial(turned)
    one, other = outlook_of(worth, smaller), outlook_of(worth, larger)
    assert one.cutoff == pytest.approx(other.cutoff, rel=1e-9)
    assert other.stops
    assert min(worth.chart(larger).series[0].y) == max(trial.value for trial in larger.trials[:10])


def test_failed_and_pruned_trials_count_as_what_they_are() -> None:
    def objective(trial: Any) -> float:
        value = bowl(trial)
        if trial.number % 5 == 1:
            raise RuntimeError
        if trial.number % 5 == 2:
            return float("nan")
        trial.report(value + 1.0, step=0)
        if value > 4.0:
            raise optuna.TrialPruned
        return value

    worth, running = WorthATrial(value_of_a_unit=1.0, cost=0.05), study()
    running.optimize(objective, n_trials=MOST, catch=(RuntimeError,), callbacks=[worth])
    states = {trial.state.name for trial in running.trials}
    assert states == {"COMPLETE", "FAIL", "PRUNED"}
    assert len(running.trials) < MOST
    attempts = worth._attempts(running)
    assert len(attempts) == len(running.trials)
    assert sum(a.pruned for a in attempts) == sum(t.state.name == "PRUNED" for t in running.trials)
    for one, trial in zip(attempts, running.trials, strict=True):
        assert (one.value is None) == (trial.state.name == "FAIL")


def test_a_cost_may_be_a_user_attribute_and_has_to_be_set() -> None:
    def objective(trial: Any) -> float:
        value = bowl(trial)
        trial.set_user_attr("euros", 0.2 if "depth" in trial.params else 0.01)
        return value

    worth, running = WorthATrial(value_of_a_unit=1.0, cost="euros"), study()
    running.optimize(objective, n_trials=MOST, callbacks=[worth])
    outlook = outlook_of(worth, running)
    assert outlook.stops
    assert outlook.cost == pytest.approx(0.2 if "depth" in outlook.settings else 0.01, rel=0.2)
    with pytest.raises(InvalidInputError, match="Trial 0 must say its cost as 'dollars'"):
        WorthATrial(value_of_a_unit=1.0, cost="dollars").outlook(running)


def test_durations_are_costs_in_seconds() -> None:
    distributions = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    running = study()
    for k in range(12):
        trial = optuna.trial.create_trial(
            params={"x": k / 11.0}, distributions=distributions, value=(k / 11.0 - 0.5) ** 2
        )
        trial.datetime_complete = trial.datetime_start + np.timedelta64(2 + k % 2, "s").item()
        running.add_trial(trial)
    outlook = outlook_of(WorthATrial(value_of_a_unit=1000.0), running)
    assert 2.0 <= outlook.cost <= 3.1


@pytest.mark.parametrize("sampler", ["random", "tpe", "partial", "qmc"])
def test_a_proposing_callback_stops_a_study_of_any_sampler(sampler: str) -> None:
    made = {
        "random": optuna.samplers.RandomSampler(seed=1),
        "tpe": optuna.samplers.TPESampler(seed=1, multivariate=True, group=True),
        "partial": optuna.samplers.PartialFixedSampler(
            {"x": 0.5}, optuna.samplers.RandomSampler(seed=1)
        ),
        "qmc": optuna.samplers.QMCSampler(seed=1),
    }[sampler]
    worth = WorthATrial(value_of_a_unit=1.0, cost=0.05, propose=True)
    running = optuna.create_study(sampler=made)
    running.optimize(bowl, n_trials=MOST, callbacks=[worth])
    assert len(running.trials) < MOST
    if sampler == "random":  # what it went on for was tried next
        for before, trial in zip(worth.history(running), running.trials[10:], strict=False):
            assert trial.params == worth.configuration(running, before)


def test_threads_share_one_study() -> None:
    worth, running = WorthATrial(value_of_a_unit=1.0, cost=0.05, propose=True), study()
    running.optimize(bowl, n_trials=MOST, n_jobs=3, callbacks=[worth])
    assert len(running.trials) < MOST
    assert "worth_a_trial" in running.user_attrs


WORKER = """
import sys, optuna
from tests.integrations.test_optuna import bowl
from weitzman.integrations.optuna import WorthATrial
storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(sys.argv[1]))
sampler = optuna.samplers.TPESampler(seed=int(sys.argv[2]))
study = optuna.load_study(study_name="shared", storage=storage, sampler=sampler)
study.optimize(bowl, n_trials=60, callbacks=[WorthATrial(value_of_a_unit=1.0, cost=0.05, propose=True)])
"""


def test_several_processes_share_a_study_by_its_storage(tmp_path: Path) -> None:
    place = str(tmp_path / "journal.log")
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(place))
    running = study(study_name="shared", storage=storage)
    root = Path(__file__).parents[2]
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, place, str(seed)], cwd=root)
        for seed in (1, 2)
    ]
    assert [worker.wait(timeout=300) for worker in workers] == [0, 0]
    ended = running.get_trials()
    assert 10 <= len(ended) < 2 * MOST
    assert "worth_a_trial" in running.user_attrs
    # One that comes later stops after one trial
    running.optimize(bowl, n_trials=MOST, callbacks=[WorthATrial(value_of_a_unit=0.1, cost=0.05)])
    assert len(running.get_trials()) == len(ended) + 1


def test_ask_and_tell_has_the_same_answer() -> None:
    worth, running = WorthATrial(value_of_a_unit=1.0, cost=0.05), study()
    optimized = study()
    optimized.optimize(bowl, n_trials=MOST, callbacks=[worth])
    while True:
        trial = running.ask()
        running.tell(trial, bowl(trial))
        outlook = worth.outlook(running)
        if outlook is not None and outlook.stops:
            break
    assert len(running.trials) == len(optimized.trials)


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    worth, running = WorthATrial(value_of_a_unit=1.0, cost=0.05), study()
    running.optimize(bowl, n_trials=14)
    worth.plot(running).savefig(tmp_path / "worth.png")
    assert (tmp_path / "worth.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"value_of_a_unit": 0.0}, "The value of a unit must be a finite number > 0. Got 0.0."),
        ({"value_of_a_unit": 1.0, "cost": -1.0}, "The cost must be a finite number > 0. Got -1.0."),
        (
            {"value_of_a_unit": 1.0, "least": 1},
            "The least number of trials must be an integer >= 3",
        ),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        WorthATrial(**given)
    assert str(caught.value).startswith(sentence)


def test_two_objectives_are_refused() -> None:
    running = optuna.create_study(directions=["minimize", "minimize"])
    with pytest.raises(InvalidInputError, match="The study must have one objective"):
        WorthATrial(value_of_a_unit=1.0).outlook(running)


@pytest.mark.slow
def test_stopping_is_on_average_no_worse_than_stopping_when_it_first_may() -> None:
    """Draws of Gaussian processes whose lengths the callback has to find; a false alarm in a million."""
    rng = np.random.default_rng(21)
    centres = rng.random((400, 2))
    spread = np.linalg.cholesky(Matern(0.3, nu=2.5)(centres) + 1e-8 * np.eye(400))
    price, gains, controls = 0.03, [], []
    for seed in range(30):
        weights = np.linalg.solve(spread.T, rng.normal(size=400))

        def objective(trial: Any, weights: Any = weights) -> float:
            at = np.array(
                [[trial.suggest_float("a", 0.0, 1.0), trial.suggest_float("b", 0.0, 1.0)]]
            )
            return float((Matern(0.3, nu=2.5)(at, centres) @ weights)[0])

        running = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
        worth = WorthATrial(value_of_a_unit=1.0 / price, cost=1.0, propose=True)
        running.optimize(objective, n_trials=100, callbacks=[worth])
        values = [trial.value for trial in running.trials]
        assert len(values) < 100
        assert all(isfinite(value) for value in values)
        totals = np.minimum.accumulate(values) + price * np.arange(1, len(values) + 1)
        gains.append(totals[-1] - totals[9])
        controls.append(totals[-1] - (min(values) + price * 100))
    assert np.mean(gains) <= 4.753 * np.std(gains, ddof=1) / sqrt(len(gains))
    # Going on to the end would have been worse, so that the test can fail
    assert np.mean(controls) < -4.753 * np.std(controls, ddof=1) / sqrt(len(controls))
