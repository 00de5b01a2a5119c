"""Looks are told apart, by colour-blind readers and in grey too."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from weitzman.figures.palette import filled, looks
from weitzman.lab.study.contender import CONTENDERS

# Machado, Oliveira and Fernandes (2009), severity 1: how linear RGB is seen.
BLIND = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip


def linear(colour: str) -> NDArray[np.float64]:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of linear sRGB, white D65."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    f = np.cbrt(np.clip(to_xyz @ np.clip(rgb, 0.0, 1.0), 1e-3, None) / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", ["ordinary", *BLIND])
def test_the_searchers_of_the_paper_have_colours_that_everybody_tells_apart(sight: str) -> None:
    seen = np.array(BLIND.get(sight, np.eye(3)))
    names = ("cpb", "cpb-theorem", "cpb-tuned", "linear-regression")
    colours = [lab(seen @ linear(looks(names)[n].colour)) for n in names]
    # A difference of 2.3 can just be noticed
    for one, two in itertools.combinations(colours, 2):
        assert np.linalg.norm(one - two) > 20.0


def test_all_contenders_differ_in_line_or_marker() -> None:
    found = looks(CONTENDERS)
    assert len({(k.line, k.marker) for k in found.values()}) == len(CONTENDERS)
    assert len({(k.dash, k.symbol) for k in found.values()}) == len(CONTENDERS)


def test_strangers_get_colours_that_are_free() -> None:
    found = looks(["mine", "cpb", "yours"])
    assert list(found) == ["cpb", "mine", "yours"]
    assert len({k.colour for k in found.values()}) == 3


def test_many_strangers_all_differ() -> None:
    found = looks(f"s{i}" for i in range(20))
    assert len({(k.colour, k.line, k.marker) for k in found.values()}) == 20


def test_a_searcher_looks_the_same_in_every_company() -> None:
    assert looks(["newton"])["newton"] == looks(["cpb", "other", "newton"])["newton"]


def test_areas_differ_in_colour_alone() -> None:
    names = [
        "paper",
        "fixed-set",
        "one-shot",
        "single",
        "linear greedy 2",
        "past index 0",
        "others",
    ]
    assert len({look.colour for look in filled(names).values()}) == len(names)
