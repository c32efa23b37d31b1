"""Files and tables → labelled rows, and what is wrong with some of them."""

import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gaussbayes.apps.lab import table_reader
from gaussbayes.apps.lab.table_reader import NamedTable
from gaussbayes.apps.lab.training_data import Table
from gaussbayes.apps.lab.wire_format import MessageError

CSV = b"x,y,kind\n1,2.5,a\n2,,b\n3,4,a\n"


CSV_TABLE = pa.table({"x": [1, 2], "y": [2.5, None], "kind": ["a", "b"]})


def feather(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def parquet(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("rows.csv", CSV),
        ("ROWS.CSV", CSV),
        ("rows.csv.gz", gzip.compress(CSV, mtime=0)),
        ("rows.tsv", CSV.replace(b",", b"\t")),
        ("rows.jsonl", b'{"x":1,"y":2.5,"kind":"a"}\n{"x":2,"y":null,"kind":"b"}\n'),
        (
            "rows.parquet",
            parquet(CSV_TABLE),
        ),
        ("rows.feather", feather(CSV_TABLE)),
        ("rows.csv.zst", pa.compress(CSV, codec="zstd", asbytes=True)),
        ("no ending", parquet(CSV_TABLE)),
    ],
)
def test_files_of_every_kind(name: str, body: bytes) -> None:
    found = table_reader.labelled_rows(table_reader.read_file(name, body))
    np.testing.assert_array_equal(found.X[:2], [[1, 2.5], [2, np.nan]])
    assert found.labels[found.codes][:2].tolist() == ["a", "b"]
    assert (found.features, found.target) == (("x", "y"), "kind")
    assert found.columns == ("x", "y", "kind")


@pytest.mark.parametrize(
    "name", ["../../escape.csv", "/tmp/escape.csv", "a\x00b.csv", "-", "*.csv"]
)
def test_the_clients_name_is_no_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "inner"))
    (tmp_path / "inner").mkdir()
    assert table_reader.read_file(name, CSV).table.num_rows == 3
    assert list(tmp_path.rglob("*")) == [tmp_path / "inner"]  # and nothing stays


@pytest.mark.parametrize(
    ("name", "body", "complaint"),
    [
        ("a.csv", b"", "a.csv is empty"),
        ("a.csv", b"x,kind\n", "a.csv has no rows"),
        ("a.csv", b"x,x\n1,2\n", "a.csv"),
        ("a.parquet", b"PAR1 and then nothing", "a.parquet"),
        ("a.parquet", b"\x00\x01", "a.parquet"),
        ("a.parquet", parquet(CSV_TABLE)[:-40], "a.parquet"),
        ("a.json", b'[{"x": 1}]', "a.json is a JSON array"),
        ("a.csv", b"x,kind\ninf,a\n", "row 1, column 'x': 'inf' is not finite. Correct the row$"),
        ("a.csv.gz", gzip.compress(CSV, mtime=0)[:20], "a.csv.gz"),
        ("a.csv", b"x,kind\n" + b"1,a\n" * 200_001, "has more than the 200,000 rows"),
    ],
)
def test_bad_files(name: str, body: bytes, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint) as caught:
        table_reader.labelled_rows(table_reader.read_file(name, body))
    assert "gaussbayes-lab-" not in str(caught.value)


def table(**columns: object) -> pa.Table:
    return pa.table(columns)


@pytest.mark.parametrize(
    ("given", "target", "features", "complaint"),
    [
        (table(x=[1.0], kind=["a"]), "color", None, "there is no column 'color'"),
        (table(x=[1.0], kind=["a"]), "kind", ("z",), "there is no column 'z'"),
        (table(x=[1.0], kind=["a"]), "kind", ("kind",), "cannot be a feature too"),
        (table(x=["u"], kind=["a"]), "kind", None, "no numbers beside 'kind'"),
        (table(x=["u"], kind=["a"]), "kind", ("x",), "not numbers: column 'x'"),
        (table(kind=["a"]), None, None, "no column to learn from"),
        (table(x=[1.0, 2.0], y=[0.5, 1.0]), "y", None, "fractions"),
        (table(x=[1.0], kind=pa.array([None], pa.string())), "kind", None, "no row has a label"),
        (table(x=[1.0, 2.0], kind=["", None]), "kind", None, "no row has a label"),
        (table(x=range(51), kind=range(51)), "kind", None, "51 different values"),
        (table(x=[np.inf], kind=["a"]), "kind", None, "row 1 of column 'x' is infinite"),
        (
            pa.table({**{f"x{j}": [1.0] for j in range(51)}, "kind": ["a"]}),
            "kind",
            tuple(f"x{j}" for j in range(51)),
            "51 columns of numbers, and the lab takes 50",
        ),
        (table(x=[1.0], day=pa.array([1], pa.date32())), "day", None, "classes are text"),
    ],
)
def test_bad_tables(
    given: pa.Table, target: str | None, features: tuple[str, ...] | None, complaint: str
) -> None:
    with pytest.raises(MessageError, match=complaint):
        table_reader.labelled_rows(NamedTable("t", given), target, features)


@pytest.mark.parametrize(
    ("columns", "likely"),
    [
        ({"kind": ["a", "b"] * 2, "x": [1.0, 2.0, 3.0, 4.5]}, "kind"),
        ({"kind": [1, 0] * 2, "x": [1.0, 2.0, 3.0, 4.5]}, "kind"),
        ({"kind": ["a", "b"] * 2, "all": ["same"] * 4, "flag": [True, False] * 2}, "kind"),
        ({"flag": [True, False] * 2, "name": list("uvwx")}, "flag"),
        ({"x": [1.0, 2.5], "name": ["u", "v"]}, "name"),
        ({"number": [1, 2], "x": [1.0, 2.5]}, "x"),
    ],
)
def test_the_likely_target(columns: dict[str, list[object]], likely: str) -> None:
    assert table_reader.likely_target(pa.table(columns)) == likely


def labelled(target: str = "kind", **columns: object) -> Table:
    return table_reader.labelled_rows(NamedTable("t", table(**columns)), target)


def test_what_cannot_be_learnt_from_is_left_out_and_said() -> None:
    wide = {f"x{j}": [1.0, 2.0] for j in range(51)}
    found = labelled(**wide, kind=["a", "b"])
    assert found.features == tuple(wide)[:50]
    assert found.note == "of 51 columns of numbers the first 50 are taken"
    nothing = pa.array([np.nan, None], pa.float64(), from_pandas=False)
    found = labelled(x=[1, 2], y=nothing, z=["", ""], kind=["a", "b"])
    assert found.features == ("x",)
    assert found.note == "left out: 'y', 'z' (no values)"
    assert labelled(x=[1, 2], kind=["a", "b"]).note is None


def test_columns_that_are_not_numbers_are_left_out_and_said() -> None:
    day = pa.array([1, 2], pa.date32())
    found = labelled(name=["u", "v"], x=[1, 2], flag=[True, None], day=day, kind=["a", "b"])
    assert found.features == ("x", "flag")
    np.testing.assert_array_equal(found.X, [[1, 1], [2, np.nan]])
    assert found.note == "left out: 'name', 'day' (not numbers)"


@pytest.mark.parametrize("missing", [None, ""])
def test_rows_without_a_label_are_left_out_and_said(missing: str | None) -> None:
    found = labelled(x=[1, 2, 3, 4], kind=["a", missing, "b", missing])
    np.testing.assert_array_equal(found.X, [[1], [3]])
    assert found.labels[found.codes].tolist() == ["a", "b"]
    assert found.note == "left out: 2 rows without a label in 'kind'"
    found = labelled(x=[1, 2, 3], kind=[7.0, np.nan, 8.0])
    assert found.codes.tolist() == [0, 1]
    assert found.note == "left out: 1 row without a label in 'kind'"


def test_every_column_has_a_role() -> None:
    nothing = pa.nulls(2)
    given = table(
        x=[1, 2], town=["u", "v"], no=nothing, day=pa.array([1, 2], pa.date32()), y=[0, 1]
    )
    roles = table_reader.column_roles(given, "y")
    assert (roles.numbers, roles.categories) == (("x",), ("town",))
    assert (roles.empty, roles.others) == (("no",), ("day",))


def test_integers_and_booleans_are_classes() -> None:
    given = table(x=[1.0, 2.0, 3.0], number=[7, 3, None], flag=[True, False, True])
    numbers = table_reader.labelled_rows(NamedTable("t", given), "number", ("x",))
    assert numbers.labels.tolist() == [3, 7]
    assert numbers.codes.tolist() == [1, 0]
    flags = table_reader.labelled_rows(NamedTable("t", given), "flag", ("x",))
    assert flags.labels[flags.codes].tolist() == [True, False, True]
