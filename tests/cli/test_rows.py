"""Files of every kind are read, or refused with what to do."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.cli.rows import labelled, listed, read_file
from gaussbayes.errors import DataError, SchemaError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def text(content: str | bytes, name: str = "rows.csv") -> Path:
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path: Path, target: str = "y", features: list[str] | None = None) -> str:
    with pytest.raises(DataError) as caught:
        labelled(path, read_file(path), target, features)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", "a,b,y\n1,2.5,no\n3,4,yes\n"),
        ("rows.CSV", "\ufeffa,b,y\r\n1,2.5,no\r\n3,4,yes\r\n"),
        ("rows.tsv", "a\tb\ty\n1\t2.5\tno\n3\t4\tyes"),
        ("rows.tab", 'a\t"b"\ty\n1\t"2.5"\tno\n\n3\t4\tyes\n'),
    ],
)
def test_text_files(name: str, content: str) -> None:
    path = text(content, name)
    rows = labelled(path, read_file(path), "y")
    assert rows.features.to_pydict() == {"a": [1.0, 3.0], "b": [2.5, 4.0]}
    assert rows.labels.tolist() == ["no", "yes"]


def test_parquet_files_of_other_types() -> None:
    columns = {
        "small": pa.array([1, 2], pa.int8()),
        "true": pa.array([True, False]),
        "money": pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)),
        "single": pa.array([0.5, 1.5], pa.float32()),
        "y": pa.array(["no", "yes"]).dictionary_encode(),
    }
    path = Path("rows.parquet")
    parquet.write_table(pa.table(columns), path)
    rows = labelled(path, read_file(path), "y")
    assert rows.features.to_pydict() == {
        "small": [1.0, 2.0],
        "true": [1.0, 0.0],
        "money": [1.5, 2.25],
        "single": [0.5, 1.5],
    }
    assert rows.labels.tolist() == ["no", "yes"]


def test_chosen_features_keep_their_order() -> None:
    path = text("a,b,name,y\n1,2,x,0\n3,4,z,1\n")
    rows = labelled(path, read_file(path), "y", ["b", "a"])
    assert rows.features.column_names == ["b", "a"]
    assert rows.labels.dtype == np.int64


def test_quoted_newlines_are_part_of_a_label() -> None:
    path = text('a,y\n1,"two\nlines"\n2,one\n')
    assert labelled(path, read_file(path), "y").labels.tolist() == ["two\nlines", "one"]


def test_test_rows_have_the_types_of_the_training_rows() -> None:
    training, test = text("a,y\n1,1\n2,x\n"), text("a,y\n1,1\n2,1\n", "test.csv")
    known = read_file(training)
    assert labelled(test, read_file(test), "y", like=known).labels.tolist() == ["1", "1"]
    with pytest.raises(SchemaError, match="'y' holds string values, but int64 are expected"):
        labelled(training, known, "y", like=read_file(test))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "rows.csv is empty"),
        ("a,y\n", "has columns ('a', 'y') but no rows"),
        ("a,a,y\n1,2,x\n", "several columns are called 'a'"),
        (",a,y\n0,1,x\n", "column 1 has no name; is it a row number?"),
        ("a;b;y\n1;2;x\n", "it seems to be separated by ';'"),
        ("a\ty\n1\tx\n", "rename it to .tsv"),
        ("a,b,y\n1,2\n", "cannot be read: CSV parse error: Expected 3 columns, got 2"),
        ("a,Y\n1,x\n", "no column 'y'; its columns are 'a', 'Y'"),
        ("y\nx\n", "besides the target 'y' at least one column must be a feature"),
        ("a,y\n1,\n2,x\n", "1 value is missing in column 'y', the first in row 1 of 2"),
        ("a,y\n1,x\n,x\nNaN,z\n", "2 values are missing in column 'a', the first in row 2 of 3"),
        ("a,y\n1,1\n2,\n", "1 value is missing in column 'y'"),
        ("a,y\n1,x\nmany,x\n", "no numbers but string in column 'a', for example '1'"),
        ("a,b,y\n2,2020-01-01,x\n", "date32[day] in column 'b', for example '2020-01-01'"),
        ("a,b,c,y\n2,x,z,1\n", "and in 'c'. Leave such columns out with --features 'a'"),
        ("a,y\n1,0.5\n", "'y' holds double values such as 0.5, but classes are expected"),
        ("a,y\n1,2020-01-01\n", "'y' holds date32[day] values such as 2020-01-01"),
        (b"a,y\n1,\xff\n", "'y' holds binary values"),
        (b"\xff,y\n1,x\n", "cannot be read"),
    ],
)
def test_what_cannot_be_used(content: str | bytes, message: str) -> None:
    assert message in refused(text(content))


def test_what_a_person_probably_meant() -> None:
    path = text("length,width,species\n1,2,x\n")
    assert "no column 'specis' (did you mean 'species'?)" in refused(path, "specis")
    assert "(did you mean 'width'?)" in refused(path, "species", ["widht"])
    assert "must be a feature" in refused(path, "species", ["species"])


def test_other_files() -> None:
    assert "known are .csv, .parquet, .pq, .tab, .tsv" in refused(text("a", "rows.xlsx"))
    assert "broken.parquet cannot be read" in refused(text("a" * 100, "broken.parquet"))


def test_a_damaged_file_is_refused_or_read() -> None:
    whole = Path("whole.parquet")
    parquet.write_table(pa.table({"a": [1.5, 2.5], "y": ["x", "z"]}), whole)
    content = whole.read_bytes()
    for length in range(len(content)):
        with pytest.raises(DataError):
            read_file(text(content[:length], "part.parquet"))
    for at in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        with suppress(DataError):
            read_file(text(bytes(damaged), "damaged.parquet"))


def test_long_lists_of_columns_are_cut() -> None:
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed([str(i) for i in range(25)]).endswith("'19' and 5 more")
