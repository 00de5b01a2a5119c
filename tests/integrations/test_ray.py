"""The stopper in the real Ray Tune: what it sees of an experiment, when it stops it, and what it says.

Ray and Ax have an environment of their own, ``make test-integrations``; elsewhere these tests are skipped.
"""

import math
import os
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("ray.tune", reason="make test-integrations has Ray Tune")

import cloudpickle
import ray
from ray import tune

from weitzman.errors import InvalidInputError
from weitzman.integrations.ray import WorthATrial
from weitzman.integrations.tuning.attempts import Choice, Numeric

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
MOST = 60
SPACE = {
    "x": tune.uniform(-5.0, 5.0),
    "model": {
        "kind": tune.choice(["tree", "line"]),
        "rate": tune.loguniform(1e-4, 1.0),
        "depth": tune.randint(1, 31),
        "step": tune.quniform(0.0, 4.0, 0.5),
    },
    "folds": tune.grid_search([3]),
    "constant": 7,
}


@pytest.fixture(scope="module", autouse=True)
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    os.environ["RAY_AIR_NEW_OUTPUT"] = "0"
    ray.init(
        num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False,
        object_store_memory=100_000_000,
    )  # fmt: skip
    yield
    ray.shutdown()


def bowl(config: dict[str, Any]) -> None:
    """Report a loss with one valley, and what it cost."""
    model = config["model"]
    if config["x"] > 4.5:
        raise RuntimeError("a trial that fails")
    loss = 0.3 * (config["x"] - 1.0) ** 2 + (math.log10(model["rate"]) + 2.0) ** 2
    loss += 0.01 * (model["depth"] - 12) ** 2 + (model["kind"] == "line")
    tune.report({"loss": 100.0, "euros": 0.01})
    tune.report({"loss": loss, "euros": 0.05})


@pytest.fixture(scope="module")
def ended(started: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[WorthATrial, Any]:
    """Run an experiment until it stops; return the stopper and what Ray has of the trials."""
    worth = WorthATrial(SPACE, metric="loss", mode="min", value_of_a_unit=1.0, cost="euros")
    tuner = tune.Tuner(
        bowl,
        param_space=SPACE,
        tune_config=tune.TuneConfig(
            num_samples=MOST, max_concurrent_trials=1, reuse_actors=True, metric="loss", mode="min"
        ),
        run_config=tune.RunConfig(
            name="run",
            storage_path=str(tmp_path_factory.mktemp("ray")),
            stop=worth,
            callbacks=[worth],
            verbose=0,
        ),
    )
    return worth, tuner.fit()


def test_an_experiment_stops_and_says_why(ended: tuple[WorthATrial, Any]) -> None:
    worth, results = ended
    reported = [result for result in results if result.metrics and "loss" in result.metrics]
    assert 10 <= len(reported) < MOST
    assert worth.reason is not None
    assert "another one is not worth its cost" in worth.reason
    # It has seen what Ray has: values, costs and failures, and nothing of what ran when it stopped
    seen = worth._attempts
    assert {a.value for a in seen} - {None} <= {r.metrics["loss"] for r in reported}
    assert 100.0 not in {a.value for a in seen}
    assert all(a.cost == 0.05 for a in seen if a.value is not None)
    assert sum(a.value is None for a in seen) == len(results.errors)
    outlooks = worth.history()
    assert [o.stops for o in outlooks] == [False] * (len(outlooks) - 1) + [True]
    assert outlooks[-1] == worth.outlook
    assert outlooks[-1].best == min(a.value for a in seen if a.value is not None)
    assert set(outlooks[-1].settings) == {
        "x", "model/kind", "model/rate", "model/depth", "model/step", "folds"
    }  # fmt: skip


def test_a_space_is_read_as_ray_draws_from_it() -> None:
    worth = WorthATrial(SPACE, metric="loss", mode="max", value_of_a_unit=1.0)
    found = {name: parameter for name, (parameter, _) in worth._space.items()}
    assert found == {
        "x": Numeric(-5.0, 5.0),
        "model/kind": Choice(2),
        "model/rate": Numeric(1e-4, 1.0, log=True),
        "model/depth": Numeric(1.0, 30.0, step=1.0),
        "model/step": Numeric(0.0, 4.0, step=0.5),
        "folds": Choice(1),
    }
    for _ in range(200):
        depth, step = SPACE["model"]["depth"].sample(), SPACE["model"]["step"].sample()
        assert 1 <= depth <= 30
        assert step in [0.5 * k for k in range(9)]


@pytest.mark.parametrize(
    "space", [{"x": tune.randn(0.0, 1.0)}, {"x": tune.sample_from(lambda _: 1)}]
)
def test_a_parameter_without_ends_is_refused(space: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="The parameter 'x' must lie between two numbers"):
        WorthATrial(space, metric="loss", mode="min", value_of_a_unit=1.0)


def test_a_mode_is_one_of_two() -> None:
    with pytest.raises(InvalidInputError, match="The mode must be 'min' or 'max'"):
        WorthATrial(SPACE, metric="loss", mode="least", value_of_a_unit=1.0)


def test_it_goes_on_after_a_restart(ended: tuple[WorthATrial, Any]) -> None:
    """What an experiment keeps of a callback is enough to go on with the same bits."""
    worth, _ = ended
    again = cloudpickle.loads(cloudpickle.dumps(worth))
    fresh = WorthATrial(SPACE, metric="loss", mode="min", value_of_a_unit=1.0, cost="euros")
    fresh.set_state(cloudpickle.loads(cloudpickle.dumps(worth.get_state())))
    assert again.history() == fresh.history() == worth.history()
    assert fresh.stop_all()
    assert fresh.reason == worth.reason
