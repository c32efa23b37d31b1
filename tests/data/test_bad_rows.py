"""Files that are not as they should be: what is said about them, and what is read all the same."""

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.data.files import open_source
from gaussbayes.data.readers import text
from gaussbayes.data.roles import BadRow
from tests.data.tables import learn

GOOD = "a,b,y\n1,2,u\n3,5,v\n4,4,u\n"
ZIPPED = gzip.compress(GOOD.encode(), mtime=0)
ZIPPED_APART = b"".join(gzip.compress(part.encode(), mtime=0) for part in (GOOD[:14], GOOD[14:]))
MEANS = [[2.5, 3.0], [3.0, 5.0]]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", GOOD),
        ("without line end.csv", GOOD.rstrip()),
        ("bom.csv", "\ufeff" + GOOD),
        ("crlf.csv", GOOD.replace("\n", "\r\n")),
        ("cr.csv", GOOD.replace("\n", "\r")),
        ("blank lines.csv", "\n\n" + GOOD.replace("\n", "\n\n")),
        ("quotes.csv", GOOD.replace("u", '"u"').replace("3", '"3"')),
        ("spaces.csv", "a,b,y\n 1 , 2 ,u\n3 ,5,v\n 4,4,u\n"),
        ("semicolons.csv", GOOD.replace(",", ";")),
        ("bars.csv", GOOD.replace(",", "|")),
        ("tabs.csv", GOOD.replace(",", "\t")),
        ("tabs.tsv", GOOD.replace(",", "\t")),
        ("unknown.txt", GOOD),
        ("UPPER.CSV", GOOD),
        ("named csv.csv", ZIPPED),
        (
            "two members.csv.gz",
            ZIPPED_APART,
        ),
        ("lines.json", '{"a":1,"b":2,"y":"u"}\n{"y":"v","b":5,"a":3}\n\n{"a":4,"b":4,"y":"u"}'),
    ],
)
def test_what_is_unusual_but_clear_is_read(name: str, content: str | bytes, tmp_path: Path) -> None:
    source = open_source(write(tmp_path, name, content))
    columns = [field.strip() for field in source.schema.names]
    found = learn(source, "y")
    assert [name.strip() for name in found.features] == columns[:2]
    assert found.n_rows == 3
    assert found.classes.tolist() == ["u", "v"]
    assert found.moments.mean.tolist() == MEANS


def test_line_ends_inside_quotes_are_part_of_a_value(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'x,"the\nlabel"\n1,"u\nw"\n2,"say ""v"""\n')
    found = learn(path, "the\nlabel")
    assert found.classes.tolist() == ['say "v"', "u\nw"]


def test_decimal_commas_between_semicolons_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a;b;y\n1,5;2;u\n-3,25e1;4;v\n,5;1;u\n")
    assert learn(path, "y").moments.mean.tolist() == [[1.0, 1.5], [-32.5, 4.0]]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", "\n \n\n", "a.csv is empty"),
        ("a.csv", "a,b,y\n", "no rows to learn from"),
        (
            "a.csv",
            "5.1,3.5,y\n4.9,3.0,u\n",
            "looks like a row of data.*put a line with their names",
        ),
        ("a.csv", "7,5,y\n4,3,u\n", "looks like a row of data"),
        ("a.csv", "a,b,a,y\n1,2,3,u\n", "more than one column called 'a'"),
        ("a.csv", ",a,y\n0,1,u\n1,2,v\n", "no name.*index=False"),
        ("a.csv", "a,Y\n1,u\n", r"no column 'y' \(did you mean 'Y'\?\); the columns are 'a', 'Y'"),
        ("a.csv", "y\nu\n", "no column to learn from besides 'y'"),
        ("a.csv", 'a,y\n"1,5",u\n"2,5",v\n', "column 'a' holds '1,5': write decimals with a point"),
        ("a.csv", "a;b;y\n1,5;2.5;u\n", "comma, and others with a point .column 'b'"),
        ("a.csv", "a;y\n1,500;u\n2,250;v\n", "could be thousands"),
        ("a.csv", "a,y\njoe,u\njim,v\n", "not numbers: column 'a' .string, for example 'joe'"),
        ("a.csv", "a,y\n2020-01-01,u\n2020-01-02,v\n", "'a' .string, for example '2020-01-01'"),
        ("a.csv", "a,b,y\n1,2,u\nx,3,v\n4,5,u\n", "a.csv, row 2, column 'a': 'x' is not a number"),
        ("a.csv", "a,b,y\n1,2,u\n3,v\n", "a.csv, row 2: has 2 values, but there are 3 columns"),
        ("a.csv", "a,b,y\n1,2,u\n3,4,v,5\n", "row 2: has 4 values"),
        ("a.csv", "a,b,y\n1,2,u\n3,-inf,v\n", "row 2, column 'b': '-inf' is not finite"),
        ("a.csv", "a,y\n1,1.5\n2,2\n", "row 1, column 'y': '1.5' is not a class"),
        ("a.csv", "a,y\n1,\xe9\n2,v\n".encode("latin-1"), r"row 1, column 'y': .* is not UTF-8"),
        ("a.csv", "\xe9,y\n1,u\n2,v\n".encode("latin-1"), "first line of .* is not UTF-8"),
        ("a.csv", b"a,y\n1,u\n2,v\n3,w,\xff\n", "row 3: has 3 values, but there are 2"),
        ("a.csv", b"a,y\n1,\xe9\xff\n2\n", r"row 1, column 'y': '\\\\xe9\\\\xff' is not UTF-8"),
        ("a.jsonl", b'{"a": 1, "y": "u"}\n{"a": 2, "y": "\xa3"}\n', "row 2: is not JSON: 'utf-8'"),
        ("a.csv", GOOD.encode("utf-16"), "UTF-16 text.*iconv"),
        ("a.csv", 'a,y\n1,"u\n2,v\n', "ends inside quotation marks"),
        ("a.csv", "a,y\n1e200,u\n-1e200,u\n0,v\n", "a.csv: values up to 1e.200 are too large"),
        ("a.csv", b"PAR1\0\0\0\0", "not text but a parquet file: .* format='parquet' .--format"),
        ("a.xlsx", b"PK\x03\x04\0\0\0\0", "is no text.*known formats are .csv"),
        ("a.csv.gz", GOOD, "is not a gzip file, as its name says"),
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
        ("a.jsonl", '{"a": 1, "y": "u"}\n{"a": "x", "y": "u"}\n', "row 2, column 'a': 'x' is not"),
    ],
)
def test_what_is_said_about_bad_files(
    name: str, content: str | bytes, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError, match=message):
        learn(write(tmp_path, name, content), "y")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([None, float("nan"), float("inf")]), "row 3, column 'x': 'inf' is not finite"),
        (pa.array([float("inf"), 2.0, 3.0]), "row 1, column 'x': 'inf' is not finite"),
        (pa.array(["a", "b", "c"]), "not numbers: column 'x' .string"),
        (pa.array([[1], [2], [3]]), "not numbers: column 'x' .list"),
        (pa.array([1, 2, 3], pa.date32()), "not numbers: column 'x' .date32"),
    ],
)
def test_bad_values_in_parquet(column: pa.Array, message: str, tmp_path: Path) -> None:
    parquet.write_table(pa.table({"x": column, "y": ["u", "v", "u"]}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=f"a.parquet.*{message}"):
        learn(tmp_path / "a.parquet", "y")


def test_dates_are_no_classes(tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 2.0], "y": pa.array([1, 2], pa.date32())})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="target 'y' holds date32.*right column"):
        learn(tmp_path / "a.parquet", "y")


def test_columns_of_the_same_name_in_parquet(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1.0])] * 2 + [pa.array(["u"])], names=["a", "a", "y"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="more than one column called 'a'"):
        learn(tmp_path / "a.parquet", "y")


def test_whole_numbers_in_sequence_may_be_names(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "0,1,y\n1,2,u\n3,5,v\n4,4,u\n")
    assert learn(path, "y").moments.mean.tolist() == MEANS


@pytest.mark.parametrize("weight", ["-1", "nan", "", "much"])
def test_weights_are_numbers_from_zero_up(weight: str, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", f"a,w,y\n1,1,u\n2,{weight},v\n")
    with pytest.raises(DataError, match="row 2, column 'w'"):
        learn(path, "y", weights="w")


def test_weights_must_not_be_all_zero(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a,w,y\n1,0,u\n2,0,v\n")
    with pytest.raises(DataError, match="weights in column 'w' are all zero"):
        learn(path, "y", weights="w")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read .*none.csv: there is no such file"):
        learn(tmp_path / "none.csv", "y")
    with pytest.raises(DataError, match="no file matches"):
        learn(f"{tmp_path}/*.csv", "y")
    with pytest.raises(DataError, match="no data files in the folder .*, it is empty; known are"):
        learn(tmp_path, "y")
    write(tmp_path, "notes.doc", "hello")
    with pytest.raises(DataError, match=r"only 'notes.doc'; known are \.csv"):
        learn(tmp_path, "y")
    with pytest.raises(DataError, match="list of files is empty"):
        learn([], "y")
    with pytest.raises(DataError, match="a path, a list of paths"):
        learn(5, "y")
    with pytest.raises(OptionError, match="format must be one of csv"):
        open_source(tmp_path, format="excel")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "a.csv", GOOD)

    def refuse(*_: object) -> None:  # the administrator may read everything
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"cannot read .*a\.csv: no permission"):
        learn(path, "y")


def test_files_in_a_folder_with_other_columns(tmp_path: Path) -> None:
    write(tmp_path, "1.csv", GOOD)
    write(tmp_path, "2.csv", "a,c,y\n1,2,u\n")
    with pytest.raises(DataError, match=r"2.csv has no column 'b', unlike .* has 'c' besides"):
        learn(tmp_path, "y")
    write(tmp_path, "2.csv", "more,y,b,a\n0,v,5,3\n")
    assert learn(tmp_path, "y").n_rows == 4


def test_bad_rows_are_left_out_counted_and_named(tmp_path: Path) -> None:
    lines = ["1,2,u", "x,2,u", "3,5,v", "4", "5,,u", "4,4,u", "1,2,", "inf,1,u", "1,2,3,4"]
    write(tmp_path, "1.csv", "a,b,y\n" + "\n".join(lines) + "\n")
    write(tmp_path, "2.csv", GOOD + "nan,1,u\n")
    found = learn(tmp_path, "y", bad_rows="skip")
    assert (found.n_rows, found.n_incomplete, found.n_unlabelled) == (9, 2, 1)
    assert found.moments.mean.tolist() == MEANS
    assert found.bad_rows.count == 4
    first = str(tmp_path / "1.csv")
    assert found.bad_rows.first == (
        BadRow(first, 2, "a", "x", "is not a number"),
        BadRow(first, 4, None, None, "has 1 value, but there are 3 columns"),
        BadRow(first, 8, "a", "inf", "is not finite"),
        BadRow(first, 9, None, None, "has 4 values, but there are 3 columns"),
    )


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -1.0])
def test_weights_in_parquet(value: float | None, tmp_path: Path) -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0], "w": [1.0, value, 1.0], "y": ["u", "v", "u"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="a.parquet, row 2, column 'w'"):
        learn(tmp_path / "a.parquet", "y", weights="w")


def test_rows_that_are_all_bad(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a,y\n1\n2\n")
    with pytest.raises(
        DataError, match="no rows to learn from; all 2 are bad, the first: .* row 1"
    ):
        learn(path, "y", bad_rows="skip")


def test_a_column_of_text_is_no_heap_of_bad_rows(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a,name,y\n1,joe,u\n2,jim,v\n")
    with pytest.raises(DataError, match="not numbers: column 'name'"):
        learn(path, "y", bad_rows="skip")


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
        list(open_source(path).blocks())
    source = open_source(path, bad_rows="skip")
    kept = [row for block in source.blocks() for row in block.table["id"].to_pylist()]
    assert kept == [*range(40), *range(41, 50)]
    assert source.bad_rows.first == (BadRow(str(path), 41, "value", later, problem),)


def test_the_first_bad_row_is_named_whichever_thread_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 100)
    rows = [f"{n},{'uv'[n % 2]}" for n in range(2000)]
    for bad in (300, 301, 777, 1500):
        rows[bad] = "bad,u"
    path = write(tmp_path, "a.csv", "a,y\n" + "\n".join(rows) + "\n")
    for n_jobs in (1, 2, 4):
        with pytest.raises(DataError, match="row 301, column 'a': 'bad'"):
            learn(path, "y", n_jobs=n_jobs)
        found = learn(path, "y", bad_rows="skip", n_jobs=n_jobs)
        assert [bad.row for bad in found.bad_rows.first] == [301, 302, 778, 1501]
        assert found.n_rows == 1996
