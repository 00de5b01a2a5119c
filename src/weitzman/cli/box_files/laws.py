"""Laws by name and parameters, as they stand in a box file: ``normal`` with ``mean=3 sd=1``.

The names of :data:`FAMILIES` come first; any other name is that of a continuous or discrete family of
scipy.stats, with its own parameters, ``loc`` and ``scale``.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from weitzman.cli.box_files.entry import Where, Words, wrong
from weitzman.search.laws.conversion import ValueLike


@dataclass(frozen=True)
class Family:
    """Laws of one name: their parameters, the rule these obey, and how to make one.

    ``build`` takes scipy.stats first, so that the module is loaded only when a law is made.
    """

    required: tuple[str, ...]
    rule: str
    holds: Callable[..., bool]
    build: Callable[..., ValueLike]
    optional: Mapping[str, float] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The parameters with their defaults, as one writes a call."""
        return ", ".join([*self.required, *(f"{k}={v:g}" for k, v in self.optional.items())])


FAMILIES: Final[dict[str, Family]] = {
    "uniform": Family(
        ("lower", "upper"),
        "lower < upper",
        lambda lower, upper: lower < upper,
        lambda stats, lower, upper: stats.uniform(lower, upper - lower),
    ),
    "normal": Family(
        ("mean", "sd"),
        "sd > 0",
        lambda mean, sd: sd > 0.0,
        lambda stats, mean, sd: stats.norm(mean, sd),
    ),
    "exponential": Family(
        ("mean",),
        "mean > lower",
        lambda mean, lower: mean > lower,
        lambda stats, mean, lower: stats.expon(lower, mean - lower),
        {"lower": 0.0},
    ),
    "bernoulli": Family(
        ("p",),
        "0 <= p <= 1",
        lambda p: 0.0 <= p <= 1.0,
        lambda stats, p: stats.bernoulli(p),
    ),
    "lognormal": Family(
        ("median", "sigma"),
        "median > 0 and sigma > 0",
        lambda median, sigma: median > 0.0 and sigma > 0.0,
        lambda stats, median, sigma: stats.lognorm(sigma, scale=median),
    ),
    "gamma": Family(
        ("shape", "scale"),
        "shape > 0 and scale > 0",
        lambda shape, scale: shape > 0.0 and scale > 0.0,
        lambda stats, shape, scale: stats.gamma(shape, scale=scale),
    ),
    "beta": Family(
        ("a", "b"),
        "a > 0, b > 0 and lower < upper",
        lambda a, b, lower, upper: a > 0.0 and b > 0.0 and lower < upper,
        lambda stats, a, b, lower, upper: stats.beta(a, b, lower, upper - lower),
        {"lower": 0.0, "upper": 1.0},
    ),
    "triangular": Family(
        ("lower", "mode", "upper"),
        "lower <= mode <= upper and lower < upper",
        lambda lower, mode, upper: lower <= mode <= upper and lower < upper,
        lambda stats, lower, mode, upper: stats.triang(
            (mode - lower) / (upper - lower), lower, upper - lower
        ),
    ),
    "point": Family(("value",), "any value", lambda value: True, lambda stats, value: value),
}
"""The families with names and parameters of their own."""
# What is near in meaning but not in spelling.
_SYNONYMS = {"constant": "point", "gaussian": "normal", "student": "t", "weibull": "weibull_min"}


def law(name: str, parameters: Mapping[str, float], where: Where) -> ValueLike:
    """Return the law of the given name and parameters, which are finite numbers."""
    family = FAMILIES.get(name) or _of_scipy(name)
    if family is None:
        rule = f"be a known name ({_nearest(name)})"
        raise wrong(where("distribution"), "the distribution", rule, name)
    place, subject = where("parameters"), f"the parameters of {name}"
    known = {*family.required, *family.optional}
    if not set(family.required) <= set(parameters) <= known:
        rule = f"be {family.signature}" if known else "be none"
        raise wrong(place, subject, rule, Words(", ".join(parameters) or "none"))
    full = {**family.optional, **parameters}
    if not family.holds(**full):
        shown = ", ".join(f"{k}={v:g}" for k, v in parameters.items())
        raise wrong(place, subject, f"obey {family.rule}", Words(shown))
    return family.build(None if name == "point" else _stats(), **full)


def _stats() -> Any:
    import scipy.stats

    return scipy.stats


def _is_family(thing: object) -> bool:
    return isinstance(thing, (_stats().rv_continuous, _stats().rv_discrete))


def _of_scipy(name: str) -> Family | None:
    """Return a family of scipy.stats whose parameters are numbers, or None."""
    found: Any = getattr(_stats(), name, None)
    # The probabilities of poisson_binom are a list, which one parameter of a file is not.
    if not _is_family(found) or name == "poisson_binom":
        return None
    shapes = tuple(s.strip() for s in found.shapes.split(",")) if found.shapes else ()
    scale = {"scale": 1.0} if isinstance(found, _stats().rv_continuous) else {}
    return Family(
        required=shapes,
        rule=f"the domain of scipy.stats.{name}",
        holds=lambda **p: not np.isnan(found(**p).support()).any(),
        build=lambda stats, **p: found(**p),
        optional={"loc": 0.0, **scale},
    )


def _nearest(name: str) -> str:
    """Return a hint at the name that was meant."""
    if name == "discrete":
        return "for outcomes with probabilities: values and probabilities, or samples with weights"
    if name.lower() in _SYNONYMS:
        return f"nearest: {_SYNONYMS[name.lower()]!r}"
    others = [n for n in dir(_stats()) if _is_family(getattr(_stats(), n))]
    for names in (list(FAMILIES), others):
        if close := difflib.get_close_matches(name.lower(), names, n=1):
            return f"nearest: {close[0]!r}"
    return "such as " + ", ".join(FAMILIES)
