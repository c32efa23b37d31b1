"""Files and tables → labelled rows, and what is wrong with some of them."""

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gaussbayes.apps.lab import lab_tables
from gaussbayes.apps.lab.lab_tables import LabTable, NamedTable
from gaussbayes.apps.lab.wire_format import MessageError
from tests.lab.tables import read_bytes

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
    found = lab_tables.labelled_rows(read_bytes(name, body))
    np.testing.assert_array_equal(found.X[:2], [[1, 2.5], [2, np.nan]])
    assert found.labels[found.codes][:2].tolist() == ["a", "b"]
    assert (found.features, found.target) == (("x", "y"), "kind")
    assert found.columns == ("x", "y", "kind")


@pytest.mark.parametrize(
    "name", ["../../escape.csv", "/tmp/escape.csv", "a\x00b.csv", "-", "*.csv"]
)
def test_the_clients_name_is_no_path(name: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    sent = tmp_path / "sent"
    sent.write_bytes(CSV)
    kept = lab_tables.keep_table(tmp_path / "inner", lab_tables.read_file(name, sent))
    assert set(tmp_path.rglob("*")) == {
        sent,
        tmp_path / "inner",
        tmp_path / "inner" / f"{kept['upload']}.arrow",
    }
    assert kept["name"] == name


def test_kept_tables_come_back_as_they_were(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.5, None], "code": pd.Categorical([3, 7]), "y": ["a", "b"]})
    given = NamedTable("a b.csv", pa.Table.from_pandas(frame), "y", frozenset({"code"}))
    key = lab_tables.keep_table(tmp_path, given)["upload"]
    found = lab_tables.kept_table(tmp_path, key)
    assert found is not None
    assert (found.name, found.target, found.categorical) == ("a b.csv", "y", {"code"})
    assert found.table.to_pydict() == given.table.to_pydict()
    for other in ("../" + key, key[:-1], key.upper(), "given", key + "\n", ""):
        assert lab_tables.kept_table(tmp_path, other) is None


def test_the_oldest_tables_go_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_tables, "_MOST_KEPT", 1)
    table = NamedTable("t", CSV_TABLE)
    lab_tables.keep_table(tmp_path, table, lab_tables.GIVEN)
    keys = [lab_tables.keep_table(tmp_path, table)["upload"] for _ in range(2)]
    assert [lab_tables.kept_table(tmp_path, key) is None for key in keys] == [True, False]
    assert lab_tables.kept_table(tmp_path, lab_tables.GIVEN) is not None


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
        ("a.csv", b"x,kind\n1,a\n1,a,b\n", "row 2: .* Correct the row$"),
        ("a.csv.gz", gzip.compress(CSV, mtime=0)[:20], "a.csv.gz"),
        ("a.csv", b"x,kind\n" + b"1,a\n" * 200_001, "has more than the 200,000 rows"),
    ],
)
def test_bad_files(name: str, body: bytes, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint) as caught:
        lab_tables.labelled_rows(read_bytes(name, body))
    assert "gaussbayes-lab-" not in str(caught.value)


def table(**columns: object) -> pa.Table:
    return pa.table(columns)


@pytest.mark.parametrize(
    ("given", "target", "features", "complaint"),
    [
        (table(x=[1.0], kind=["a"]), "color", None, "there is no column 'color'"),
        (table(x=[1.0], kind=["a"]), "kind", ("z",), "there is no column 'z'"),
        (table(x=[1.0], kind=["a"]), "kind", ("kind",), "cannot be a feature too"),
        (
            table(x=["u", "v", "w"], kind=["a", "b", "b"]),
            "kind",
            None,
            r"all are left out, 'x' \(identifies rows\)",
        ),
        (
            table(x=[[1]], kind=["a"]),
            "kind",
            ("x",),
            "not numbers: column 'x'",
        ),
        (
            table(x=[f"v{row}" for row in range(101)], kind=["a", *["b"] * 100]),
            "kind",
            ("x",),
            "101 different values, such as 'v0', and the lab takes 100 categories",
        ),
        (table(kind=["a"]), None, None, "no column to learn from"),
        (table(x=[1.0, 2.0], y=[0.5, 1.0]), "y", None, "fractions"),
        (table(x=[1.0], kind=pa.array([None], pa.string())), "kind", None, "no row has a label"),
        (table(x=[1.0, 2.0], kind=["", None]), "kind", None, "no row has a label"),
        (table(x=range(51), kind=range(51)), "kind", None, "51 different values"),
        (
            table(x=[1e101], kind=["a"]),
            "kind",
            None,
            r"row 1 of column 'x' is 1e\+101; the lab takes",
        ),
        (
            pa.table({**{f"x{j}": [1.0] for j in range(51)}, "kind": ["a"]}),
            "kind",
            tuple(f"x{j}" for j in range(51)),
            "51 columns to learn from, and the lab takes 50",
        ),
        (table(x=[1.0], day=pa.array([1], pa.date32())), "day", None, "classes are strings"),
    ],
)
def test_bad_tables(
    given: pa.Table, target: str | None, features: tuple[str, ...] | None, complaint: str
) -> None:
    with pytest.raises(MessageError, match=complaint):
        lab_tables.labelled_rows(NamedTable("t", given), target, features)


@pytest.mark.parametrize("features", [None, ("x", "z")])
def test_infinite_numbers_are_missing_values(features: tuple[str, ...] | None) -> None:
    """As they are to the command and in Python, and the page says so."""
    rows = [f"{row % 7},{'inf' if row == 3 else row % 5},{'ab'[row % 2]}" for row in range(40)]
    given = read_bytes("rows.csv", "\n".join(["x,z,kind", *rows]).encode())
    opened = lab_tables.labelled_rows(given, None, features)
    assert opened.note == "z: infinite numbers are taken for missing values"
    assert np.argwhere(np.isnan(opened.X)).tolist() == [[3, 1]]


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
    assert lab_tables.likely_target(pa.table(columns)) == likely


def labelled(target: str = "kind", **columns: object) -> LabTable:
    return lab_tables.labelled_rows(NamedTable("t", table(**columns)), target)


def test_what_cannot_be_learnt_from_is_left_out_and_said() -> None:
    wide = {f"x{j}": [1.0, 2.0] for j in range(51)}
    found = labelled(**wide, kind=["a", "b"])
    assert found.features == tuple(wide)[:50]
    assert found.note == "left out: x50 (after the first 50 that can be used)"
    nothing = pa.array([np.nan, None], pa.float64(), from_pandas=False)
    found = labelled(x=[1, 2], y=nothing, z=["", ""], kind=["a", "b"])
    assert found.features == ("x",)
    assert found.note == "left out: y (no values), z (no values)"
    assert labelled(x=[1, 2], kind=["a", "b"]).note is None


def test_columns_that_are_no_features_are_left_out_and_said() -> None:
    found = labelled(
        name=[f"person {row}" for row in range(4)],
        flag=[True, None, True, False],
        day=pa.array([1, 2, 3, 4], pa.date32()),
        at=pa.array([1, 2, 3, 4], pa.timestamp("s")),
        since=["2024-05-31", None, "2024-05-31T12:30", "2024-06-01"],
        until=["31.5.2024", "1/6/24", "12:30", ""],
        both=[[1, 2]] * 4,
        town=["u", "v", "u", "v"],
        kind=["a", "b"] * 2,
    )
    assert (found.features, found.categorical) == (("day", "at", "since"), ("flag", "town"))
    np.testing.assert_array_equal(found.X[:, 0], [0, 1, 2, 3])
    np.testing.assert_allclose(found.X[:, 2], [0, np.nan, 12.5 / 24, 1], rtol=1e-9)
    assert found.note == (
        "left out: name (identifies rows), until (identifies rows), both (holds "
        "List(Int64) values, neither numbers nor categories)"
    )


@pytest.mark.parametrize("missing", [None, ""])
def test_rows_without_a_label_stay(missing: str | None) -> None:
    found = labelled(x=[1, 2, 3, 4], kind=["a", missing, "b", missing])
    np.testing.assert_array_equal(found.X, [[1], [2], [3], [4]])
    assert (found.codes.tolist(), found.labels.tolist()) == ([0, -1, 1, -1], ["a", "b"])
    assert found.note == "2 rows have no label in 'kind', and the model learns from them too"
    found = labelled(x=[1, 2, 3], kind=[7.0, np.nan, 8.0])
    assert found.codes.tolist() == [0, -1, 1]


@pytest.mark.parametrize("missing", [None, ""])
def test_categories(missing: str | None) -> None:
    town = ["u", "v", missing, "u"]
    found = labelled(x=[1, 2, 3, 4], town=town, y=[0.5, None, 1, 2], kind=list("abab"))
    assert (found.features, found.categorical, found.categories) == (
        ("x", "y"),
        ("town",),
        (("u", "v"),),
    )
    assert found.rows.codes.tolist() == [[0], [1], [-2], [0]]
    assert found.encoder.names == ("x", "town", "y")
    alone = labelled(town=["u", "v"] * 3, kind=list("aabbab"))
    assert (alone.features, alone.X.shape, alone.categorical) == ((), (6, 0), ("town",))


def test_the_type_says_that_numbers_are_categories() -> None:
    frame = pd.DataFrame({"x": range(6), "code": pd.Categorical([3, 7] * 3), "y": list("aabbab")})
    for name, body in (
        ("a.parquet", parquet(pa.Table.from_pandas(frame))),
        ("a.arrow", feather(pa.Table.from_pandas(frame))),
    ):
        found = lab_tables.labelled_rows(read_bytes(name, body))
        assert (found.features, found.categorical) == (("x",), ("code",)), name
        assert found.categories == ((3, 7),), name
    many = pd.DataFrame({"code": pd.Categorical([str(row) for row in range(202)])})
    given = pa.Table.from_pandas(
        many.assign(x=[0.5, 1, 2, 1, 2] * 40 + [0, 3], kind=["a", "b"] * 101)
    )
    found = lab_tables.labelled_rows(NamedTable("t", given), "kind")
    assert found.note == "left out: code (202 categories)"


def test_integers_and_booleans_are_classes() -> None:
    given = table(x=[1.0, 2.0, 3.0], number=[7, 3, None], flag=[True, False, True])
    numbers = lab_tables.labelled_rows(NamedTable("t", given), "number", ("x",))
    assert numbers.labels.tolist() == [3, 7]
    assert numbers.codes.tolist() == [1, 0, -1]
    flags = lab_tables.labelled_rows(NamedTable("t", given), "flag", ("x",))
    assert flags.labels[flags.codes].tolist() == [True, False, True]
