"""The columns of files as they are read."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.calling import Call, Shell


@pytest.mark.usefixtures("iris")
def test_columns_and_types(shell: Shell) -> None:
    done = shell("gaussbayes schema iris.csv")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["petal", "width", "(cm)", "double"] in lines
    assert ["species", "string"] in lines
    assert "iris.csv: 5 columns" in done.stderr
    assert shell("cat iris.csv | gaussbayes schema -").stdout == done.stdout


def test_json(call: Call, tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [True, False, True]})
    pq.write_table(table, tmp_path / "rows.parquet")
    record = json.loads(call("schema", "rows.parquet", "--json").stdout)
    assert record == {
        "files": ["rows.parquet"],
        "rows": 3,
        "columns": [
            {"name": "a", "type": "int64"},
            {"name": "b", "type": "string"},
            {"name": "c", "type": "bool"},
        ],
    }


@pytest.mark.usefixtures("fitted")
def test_the_form_of_model_files(call: Call, tmp_path: Path) -> None:
    schema = json.loads(call("schema", "--model").stdout)
    model = json.loads((tmp_path / "iris.json").read_text())
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert set(schema["required"]) <= set(model)


def test_either_files_or_the_model(call: Call, iris: Path) -> None:
    for arguments in ([], [iris, "--model"]):
        result = call("schema", *arguments)
        assert result.exit_code == 2
        assert "either files whose columns are to be shown, or --model" in result.stderr
