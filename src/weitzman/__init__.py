"""Costly search: choose among alternatives when looking at each one costs something."""

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

__all__ = [
    "STOP",
    "Box",
    "CdfAndMean",
    "Discrete",
    "Distribution",
    "Empirical",
    "InvalidFileError",
    "InvalidInputError",
    "Mixture",
    "Outcome",
    "Plan",
    "Search",
    "SearchStateError",
    "Simulation",
    "Truncated",
    "WeitzmanError",
    "affine",
    "expected_excess",
    "expected_total",
    "next_box",
    "plan",
    "reservation_value",
]
