"""Logs: read the same from every source, in their order, with no bad row taken or lost in silence."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weitzman as wz
from tests.strategies import steady
from weitzman.learn.policy import Round
from weitzman.learn.preparation import Preparation, prepared
from weitzman.logs.log import Log, read_log

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

DATA = Path(__file__).parents[3] / "shared" / "data"
REAL = {  # rounds, boxes, features, whether boxes are anonymous, whether there is an outside option
    "llm_calls": (2840, 15, 64, False, True),
    "query_plans": (3133, 12, 13, False, True),
    "model_training": (418, 12, 12, False, True),
    "reaction_yields": (480, 12, 29, False, False),
    "kernel_tuning": (600, 24, 20, True, False),
}
GOOD = """round,box,cost,value,outside,opened,x_size,x_colour
1,a,0.5,3.5,9,true,1.5,red
1,b,1,,9,false,2.5,blue
2,b,1,2,,true,3.5,red
2,a,0,1,,0,,
"""


def _table(rounds: int = 40, boxes: int = 3, seed: int = 0) -> Any:
    """Return a table of every kind of column."""
    rng = np.random.default_rng(seed)
    rows = rounds * boxes
    value = rng.normal(size=rows).round(3)
    return pa.table(
        {
            "round": np.repeat(np.arange(rounds)[::-1], boxes),
            "box": [f"b{i % boxes}" for i in range(rows)],
            "cost": rng.uniform(size=rows),
            "value": pa.array(value, mask=rng.random(rows) < 0.2),
            "outside": np.repeat(rng.normal(size=rounds), boxes),
            "opened": rng.random(rows) < 0.5,
            "x_number": pa.array(rng.normal(5.0, 2.0, rows), mask=rng.random(rows) < 0.1),
            "x_count": rng.integers(0, 9, rows),
            "x_text": pa.array(
                rng.choice(["red", "green, or so", "blue"], rows), mask=rng.random(rows) < 0.1
            ),
            "x_flag": rng.random(rows) < 0.5,
        }
    )


def _same(one: Log, other: Log) -> None:
    np.testing.assert_array_equal(one.rounds, other.rounds)
    for name in ("boxes", "shared", "features", "skipped", "encoding"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("contexts", "costs", "values", "outside", "opened"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def _csv(tmp_path: Path, text: str, name: str = "log.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", REAL)
def test_the_real_logs(name: str) -> None:
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"the real log {path} is not at hand")
    rounds, boxes, dimension, shared, outside = REAL[name]
    log = read_log(path)
    assert log.contexts.shape == (rounds, boxes, dimension)
    assert (log.shared, log.outside is not None) == (shared, outside)
    assert log.rounds.tolist() == list(range(rounds))
    assert (len(log), log.skipped, log.opened) == (rounds, 0, None)
    raw = parquet.read_table(path)
    assert log.boxes == list(dict.fromkeys(raw["box"].to_pylist()))
    assert (~np.isnan(log.costs)).sum() == raw.num_rows
    assert np.nansum(log.values) == pytest.approx(raw["value"].to_numpy().sum())
    np.testing.assert_array_equal(np.isnan(log.contexts).all(axis=2), np.isnan(log.costs))
    np.testing.assert_array_equal(np.isnan(log.contexts).any(axis=2), np.isnan(log.costs))


def test_all_sources_give_the_same_log(tmp_path: Path) -> None:
    table = _table()
    log = read_log(table)
    parquet.write_table(table, tmp_path / "log.parquet")
    csv.write_csv(table, tmp_path / "log.csv")
    _same(read_log(tmp_path / "log.parquet"), log)
    _same(read_log(str(tmp_path / "log.csv")), log)
    coded = table.set_column(8, "x_text", table["x_text"].dictionary_encode())
    _same(read_log(coded), log)
    assert log.features == [
        *("x_number", "x_number?", "x_count"),
        *(f"x_text={x}" for x in dict.fromkeys(table["x_text"].drop_null().to_pylist())),
        *("x_text?", *(f"x_flag={x}" for x in _words(table["x_flag"]))),
    ]


def _words(column: Any) -> list[str]:
    return list(dict.fromkeys(str(x).lower() for x in column.to_pylist()))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_of_other_libraries(library: str) -> None:
    pytest.importorskip(library)
    table = _table()
    if library == "pandas":
        frame = table.to_pandas()
        _same(read_log(frame.iloc[::-1].iloc[::-1]), read_log(table))
        mixed = frame.astype({"value": object})
        mixed.loc[1, "value"] = "abc"
        with pytest.raises(wz.InvalidInputError, match=r"row 2, column 'value'.*Got 'abc'"):
            read_log(mixed)
    else:
        import polars  # type: ignore[import-not-found, unused-ignore]

        _same(read_log(polars.from_arrow(table)), read_log(table))


def test_what_narwhals_wraps_is_a_table() -> None:
    nw = pytest.importorskip("narwhals")
    table = _table()
    _same(read_log(nw.from_native(table)), read_log(table))


def test_a_small_file_cell_by_cell(tmp_path: Path) -> None:
    log = read_log(_csv(tmp_path, "\ufeff" + GOOD + "\n\n"))
    nan = math.nan
    assert log.rounds.tolist() == [1, 2]
    assert (log.boxes, log.shared, log.skipped) == (["a", "b"], False, 0)
    assert log.source == str(tmp_path / "log.csv")
    assert repr(log).endswith("log.csv', 2 rounds, 2 boxes, dimension 5)")
    np.testing.assert_array_equal(log.costs, [[0.5, 1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(log.values, [[3.5, nan], [1.0, 2.0]])
    np.testing.assert_array_equal(log.outside, [9.0, math.inf])  # type: ignore[arg-type, unused-ignore]
    np.testing.assert_array_equal(log.opened, [[True, False], [False, True]])  # type: ignore[arg-type, unused-ignore]
    assert log.features == ["x_size", "x_size?", "x_colour=red", "x_colour=blue", "x_colour?"]
    expected = [
        [[1.5, 0, 1, 0, 0], [2.5, 0, 0, 1, 0]],
        [[nan, 1, 0, 0, 1], [3.5, 0, 1, 0, 0]],
    ]
    np.testing.assert_array_equal(log.contexts, expected)
    # As a model sees them: what is missing is 0
    third = 1.0 / math.sqrt(2.0 / 3.0)
    sizes = prepared(log.contexts, ~np.isnan(log.costs))[:, :, 0]
    np.testing.assert_allclose(sizes, [[-1.0, 1.0], [0.0, third]])


def test_rounds_keep_their_order_and_their_rows_are_gathered() -> None:
    rounds = ["z", "a", "z", "m", "a"]
    columns = {"round": rounds, "box": list("pqqpp"), "cost": [1.0] * 5, "value": range(5)}
    log = read_log(pa.table(columns))
    assert log.rounds.tolist() == ["z", "a", "m"]
    assert log.boxes == ["p", "q"]
    nan = math.nan
    np.testing.assert_array_equal(log.values, [[0.0, 2.0], [4.0, 1.0], [3.0, nan]])
    assert log.contexts.shape == (3, 2, 0)


@steady
@given(seed=st.integers(0, 1000), cut=st.integers(1, 39))
def test_contexts_do_not_depend_on_later_rounds_or_any_value(seed: int, cut: int) -> None:
    one = _table(seed=seed)
    later = _table(seed=seed + 1).slice(3 * cut)
    other = pa.concat_tables([one.slice(0, 3 * cut), later])
    other = other.set_column(3, "value", pa.array(np.arange(120.0)))
    first, second = read_log(one), read_log(other)
    ready = [prepared(log.contexts, ~np.isnan(log.costs)) for log in (first, second)]
    for mine, others in ((first.contexts, second.contexts), ready):
        for column, name in enumerate(first.features):
            before = mine[:cut, :, column]
            if name in second.features:
                after = others[:cut, :, second.features.index(name)]
            else:
                after = np.zeros_like(before)
            np.testing.assert_array_equal(before, after, err_msg=name)


def test_a_log_goes_on_live() -> None:
    table = _table()
    log = read_log(table)
    half = read_log(table.slice(0, 60))
    assert half.features == log.features
    live = Preparation(len(half.features))
    every = np.arange(3)
    for contexts in half.contexts:
        live.add(Round(contexts=contexts, costs=np.ones(3), outside=0.0, places=every))
    rows = half.encoding.rows(table.slice(60, 3).to_pylist())
    np.testing.assert_array_equal(rows, log.contexts[20])
    ready = live.rows(Round(contexts=rows, costs=np.ones(3), outside=0.0, places=every))
    np.testing.assert_array_equal(ready, prepared(log.contexts, ~np.isnan(log.costs))[20])


def test_contexts_are_in_the_units_of_the_table() -> None:
    table = _table()
    raw = table["x_count"].to_numpy().astype(float).reshape(40, 3, 1)
    np.testing.assert_array_equal(read_log(table, features=["x_count"]).contexts, raw)


BAD = {
    "round": ("", "the round must be given. Got None"),
    "box": ("NA", "the box must be given. Got None"),
    "cost": ("-1", r"the cost must be a finite number >= 0, at most 1e\+50 in size. Got '-1'"),
    "value": ("abc", "the value must be a finite number, .* Got 'abc'"),
    "outside": ("inf", "the outside option must be a finite number, .* Got 'inf'"),
    "opened": ("maybe", "the mark of an opened box must be true or false. Got 'maybe'"),
    "x_size": ("-inf", "the feature must be a finite number, .* Got '-inf'"),
    "x_colour": ('"r\ned"', "the feature must be text without control characters"),
}
MORE_BAD = [
    ("box", '"a\tb"', "the box must be text without control characters"),
    ("box", "b", "the box must be in a round only once, but is twice in round 1. Got 'b'"),
    ("cost", "", "the cost must be a finite number >= 0, .* Got None"),
    ("cost", "nan", "the cost must be a finite number >= 0, .* Got None"),
    ("cost", "inf", "the cost must be a finite number >= 0"),
    ("cost", "1,5", "the row must have 8 fields. Got 9"),
    ("cost", "1_000", "the cost must be a finite number >= 0"),
    ("value", "1e60", "the value must be a finite number"),
    ("value", "inf", "the value must be a finite number"),
    ("outside", "8", "the outside option must be the same in all rows of a round. Got '8'"),
    ("outside", "8", "the outside option must be the same in all rows of a round. Got '8'"),
    ("opened", "", "the mark of an opened box must be true or false. Got None"),
    ("opened", "2", "the mark of an opened box must be true or false. Got '2'"),
    ("x_size", "large", "the feature must be a finite number, .* Got 'large'"),
]
CASES = [*((column, cell, text) for column, (cell, text) in BAD.items()), *MORE_BAD]


@pytest.mark.parametrize(("column", "cell", "text"), CASES)
def test_a_bad_row_is_an_error_with_its_place_or_is_left_out_and_counted(
    tmp_path: Path, column: str, cell: str, text: str
) -> None:
    header, first, second, *rest = GOOD.splitlines()
    cells = dict(zip(header.split(","), second.replace("b,1", "c,1").split(","), strict=True))
    bad = ",".join({**cells, column: cell}.values())
    path = _csv(tmp_path, "\n".join([header, first, second, bad, *rest]))
    place = "" if "the row must" in text else f", column '{column}'"
    with pytest.raises(wz.InvalidFileError, match=rf"log\.csv, row 3{place}: {text}") as error:
        read_log(path)
    assert "\n" not in str(error.value)
    log = read_log(path, skip_bad=True)
    assert log.skipped == 1
    good = read_log(_csv(tmp_path, GOOD, "good.csv"))
    for name in ("contexts", "costs", "values", "outside", "opened"):
        np.testing.assert_array_equal(getattr(log, name), getattr(good, name))
    assert (log.rounds.tolist(), log.boxes, log.features) == ([1, 2], good.boxes, good.features)


def test_the_first_bad_row_is_told_whatever_is_wrong_with_later_ones(tmp_path: Path) -> None:
    text = GOOD + "3,a,1\n3,a,1,1,,1,1,red,more\n3,a,x,1,,1,1,red\n,a,1,1,,1,1,red\n"
    path = _csv(tmp_path, text)
    with pytest.raises(wz.InvalidFileError, match=r"row 5: the row must have 8 fields. Got 3"):
        read_log(path)
    assert read_log(path, skip_bad=True).skipped == 4
    path = _csv(tmp_path, text.replace("2,b,1,2", "2,b,-1,2"))
    with pytest.raises(wz.InvalidFileError, match=r"row 3, column 'cost'.* Got '-1'"):
        read_log(path)
    path = _csv(tmp_path, GOOD + "3,a\n3,a,x,1,,1,1,red\n")
    with pytest.raises(wz.InvalidFileError, match=r"row 5: the row"):
        read_log(path)
    path = _csv(tmp_path, GOOD.replace("1,a,0.5", "1\n1,a,0.5").replace("2,a,0", "2,a,x"))
    with pytest.raises(wz.InvalidFileError, match=r"row 1: the row"):
        read_log(path)


def test_rows_below_ragged_ones_keep_their_numbers(tmp_path: Path) -> None:
    from weitzman.logs.table import Table

    table = Table(name="t", is_file=True, ragged=((1, 3), (3, 2), (4, 9)))
    assert [table.row(place) for place in range(3)] == [2, 5, 6]


def test_bad_rows_of_a_table_are_told_as_such() -> None:
    table = _table()
    costs = table["cost"].to_numpy().copy()
    costs[4] = -0.25
    bad = table.set_column(2, "cost", pa.array(costs))
    with pytest.raises(wz.InvalidInputError, match=r"^table, row 5, column 'cost': .* Got -0.25\."):
        read_log(bad)
    assert not math.isfinite(read_log(bad, skip_bad=True).costs[1, 1])
    nothing = table.set_column(2, "cost", pa.array([-1.0] * 120))
    with pytest.raises(wz.InvalidInputError, match=r"at least one good row. Got '120 bad rows'"):
        read_log(nothing, skip_bad=True)
    dates = table.set_column(7, "x_count", table["x_count"].cast("int32").cast("date32"))
    with pytest.raises(wz.InvalidInputError, match=r"row 1, column 'x_count': the feature must"):
        read_log(dates)
    lists = table.set_column(0, "round", pa.array([[1]] * 120))
    with pytest.raises(wz.InvalidInputError, match="column 'round': the labels must"):
        read_log(lists)


def test_columns_are_found_by_the_names_given(tmp_path: Path) -> None:
    text = GOOD.replace("round,box,cost,value,outside", "day,shop,fare,price,cash")
    names = {"round": "day", "box": "shop", "cost": "fare", "value": "price", "outside": "cash"}
    _same(
        read_log(_csv(tmp_path, text), **names),  # type: ignore[arg-type, unused-ignore]
        read_log(_csv(tmp_path, GOOD, "good.csv")),
    )
    rule = r"the column of the cost must be one of \['day', 'shop', 'fare', .*Got 'cost'"
    with pytest.raises(wz.InvalidFileError, match=rule):
        read_log(_csv(tmp_path, text), round="day", box="shop")
    with pytest.raises(wz.InvalidFileError, match="column of the outside must be one of"):
        read_log(_csv(tmp_path, GOOD), outside="cash")
    with pytest.raises(wz.InvalidFileError, match="the roles must be distinct"):
        read_log(_csv(tmp_path, GOOD), value="cost")
    with pytest.raises(wz.InvalidFileError, match="names of the columns must be distinct"):
        read_log(_csv(tmp_path, GOOD.replace("x_size", "x_colour")))
    log = read_log(_csv(tmp_path, GOOD), outside=None, opened=None)
    assert (log.outside, log.opened) == (None, None)


def test_features_are_chosen(tmp_path: Path) -> None:
    path = _csv(tmp_path, GOOD.replace("x_colour", "colour"))
    assert read_log(path).features == ["x_size", "x_size?"]
    chosen = read_log(path, features=["colour", "cost", "box"])
    assert chosen.features == ["colour=red", "colour=blue", "colour?", "cost", "box=a", "box=b"]
    plain = _csv(tmp_path, GOOD.replace("x_", ""))
    assert len(read_log(plain).features) == 5
    assert read_log(path, features=[]).contexts.shape == (2, 2, 0)
    with pytest.raises(wz.InvalidFileError, match=r"feature must be one of .*Got 'x_other'"):
        read_log(path, features=["x_other"])
    for hidden in ("value", "opened"):
        with pytest.raises(wz.InvalidFileError, match=f"Got '{hidden}'"):
            read_log(path, features=[hidden])
    for wrong in ("x_size", ["x_size", "x_size"]):
        with pytest.raises(wz.InvalidInputError, match="a list of distinct names"):
            read_log(path, features=wrong)


def test_text_with_too_many_levels_is_refused_by_its_column() -> None:
    table = _table()
    column = pa.array([f"text {i}" for i in range(120)])
    rule = r"column 'x_text': the feature must be numbers, or at most 64 different texts.* Got '120"
    with pytest.raises(wz.InvalidInputError, match=rule):
        read_log(table.set_column(8, "x_text", column))


def test_labels_numbers_and_levels_are_read_as_people_write_them(tmp_path: Path) -> None:
    text = """round, box, cost, value, x_a, x_b, x_c
    01, a , 1e-1 , +2, True, 1, 7
    01,b,.5,-2.,FALSE, A,8
    2,a,1.,"3",true,B,
    2,b,1,N/A,,A,9
    """.replace("    ", "")
    log = read_log(_csv(tmp_path, text))
    assert (log.rounds.tolist(), log.boxes) == (["01", "2"], ["a", "b"])
    np.testing.assert_array_equal(log.costs, [[0.1, 0.5], [1.0, 1.0]])
    np.testing.assert_array_equal(log.values, [[2.0, -2.0], [3.0, math.nan]])
    names = ["x_a=true", "x_a=false", "x_a?", "x_b=1", "x_b=A", "x_b=B", "x_c", "x_c?"]
    assert log.features == names
    dates = {"round": pa.array([0, 0, 1]).cast("int32").cast("date32"), "box": [1.0, 2.0, 1.0]}
    dated = read_log(pa.table({**dates, "cost": [1] * 3, "value": [1] * 3}))
    assert (dated.rounds.tolist(), dated.boxes) == (["1970-01-01", "1970-01-02"], ["1", "2"])


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("log.csv", b"round;box\n1;a\n", "with commas between the names, not semicolons. Got"),
        ("none.csv", None, "be a file that can be read. Got 'No such file"),
        ("none.parquet", None, "be a file that can be read. Got 'No such file"),
        ("log.xlsx", b"", "end in .parquet, .pq or .csv"),
        ("log.csv", b"", "hold a header and at least one row"),
        ("log.csv", b"round,box,cost,value", "hold a header and at least one row"),
        ("log.csv", b"round,box,cost,value\n\n", "hold a header and at least one row"),
        ("log.csv", b"round,box,cost,value\n1,\xff,1,1\n", "UTF"),
        ("log.csv", b"round,b\xffx,cost,value\n1,1,1,1\n", "be UTF-8"),
        ("log.parquet", b"PAR1 and more", "be a whole Parquet file"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, content: bytes | None, text: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(wz.InvalidFileError, match=text):
        read_log(path)


def test_what_is_no_table_is_refused() -> None:
    for source in (3, None, [[1, 2]], object()):
        with pytest.raises(wz.InvalidInputError, match="The log must be a Parquet or CSV file"):
            read_log(source)
    with pytest.raises(wz.InvalidInputError, match="'shared' must be"):
        read_log(_table(), shared="yes")  # type: ignore[arg-type]


def _anonymous(rng: np.random.Generator, rounds: int = 100, boxes: int = 4) -> dict[str, Any]:
    """Return rounds in which names say nothing."""
    rows = rounds * boxes
    x = rng.normal(size=rows)
    return {
        "round": np.repeat(np.arange(rounds), boxes),
        "box": np.tile([f"slot{i}" for i in range(boxes)], rounds),
        "cost": rng.uniform(size=rows),
        "value": x + rng.normal(size=rows),
        "x": x,
    }


def test_boxes_whose_names_say_nothing_share_a_model() -> None:
    rng = np.random.default_rng(0)
    table = _anonymous(rng)
    by_box = np.arange(400) % 4
    assert read_log(pa.table(table)).shared
    assert read_log(pa.table(table)).boxes == ["slot0", "slot1", "slot2", "slot3"]
    assert not read_log(pa.table(table), shared=False).shared
    for column in ("cost", "value", "x"):
        told = {**table, column: table[column] + by_box}
        assert not read_log(pa.table(told)).shared, column
        assert read_log(pa.table(told), shared=True).shared
    alike = {**table, "x": np.repeat(rng.normal(size=100), 4)}
    assert not read_log(pa.table(alike)).shared
    assert not read_log(pa.table(_anonymous(rng, rounds=10))).shared
    assert not read_log(pa.table(_anonymous(rng, boxes=1))).shared


def test_boxes_with_a_law_of_their_own_keep_their_names_whatever_their_features() -> None:
    from weitzman.lab.worlds.paper import Signed

    drawn = Signed(boxes=5, dimension=3).draw(rounds=300, rng=0)
    columns: dict[str, Any] = {
        "round": np.repeat(np.arange(300), 5),
        "box": list(range(5)) * 300,
        "cost": np.tile(drawn.costs, 300),
        "value": drawn.values.ravel(),
    }
    contexts = {f"x_{j}": drawn.contexts[:, :, j].ravel() for j in range(3)}
    log = read_log(pa.table({**columns, **contexts}))
    assert (log.shared, log.boxes) == (False, list("01234"))


def test_chance_alone_seldom_hides_that_names_say_nothing() -> None:
    # Stated: one in a thousand for each of two tests. 200 logs then show more than 4 once in 20,000
    hidden = [
        not read_log(pa.table(_anonymous(rng))).shared
        for rng in (np.random.default_rng(seed) for seed in range(1, 201))
    ]
    assert sum(hidden) <= 4


def test_boxes_that_are_new_in_every_round_get_slots() -> None:
    table = pa.table(_anonymous(np.random.default_rng(2), rounds=5, boxes=2))
    table = table.set_column(1, "box", pa.array([f"item {i}" for i in range(10)]))
    table = pa.concat_tables([table, table.slice(0, 1).set_column(0, "round", pa.array([4]))])
    log = read_log(table)
    assert (log.shared, log.boxes) == (True, ["0", "1", "2"])
    assert np.isnan(log.costs).sum(axis=0).tolist() == [0, 0, 4]
    np.testing.assert_array_equal(log.values[:, :2].ravel(), table["value"].to_numpy()[:10])
    assert log.values[4, 2] == log.values[0, 0]
    assert read_log(table, shared=True).boxes == log.boxes
    apart = read_log(table, shared=False)
    assert apart.boxes == [f"item {i}" for i in range(10)]


def test_a_table_that_would_be_nearly_empty_is_refused() -> None:
    rows = 1000
    columns = {"round": range(rows), "box": [f"b{i}" for i in range(rows)]}
    table = pa.table({**columns, "cost": [1.0] * rows, "value": [1.0] * rows})
    assert read_log(table).boxes == ["0"]
    with pytest.raises(wz.InvalidInputError, match=r"fill one place in 100 .*Got '1000 of 1000 ×"):
        read_log(table, shared=False)


def test_a_best_possible_value_is_a_setting_of_the_log(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(GOOD, encoding="utf-8")
    assert read_log(file).least is None
    assert read_log(file, least=1).least == 1.0
    with pytest.raises(wz.InvalidInputError, match=r"row 4, column 'value'.*>= 1.5, the least"):
        read_log(file, least=1.5)
    log = read_log(file, least=1.5, skip_bad=True)
    assert (log.skipped, len(log)) == (1, 2)
    with pytest.raises(
        wz.InvalidInputError, match=r"'least' must be a number of at most 1e\+50 in size, or None"
    ):
        read_log(file, least=math.nan)


CHANCES = """round,box,cost,value,opened,chance
1,a,0.5,3.5,true,
1,b,1,,false,0.05
2,a,0.5,2.0,true,1
2,b,1,7.0,true,0.05
3,a,0.5,1.0,true,1
3,b,1,,false,
"""


def test_chances_are_read_and_an_opened_box_without_one_had_the_chance_1(tmp_path: Path) -> None:
    log = read_log(_csv(tmp_path, CHANCES))
    assert log.chances is not None and log.draws == "round"
    np.testing.assert_array_equal(log.chances, [[1.0, 0.05], [1.0, 0.05], [1.0, np.nan]])
    assert log.columns["chance"] == "chance" and log.features == []
    assert read_log(_csv(tmp_path, CHANCES), chance=None, features=[]).chances is None


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("false,0.05", "false,1.5", "row 2, column 'chance': the chance must be a number from 0 to 1"),
        ("false,0.05", "false,often", "row 2, column 'chance': the chance must be a number from 0 to"),
        ("false,0.05", "false,1", "row 2, column 'chance': the chance must be below 1, as the box was not"),
        ("true,0.05", "true,0", "row 4, column 'chance': the chance must be above 0, as the box was"),
        ("true,1\n2", "true,0.05\n2", None),
        ("1.0,true,1\n3,b,1,,false,", "1.0,true,0.05\n3,b,1,,false,0.05", "row 6, column 'chance'"),
    ],
)  # fmt: skip
def test_a_wrong_chance_is_an_error_with_its_place(
    tmp_path: Path, old: str, new: str, text: str | None
) -> None:
    assert CHANCES.count(old) == 1
    path = _csv(tmp_path, CHANCES.replace(old, new))
    if text is None:
        read_log(path)
        return
    with pytest.raises(wz.InvalidFileError, match=text):
        read_log(path)
    log = read_log(path, skip_bad=True)
    assert log.skipped == 1 and log.chances is not None


def test_with_a_draw_for_each_box_equal_chances_may_differ_in_what_was_opened(
    tmp_path: Path,
) -> None:
    text = CHANCES.replace("1.0,true,1\n3,b,1,,false,", "1.0,true,0.05\n3,b,1,,false,0.05")
    assert read_log(_csv(tmp_path, text), draws="box").draws == "box"
    wrong: Any = "boxes"
    with pytest.raises(wz.InvalidInputError, match="'draws' must be 'round', 'box' or 'one'"):
        read_log(_csv(tmp_path, text), draws=wrong)


def test_a_chance_needs_to_be_told_what_was_opened(tmp_path: Path) -> None:
    path = _csv(tmp_path, CHANCES.replace("opened", "asked").replace("chance", "odds"))
    with pytest.raises(wz.InvalidFileError, match="must stand beside one that says what was op"):
        read_log(path, chance="odds")
    assert read_log(path, opened="asked", chance="odds").chances is not None
    # A column of that name beside no other is like any other
    log = read_log(_csv(tmp_path, CHANCES.replace("opened", "x_asked")))
    assert log.chances is None
