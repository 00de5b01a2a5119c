"""Settings of a box file that ask for a variant: what is kept, a discount, a tail, no recall."""

from collections.abc import Mapping
from typing import Any

from weitzman.cli.box_files.entry import Words, wrong

SETTINGS = ("keep", "discount", "tail", "recall")
"""The keys of a file beside its boxes that ask for a variant."""

_KINDS = ("groups", "edges", "places")


def read_settings(found: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return the settings of a file as :func:`~weitzman.search.planning.plan` takes them."""
    settings = dict(found)
    if "recall" in found and not isinstance(found["recall"], bool):
        raise wrong(f"{file}, recall", "recall", "be true or false", found["recall"])
    if isinstance(found.get("keep"), dict):
        settings["keep"] = _matroid(found["keep"], f"{file}, keep")
    return settings


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
