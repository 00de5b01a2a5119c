"""Costly search: choose among alternatives when looking at each one costs something."""

import gc
from importlib import import_module
from typing import TYPE_CHECKING, Any

from weitzman.errors import (
    InvalidFileError,
    InvalidInputError,
    SearchStateError,
    UnknownLevelWarning,
    WeitzmanError,
)
from weitzman.search.box import Box
from weitzman.search.contents import Draws, NormalDraws, Stage, Successes
from weitzman.search.laws.censored import kaplan_meier
from weitzman.search.laws.compound import Mixture, Truncated
from weitzman.search.laws.conversion import affine
from weitzman.search.laws.discrete import Discrete, Empirical
from weitzman.search.laws.distribution import Distribution
from weitzman.search.laws.numeric import CdfAndMean
from weitzman.search.plan import Plan
from weitzman.search.planning import expected_total, plan
from weitzman.search.reservation import expected_excess, reservation_value
from weitzman.search.round import Outcome, Search, search_by
from weitzman.search.rule import STOP, Open, Rule, Take, WeitzmanRule, next_box
from weitzman.search.samples import GuaranteedPlan
from weitzman.search.simulation import Simulation
from weitzman.search.state import RoundState

if TYPE_CHECKING:
    from weitzman.figures.chart_matplotlib import draw_chart, save_figure
    from weitzman.figures.chart_plotly import explore_chart
    from weitzman.lab.paper.claims import compared
    from weitzman.lab.study.charts import curve_sheet
    from weitzman.lab.study.contender import CONTENDERS, Contender
    from weitzman.lab.study.evaluate import evaluate
    from weitzman.lab.study.exponent import growth_exponent
    from weitzman.lab.study.rows import table_of
    from weitzman.lab.study.runner import run as run_study
    from weitzman.lab.study.study import Study
    from weitzman.lab.study.summary import finals, summarise
    from weitzman.lab.worlds import WORLDS
    from weitzman.learn.checks.learner import check_learner
    from weitzman.learn.checks.policy import check_policy
    from weitzman.learn.explanation import Explanation
    from weitzman.learn.learner import Bank, Learner
    from weitzman.learn.learners.boosted import Boosted
    from weitzman.learn.learners.estimator import ReservationValueRegressor
    from weitzman.learn.learners.fourier import Fourier
    from weitzman.learn.learners.ftrl import FTRL
    from weitzman.learn.learners.linearised import LinearisedFTRL
    from weitzman.learn.learners.logistic import Logistic
    from weitzman.learn.learners.newton import NewtonStep
    from weitzman.learn.learners.parts.boosting import objective
    from weitzman.learn.learners.plain_bank import Model, PlainBank
    from weitzman.learn.learners.residual import Residual
    from weitzman.learn.learners.ridge import Ridge
    from weitzman.learn.learners.rivals.linucb import LinUCB
    from weitzman.learn.learners.rivals.optimistic_law import OptimisticLaw
    from weitzman.learn.learners.rivals.optimistic_residual import OptimisticResidual
    from weitzman.learn.learners.rivals.thompson import Thompson
    from weitzman.learn.live import LiveSearch
    from weitzman.learn.load import load
    from weitzman.learn.policies.aware import Aware
    from weitzman.learn.policies.explore_then_commit import ExploreThenCommit
    from weitzman.learn.policies.exploring import Exploring
    from weitzman.learn.policies.joint import Joint
    from weitzman.learn.policies.portfolio.portfolio import Portfolio, default_policy
    from weitzman.learn.policies.simple import Simple
    from weitzman.learn.policies.ski_rental import SkiRental
    from weitzman.learn.policies.weitzman import Weitzman
    from weitzman.learn.policy import Player, Policy, Round, walk
    from weitzman.learn.probing import block_length
    from weitzman.learn.record import Played
    from weitzman.learn.searcher import Searcher
    from weitzman.logs.log import Log, read_log
    from weitzman.replays.cases import Case, play_cases
    from weitzman.replays.diagnosis.residuals import correlation, residuals_of
    from weitzman.replays.diagnosis.twin import twin
    from weitzman.replays.judgement.design import exploration_for
    from weitzman.replays.judgement.judge import judge
    from weitzman.replays.replay import replay
    from weitzman.replays.report.charts import cost_chart, followed_chart, saving_chart
    from weitzman.replays.report.findings import find as findings
    from weitzman.search.variants.face import AnyPlan, Step
    from weitzman.search.variants.hard.bounded import BoundedPlan
    from weitzman.search.variants.hard.partial_look import PartialBox
    from weitzman.search.variants.keep import (
        Matroid,
        graphic_matroid,
        partition_matroid,
        transversal_matroid,
    )
    from weitzman.serve.client.sync import Client

__all__ = [
    "CONTENDERS",
    "FTRL",
    "STOP",
    "WORLDS",
    "AnyPlan",
    "Aware",
    "Bank",
    "Boosted",
    "BoundedPlan",
    "Box",
    "Case",
    "CdfAndMean",
    "Client",
    "Contender",
    "Discrete",
    "Distribution",
    "Draws",
    "Empirical",
    "Explanation",
    "ExploreThenCommit",
    "Exploring",
    "Fourier",
    "GuaranteedPlan",
    "InvalidFileError",
    "InvalidInputError",
    "Joint",
    "Learner",
    "LinUCB",
    "LinearisedFTRL",
    "LiveSearch",
    "Log",
    "Logistic",
    "Matroid",
    "Mixture",
    "Model",
    "NewtonStep",
    "NormalDraws",
    "Open",
    "OptimisticLaw",
    "OptimisticResidual",
    "Outcome",
    "PartialBox",
    "PlainBank",
    "Plan",
    "Played",
    "Player",
    "Policy",
    "Portfolio",
    "ReservationValueRegressor",
    "Residual",
    "Ridge",
    "Round",
    "RoundState",
    "Rule",
    "Search",
    "SearchStateError",
    "Searcher",
    "Simple",
    "Simulation",
    "SkiRental",
    "Stage",
    "Step",
    "Study",
    "Successes",
    "Take",
    "Thompson",
    "Truncated",
    "UnknownLevelWarning",
    "Weitzman",
    "WeitzmanError",
    "WeitzmanRule",
    "affine",
    "block_length",
    "check_learner",
    "check_policy",
    "compared",
    "correlation",
    "cost_chart",
    "curve_sheet",
    "default_policy",
    "draw_chart",
    "evaluate",
    "expected_excess",
    "expected_total",
    "exploration_for",
    "explore_chart",
    "finals",
    "findings",
    "followed_chart",
    "graphic_matroid",
    "growth_exponent",
    "judge",
    "kaplan_meier",
    "load",
    "next_box",
    "objective",
    "partition_matroid",
    "plan",
    "play_cases",
    "read_log",
    "replay",
    "reservation_value",
    "residuals_of",
    "run_study",
    "save_figure",
    "saving_chart",
    "search_by",
    "summarise",
    "table_of",
    "transversal_matroid",
    "twin",
    "walk",
]

# The learn room needs numba, which takes as long to load as all the rest: it, the lab and what few plans need
# are loaded when first named. ``module:name`` where it has another name there.
_LATER = {
    "AnyPlan": "search.variants.face",
    "Aware": "learn.policies.aware",
    "Bank": "learn.learner",
    "block_length": "learn.probing",
    "Boosted": "learn.learners.boosted",
    "BoundedPlan": "search.variants.hard.bounded",
    "Case": "replays.cases",
    "check_learner": "learn.checks.learner",
    "check_policy": "learn.checks.policy",
    "Client": "serve.client.sync",
    "compared": "lab.paper.claims",
    "Contender": "lab.study.contender",
    "CONTENDERS": "lab.study.contender",
    "correlation": "replays.diagnosis.residuals",
    "cost_chart": "replays.report.charts",
    "curve_sheet": "lab.study.charts",
    "default_policy": "learn.policies.portfolio.portfolio",
    "draw_chart": "figures.chart_matplotlib",
    "evaluate": "lab.study.evaluate",
    "Explanation": "learn.explanation",
    "exploration_for": "replays.judgement.design",
    "explore_chart": "figures.chart_plotly",
    "ExploreThenCommit": "learn.policies.explore_then_commit",
    "Exploring": "learn.policies.exploring",
    "finals": "lab.study.summary",
    "findings": "replays.report.findings:find",
    "followed_chart": "replays.report.charts",
    "Fourier": "learn.learners.fourier",
    "FTRL": "learn.learners.ftrl",
    "graphic_matroid": "search.variants.keep",
    "growth_exponent": "lab.study.exponent",
    "Joint": "learn.policies.joint",
    "judge": "replays.judgement.judge",
    "Learner": "learn.learner",
    "LinearisedFTRL": "learn.learners.linearised",
    "LinUCB": "learn.learners.rivals.linucb",
    "LiveSearch": "learn.live",
    "load": "learn.load",
    "Log": "logs.log",
    "Logistic": "learn.learners.logistic",
    "Matroid": "search.variants.keep",
    "Model": "learn.learners.plain_bank",
    "NewtonStep": "learn.learners.newton",
    "objective": "learn.learners.parts.boosting",
    "OptimisticLaw": "learn.learners.rivals.optimistic_law",
    "OptimisticResidual": "learn.learners.rivals.optimistic_residual",
    "PartialBox": "search.variants.hard.partial_look",
    "partition_matroid": "search.variants.keep",
    "PlainBank": "learn.learners.plain_bank",
    "play_cases": "replays.cases",
    "Played": "learn.record",
    "Player": "learn.policy",
    "Policy": "learn.policy",
    "Portfolio": "learn.policies.portfolio.portfolio",
    "read_log": "logs.log",
    "replay": "replays.replay",
    "ReservationValueRegressor": "learn.learners.estimator",
    "Residual": "learn.learners.residual",
    "residuals_of": "replays.diagnosis.residuals",
    "Ridge": "learn.learners.ridge",
    "Round": "learn.policy",
    "run_study": "lab.study.runner:run",
    "save_figure": "figures.chart_matplotlib",
    "saving_chart": "replays.report.charts",
    "Searcher": "learn.searcher",
    "Simple": "learn.policies.simple",
    "SkiRental": "learn.policies.ski_rental",
    "Step": "search.variants.face",
    "Study": "lab.study.study",
    "summarise": "lab.study.summary",
    "table_of": "lab.study.rows",
    "Thompson": "learn.learners.rivals.thompson",
    "transversal_matroid": "search.variants.keep",
    "twin": "replays.diagnosis.twin",
    "walk": "learn.policy",
    "Weitzman": "learn.policies.weitzman",
    "WORLDS": "lab.worlds",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("weitzman")
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
