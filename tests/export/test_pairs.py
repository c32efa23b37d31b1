"""Kinds of models, labels and names in pairs: every engine says what the model says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import GaussianClassifier, OptionError
from tests.designs import all_pairs
from tests.export import test_lazy_frames as lazy
from tests.export import test_onnx as onnx
from tests.export.cases import LABELS, MODELS, NAMES, fitted
from tests.export.engines import ENGINES, assert_equal_scores


def in_database(engine: str) -> Callable[[Any, pd.DataFrame, Path], pd.DataFrame]:
    def scored(model: Any, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
        del folder
        rows = table.assign(id=np.arange(len(table)))
        return ENGINES[engine](model.to_sql("rows", engine, keep=["id"]), rows)

    return scored


def in_onnxruntime(model: Any, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    label, posterior, evidence = onnx.run(
        model.to_onnx(folder / "model.onnx"), {"X": table.to_numpy()}
    )
    names = [f"proba_{each}" for each in model.classes_]
    scored = pd.DataFrame(posterior, columns=names).assign(id=np.arange(len(table)))
    return scored.assign(prediction=label, log_evidence=evidence)


def in_polars(model: Any, table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    del folder
    return lazy.scored(model, table, "polars")


PLACES = {
    **{engine: in_database(engine) for engine in ENGINES},
    "onnxruntime": in_onnxruntime,
    "polars": in_polars,
}


@pytest.mark.parametrize(
    ("place", "model", "labels", "names"),
    # The expressions of averages take Polars a second or two; see test_lazy_frames.
    all_pairs(
        PLACES,
        MODELS,
        LABELS,
        NAMES,
        where=lambda place, model, *_: not (place == "polars" and "averaged" in model),
    ),
)
def test_scores(place: str, model: str, labels: str, names: str, tmp_path: Path) -> None:
    if (model, labels) == ("announced", "booleans"):
        labels = "strings"  # one of two classes would be left, with nothing to decide
    classifier, table = fitted(model, labels, names)
    assert_equal_scores(classifier, table, PLACES[place](classifier, table, tmp_path))


def test_labels_that_cannot_be_written(tmp_path: Path) -> None:
    """They are refused by name, and a file that is there stays as it is."""
    X, path = [[1.0], [2.0], [5.0], [7.0]], tmp_path / "model.onnx"
    path.write_text("before")
    days = GaussianClassifier().fit(X, np.array(["2020-01-01", "2021-01-01"], "M8[D]").repeat(2))
    with pytest.raises(OptionError, match="strings, numbers or booleans .* datetime.date"):
        days.to_sql("rows")
    with pytest.raises(OptionError, match="ONNX has no labels of type date"):
        days.to_onnx(path)
    rows = pd.DataFrame({"x0": [1.2, 6.0]})
    scored = days.with_feature_names(["x0"]).predict(lazy.in_duckdb(rows)).fetchall()
    assert [row[1].year for row in scored] == [2020, 2021]  # by batches of Arrow
    wide = GaussianClassifier().fit(X, np.array([1, 2**63 + 5], np.uint64).repeat(2))
    assert ENGINES["duckdb"](wide.to_sql("rows"), rows)["prediction"].size == 2
    with pytest.raises(OptionError, match="integers below 2⁶³, as sqlite has no others"):
        wide.to_sql("rows", "sqlite")
    with pytest.raises(OptionError, match="ONNX has no labels beyond 2⁶³"):
        wide.to_onnx(path)
    empty = GaussianClassifier().fit(X, ["a\0b", "a\0b", "c", "c"])
    with pytest.raises(OptionError, match="without null characters"):
        empty.to_sql("rows")
    assert path.read_text() == "before"
