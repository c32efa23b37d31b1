"""`read`: rows in order, types that are held, names and encodings, pipes, and threads that end."""

import bz2
import io
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import Columns, DataError, GaussianClassifier, read
from gaussbayes.data.readers import text
from tests.data.tables import FORMATS, TARGET, TEXT, fitted, in_file, make_table, small, weather


def readers() -> list[str]:
    """The threads that read ahead and are still there."""
    return [each.name for each in threading.enumerate() if each.name == "gaussbayes reader"]


def assert_no_readers() -> None:
    deadline = monotonic() + 300
    while readers() and monotonic() < deadline:
        sleep(0.01)
    assert readers() == []


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", FORMATS)
def test_batches_are_the_rows_in_order(ending: str, tmp_path: Path) -> None:
    table = make_table(400)
    for number in range(2):
        in_file(ending, table.slice(number * 200, 200), tmp_path, str(number))
    source = read(tmp_path)
    assert source.names == tuple(table.column_names)
    assert str(source) == "2 files"
    assert source.notices == ()
    batches = list(source.batches())
    assert len(batches) > 2 or ending == ".parquet.gz"
    assert {batch.schema for batch in batches} == {table.schema}
    assert pa.concat_tables(batches).equals(table)
    assert source.table().equals(table)
    next(source.batches())
    assert_no_readers()


def test_every_kind_of_source_has_names_batches_and_a_preview(tmp_path: Path) -> None:
    table = make_table(60)
    (tmp_path / "empty.csv").write_text("height,width,age,kind\n")
    in_file(".csv", table, tmp_path, "rows")
    sources: list[Any] = [
        tmp_path / "rows.csv",
        [tmp_path / "empty.csv", tmp_path / "rows.csv", tmp_path / "empty.csv"],
        pl.from_arrow(table).lazy(),  # type: ignore[union-attr]
        duckdb.connect().from_arrow(table),
        dd.from_pandas(table.to_pandas(), npartitions=3),
    ]
    expected = fitted(table.to_pandas()).columns_
    for given in sources:
        source = read(given)
        assert source.names == tuple(table.column_names)
        assert sum(batch.num_rows for batch in source.batches()) == 60
        assert source.table().to_pandas().to_numpy().tolist() == (
            table.to_pandas().to_numpy().tolist()
        )
        assert source.columns(TARGET) == expected
        excluded = source.columns(TARGET, Columns(exclude=["a*"]))
        assert [(column.name, column.kind) for column in excluded] == [
            ("height", "number"),
            ("width", "number"),
            ("age", "excluded"),
        ]
    assert read(tmp_path / "empty.csv").table().num_rows == 0
    assert repr(read("a.csv", bad_rows="skip")) == "read('a.csv', bad_rows='skip')"
    assert pickle.loads(pickle.dumps(read("a.csv", header=False))).header is False


def test_strings_are_passed_on_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "id,when,flag,empty,note,number\n007,2020-01-01,true,,NA,1\n008,2020-02-30,false,,x,2\n"
    )
    assert read(tmp_path / "a.csv").table().to_pydict() == {
        "id": ["007", "008"],
        "when": ["2020-01-01", "2020-02-30"],
        "flag": [True, False],
        "empty": ["", ""],
        "note": ["NA", "x"],
        "number": [1, 2],
    }


def test_batches_may_have_the_types_of_a_model(tmp_path: Path) -> None:
    model = fitted(
        pd.DataFrame({"c": list("1212"), "x": [1.0, 2, 3, 5], "y": list("uvuv")}),
        "y",
        na_values=["none"],
    )
    (tmp_path / "a.csv").write_text("id,c,x\n1,1,none\n2,2,5\n")
    (batch,) = read(tmp_path / "a.csv").batches(model.columns_)
    assert batch.to_pydict() == {"id": [1, 2], "c": ["1", "2"], "x": [None, 5.0]}
    assert model.predict(batch.drop_columns(["id"])).tolist() == ["u", "v"]
    with pytest.raises(DataError, match="the model has no column 'id'"):
        model.predict(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("c,x\n1,2\n2,far\n")
    with pytest.raises(DataError, match="b.csv, row 2, column 'x': 'far' is not a number"):
        model.predict(tmp_path / "b.csv")
    assert model.predict(read(tmp_path / "b.csv", bad_rows="skip")).tolist() == ["u"]


# Encodings and headers.


@pytest.mark.parametrize("encoding", [None, "cp1252", "latin-1"])
def test_text_that_is_not_utf_8(encoding: str | None, tmp_path: Path) -> None:
    lines = "größe,ort,y\n1.5,Köln,u\n2,Graz,v\n2.5,Köln,u\n1,Graz,v\n"
    (tmp_path / "a.csv").write_bytes(lines.encode("cp1252"))
    source = read(tmp_path / "a.csv", encoding=encoding)
    assert source.names == ("größe", "ort", "y")
    assert source.table()["ort"].to_pylist()[0] == "Köln"
    model = small(source, categorical=["ort"])
    kinds = [notice.kind for notice in model.notices_]
    assert kinds == (["encoding"] if encoding is None else [])
    (tmp_path / "u.csv").write_text(lines, encoding="utf-8")
    assert model.predict(tmp_path / "u.csv").tolist() == model.predict(source).tolist()
    (tmp_path / "w.csv").write_bytes(lines.encode("utf-16"))
    assert read(tmp_path / "w.csv").table().equals(read(tmp_path / "u.csv").table())
    with pytest.raises(DataError, match="cannot read .*u.csv: 'ascii' codec can't decode"):
        read(tmp_path / "u.csv", encoding="ascii").table()


def test_damaged_utf_8_is_refused_with_advice_that_works(tmp_path: Path) -> None:
    lines = ["ä,y"] + ["ü,u", "ö,v"] * 9
    (tmp_path / "a.csv").write_bytes("\n".join(lines).encode() + b"\n\xff,v\n")
    with pytest.raises(DataError, match=r"not UTF-8 text, for example at .*xff.*latin-1"):
        read(tmp_path / "a.csv").table()
    assert read(tmp_path / "a.csv", encoding="latin-1").table().num_rows == 19


def test_a_file_that_is_latin_1_far_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    lines = [f"{n % 7},{'uv'[n % 2]}" for n in range(60)] + ["3,Köln", "4,Köln"]
    (tmp_path / "a.csv").write_bytes(("x,y\n" + "\n".join(lines) + "\n").encode("latin-1"))
    model = small(tmp_path / "a.csv")
    assert model.classes_.tolist() == ["Köln", "u", "v"]
    assert "is not UTF-8 and was read as cp1252" in model.notices_[0].message


def test_bzip2(tmp_path: Path) -> None:
    packed = bz2.compress(b"x,y\n1,u\n2,v\n4,u\n")
    for name in ("a.csv.bz2", "b.csv"):
        (tmp_path / name).write_bytes(packed)
        assert read(tmp_path / name).table()["x"].to_pylist() == [1, 2, 4]
    (tmp_path / "c.csv.bz2").write_bytes(packed[:-9])
    with pytest.raises(DataError, match="c.csv.bz2"):
        read(tmp_path / "c.csv.bz2").table()


def test_names_are_stripped_and_distinct(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(" x,,x,y\n1,7,3,u\n2,6,5,v\n4,1,2,u\n")
    source = read(tmp_path / "a.csv")
    assert source.names == ("x", "Unnamed: 1", "x.1", "y")
    (notice,) = source.notices
    assert notice.kind == "renamed columns"
    assert "without a name were named Unnamed: 1, x.1" in notice.message
    assert small(source, features=["x", "x.1"]).notices_ == (notice,)
    pd.DataFrame({"x": [1, 2, 4], "z": [7, 6, 1], "y": list("uvu")}).to_parquet(tmp_path / "b.pq")
    for name, names in (("a.csv", ["a", "b", "c", "y"]), ("b.pq", ["a", "b", "y"])):
        model = small(tmp_path / name, names=names)
        assert model.feature_names_in_.tolist() == names[:-1]
        assert not model.notices_
        with pytest.raises(DataError, match="names has more than one column called 'a'"):
            small(tmp_path / name, names=["a", "a", *names[2:]])


def test_files_without_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,7,u\n2,6,v\n4,1,u\n")
    source = read(tmp_path / "a.csv", header=False)
    assert source.names == ("x1", "x2", "x3")
    columns = Columns(names=["size", "mass", "kind"])
    model = GaussianClassifier("diagonal", shared=True, columns=columns).fit(source, "kind")
    assert model.feature_names_in_.tolist() == ["size", "mass"]
    assert model.predict(source).tolist() == model.predict([[1, 7], [2, 6], [4, 1]]).tolist()
    with pytest.raises(DataError, match="a.csv has 3 columns, but 2 names are given"):
        GaussianClassifier(columns=Columns(names=["size", "mass"])).fit(source, "mass")


def test_the_format_may_be_given(tmp_path: Path) -> None:
    TEXT[".tsv"](make_table(5), tmp_path / "rows.data")
    assert read(tmp_path / "rows.data", format="tsv").names[-1] == TARGET


# Pipes.


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".csv.zst", ".parquet", ".arrows"])
def test_standard_input(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 1000)
    path = in_file(ending, make_table(200), tmp_path)
    with path.open("rb") as rows, io.TextIOWrapper(rows) as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        model = GaussianClassifier().fit("-", "kind")
    assert model.model_.statistics is not None
    assert model.model_.statistics.weight.sum() == 200
    assert model.classes_.tolist() == ["ash", "beech", "oak"]


def test_a_pipe_can_be_read_again() -> None:
    program = """
from gaussbayes import read
source = read("-")
print(source.names, source)
print([sum(batch.num_rows for batch in source.batches()) for _ in range(2)])
"""
    rows = b"a,b\n" + b"1,x\n" * 150
    done = subprocess.run(
        [sys.executable, "-c", program], input=rows, capture_output=True, check=False
    )
    assert done.stdout == b"('a', 'b') standard input\n[150, 150]\n"


def test_ctrl_c_while_a_pipe_says_nothing() -> None:
    program = """
from gaussbayes import read
try:
    print("waiting", flush=True)
    read("-").names
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == b"interrupted\n"


@pytest.mark.usefixtures("small_batches")
def test_the_proportion_of_bytes_that_was_read(tmp_path: Path) -> None:
    for ending in TEXT:
        (tmp_path / ending).mkdir()
        for number in range(2):
            in_file(ending, weather(300, seed=number), tmp_path / ending, str(number))
        opened = read(tmp_path / ending).opened()
        shares = [opened.proportion_read() or 0.0 for _ in opened.tables()]
        assert shares == sorted(shares)
        assert 0.0 < shares[0] < 0.6  # the first of two files is about half of them
        assert shares[-1] == 1.0
