"""Settings of a box file that ask for a variant: what is kept, limits, scenarios, a confidence, and more."""

from collections.abc import Mapping
from typing import Any

from weitzman.cli.box_files.entry import Words, wrong

SETTINGS = (
    *("keep", "discount", "tail", "recall"),
    *("most", "budget", "at_once", "price", "unopened", "arrivals", "method"),
    *("confidence", "worst", "scenarios", "costs", "weights"),
)
"""The keys of a file beside its boxes that ask for a variant."""

_KINDS = ("groups", "edges", "places")
_OF_SCENARIOS = ("scenarios", "costs", "weights")


def read_settings(found: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return the settings of a file as :func:`~weitzman.search.planning.plan` takes them."""
    settings = dict(found)
    for key in ("recall", "arrivals"):
        if key in found and not isinstance(found[key], bool):
            raise wrong(f"{file}, {key}", key, "be true or false", found[key])
    if isinstance(found.get("keep"), dict):
        settings["keep"] = _matroid(found["keep"], f"{file}, keep")
    unopened = found.get("unopened", False)
    if not isinstance(unopened, bool) and not _texts(unopened):
        rule = "be true, or a list of names of boxes"
        raise wrong(f"{file}, unopened", "what may be taken unopened", rule, unopened)
    _check_scenarios(found, file)
    return settings


def _texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(one, str) for one in found)


def _check_scenarios(found: Mapping[str, Any], file: str) -> None:
    """Refuse scenarios that are not lists by box, and what goes with them alone."""
    if "scenarios" not in found:
        for key in _OF_SCENARIOS[1:]:
            if key in found:
                raise wrong(f"{file}, {key}", key, "be left out without scenarios", found[key])
        return
    kinds = (
        ("scenarios", "be an object from boxes to lists of numbers", list),
        ("costs", "be an object from boxes to numbers", int | float),
    )
    for key, rule, kind in kinds:
        table = found.get(key)
        if not isinstance(table, dict):
            got = Words("nothing") if table is None else table
            raise wrong(f"{file}, {key}", f"the {key}", rule, got)
        for box, one in table.items():
            if not isinstance(one, kind) or isinstance(one, bool):
                raise wrong(f"{file}, {key}.{box}", f"the {key}", rule, one)


def _matroid(found: dict[str, Any], place: str) -> Any:
    """Return what may be kept together: groups with a limit, edges between places, or places."""
    from weitzman.search.variants.keep import (
        graphic_matroid,
        partition_matroid,
        transversal_matroid,
    )

    kinds = [kind for kind in _KINDS if isinstance(found.get(kind), dict)]
    if len(kinds) != 1 or set(found) - {kinds[0], "limit"}:
        rule = "be a number, or an object with one of groups (and limit), edges and places"
        raise wrong(place, "what is kept", rule, Words(", ".join(found) or "nothing"))
    table = found[kinds[0]]
    if kinds[0] == "groups":
        return partition_matroid(table, found.get("limit", 1))
    pairs = kinds[0] == "edges"
    for name, ends in table.items():
        if not isinstance(ends, list) or (pairs and len(ends) != 2):
            rule = "be a list of two places" if pairs else "be a list of places"
            raise wrong(f"{place}.{kinds[0]}.{name}", f"the places of box {name!r}", rule, ends)
    if pairs:
        return graphic_matroid({name: (one, other) for name, (one, other) in table.items()})
    return transversal_matroid(table)
