"""One look for each searcher and each policy of a replay, the same in every picture.

The colours are Okabe and Ito's, which colour-blind readers tell apart; line style and marker say the
same once more, for print in grey. None is black or white: the same colours serve on light and dark
ground.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class Look:
    """A colour, a line style and a marker; matplotlib and plotly name the latter differently."""

    colour: str
    line: str
    dash: str
    marker: str
    symbol: str


_BLUE, _VERMILION, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
_ORANGE, _SKY, _GREY, _PALE = "#E69F00", "#56B4E9", "#777777", "#BBBBBB"
COLOURS: Final = {
    "blue": _BLUE,
    "vermilion": _VERMILION,
    "green": _GREEN,
    "purple": _PURPLE,
    "orange": _ORANGE,
    "sky": _SKY,
    "grey": _GREY,
}
"""The colours by name."""

_KNOWN: Final = {
    "cpb": Look(_BLUE, "-", "solid", "o", "circle"),
    "cpb-theorem": Look(_SKY, "--", "dash", "s", "square"),
    "cpb-tuned": Look(_GREEN, "-.", "dashdot", "^", "triangle-up"),
    "default": Look(_BLUE, "--", "dash", "*", "star"),
    "ftrl": Look(_SKY, "-", "solid", "P", "cross"),
    "ftrl-given": Look(_GREEN, "-", "solid", "^", "triangle-up"),
    "linear-regression": Look(_VERMILION, ":", "dot", "D", "diamond"),
    "linearised": Look(_PURPLE, "--", "dash", "v", "triangle-down"),
    "newton": Look(_ORANGE, "-.", "dashdot", "P", "cross"),
    "residual": Look(_GREY, ":", "dot", "X", "x"),
    "ridge-optimistic": Look(_GREEN, "--", "longdash", "h", "hexagon"),
    "linucb": Look(_VERMILION, "-.", "dashdot", "s", "square"),
    "optimistic-law": Look(_PURPLE, "-", "solid", "s", "square"),
    "optimistic-residual": Look(_PURPLE, "-.", "dashdot", "D", "diamond"),
    "thompson": Look(_ORANGE, "-", "solid", "v", "triangle-down"),
    "recorded": Look(_VERMILION, "-", "solid", "D", "diamond"),
    "FTRL": Look(_GREEN, "-", "solid", "^", "triangle-up"),
    "paper": Look(_GREEN, "-.", "dashdot", "^", "triangle-up"),
    "no-context": Look(_PURPLE, "-", "solid", "s", "square"),
    "one-shot": Look(_ORANGE, "-", "solid", "v", "triangle-down"),
    "mean+cost": Look(_SKY, "-", "solid", "P", "cross"),
    "mean": Look(_SKY, "--", "dash", "X", "x"),
    "fixed-set": Look(_GREY, "-", "solid", "h", "hexagon"),
    "single": Look(_ORANGE, "--", "dash", "v", "triangle-down"),
    "stay": Look(_GREY, ":", "dot", "X", "x"),
    "all": Look(_PURPLE, ":", "dot", "s", "square"),
    "hindsight": Look(_GREEN, ":", "dot", "^", "triangle-up"),
    "others": Look(_PALE, "-", "solid", "o", "circle"),
    "full": Look(_BLUE, "-", "solid", "o", "circle"),
    "opened": Look(_VERMILION, "--", "dash", "D", "diamond"),
}
_COLOURS = tuple(COLOURS.values())
_LINES = (("-", "solid"), ("--", "dash"), ("-.", "dashdot"), (":", "dot"))
_MARKS = (
    ("o", "circle"),
    ("s", "square"),
    ("^", "triangle-up"),
    ("D", "diamond"),
    ("v", "triangle-down"),
)


def looks(searchers: Iterable[str]) -> dict[str, Look]:
    """Return a look for each searcher: those of this package have their own, others one that is free.

    Those of this package come first, in their own order, so that all legends read alike.

    Examples
    --------
    >>> looks(["mine", "cpb"])["mine"].colour != looks(["cpb"])["cpb"].colour
    True
    """
    given = dict.fromkeys(searchers)
    names = [*(n for n in _KNOWN if n in given), *(n for n in given if n not in _KNOWN)]
    taken = {_KNOWN[name].colour for name in names if name in _KNOWN}
    colours = [c for c in _COLOURS if c not in taken] + list(_COLOURS)
    found, count = {}, 1
    for name in names:
        if name in _KNOWN:
            found[name] = _KNOWN[name]
            continue
        line, dash = _LINES[(count + count // len(_COLOURS)) % len(_LINES)]
        marker, symbol = _MARKS[count % len(_MARKS)]
        found[name] = Look(colours[count % len(colours)], line, dash, marker, symbol)
        count += 1
    return found


def filled(names: Iterable[str]) -> dict[str, Look]:
    """Return looks for areas, which have no line or marker: no two share a colour, as far as there are some.

    Examples
    --------
    >>> found = filled(["one-shot", "single"])
    >>> found["one-shot"].colour != found["single"].colour
    True
    """
    found = looks(names)
    free = [c for c in _COLOURS if c not in {look.colour for look in found.values()}]
    taken: set[str] = set()
    for name, look in found.items():
        if look.colour in taken and free:
            found[name] = replace(look, colour=free.pop(0))
        taken.add(found[name].colour)
    return found
