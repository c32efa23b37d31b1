"""Exports by the ending of the file, run by the engines that they are for."""

from pathlib import Path

import duckdb
import onnxruntime
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call


@pytest.fixture(autouse=True)
def fitted(iris: Path, call: Call) -> GaussianClassifier:
    call("fit", iris, "-y", "species", "--model", "qda", "-o", "m.json")
    return GaussianClassifier.load(iris.parent / "m.json")


def test_onnx(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    """The file is that of Python; float32 is asked for."""
    table = pd.read_csv(iris).iloc[:, :4]
    for dtype in ("float64", "float32"):
        done = call("export", "m.json", "-o", "m.onnx", "--dtype", dtype)
        assert (done.exit_code, done.stdout) == (0, "")
        written = (iris.parent / "m.onnx").read_bytes()
        assert written == fitted.to_onnx(iris.parent / "p.onnx", dtype=dtype).read_bytes()  # type: ignore[arg-type]
        session = onnxruntime.InferenceSession(written)
        labels = session.run(["label"], {"X": table.to_numpy(dtype)})[0]
        assert labels.tolist() == fitted.predict(table).tolist()


def test_sql(call: Call, iris: Path, fitted: GaussianClassifier) -> None:
    table = pd.read_csv(iris)
    assert (
        call("export", "m.json", "-o", "m.sql", "--table", "t", "--keep", "species").exit_code == 0
    )
    with duckdb.connect() as connection:
        connection.register("t", table)
        scored = connection.sql((iris.parent / "m.sql").read_text()).df()
    assert scored["prediction"].tolist() == fitted.predict(table.iloc[:, :4]).tolist()
    assert scored["species"].tolist() == table["species"].tolist()
    shown = call("export", "m.json", "-o", "-", "--table", "t", "--keep", "species")
    assert shown.stdout == (iris.parent / "m.sql").read_text()


def test_bad_input(call: Call, iris: Path) -> None:
    assert "must end in .sql or .onnx" in call("export", "m.json", "-o", "m.txt").stderr
    wrong = call("export", "m.json", "-o", "m.onnx", "--table", "t")
    assert wrong.exit_code == 2
    assert "--table is not for files that end in .onnx" in wrong.stderr
    assert wrong.stdout == ""
    assert not (iris.parent / "m.onnx").exists()
    assert call("export", "m.json", "-o", "none/m.onnx").exit_code == 1
