"""`scores`: one lazy table whose columns are those of scipy's distributions."""

import json
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import DataError, GaussianClassifier
from gaussbayes.datasets import load_iris

IRIS = load_iris()
X, Y = IRIS.rows, IRIS.labels
MODEL = GaussianClassifier().fit(X, Y)
DISTANCES = ("squared_distance", "relative_distance", "p_value")
BY_CLASS = ("posterior", "log_likelihood", "log_joint", *DISTANCES)
COLUMNS = {"label", *BY_CLASS, "log_evidence", "novelty_p_value"}


def test_frames_are_those_of_the_rows() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) + 7)
    model = GaussianClassifier(shared=True).fit(frame, Y)
    for rows in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        made = model.scores(rows).to_frame()
        assert type(made) is type(rows)
        names = made.column_names if isinstance(made, pa.Table) else list(made.columns)
        assert len(names) == 3 * len(BY_CLASS) + len(COLUMNS) - len(BY_CLASS)
        assert names[:2] == ["label", "posterior_setosa"]
    shown = model.scores(frame).to_frame()
    assert shown.index.equals(frame.index)
    assert shown["label"].tolist() == model.predict(frame).tolist()
    assert shown["log_evidence"].dtype == np.float64
    np.testing.assert_array_equal(shown["posterior_virginica"], model.predict_proba(frame)[:, 2])
    scores, finder = MODEL.scores(X[:3]), "gaussbayes.analysis.score_table.find_spec"
    assert isinstance(scores.to_frame(), pd.DataFrame)
    with patch(finder, lambda _: None), pytest.raises(ImportError, match="pip install"):
        scores.to_frame()


def test_relative_distances_are_those_of_all_rows_less() -> None:
    rows = np.r_[X[:5], [[9.0, 0.0, 1.0, 4.0]]]
    for shared in (False, True):
        scores = GaussianClassifier(shared=shared).fit(X, Y).scores(rows)
        deviations = rows - X.mean(axis=0)
        inverse = np.linalg.inv(np.cov(X.T, bias=True))
        of_all = np.einsum("ni,ij,nj->n", deviations, inverse, deviations)[:, None]
        np.testing.assert_allclose(scores.relative_distance, scores.squared_distance - of_all)
    given = GaussianClassifier.from_parameters(None, [[0], [4]], [[1]]).scores([[1.0]])
    with pytest.raises(DataError, match="its parameters were given"):
        _ = given.relative_distance
    assert "relative_distance" not in given.to_dict()


def test_dictionaries_and_tables() -> None:
    scores = MODEL.scores(X[[0, 70]])
    record = json.loads(json.dumps(scores.to_dict()))
    assert set(record) == {"classes", *COLUMNS}
    assert record["label"] == ["setosa", "virginica"]
    assert np.shape(record["p_value"]) == (2, 3)
    assert len(scores) == 2
    lines = str(scores).splitlines()
    assert lines[-1].split() == ["1", "virginica", "0.0000", "0.3285", "0.6715", "−2.5276"]
    hostile = GaussianClassifier(shared=True).fit([[0.0], [1], [3], [4]], ["<b>", "<b>", "c", "c"])
    assert "<b>" not in hostile.scores([[1.0]])._repr_html_().replace("<b>p", "")
    many = GaussianClassifier(shared=True).fit(np.arange(40.0)[:, None], np.arange(40) // 2)
    assert "posterior" in str(many.scores([[3.0]]))
