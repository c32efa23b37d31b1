"""Rows pass from one kind of file to another and back unchanged."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from tests.cli.calling import Call, Shell

NAMES = ["rows.tsv", "rows.jsonl", "rows.parquet", "rows.arrow", "rows.csv.gz", "rows.jsonl.zst"]


@pytest.fixture
def table(tmp_path: Path) -> pa.Table:
    """Rows of every kind of column, as rows.parquet."""
    made = pa.table(
        {
            "number": [0.1, -1e-300, 1 / 3, 12345678.9],
            "whole": [1, -2, 3, 2**53 + 1],
            "truth": [True, False, True, True],
            "text": ["=1+2", 'with "quotes", and commas', "two\nlines", "Ünïcode"],
        }
    )
    pq.write_table(made, tmp_path / "in.parquet")
    return made


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(call: Call, tmp_path: Path, table: pa.Table, name: str) -> None:
    assert call("convert", "in.parquet", name).exit_code == 0
    result = call("convert", name, "back.parquet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert pq.read_table(tmp_path / "back.parquet").to_pydict() == table.to_pydict()


def test_other_readers_agree(call: Call, tmp_path: Path, table: pa.Table) -> None:
    for name in ("rows.csv", "rows.arrow", "rows.jsonl"):
        call("convert", "in.parquet", name)
    lines = csv.ParseOptions(newlines_in_values=True)
    read = csv.read_csv(tmp_path / "rows.csv", parse_options=lines)
    assert read.to_pydict() == table.to_pydict()
    assert pyarrow.feather.read_table(tmp_path / "rows.arrow").to_pydict() == table.to_pydict()
    lines = pd.read_json(tmp_path / "rows.jsonl", lines=True, precise_float=True)
    assert lines["text"].tolist() == table["text"].to_pylist()
    assert lines["whole"].tolist() == table["whole"].to_pylist()


def test_columns_pipes_and_several_files(shell: Shell, tmp_path: Path, table: pa.Table) -> None:
    done = shell(
        "cat in.parquet | gaussbayes convert - - --format parquet --columns whole,number | "
        "gaussbayes convert - in.parquet both.parquet --columns number",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    read = pq.read_table(tmp_path / "both.parquet")
    assert read.column_names == ["number"]
    assert read["number"].to_pylist() == 2 * table["number"].to_pylist()


@pytest.mark.usefixtures("table")
def test_text_is_escaped_when_asked(call: Call) -> None:
    plain = call("convert", "in.parquet", "-").stdout
    escaped = call("convert", "in.parquet", "-", "--escape").stdout
    assert '"=1+2"' in plain or ",=1+2" in plain
    assert "'=1+2" in escaped
    assert "'-1e-300" not in escaped  # numbers stay numbers


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["in.parquet"], 2, "Missing argument"),
        (["nowhere.csv", "out.csv"], 2, "does not exist"),
        (["in.parquet", "in.parquet"], 2, "give another name"),
        (["in.parquet", "out.csv", "--columns", "numbr"], 3, "'numbr' (is it 'number'?)"),
        (["in.parquet", "out.xlsx"], 2, "out.xlsx"),
        (["false.parquet", "out.csv"], 3, "false.parquet"),
    ],
)
@pytest.mark.usefixtures("table")
def test_refusals(
    call: Call, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "false.parquet").write_text("a,b\n1,2\n")
    result = call("convert", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr
    there = {"false.parquet", "in.parquet"}
    assert {path.name for path in tmp_path.iterdir()} == there
