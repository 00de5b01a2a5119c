"""What a replay prints for a policy is what that policy does live, to the last bit.

The same rounds are played in four ways: by ``replay``, by ``Searcher.play``, by the loop of open, see and
close, and by a problem of the service, whose events are JSON as in its journal. For a few policies the
service runs as a process of its own, behind HTTP.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import weitzman as wz
from tests.replays.logs import log_of
from tests.serve.running import Running, running
from weitzman.learn.policies.portfolio import policy_name
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Round
from weitzman.learn.storage.registry import described_policy
from weitzman.ledger.bodies import Closed, Created, Opened, Seen
from weitzman.ledger.state.problem import Problem
from weitzman.logs.rounds import LogRounds
from weitzman.serve.client import Client

Floats = NDArray[np.float64]
Feedback = Literal["full", "opened"]
DATA = Path(__file__).parents[3] / "shared/data"
KINDS: tuple[Any, ...] = ("past", "linear", "trees", "trees+linear")


def policies(*, shared: bool) -> list[wz.Policy]:
    """Return policies of every exported kind, for boxes with or without a history."""
    ftrl = wz.FTRL(shared=shared)
    learners: list[wz.Learner] = [wz.FTRL(shared=shared, intercept=True), wz.Ridge(shared=shared)]
    learners += [wz.Residual(shared=shared), wz.NewtonStep(shared=shared)]
    learners += [wz.LinearisedFTRL(shared=shared), wz.Logistic(shared=shared)]
    chosen: list[wz.Policy] = [wz.Weitzman(ftrl), wz.Weitzman(ftrl, standardise=True)]
    chosen += [wz.Weitzman(learner) for learner in learners]
    chosen += [wz.Weitzman(wz.Ridge(shared=shared), standardise=True)]
    chosen += [wz.Aware(ftrl, shared=shared), wz.Aware(ftrl, shared=shared, standardise=True)]
    chosen += [wz.Simple(rule, shared) for rule in RULES]
    for kind in KINDS:
        ways: tuple[Any, ...] = ("fixed", "one-shot")
        if not (shared and "trees" in kind):
            ways = ("index", "greedy", *ways)
        chosen += [wz.Joint(kind, way, shared=shared) for way in ways]
    few = (wz.Simple("single", shared), wz.Joint("linear", "index", shared=shared))
    chosen.append(wz.Portfolio(candidates=few, incumbent="single", shared=shared))
    return [*chosen, wz.default_policy(shared=shared)]


def _named() -> wz.Log:
    """A log with an outside option, absent boxes, a feature in thousands and one of 0 and 1."""
    rng = np.random.default_rng(5)
    size, flag = (
        rng.normal(4000.0, 900.0, size=(40, 4)),
        rng.integers(0, 2, size=(40, 4)).astype(np.float64),
    )
    values = (
        25.0 + size / 1000.0 + 2.0 * flag + rng.normal(size=(40, 1)) + rng.exponential(size=(40, 4))
    )
    costs = np.where(rng.uniform(size=(40, 4)) < 0.15, np.nan, rng.uniform(0.1, 1.0, size=(40, 4)))
    costs[:, 0] = 0.5
    return log_of(values, costs, {"x_size": size, "x_flag": flag}, outside=30.0)


def _with_gaps() -> wz.Log:
    """A log whose features are missing now and then."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(40, 3))
    values = 3.0 + x + rng.normal(size=(40, 3))
    x[rng.uniform(size=x.shape) < 0.2] = np.nan
    return log_of(values, np.full((40, 3), 0.3), {"x_a": x, "x_b": rng.normal(size=(40, 3))})


def _anonymous() -> wz.Log:
    """A log without an outside option, whose boxes carry no history."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(40, 5, 2))
    values = 3.0 + x[:, :, 0] - 2.0 * x[:, :, 1] + rng.normal(size=(40, 5))
    features = {"x_a": x[:, :, 0], "x_b": 100.0 * x[:, :, 1]}
    return log_of(values, np.full((40, 5), 0.3), features, shared=True)


LOGS = {"named": _named(), "anonymous": _anonymous()}
GAPS = _with_gaps()
CASES = [
    pytest.param(log, policy, id=f"{name}-{policy_name(policy)}-{number}")
    for name, log in LOGS.items()
    for number, policy in enumerate(policies(shared=log.shared))
]


def recorded(log: wz.Log) -> list[tuple[Round, Floats]]:
    return list(LogRounds(log, 1.0))


def _outside(shown: Round) -> float | None:
    return None if shown.outside == math.inf else shown.outside


def _searcher(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> wz.Searcher:
    dimension = log.contexts.shape[2]
    return wz.Searcher(boxes=log.boxes, dimension=dimension, policy=policy, feedback=feedback)


def played(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> list[float]:
    there = np.isnan(log.values)[:, :, np.newaxis]
    found = _searcher(log, policy, feedback).play(
        np.where(there, np.nan, log.contexts), log.costs, log.values, outside=log.outside
    )
    return [float(total) for total in found.totals]


def round_by_round(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> Iterator[float]:
    searcher = _searcher(log, policy, feedback)
    for shown, values in recorded(log):
        names = [log.boxes[place] for place in shown.places]
        found = dict(zip(names, values.tolist(), strict=True))
        search = searcher.open(shown.contexts, shown.costs, outside=_outside(shown), boxes=names)
        for box in search:
            search.see(found[str(box)])
        yield (search.close(found) if feedback == "full" else search.close()).total


def by_events(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> Iterator[float]:
    """Play the rounds as a problem of the service, whose settings and events go through JSON."""
    described = described_policy(policy)
    settings = Created(
        boxes=log.boxes,
        features=log.features,
        sense="min",
        feedback=feedback,
        waiting=1,
        policy=described.pop("class"),
        parameters=described,
    )
    settings = msgspec.json.decode(msgspec.json.encode(settings), type=Created)
    problem = Problem(name="p", at=0, settings=settings)
    for shown, values in recorded(log):
        costs, outside, places = shown.costs.tolist(), _outside(shown), shown.places.tolist()
        sigma = problem.propose(places, shown.contexts, costs, outside)
        body = Opened(shown.contexts.tolist(), costs, sigma, outside, places)
        opened = problem.open("r", 0, msgspec.json.decode(msgspec.json.encode(body), type=Opened))
        while (row := opened.next()) is not None:
            problem.see("r", 0, Seen([(row, float(values[row]))]))
        total = opened.result().total
        left = [r for r in range(len(values)) if r not in opened.looks]
        shown_last = [(r, float(values[r])) for r in left] if feedback == "full" else []
        problem.close("r", 0, Closed(shown_last))
        assert total is not None
        yield total


def by_http(
    service: Running, name: str, log: wz.Log, policy: wz.Policy, feedback: Feedback
) -> Iterator[float]:
    described = described_policy(policy)
    with Client(f"http://127.0.0.1:{service.port}") as client:
        problem = client.create_problem(
            name=name,
            boxes=log.boxes,
            features=log.features,
            feedback=feedback,
            policy=described.pop("class"),
            parameters=described,
        )
        for shown, values in recorded(log):
            names = [log.boxes[place] for place in shown.places]
            found = dict(zip(names, values.tolist(), strict=True))
            search = problem.open(shown.contexts, shown.costs, outside=_outside(shown), boxes=names)
            for box in search:
                search.see(found[box])
            total = search.close(found if feedback == "full" else None).total
            assert total is not None
            yield total


def check(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> list[float]:
    """Check that three ways are that of the replay, and return its totals."""
    replayed = wz.replay(log, policies=[policy], feedback=feedback)
    totals = [float(total) for total in replayed.of(policy_name(policy))]
    assert played(log, policy, feedback) == totals, "Searcher.play"
    assert list(round_by_round(log, policy, feedback)) == totals, "open, see, close"
    assert list(by_events(log, policy, feedback)) == totals, "the service"
    return totals


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize(("log", "policy"), CASES)
def test_a_replay_is_what_happens_live(log: wz.Log, policy: wz.Policy, feedback: Feedback) -> None:
    check(log, policy, feedback)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("policy", policies(shared=False), ids=policy_name)
def test_features_may_be_missing(policy: wz.Policy, feedback: Feedback) -> None:
    """But for the service, whose contexts are JSON."""
    totals = wz.replay(GAPS, policies=[policy], feedback=feedback).of(policy_name(policy)).tolist()
    assert played(GAPS, policy, feedback) == totals
    assert list(round_by_round(GAPS, policy, feedback)) == totals


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", ["model_training", "reaction_yields"])
@pytest.mark.parametrize("which", ["default", "paper", "aware"])
def test_a_recorded_log(name: str, which: str, feedback: Feedback) -> None:
    check(_recorded(name, 120), _chosen(which), feedback)


@pytest.mark.slow
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", ["model_training", "reaction_yields"])
def test_a_recorded_log_by_every_policy(name: str, feedback: Feedback) -> None:
    log = _recorded(name, 10_000)
    for policy in policies(shared=log.shared):
        check(log, policy, feedback)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("which", ["default", "paper", "aware"])
def test_a_service_behind_http(service: Running, which: str, feedback: Feedback) -> None:
    log, policy = LOGS["named"], _chosen(which)
    totals = check(log, policy, feedback)
    assert list(by_http(service, f"{which}-{feedback}", log, policy, feedback)) == totals


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("service") / "events.db") as started:
        yield started


def _chosen(which: str) -> wz.Policy:
    paper = wz.Weitzman(wz.FTRL(), standardise=True)
    known: dict[str, wz.Policy] = {"default": wz.default_policy(), "aware": wz.Aware()}
    return known.get(which, paper)


def _recorded(name: str, rounds: int) -> wz.Log:
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"the recorded log {path} is not at hand")
    import pyarrow.compute
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    wanted = table["round"].unique().to_pylist()[:rounds]
    kept = pyarrow.compute.is_in(table["round"], pyarrow.array(wanted))
    return wz.read_log(table.filter(kept), shared=False)
