"""What earlier versions wrote: policies as rules of panels, and their arrays.

Version 2 of a saved searcher described a policy as one rule of a panel (``Chosen``), or as a portfolio of
panels. Both are read as the policies that they are now, and their arrays under the names that these use.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OWN = ("Index", "Aware")
_BASE = {"learner", "standardise"}
_OVER_LEARNERS = ("Weitzman", "Aware")
_OVER_HISTORY = ("Simple", "Joint", "Portfolio")


def is_earlier(described: Any) -> bool:
    """Whether a description is one of panels."""
    return isinstance(described, Mapping) and ("panel" in described or "panels" in described)


def upgraded(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description of the same policy as it is written now.

    Examples
    --------
    >>> panel = {"class": "Simple", "rules": ["all", "single"]}
    >>> upgraded({"class": "Chosen", "panel": panel, "rule": "single"})["rule"]
    'single'
    """
    shared, ready = described.get("shared", False), described.get("standardise", True)
    if "panel" in described:
        named = _candidates(described["panel"], shared, ready)
        return with_earlier_defaults(named[described["rule"]])
    named = {}
    for panel in described["panels"]:
        named |= _candidates(panel, shared, ready)
    kept = ("clarity", "exploration", "shared")
    incumbent = described.get("incumbent", "paper")
    return {
        "class": "Portfolio",
        "standardise": ready,
        "candidates": [with_earlier_defaults(one) for one in named.values()],
        "incumbent": None if incumbent is None else _name(named[incumbent], incumbent),
        **{name: described[name] for name in kept if name in described},
    }


def upgraded_arrays(
    described: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]
) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of such a policy under the names that are used now."""
    panel = described.get("panel", {})
    if panel.get("class") not in _OWN:
        return dict(arrays)
    begin = "members."
    own = {k.removeprefix(begin): a for k, a in arrays.items() if k.startswith(begin)}
    if not panel.get("standardise", False):
        return own
    inner = {f"inner.{name}": array for name, array in own.items()}
    return {**inner, "preparation.scale": arrays["past.scale"]}


def _candidates(panel: Mapping[str, Any], shared: bool, ready: bool) -> dict[str, dict[str, Any]]:
    """Return the members of a panel, by the names that they had."""
    both = {"shared": shared, "standardise": ready}
    match panel["class"]:
        case "Simple":
            return {r: {"class": "Simple", "rule": r, **both} for r in panel["rules"]}
        case "Law":
            kind = panel["kind"]
            joint = {"class": "Joint", "kind": kind, **both}
            cautions = [] if shared and "trees" in kind else panel.get("cautions", [0.0, 1.0, 2.0])
            ways = [(way, float(z)) for z in cautions for way in ("index", "greedy")]
            adaptive = {f"{kind} {w} {z:g}": {**joint, "way": w, "caution": z} for w, z in ways}
            plain = panel.get("plain", [])
            return {**adaptive, **{f"{kind} {way}": {**joint, "way": way} for way in plain}}
        case own:
            kept = {name: panel[name] for name in _BASE if name in panel}
            own_class = {"class": "Weitzman" if own == "Index" else own, **kept}
            if own == "Aware":
                own_class["shared"] = shared
            return {panel.get("name", "aware" if own == "Aware" else "paper"): own_class}


def _name(described: dict[str, Any], name: str) -> str:
    """Return the name that a candidate has now; only that of a learner's rule was free."""
    if described["class"] != "Weitzman":
        return name
    learner = described.get("learner", {"class": "FTRL"})["class"]
    base = "paper" if learner == "FTRL" else learner
    return f"{base} standardised" if described.get("standardise", False) else base


def with_earlier_defaults(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description in which what is left out is what it was before rounds were prepared.

    >>> with_earlier_defaults({"class": "Weitzman", "learner": {"class": "FTRL"}})
    {'class': 'Weitzman', 'learner': {'intercept': False, 'class': 'FTRL'}}
    >>> with_earlier_defaults({"class": "Weitzman"})
    {'prepare': 'nothing', 'class': 'Weitzman'}
    """
    name = described.get("class")
    known: dict[str, Any] = {}
    if name in _OVER_LEARNERS:
        # A learner that says whether it has an intercept is given rounds as they are
        known = {} if "learner" in described else {"prepare": "nothing"}
    elif name in _OVER_HISTORY:
        known = {"prepare": "contexts"}
    elif name is not None:
        known = {"intercept": False}
    if "standardise" in described:
        known = {}
    parts: dict[str, Any] = {}
    for key, part in described.items():
        parts[key] = part
        if isinstance(part, Mapping):
            parts[key] = with_earlier_defaults(part)
        elif isinstance(part, list | tuple):
            parts[key] = [with_earlier_defaults(p) if isinstance(p, Mapping) else p for p in part]
    return {**known, **parts}


def explored_as_then(described: Any) -> Any:
    """Return a description in which FTRL, where it does not say how it explores, does so as it did then.

    What is no description stays as it is.

    >>> explored_as_then({"class": "FTRL", "intercept": False})
    {'explore': 'between', 'class': 'FTRL', 'intercept': False}
    """
    if isinstance(described, list | tuple):
        return [explored_as_then(part) for part in described]
    if not isinstance(described, Mapping):
        return described
    known: dict[str, Any] = {}
    if described.get("class") == "FTRL":
        known = {"explore": "between"}
    elif described.get("class") in _OVER_LEARNERS:
        known = {"learner": {"explore": "between", "class": "FTRL"}}
    return known | {key: explored_as_then(part) for key, part in described.items()}


def as_now(described: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the description of one learner or policy; ``standardise`` was what ``prepare`` is.

    >>> as_now({"class": "Simple", "rule": "all", "standardise": True})
    {'class': 'Simple', 'rule': 'all', 'prepare': 'contexts'}
    """
    if "standardise" not in described:
        return described
    left = {name: part for name, part in described.items() if name != "standardise"}
    learner = described.get("learner")
    if not described["standardise"] and isinstance(learner, Mapping) and "intercept" in learner:
        # It says by itself that rounds are to be taken as they are
        return left
    return {**left, "prepare": "contexts" if described["standardise"] else "nothing"}
