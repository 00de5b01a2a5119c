"""The strategy in the real Ax: what it sees of an experiment, when it stops it, and what it says.

Ray and Ax have an environment of their own, ``make test-integrations``; elsewhere these tests are skipped.
"""

import math
from typing import Any

import pytest

pytest.importorskip("ax", reason="make test-integrations has Ax")

from ax.exceptions.core import OptimizationShouldStop
from ax.service.ax_client import AxClient
from ax.service.utils.instantiation import ObjectiveProperties

from weitzman.errors import InvalidInputError
from weitzman.integrations.ax import WorthATrial
from weitzman.integrations.tuning.attempts import Choice, Numeric

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MOST = 60
PARAMETERS: list[dict[str, Any]] = [
    {"name": "x", "type": "range", "bounds": [-5.0, 5.0]},
    {"name": "rate", "type": "range", "bounds": [1e-4, 1.0], "log_scale": True},
    {"name": "depth", "type": "range", "bounds": [1, 30], "value_type": "int"},
    {"name": "kind", "type": "choice", "values": ["tree", "line"], "is_ordered": False},
    {"name": "folds", "type": "fixed", "value": 3},
]


def client(worth: WorthATrial, *, minimize: bool = True, **more: Any) -> AxClient:
    found = AxClient(random_seed=1, global_stopping_strategy=worth, verbose_logging=False)
    found.create_experiment(
        name="bowl",
        parameters=PARAMETERS,
        objectives={"loss": ObjectiveProperties(minimize=minimize)},
        # Points spread by Sobol: a model of Ax would take seconds for each
        choose_generation_strategy_kwargs={"force_random_search": True},
        **more,
    )
    return found


def bowl(parameters: dict[str, Any]) -> float:
    loss = 0.3 * (parameters["x"] - 1.0) ** 2 + (math.log10(parameters["rate"]) + 2.0) ** 2
    return float(loss + 0.01 * (parameters["depth"] - 12) ** 2 + (parameters["kind"] == "line"))


def played(ax: AxClient, sign: float = 1.0, euros: float | None = 0.05) -> int:
    """Run trials until the strategy stops them; return how many there were."""
    for number in range(MOST):
        try:
            parameters, index = ax.get_next_trial()
        except OptimizationShouldStop:
            return number
        if number % 7 == 3:
            ax.log_trial_failure(index)
            continue
        data: dict[str, Any] = {"loss": (sign * bowl(parameters), 0.0)}
        if euros is not None:
            data["euros"] = (euros, 0.0)
        ax.complete_trial(index, raw_data=data)
    return MOST


def test_an_experiment_stops_and_says_why() -> None:
    worth = WorthATrial(value_of_a_unit=1.0, cost="euros", min_trials=10)
    ax = client(worth, tracking_metric_names=["euros"])
    count = played(ax)
    assert 10 <= count < MOST
    stops, why = worth.should_stop_optimization(ax.experiment)
    assert stops
    assert why.startswith(f"After {count} trials another one is not worth its cost")
    outlooks = worth.history(ax.experiment)
    assert [o.stops for o in outlooks] == [False] * (len(outlooks) - 1) + [True]
    attempts = worth._attempts(ax.experiment)
    assert len(attempts) == count
    assert sum(a.value is None for a in attempts) == len([k for k in range(count) if k % 7 == 3])
    assert {a.cost for a in attempts if a.value is not None} == {0.05}
    assert attempts[0].parameters == {
        "x": Numeric(-5.0, 5.0),
        "rate": Numeric(1e-4, 1.0, log=True),
        "depth": Numeric(1.0, 30.0, step=1.0),
        "kind": Choice(2),
    }
    best = min(bowl(ax.experiment.trials[k].arm.parameters) for k in range(count) if k % 7 != 3)
    assert outlooks[-1].best == best


def test_larger_values_that_are_better_are_the_mirror_image() -> None:
    one = WorthATrial(value_of_a_unit=1.0, cost=0.05)
    other = WorthATrial(value_of_a_unit=1.0, cost=0.05)
    smaller, larger = client(one), client(other, minimize=False)
    assert played(smaller, euros=None) == played(larger, sign=-1.0, euros=None)
    assert one.history(smaller.experiment) == other.history(larger.experiment)


def test_a_trial_costs_its_duration_unless_something_else_is_said() -> None:
    worth = WorthATrial(value_of_a_unit=1.0)
    ax = client(worth)
    parameters, index = ax.get_next_trial()
    ax.complete_trial(index, raw_data={"loss": (bowl(parameters), 0.0)})
    trial = ax.experiment.trials[index]
    (attempt,) = worth._attempts(ax.experiment)
    assert attempt.cost == (trial.time_completed - trial.time_run_started).total_seconds()
    with pytest.raises(InvalidInputError, match="Trial 0 must say its cost as 'euros'"):
        WorthATrial(value_of_a_unit=1.0, cost="euros").outlook(ax.experiment)


def test_what_the_rule_does_not_know_of_is_refused() -> None:
    worth = WorthATrial(value_of_a_unit=1.0)
    constrained = client(worth, outcome_constraints=["size <= 3"])
    with pytest.raises(InvalidInputError, match="The experiment must have no constraints"):
        worth.outlook(constrained.experiment)
    bounded = client(worth, parameter_constraints=["x <= depth"])
    with pytest.raises(InvalidInputError, match="The experiment must have no constraints"):
        worth.outlook(bounded.experiment)
    two = AxClient(random_seed=1, verbose_logging=False)
    objectives = {name: ObjectiveProperties(minimize=True) for name in ("loss", "size")}
    two.create_experiment(name="two", parameters=PARAMETERS, objectives=objectives)
    with pytest.raises(InvalidInputError, match="The experiment must have one objective"):
        worth.outlook(two.experiment)
