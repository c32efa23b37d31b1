"""Files that are not as they should be: what is said about them, and what is read all the same."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from gaussbayes import DataError, OptionError, read
from gaussbayes.data.readers import text
from tests.data.tables import n_rows, small

GOOD = "a,b,y\n1,2,u\n3,5,v\n4,4,u\n"
ZIPPED = gzip.compress(GOOD.encode(), mtime=0)
ZIPPED_APART = b"".join(gzip.compress(part.encode(), mtime=0) for part in (GOOD[:14], GOOD[14:]))
MEANS = [[2.5, 3.0], [3.0, 5.0]]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def table_file(folder: Path, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", GOOD),
        ("without line end.csv", GOOD.rstrip()),
        ("bom.csv", "\ufeff" + GOOD),
        ("crlf.csv", GOOD.replace("\n", "\r\n")),
        ("cr.csv", GOOD.replace("\n", "\r")),
        ("unpacked.csv.gz", GOOD),
        ("blank lines.csv", "\n\n" + GOOD.replace("\n", "\n\n")),
        ("quotes.csv", GOOD.replace("u", '"u"').replace("3", '"3"')),
        ("spaces.csv", " a,b , y\n 1 , 2 ,u\n3 ,5,v\n 4,4,u\n"),
        ("semicolons.csv", GOOD.replace(",", ";")),
        ("bars.csv", GOOD.replace(",", "|")),
        ("tabs.csv", GOOD.replace(",", "\t")),
        ("tabs.tsv", GOOD.replace(",", "\t")),
        ("commas.csv", "a;b;y\n1,0;2;u\n3;5,0;v\n4;4;u\n"),
        ("unknown.txt", GOOD),
        ("UPPER.CSV", GOOD),
        ("utf-16.csv", GOOD.encode("utf-16")),
        ("named csv.csv", ZIPPED),
        ("two members.csv.gz", ZIPPED_APART),
        ("lines.json", '{"a":1,"b":2,"y":"u"}\n{"y":"v","b":5,"a":3}\n\n{"a":4,"b":4,"y":"u"}'),
    ],
)
def test_what_is_unusual_but_clear_is_read(name: str, content: str | bytes, tmp_path: Path) -> None:
    model = small(write(tmp_path, name, content))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.classes_.tolist() == ["u", "v"]
    assert model.means_.tolist() == MEANS
    assert model.notices_ == ()


def test_names_and_values_that_are_unusual(tmp_path: Path) -> None:
    quoted = write(tmp_path, "a.csv", 'x,"the\nlabel"\n1,"u\nw"\n2,"say ""v"""\n3,"u\nw"\n')
    assert small(quoted, "the\nlabel").classes_.tolist() == ['say "v"', "u\nw"]
    numbers = write(tmp_path, "b.csv", GOOD.replace("a,b,y", "0,1,y"))
    assert small(numbers).means_.tolist() == MEANS
    commas = write(tmp_path, "c.csv", "a;b;y\n1,5;2;u\n-3,25e1;4;v\n,5;1;u\n")
    assert small(commas).means_.tolist() == [[1.0, 1.5], [-32.5, 4.0]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", "\n \n\n", "a.csv is empty"),
        ("a.csv", "a,b,y\n", "no rows to fit to"),
        ("a.csv", "5.1,3.5,y\n4.9,3.0,u\n", "looks like a row.*header=False"),
        ("a.csv", "7,5,y\n4,3,u\n", "looks like a row of data"),
        ("a.csv", "a,Y\n1,u\n", r"no column 'y' \(did you mean 'Y'\?\); the columns are 'a', 'Y'"),
        ("a.csv", "y\nu\n", "no column to use besides 'y'"),
        ("a.csv", "a;b;y\n1,5;2.5;u\n", "comma, and others with a point .column 'b'"),
        ("a.csv", "a;y\n1,500;u\n2,250;v\n", "could be thousands"),
        ("a.csv", "a,y\njoe,u\njim,v\njan,v\n", r"no column is left.*'a' \(identifies rows\)"),
        ("a.csv", "a,b,y\n1,2,u\nx,3,v\n4,5,u\n", r"a.csv: not all.*'a' \('x', first in row 2\)"),
        ("a.csv", "a,b,y\n1,2,u\n3,v\n", "a.csv, row 2: has 2 values, but there are 3 columns"),
        ("a.csv", "a,b,y\n1,2,u\n3,4,v,5\n", "row 2: has 4 values"),
        ("a.csv", "a,y\n1,1.5\n2,2\n3,3\n", "row 1, column 'y': '1.5' is not a class"),
        ("a.csv", b"a,y\n1,u\n2,v\n3,w,\xff\n", "row 3: has 3 values, but there are 2"),
        ("a.csv", 'a,y\n1,"u\n2,v\n', "ends inside quotation marks"),
        ("a.csv", "a,y\n1e200,u\n-1e200,u\n0,v\n", "a.csv: values up to 1e.200 are too large"),
        ("a.csv", b"PAR1\0\0\0\0", "is not a Parquet file, or it breaks off"),
        ("a.xlsx", b"PK\x03\x04\0\0\0\0", "is not text.*known formats are .csv"),
        ("a.csv.gz", ZIPPED[:-3], "breaks off in the middle"),
        ("a.csv.gz", ZIPPED + b"rubbish", "damaged"),
        ("a.parquet", "hello", "is not a Parquet file"),
        ("a.parquet", "", "is not a Parquet file"),
        ("a.arrow", "hello there, this is text", "is not an Arrow file"),
        ("a.feather", b"FEA1\0\0\0\0", "is an old Feather file"),
        ("a.jsonl", "", "has no rows: each line must be an object"),
        ("a.jsonl", '[{"a": 1, "y": "u"}]', "JSON array.*jq"),
        ("a.jsonl", '{"a": 1, "y": "u"}\n{"a": 2\n', "row 2: is not JSON"),
        ("a.jsonl", '{"a": 1, "y": "u"}\n[2]\n', r"row 2: is not an object: \[2\]"),
    ],
)
def test_what_is_said_about_bad_files(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=f"(?s){message}"):
        small(write(tmp_path, name, content))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0, float("inf"), 3.0]}, "row 2, column 'x': 'inf' is not finite.*na_values"),
        ({"x": pa.array([[1], [2], [3]])}, "column 'x' holds list<.*> values, but numbers"),
        ({"x": [1.0, 2.0, 3.0], "y": pa.array([1, 2, 2], pa.date32())}, "target 'y' holds date32"),
        ({"x": [1.0, 2.0, 3.0], "w": [1.0, None, 1.0]}, "a.parquet, row 2, column 'w'"),
        ({"x": [1.0, 2.0, 3.0], "w": [1.0, float("nan"), 1.0]}, "a.parquet, row 2, column 'w'"),
        ({"x": [1.0, 2.0, 3.0], "w": [1.0, -1.0, 1.0]}, "row 2, column 'w': '-1.0' is negative"),
        ({"x": [1.0, 2.0, 3.0], "w": [0.0, 0.0, 0.0]}, "weights in column 'w' are all zero"),
    ],
)
def test_bad_values_in_parquet(columns: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = table_file(tmp_path, **({"y": ["u", "v", "u"]} | columns))
    weights = "w" if "w" in columns else None
    with pytest.raises(DataError, match=message):
        small(path, "y", weights, features=["x"])


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.arrows"])
def test_columns_without_a_name_of_their_own(name: str, tmp_path: Path) -> None:
    columns = [[1.0, 2.0, 4.0], [3.0, 5.0, 8.0], [0.5, 1.0, 5.5], ["u", "v", "u"]]
    table = pa.Table.from_arrays([*map(pa.array, columns)], names=["a", "a", "", "y"])
    if name == "a.parquet":
        parquet.write_table(table, tmp_path / name)
    else:
        new = ipc.new_stream if name == "a.arrows" else ipc.new_file
        with new(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
    model = small(tmp_path / name, features=["a", "a.1", "Unnamed: 2"])
    assert model.feature_names_in_.tolist() == ["a", "a.1", "Unnamed: 2"]
    assert model.means_.tolist() == [[2.5, 5.5, 3.0], [2.0, 5.0, 1.0]]
    assert "were named a.1, Unnamed: 2" in model.notices_[0].message
    assert small(tmp_path / name, features=["a.1"]).means_.tolist() == [[5.5], [5.0]]


def test_files_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, message in (
        (tmp_path / "none.csv", "cannot read .*none.csv: there is no such file"),
        (f"{tmp_path}/*.csv", "no file matches"),
        (tmp_path, "no data files in the folder .*, it is empty; known are"),
    ):
        with pytest.raises(DataError, match=message):
            small(source)
    write(tmp_path, "notes.doc", "hello")
    with pytest.raises(DataError, match=r"only 'notes.doc'; known are \.csv"):
        small(tmp_path)
    for source, how, message in (
        (5, {}, "source must be paths, a lazy frame, a relation, or a Dask or Spark frame, got in"),
        ([], {}, "source must be paths"),
        ([[1.0]], {}, "give rows in memory as they are"),
        (tmp_path, {"format": "excel"}, "format must be None, 'csv', 'tsv'.*got 'excel'"),
        (tmp_path, {"bad_rows": "drop"}, "bad_rows must be 'error' or 'skip', got 'drop'"),
        (tmp_path, {"header": 1}, "header must be True or False, got 1"),
        (tmp_path, {"encoding": "utf-9"}, "encoding must be the name of an encoding"),
    ):
        with pytest.raises(OptionError, match=message):
            read(source, **how)
    for device, message in (("/dev/zero", "is not text"), ("/dev/null", "is empty")):
        with pytest.raises(DataError, match=f"{device} {message}"):
            small(device)
    path = write(tmp_path, "a.csv", GOOD)

    def refuse(*_: object) -> None:  # the administrator may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("gaussbayes.data.files.io.FileIO", refuse)
    with pytest.raises(DataError, match=r"cannot read .*a\.csv: no permission"):
        small(path)


def test_files_in_a_folder_with_other_columns(tmp_path: Path) -> None:
    write(tmp_path, "1.csv", GOOD)
    write(tmp_path, "2.csv", "a,c,y\n1,2,u\n")
    with pytest.raises(DataError, match=r"2.csv has no column 'b', unlike .* has 'c' besides"):
        small(tmp_path)
    write(tmp_path, "2.csv", "more,y,b,a\n0,v,5,3\n")
    assert n_rows(small(tmp_path)) == 4


def test_bad_rows_are_skipped_counted_and_named(tmp_path: Path) -> None:
    lines = ["1,2,u", "x,2,u", "3,5,v", "4", "5,,u", "4,4,u", "1,2,", "inf,1,u", "1,2,3,4"]
    write(tmp_path, "1.csv", "a,b,y\n" + "\n".join(lines) + "\n")
    write(tmp_path, "2.csv", GOOD + "nan,1,u\n")
    model = small(tmp_path, reading={"bad_rows": "skip"}, numeric=["a", "b"])
    assert n_rows(model) == 8
    (notice,) = [notice for notice in model.notices_ if notice.kind == "skipped rows"]
    assert notice.message.startswith("4 rows skipped: ")
    for row in (
        "1.csv, row 2, column 'a': 'x' is not a number",
        "1.csv, row 4: has 1 value, but there are 3 columns",
        "1.csv, row 8, column 'a': 'inf' is not finite",
        "1.csv, row 9: has 4 values, but there are 3 columns",
    ):
        assert row in notice.message
    path = write(tmp_path, "a.csv", "a,y\n1\n2\n")
    with pytest.raises(DataError, match="no rows to fit to; all 2 are bad, the first: .* row"):
        small(path, reading={"bad_rows": "skip"}, numeric=["a"])


@pytest.mark.parametrize(
    ("start", "later", "problem"),
    [
        ("1", "2.5x", "is not an integer, as the values at the start of the column are"),
        ("1", "2.5", "is not an integer, as the values at the start of the column are"),
        ("true", "maybe", "is not true or false, as the values at the start of the column are"),
        ("1.5", "high", "is not a number"),
    ],
)
def test_types_are_held_from_the_first_block_on(
    start: str, later: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    rows = [f"{n},{start}" for n in range(50)]
    rows[40] = f"40,{later}"
    path = write(tmp_path, "a.csv", "id,value\n" + "\n".join(rows) + "\n")
    with pytest.raises(DataError, match=f"a.csv, row 41, column 'value': '{later}' {problem}"):
        read(path).table()
    kept = read(path, bad_rows="skip").table()["id"].to_pylist()
    assert kept == [*range(40), *range(41, 50)]


def test_the_first_bad_row_is_named_whichever_thread_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    rows = [f"{n % 99},{n % 7},{'uv'[n % 2]}" for n in range(2000)]
    for bad in (300, 301, 777, 1500):
        rows[bad] = "1,u"
    path = write(tmp_path, "a.csv", "a,b,y\n" + "\n".join(rows) + "\n")
    for n_jobs in (1, 2, 4):
        with pytest.raises(DataError, match="row 301: has 2 values"):
            small(path, n_jobs=n_jobs)
        model = small(path, reading={"bad_rows": "skip"}, n_jobs=n_jobs)
        assert n_rows(model) == 1996
        rows_named = [f"row {bad + 1}:" in model.notices_[0].message for bad in (300, 301, 777)]
        assert all(rows_named)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_counts_far_down_a_file(ending: str, tmp_path: Path) -> None:
    from gaussbayes import GaussianClassifier

    visits = [n % 7.0 for n in range(1500)]
    visits[1234] = 2.5
    table = pa.table({"visits": visits, "y": ["u", "v"] * 750})
    path = tmp_path / f"a{ending}"
    table.to_pandas().to_csv(path, index=False) if ending == ".csv" else parquet.write_table(
        table, path
    )
    model = GaussianClassifier(families={"visits": "poisson"})
    named = f"a{ending}, row 1235, column 'visits': '2.5' is not a count"
    with pytest.raises(DataError, match=named):
        model.fit(path, "y")
    model.fit(read(path, bad_rows="skip"), "y")
    assert n_rows(model) == 1499
    assert model.columns_["visits"].kind == "count"
