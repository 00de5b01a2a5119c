"""Equivariance on recorded problems and worlds: other units of values, costs and features change nothing."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from weitzman.lab.worlds import WORLDS
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy

Array = NDArray[np.float64]

DATA = Path(__file__).parents[3] / "shared/data"
LOGS = ("kernel_tuning", "llm_calls", "model_training", "query_plans", "reaction_yields")
CHANGES, ROUNDS = 200, 100
POLICIES: dict[str, Policy] = {
    "default": wz.default_policy(),
    "FTRL": wz.Weitzman(wz.FTRL()),
    "Ridge": wz.Weitzman(wz.Ridge()),
    "Residual": wz.Weitzman(wz.Residual()),
    "aware": wz.Aware(),
    **{rule: wz.Simple(rule) for rule in RULES},
}


class Problem(NamedTuple):
    contexts: Array
    costs: Array
    values: Array


def changed(problem: Problem, rng: np.random.Generator) -> Problem:
    """Return a problem in other units: shifts up to 10⁴ spreads, scales from 1e-6 to 1e6."""
    dimension = problem.contexts.shape[2]
    spread = np.nanstd(problem.values)
    scale = 10.0 ** rng.uniform(-6.0, 6.0)
    shift = spread * rng.uniform(-1e4, 1e4)
    spreads = np.nanstd(problem.contexts, axis=(0, 1))
    shifts = spreads * rng.uniform(-1e4, 1e4, size=dimension)
    scales = 10.0 ** rng.uniform(-6.0, 6.0, size=dimension)
    return Problem(
        scales * (problem.contexts + shifts),
        scale * problem.costs,
        scale * (problem.values + shift),
    )


@cache
def problem_of(name: str) -> Problem:
    """Return the first rounds of a recorded problem, or of a world by its name."""
    if name in LOGS:
        log = wz.read_log(DATA / f"{name}.parquet")
        return Problem(log.contexts[:ROUNDS], log.costs[:ROUNDS], log.values[:ROUNDS])
    drawn = WORLDS[name]().draw(ROUNDS, 3)
    costs = np.broadcast_to(drawn.costs, drawn.values.shape)
    return Problem(drawn.contexts, costs, drawn.values)


@cache
def played(policy: str, feedback: str, name: str) -> tuple[Any, Any]:
    return _decisions(policy, feedback, problem_of(name))


def _decisions(policy: str, feedback: str, problem: Problem) -> tuple[Any, Any]:
    """Return how many boxes were opened in each round, and which was kept."""
    _, boxes, dimension = problem.contexts.shape
    searcher = wz.Searcher(
        boxes=boxes,
        dimension=dimension,
        policy=POLICIES[policy],
        feedback=feedback,  # type: ignore[arg-type]
    )
    found = searcher.play(*problem)
    return found.opened_count, found.chosen


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded problems are not here")
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_boxes_are_opened_in_all_units(
    policy: str, feedback: str, figure: Callable[[str], None]
) -> None:
    """A tie may turn with the rounding of what is handed over: in one round of a thousand."""
    rng = np.random.default_rng(20)
    names = [*LOGS, *WORLDS]
    same = count = 0
    for change in range(CHANGES):
        name = names[change % len(names)]
        first = played(policy, feedback, name)
        other = _decisions(policy, feedback, changed(problem_of(name), rng))
        alike = (first[0] == other[0]) & (first[1] == other[1])
        same, count = same + int(alike.sum()), count + len(alike)
    figure(f"{policy}, {feedback}: {count - same} of {count} rounds differ over {CHANGES} changes")
    assert same >= 0.999 * count
