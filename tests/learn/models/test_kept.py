"""Contexts that are kept: what goes in comes out in single precision, common columns once."""

import numpy as np
import pytest

from weitzman.learn.models.kept import Kept
from weitzman.learn.policy import Floats, Ints

BOXES, COLUMNS = 3, 4


def rounds(count: int) -> list[tuple[Ints, Floats]]:
    """Column 0 is always common, 1 until round 20, 2 never but in the last rounds, 3 always."""
    rng = np.random.default_rng(3)
    made = []
    for t in range(count):
        places = np.sort(rng.permutation(BOXES)[: 2 + t % 2]).astype(np.int64)
        rows = rng.normal(size=(len(places), COLUMNS))
        rows[:, [0, 3]] = rows[0, [0, 3]]
        if t < 20:
            rows[:, 1] = rows[0, 1]
        if t >= 30:
            rows[:, 2] = rows[0, 2]
        made.append((places, rows))
    return made


def whole(made: list[tuple[Ints, Floats]]) -> Floats:
    out = np.full((len(made), BOXES, COLUMNS), np.nan)
    for t, (places, rows) in enumerate(made):
        out[t, places] = rows.astype(np.float32)
    return out


@pytest.mark.parametrize("count", [1, 10, 25, 40])
def test_what_was_put_comes_back_in_single_precision(count: int) -> None:
    kept, made = Kept(BOXES, COLUMNS), rounds(count)
    kept.resize(0, 0, count)
    for t, (places, rows) in enumerate(made):
        kept.put(t, places, rows)
    expected = whole(made)
    found = kept.between(0, count)
    np.testing.assert_array_equal(found.whole(), expected)
    np.testing.assert_array_equal(found.last(1).whole(), expected[-1:])
    assert found.common.tolist() == [True, count <= 20, False, True]
    assert found.own.shape == (count, BOXES, 4 - found.common.sum())
    for box in range(BOXES):
        there = np.flatnonzero(found.present[:, box])
        np.testing.assert_array_equal(found.of_box(there, box), expected[there, box])
    other = Kept(BOXES, COLUMNS)
    other.restore(kept.state(0, count), found.present)
    np.testing.assert_array_equal(other.between(0, count).whole(), expected)


def test_what_was_handed_out_stays_as_it_is() -> None:
    kept, made = Kept(BOXES, COLUMNS), rounds(40)
    kept.resize(0, 0, 40)
    for t, (places, rows) in enumerate(made[:15]):
        kept.put(t, places, rows)
    early = kept.between(5, 15)
    for t, (places, rows) in enumerate(made[15:35], start=15):
        kept.put(t, places, rows)
    kept.resize(10, 35, 40)
    for t, (places, rows) in enumerate(made[35:], start=25):
        kept.put(t, places, rows)
    np.testing.assert_array_equal(early.whole(), whole(made[5:15]))
    np.testing.assert_array_equal(kept.between(0, 30).whole(), whole(made[10:]))


def test_rows_of_a_forest_have_common_columns_once_whatever_came_later() -> None:
    made, found = rounds(40), []
    for count in (15, 40):
        kept = Kept(BOXES, COLUMNS)
        kept.resize(0, 0, count)
        for t, (places, rows) in enumerate(made[:count]):
            kept.put(t, places, rows)
        common, joined = kept.between(0, 15).joined()
        assert common.tolist() == [True, True, False, True]
        found.append(joined)
    np.testing.assert_array_equal(found[0], found[1])
    expected = whole(made[:15])
    np.testing.assert_array_equal(found[0][:, :3], np.nanmax(expected, axis=1)[:, [0, 1, 3]])
    np.testing.assert_array_equal(found[0][:, 3:], np.nan_to_num(expected[:, :, 2]))
