"""What a replay prints for a policy is what that policy does live, to the last bit.

Every exported policy plays the same rounds in four ways: a replay, :meth:`weitzman.Searcher.play`, the loop
of open, see and close, and the service. The totals are the same numbers, not close ones.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import weitzman as wz
from tests.contracts.live import (
    InProcess,
    anonymous_log,
    by_client,
    first_rounds,
    named_log,
    one_by_one,
    played,
    replayed,
    served,
    two_valued_log,
)
from tests.replays.logs import log_of
from tests.serve.running import running
from weitzman.feedback import Feedback
from weitzman.learn.policies.joint import has_joint_law
from weitzman.learn.policies.simple import RULES
from weitzman.learn.policy import Policy
from weitzman.learn.storage.registry import LEARNERS, POLICIES, named_policy
from weitzman.logs.log import Log, read_log
from weitzman.logs.rounds import LogRounds
from weitzman.replays.replay import replay
from weitzman.serve.client import Client

DATA = Path(__file__).parents[3] / "shared/data"
RECORDED = ("model_training", "reaction_yields")
FEW = ("default", "aware", "linear index 1")
MORE: dict[str, Callable[[bool], Policy]] = {
    # Judged without its optimism, which it plays with
    "keen portfolio": lambda shared: wz.Portfolio(
        candidates=(
            wz.Weitzman(wz.FTRL(shared=shared), optimism=2.0),
            wz.Simple("one-shot", shared),
            wz.Joint("past", "greedy", 0.0, shared),
        ),
        shared=shared,
    ),
    "portfolio": lambda shared: wz.Portfolio(
        candidates=(
            wz.Aware(wz.Ridge(shared=shared), shared=shared),
            wz.Weitzman(wz.Ridge(shared=shared)),
            wz.Simple("no-context", shared),
            wz.Joint("linear", "index", 1.0, shared),
        ),
        incumbent="Ridge",
        clarity=0.5,
        exploration=0.5,
        shared=shared,
    ),
    "intercept": lambda shared: wz.Weitzman(wz.FTRL(shared=shared, intercept=True)),
    "not optimistic": lambda shared: wz.Weitzman(wz.FTRL(shared=shared), optimism=0.0),
    "ski rental": lambda shared: wz.SkiRental(shared=shared),
    "exploring": lambda shared: wz.Exploring(wz.Aware(wz.Ridge(shared=shared)), share=0.2),
    "exploring for": lambda shared: wz.Exploring(
        wz.Weitzman(wz.FTRL(shared=shared)), share=0.3, needs=wz.Simple("no-context", shared)
    ),
    "as they are": lambda shared: wz.Joint("linear", "fixed", shared=shared, prepare="nothing"),
}
NAMES = (
    *("default", "aware", "paper", "explore-then-commit"),
    *LEARNERS,
    *RULES,
    *(
        f"{kind} {way}"
        for kind in ("past", "linear", "trees", "trees+linear", "stacked")
        for way in ("index 1", "greedy 0", "moving 1", "fixed", "one-shot")
    ),
    *MORE,
)
LOGS: dict[str, Callable[[], Log]] = {"named": named_log, "anonymous": anonymous_log}


def policy_of(name: str, shared: bool) -> Policy:
    if name in MORE:
        return MORE[name](shared)
    made = named_policy(name, shared=shared)
    if isinstance(made, wz.Joint):
        needs_law = made.way in ("index", "greedy", "moving")
        if needs_law and not has_joint_law(made.kind, shared):
            pytest.skip("boxes without history have no joint law by trees")
    return made


@pytest.fixture(scope="module", params=list(LOGS))
def log(request: pytest.FixtureRequest) -> Log:
    return LOGS[request.param]()


@pytest.fixture(scope="module")
def service() -> Iterator[InProcess]:
    # In memory where that is a place: nothing here is about the disk, which would be waited for most
    memory = Path("/dev/shm")
    with (
        TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        InProcess.running(Path(folder) / "events.db") as started,
    ):
        yield started


def check(policy: Policy, log: Log, feedback: Feedback, service: InProcess) -> None:
    totals = replayed(policy, log, feedback)
    assert len(totals) == len(LogRounds(log, 1.0)) >= 35
    assert played(policy, log, feedback) == totals
    assert one_by_one(policy, log, feedback) == totals
    name = f"p{service.new_number()}"
    assert served(name, policy, log, feedback, service.send) == totals


def test_every_exported_policy_is_here() -> None:
    kinds = {type(policy_of(name, shared=False)).__name__ for name in NAMES}
    assert kinds == set(POLICIES)
    assert all(hasattr(wz, name) for name in POLICIES)


@pytest.mark.parametrize(
    ("policy", "feedback"),
    [
        (wz.Weitzman(wz.FTRL()), "chosen"),
        (wz.Weitzman(wz.FTRL(intercept=False)), "chosen"),
        (wz.Weitzman(wz.OptimisticLaw()), "chosen"),
        (wz.ExploreThenCommit(), "total"),
    ],
    ids=["FTRL, chosen", "FTRL as given, chosen", "OptimisticLaw, chosen", "total"],
)
def test_where_values_are_hidden(policy: Policy, feedback: Feedback, service: InProcess) -> None:
    """A replay plays simple rules beside it, which need values; the other ways agree."""
    log = two_valued_log()
    totals = played(policy, log, feedback)
    assert one_by_one(policy, log, feedback) == totals
    assert served(f"p{service.new_number()}", policy, log, feedback, service.send) == totals
    with pytest.raises(wz.InvalidInputError, match="feedback of a replay"):
        replayed(policy, log, feedback)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", NAMES)
def test_a_replay_is_what_the_policy_does_live(
    name: str, feedback: Feedback, log: Log, service: InProcess
) -> None:
    check(policy_of(name, log.shared), log, feedback, service)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", NAMES)
def test_a_best_possible_value_is_the_same_everywhere(
    name: str, feedback: Feedback, service: InProcess
) -> None:
    check(policy_of(name, shared=False), two_valued_log(), feedback, service)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("learner", [wz.FTRL(intercept=False), wz.NewtonStep(), wz.Ridge()])
def test_a_best_possible_value_in_compiled_rounds(
    learner: wz.Learner, feedback: Feedback, service: InProcess
) -> None:
    check(wz.Weitzman(learner, prepare="nothing"), two_valued_log(), feedback, service)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", NAMES)
def test_features_may_be_missing(name: str, feedback: Feedback) -> None:
    """But for the service, whose contexts are JSON."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(40, 3))
    values = 3.0 + x + rng.normal(size=(40, 3))
    x[rng.uniform(size=x.shape) < 0.2] = np.nan
    features = {"x_a": x, "x_b": rng.normal(size=(40, 3))}
    log, policy = log_of(values, np.full((40, 3), 0.3), features), policy_of(name, shared=False)
    totals = replayed(policy, log, feedback)
    assert played(policy, log, feedback) == totals
    assert one_by_one(policy, log, feedback) == totals


def the_first_rounds(name: str) -> Log:
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"the recorded rounds {path} are not at hand")
    return first_rounds(read_log(path), 250)


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("recorded", RECORDED)
def test_on_recorded_rounds(
    name: str, feedback: Feedback, recorded: str, service: InProcess
) -> None:
    log = the_first_rounds(recorded)
    check(policy_of(name, log.shared), log, feedback, service)


@pytest.mark.slow
@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in FEW])
@pytest.mark.parametrize("recorded", RECORDED)
def test_every_policy_on_recorded_rounds(
    name: str, feedback: Feedback, recorded: str, service: InProcess
) -> None:
    log = the_first_rounds(recorded)
    check(policy_of(name, log.shared), log, feedback, service)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with (
        running(tmp_path_factory.mktemp("service") / "events.db") as started,
        Client(f"http://127.0.0.1:{started.port}") as made,
    ):
        yield made


@pytest.mark.parametrize("feedback", ["full", "opened"])
@pytest.mark.parametrize("name", ["default", "FTRL", "aware"])
def test_a_client_over_http(name: str, feedback: Feedback, client: Client) -> None:
    log, policy = named_log(), policy_of(name, shared=False)
    totals = by_client(client, f"{name.split(maxsplit=1)[0]}-{feedback}", policy, log, feedback)
    assert totals == replayed(policy, log, feedback)


def test_a_policy_that_is_named_is_the_policy() -> None:
    log = named_log()
    found = replay(log, ["Ridge", "default"])
    for name in ("Ridge", "default"):
        assert found.of(name).tolist() == played(policy_of(name, shared=False), log, "full")
