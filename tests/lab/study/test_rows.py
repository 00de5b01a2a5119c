"""Rows: written and read bit for bit, whole or not at all."""

import math
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import weitzman as wz
from weitzman.lab.study.rows import Row, join_files, read_rows, table_of, write_rows

ROW = Row(
    world="signed",
    feedback="opened",
    searcher="ω 'quoted'",
    seed=3,
    rounds=300,
    round=17,
    total=0.1 + 0.2,
    expected_total=math.nan,
    regret=-1e-300,
    expected_regret=1e300,
    opened=2**40,
    paid=17.0,
    certificate=5e-324,
)


def test_rows_come_back_bit_for_bit(tmp_path: Path) -> None:
    rows = [ROW, replace(ROW, seed=4)]
    write_rows(tmp_path / "a.parquet", rows)
    table = read_rows(tmp_path / "a.parquet")
    assert list(table) == list(asdict(ROW))
    for name, column in table_of(rows).items():
        assert table[name].dtype.kind == column.dtype.kind
        np.testing.assert_array_equal(table[name], column)
    assert [p.name for p in tmp_path.iterdir()] == ["a.parquet"]


def test_files_are_joined_in_their_order(tmp_path: Path) -> None:
    for seed in (2, 0, 1):
        write_rows(tmp_path / f"{seed}.parquet", [replace(ROW, seed=seed)])
    out = tmp_path / "rows.parquet"
    join_files([tmp_path / f"{seed}.parquet" for seed in (0, 1, 2)], out)
    assert read_rows(tmp_path)["seed"].tolist() == [0, 1, 2]


def test_a_cut_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_rows(path, [ROW])
    for size in (0, 3, 100, path.stat().st_size - 1):
        cut = tmp_path / "cut.parquet"
        cut.write_bytes(path.read_bytes()[:size])
        with pytest.raises(wz.InvalidFileError, match=r"cut\.parquet' must be"):
            read_rows(cut)
    with pytest.raises(wz.InvalidFileError, match=r"none\.parquet' must be readable"):
        read_rows(tmp_path / "none.parquet")


def test_other_columns_are_refused(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"x": [1]}), tmp_path / "x.parquet")
    with pytest.raises(wz.InvalidFileError, match=r"must have the columns \['world', "):
        read_rows(tmp_path / "x.parquet")


def test_without_pyarrow_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from weitzman.lab.study.rows import read_rows\n"
        "try: read_rows('x.parquet')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("WeitzmanError Rows need pyarrow.")
    assert "pip install 'weitzman[lab]'" in run.stdout
