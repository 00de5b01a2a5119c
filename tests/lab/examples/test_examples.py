"""Logs to try the commands with: they are what their modules say."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import weitzman as wz
from weitzman.cli.main import app
from weitzman.lab.examples.llm import MODELS, TOPICS, WRONG, llm_columns
from weitzman.lab.examples.models import SECOND, models_columns
from weitzman.replays.diagnosis.residuals import correlation, residuals_of


def test_simulated_answers_are_right_as_often_as_the_model_says() -> None:
    """E(right) of a model on a topic, over difficulties, by quadrature."""
    columns = llm_columns(20_000, seed=3)
    right = (columns["value"] == 0.0).reshape(-1, len(MODELS))
    topic = np.array(columns["x_topic"]).reshape(-1, len(MODELS))[:, 0]
    # The talents are drawn first
    talent = np.random.default_rng(3).normal(scale=np.sqrt(0.5), size=(len(MODELS), len(TOPICS)))
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    for k, model in enumerate(MODELS):
        for j, name in enumerate(TOPICS):
            each = 1.0 / (1.0 + np.exp(nodes - model.ability - talent[k, j]))
            expected = float(weights @ each / weights.sum())
            here = right[topic == name, k]
            assert abs(here.mean() - expected) < 4.5 * np.sqrt(0.25 / len(here))
    assert set(columns["value"]) == {0.0, WRONG}


def test_prices_are_those_of_the_list() -> None:
    columns = llm_columns(50)
    words = columns["x_words"].reshape(-1, len(MODELS))
    prices = columns["cost"].reshape(-1, len(MODELS))
    for k, model in enumerate(MODELS):
        dollars = words[:, k] * model.reading / 1e6 + 225 * model.writing / 1e6
        assert prices[:, k] == pytest.approx(1000 * dollars, abs=1e-5)


def test_simulated_models_fail_together(tmp_path: Path) -> None:
    path = tmp_path / "llm.parquet"
    done = CliRunner().invoke(app, ["example", "llm", "--output", str(path), "--rounds", "800"])
    assert done.exit_code == 0, done.output
    assert "Simulated: no model was asked." in done.stderr
    counted, amounts, following = done.stdout.splitlines()
    assert counted == f"{path}: 800 rounds of 8 boxes."
    assert "milli-dollars" in amounts and all(
        word in amounts for word in ("cost", "value", "outside")
    )
    assert following == f'Next: weitzman replay {path} --unit "m$" --save llm.wz'
    log = wz.read_log(path)
    assert correlation(residuals_of(log)).moves_together
    assert log.features == [
        "x_words",
        *(f"x_topic={t}" for t in dict.fromkeys(llm_columns(800)["x_topic"])),
    ]
    again = llm_columns(800, seed=0)
    assert log.values.ravel().tolist() == again["value"].tolist()


def test_real_models_are_trained(tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    done = CliRunner().invoke(app, ["example", "models", "--output", str(path), "--rounds", "4"])
    assert done.exit_code == 0, done.output
    counted, amounts, following = done.stdout.splitlines()
    assert counted == f"{path}: 4 rounds of 12 boxes."
    assert f"{SECOND:.0f} points a second" in amounts
    assert following == f"Next: weitzman replay {path} --unit points --save models.wz"
    log = wz.read_log(path)
    assert log.values.shape == (4, 12)
    assert ((log.values >= 0.0) & (log.values <= 100.0)).all()
    assert log.paid is not None
    assert (log.paid > 0.0).all() and (log.paid < 10.0 * SECOND).all()
    # What is expected is the mean of the rounds before
    for t in range(1, 4):
        assert log.costs[t] == pytest.approx(log.paid[:t].mean(axis=0))
    # Errors are drawn with the seed, seconds are not
    again, other = models_columns(2, seed=0), models_columns(2, seed=1)
    assert again["value"] == pytest.approx(log.values[:2].ravel())
    assert other["value"] != again["value"]
    # A model that learns is better than the most frequent class, of most problems
    assert log.outside is not None
    assert (log.values.min(axis=1) < log.outside).sum() >= 3


@pytest.mark.parametrize("place", ["llm.txt", "none/llm.csv"])
def test_where_no_log_can_be(place: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["example", "llm", "--output", str(tmp_path / place)])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())
