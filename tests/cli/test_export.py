"""A model file becomes SQL or ONNX that others run; nothing is written where that cannot be."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier
from tests.cli.calling import Call


def test_the_statement_says_what_predict_says(
    call: Call, tmp_path: Path, fitted: GaussianClassifier
) -> None:
    rows = pd.DataFrame(fitted.sample(50, random_state=0)[0], columns=fitted.feature_names_in_)
    rows["id"] = np.arange(50)
    asked = ("--table", "garden.flowers", "--keep", "id", "--errors", "raise")
    assert call("export", "iris.json", "-o", "score.sql", *asked).exit_code == 0
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA garden")
        connection.execute("CREATE TABLE garden.flowers AS SELECT * FROM rows")
        scored = connection.sql((tmp_path / "score.sql").read_text()).df().sort_values("id")
    expected = fitted.predict_proba(rows[fitted.feature_names_in_])
    assert np.abs(scored.filter(like="proba_").to_numpy() - expected).max() < 1e-12
    printed = call("export", "iris.json", "-o", "-", *asked).stdout
    assert printed == (tmp_path / "score.sql").read_text()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx_is_that_of_python(
    call: Call, tmp_path: Path, fitted: GaussianClassifier, dtype: Any
) -> None:
    rows = pd.DataFrame(fitted.sample(50, random_state=0)[0], columns=fitted.feature_names_in_)
    done = call("export", "iris.json", "-o", "iris.onnx", "--dtype", dtype)
    assert (done.exit_code, done.stdout) == (0, "")
    written = (tmp_path / "iris.onnx").read_bytes()
    assert written == fitted.to_onnx(tmp_path / "python.onnx", dtype=dtype).read_bytes()
    session = onnxruntime.InferenceSession(written)
    labels = session.run(["label"], {"X": rows.to_numpy(dtype)})[0]
    assert labels.tolist() == fitted.predict(rows).tolist()


@pytest.mark.usefixtures("fitted")
def test_what_is_wrong_is_said_before_anything_is_written(call: Call, tmp_path: Path) -> None:
    for arguments, code, message in (
        (("-o", "score.txt"), 2, "must end in .sql or .onnx"),
        (("-o", "score.onnx", "--table", "t"), 2, "--table is not for files that end in .onnx"),
        (("-o", "none/score.onnx"), 1, "there is no directory"),
        (("-o", "score.sql", "--table", "a.b.c.d"), 3, "table must be a name"),
        (("-o", "score.sql", "--keep", "prediction"), 3, "is what a result is called"),
    ):
        result = call("export", "iris.json", *arguments)
        assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert not list(tmp_path.glob("score*"))
