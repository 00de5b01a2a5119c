"""Costly search: choose among alternatives when looking at each one costs something."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

from weitzman.errors import InvalidFileError, InvalidInputError, SearchStateError, WeitzmanError
from weitzman.search.box import Box
from weitzman.search.compound import Mixture, Truncated
from weitzman.search.discrete import Discrete, Empirical
from weitzman.search.distributions import Distribution
from weitzman.search.numeric import CdfAndMean
from weitzman.search.plan import Plan, expected_total, plan
from weitzman.search.reservation import expected_excess, reservation_value
from weitzman.search.round import Outcome, Search
from weitzman.search.simulation import Simulation
from weitzman.search.values import affine
from weitzman.search.weitzman import STOP, next_box

if TYPE_CHECKING:
    from weitzman.lab.contender import Contender
    from weitzman.lab.evaluate import evaluate
    from weitzman.lab.recorded import Log, read_log
    from weitzman.lab.replay import replay
    from weitzman.lab.study import Study
    from weitzman.lab.worlds import WORLDS
    from weitzman.learn.aware import Aware
    from weitzman.learn.boosted import Boosted
    from weitzman.learn.boosting import objective
    from weitzman.learn.checks import check_learner
    from weitzman.learn.estimator import ReservationValueRegressor
    from weitzman.learn.explanation import Explanation
    from weitzman.learn.fourier import Fourier
    from weitzman.learn.ftrl import FTRL
    from weitzman.learn.learner import Bank, Learner
    from weitzman.learn.linearised import LinearisedFTRL
    from weitzman.learn.live import LiveSearch
    from weitzman.learn.logistic import Logistic
    from weitzman.learn.newton import NewtonStep
    from weitzman.learn.plain import Model, PlainBank
    from weitzman.learn.play import Played
    from weitzman.learn.policy import Policy
    from weitzman.learn.policychecks import check_policy
    from weitzman.learn.portfolio import Portfolio
    from weitzman.learn.portfolio import default as default_policy
    from weitzman.learn.probing import block_length
    from weitzman.learn.residual import Residual
    from weitzman.learn.resume import load
    from weitzman.learn.ridge import Ridge
    from weitzman.learn.searcher import Searcher

__all__ = [
    "FTRL",
    "STOP",
    "WORLDS",
    "Aware",
    "Bank",
    "Boosted",
    "Box",
    "CdfAndMean",
    "Contender",
    "Discrete",
    "Distribution",
    "Empirical",
    "Explanation",
    "Fourier",
    "InvalidFileError",
    "InvalidInputError",
    "Learner",
    "LinearisedFTRL",
    "LiveSearch",
    "Log",
    "Logistic",
    "Mixture",
    "Model",
    "NewtonStep",
    "Outcome",
    "PlainBank",
    "Plan",
    "Played",
    "Policy",
    "Portfolio",
    "ReservationValueRegressor",
    "Residual",
    "Ridge",
    "Search",
    "SearchStateError",
    "Searcher",
    "Simulation",
    "Study",
    "Truncated",
    "WeitzmanError",
    "affine",
    "block_length",
    "check_learner",
    "check_policy",
    "default_policy",
    "evaluate",
    "expected_excess",
    "expected_total",
    "load",
    "next_box",
    "objective",
    "plan",
    "read_log",
    "replay",
    "reservation_value",
]

# The learn room needs numba, which takes as long to load as all the rest: it and the lab are loaded when
# first named. ``module:name`` where it has another name there.
_LATER = {
    "FTRL": "learn.ftrl",
    "WORLDS": "lab.worlds",
    "Aware": "learn.aware",
    "Bank": "learn.learner",
    "Boosted": "learn.boosted",
    "Contender": "lab.contender",
    "Explanation": "learn.explanation",
    "Fourier": "learn.fourier",
    "Learner": "learn.learner",
    "LinearisedFTRL": "learn.linearised",
    "LiveSearch": "learn.live",
    "Log": "lab.recorded",
    "Logistic": "learn.logistic",
    "Model": "learn.plain",
    "NewtonStep": "learn.newton",
    "PlainBank": "learn.plain",
    "Played": "learn.play",
    "Policy": "learn.policy",
    "Portfolio": "learn.portfolio",
    "ReservationValueRegressor": "learn.estimator",
    "Residual": "learn.residual",
    "Ridge": "learn.ridge",
    "Searcher": "learn.searcher",
    "Study": "lab.study",
    "block_length": "learn.probing",
    "check_learner": "learn.checks",
    "check_policy": "learn.policychecks",
    "default_policy": "learn.portfolio:default",
    "evaluate": "lab.evaluate",
    "load": "learn.resume",
    "objective": "learn.boosting",
    "read_log": "lab.recorded",
    "replay": "lab.replay",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'weitzman' has no attribute {name!r}")
    # Loading makes many objects that all stay: looking for garbage among them takes a tenth of the time
    collecting = gc.isenabled()
    gc.disable()
    try:
        module, _, own = _LATER[name].partition(":")
        thing = globals()[name] = getattr(import_module(f"weitzman.{module}"), own or name)
    finally:
        if collecting:
            gc.enable()
    return thing


def __dir__() -> list[str]:
    return __all__
