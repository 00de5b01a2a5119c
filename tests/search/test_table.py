"""The table of a plan: the right numbers, in the right order."""

import re

import pytest
import scipy.stats
from rich.console import Console

import weitzman as wz
from tests.search.brute import Sense

EXAMPLE = [
    wz.Box("alpha", 15, wz.Discrete([100, 55])),
    wz.Box("omega", 20, wz.Discrete([240, 0], [0.2, 0.8])),
]


def test_the_table_of_weitzmans_example() -> None:
    table = repr(wz.plan(EXAMPLE, sense="max", outside=0.0))
    text = " ".join(table.split())
    assert text.index("omega") < text.index("alpha")
    omega = next(line for line in table.splitlines() if "omega" in line)
    assert all(word in omega for word in ("20", "140", "100.0 %", "28"))
    alpha = next(line for line in table.splitlines() if "alpha" in line)
    assert all(word in alpha for word in ("15", "70", "80.0 %", "62.5"))
    assert "expected net value 78" in text
    assert re.search(r"costs (of )?32\b", text)
    assert "1.8 of 2 boxes opened" in text
    assert "opening one box only (alpha): 62.5" in text
    assert "opening all: 75" in text
    assert "at least" in text
    assert "outside option: 0" in text
    assert "do not search" not in text


def test_given_reservation_values_show_what_they_lose() -> None:
    p = wz.plan(EXAMPLE, sense="max", outside=0.0, reservation_values=[200.0, 100.0])
    text = " ".join(repr(p).split())
    assert f"{p.regret:.4g} worse than the optimum 78" in text
    assert f"certificate {p.certificate:.4g}" in text
    assert f"l1 bound {p.l1_bound:.4g}" in text
    assert p.regret > 0.0


def test_a_plan_for_the_smallest_value_says_so() -> None:
    text = repr(wz.plan([wz.Box("a", 1.0, scipy.stats.uniform(0, 8))]))
    assert "at most" in text
    assert "expected total 5" in text


def test_never_and_always_are_told_from_nearly() -> None:
    boxes = [wz.Box("a", 0.1, wz.Discrete([0.0, 9.0], [0.9999, 0.0001])), wz.Box("b", 1.0, 5.0)]
    text = repr(wz.plan(boxes))
    assert "<0.1 %" in text
    assert "100.0 %" in text


def test_a_long_table_is_cut() -> None:
    boxes = [wz.Box(f"box{i:03}", 1.0, scipy.stats.uniform(i, 8)) for i in range(60)]
    text = repr(wz.plan(boxes))
    assert "… 20 more" in text
    assert "box039" in text
    assert "box040" not in text


def test_names_are_shown_as_they_are() -> None:
    """Square brackets are markup to rich, and part of the name to its owner."""
    text = repr(wz.plan([wz.Box("[bold]x[/bold]", 1.0, scipy.stats.uniform(0, 8))]))
    assert "[bold]x[/bold]" in text
    assert repr(wz.plan([wz.Box("[/]", 1.0, scipy.stats.uniform(0, 8))])).count("[/]") >= 1


def test_rich_prints_a_plan() -> None:
    console = Console(width=120, record=True, file=None, quiet=False)
    p = wz.plan(EXAMPLE, sense="max", outside=0.0)
    with console.capture() as capture:
        console.print(p)
    assert "omega" in capture.get()


def test_infinite_reservation_values_are_shown() -> None:
    text = repr(wz.plan([wz.Box("free", 0.0, scipy.stats.norm()), wz.Box("b", 1.0, 0.0)]))
    assert "-inf" in text


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_plan_is_its_own_text(sense: Sense) -> None:
    p = wz.plan(EXAMPLE, sense=sense, outside=60.0)
    assert repr(p) == str(p)
    assert not any(line != line.rstrip() for line in repr(p).splitlines())


def test_more_boxes_than_rows_are_counted() -> None:
    from weitzman.search.table import _MOST_ROWS

    boxes = [wz.Box(f"b{k}", 0.1, wz.Discrete([0.0, float(k + 1)])) for k in range(_MOST_ROWS + 2)]
    assert "more" not in repr(wz.plan(boxes[:_MOST_ROWS]))
    assert "… 2 more" in repr(wz.plan(boxes))
