from collections.abc import Callable

import pytest

from weitzman.learn.checks.learner import CHECKS, check_learner
from weitzman.learn.learner import Learner
from weitzman.learn.learners.boosted import Boosted
from weitzman.learn.learners.fourier import Fourier
from weitzman.learn.learners.ftrl import FTRL
from weitzman.learn.learners.linearised import LinearisedFTRL
from weitzman.learn.learners.logistic import Logistic
from weitzman.learn.learners.newton import NewtonStep
from weitzman.learn.learners.residual import Residual
from weitzman.learn.learners.ridge import Ridge
from weitzman.learn.learners.rivals.linucb import LinUCB
from weitzman.learn.learners.rivals.optimistic_law import OptimisticLaw
from weitzman.learn.learners.rivals.optimistic_residual import OptimisticResidual
from weitzman.learn.learners.rivals.thompson import Thompson

# No ball and no number for eta where units are changed: both have the unit of the weights
LEARNERS: dict[str, Learner] = {
    "Boosted": Boosted(intercept=False),
    "Boosted, shared": Boosted(shared=True, intercept=True),
    "Boosted, by scikit-learn": Boosted(shared=True, engine="sklearn", intercept=False),
    "Fourier": Fourier(features=16, intercept=False),
    "Fourier, shared": Fourier(features=16, shared=True, intercept=True, forget=0.99),
    "FTRL": FTRL(intercept=False),
    "FTRL with all options": FTRL(eta=2.0, intercept=True, forget=0.97, window=40),
    "FTRL, discounted": FTRL(forget=0.9, intercept=False),
    "FTRL, shared": FTRL(shared=True, intercept=False),
    "FTRL with a memory": FTRL(memory=64, intercept=False),
    "LinearisedFTRL": LinearisedFTRL(intercept=True),
    "LinearisedFTRL, shared": LinearisedFTRL(shared=True, intercept=False),
    "LinUCB": LinUCB(intercept=True),
    "LinUCB, shared": LinUCB(scale="theorem", horizon=100, memory=30, shared=True, intercept=False),
    "Logistic": Logistic(intercept=True),
    "Logistic, shared": Logistic(eta=2.0, shared=True, intercept=False),
    "NewtonStep": NewtonStep(intercept=True),
    "NewtonStep, shared": NewtonStep(shared=True, intercept=False),
    "OptimisticLaw": OptimisticLaw(),
    "OptimisticLaw, Agarwal's": OptimisticLaw(mass="uniform", scale="theorem", horizon=100),
    "OptimisticLaw, no optimism, shared": OptimisticLaw(mass="none", shared=True),
    "OptimisticResidual": OptimisticResidual(intercept=True),
    "OptimisticResidual, shared": OptimisticResidual(
        scale="theorem", horizon=100, shared=True, intercept=False
    ),
    "Residual": Residual(memory=30, intercept=False),
    "Residual, shared": Residual(shared=True, intercept=True),
    "Ridge": Ridge(forget=0.99, intercept=False),
    "Ridge, shared": Ridge(shared=True, intercept=True),
    "Thompson": Thompson(seed=3, intercept=True),
    "Thompson, shared": Thompson(eta=2.0, memory=30, shared=True, intercept=False),
}


@pytest.mark.parametrize("spec", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract(spec: Learner, check: Callable[[Learner], None]) -> None:
    check(spec)


@pytest.mark.parametrize("spec", LEARNERS.values(), ids=LEARNERS)
def test_a_row_keeps_three_numbers_of_what_it_has_learned(spec: Learner) -> None:
    """Mean, mean square and number of v − σ, and as many of all looks: files of every release hold these."""
    bank = spec.start(boxes=3, dimension=2)
    rows = 1 if bank.shared else 3
    state = bank.state()
    assert {name: state[name].shape for name in ("spread", "pool")} == {
        "spread": (rows, 3),
        "pool": (3,),
    }


def test_check_learner_runs_all_checks() -> None:
    check_learner(Ridge(intercept=False))
