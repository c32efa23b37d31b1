"""Categorical features through the estimator: alone and beside numbers, missing, never seen."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from gaussbayes import Columns, GaussianClassifier
from gaussbayes.base.errors import DataError, OptionError
from tests.models import STRUCTURES, weather

pytestmark = pytest.mark.usefixtures("kernels")


def test_no_class_is_possible() -> None:
    X, y = np.array([["a", "x"], ["b", "y"]]), [0, 1]
    model = GaussianClassifier(columns=Columns(categorical=[0, 1])).fit(X, y)
    assert model.predict_proba(X).tolist() == [[1, 0], [0, 1]]
    assert model.score_samples([["a", "y"]]).tolist() == [-np.inf]
    with pytest.raises(DataError, match="row 1 has probability 0 in every class.*smoothing"):
        model.predict([["a", "x"], ["a", "y"]])


def test_bad_rows() -> None:
    frame, y = weather()
    model = GaussianClassifier(smoothing=1).fit(frame, y)
    hole = frame.copy()
    hole.loc[3, "warmth"] = np.nan
    infinite = hole.fillna({"warmth": np.inf})
    with pytest.warns(UserWarning, match="infinite values are treated as missing in warmth"):
        clone(model).fit(infinite, y)
    with pytest.raises(DataError, match="infinity in row 3, column 'warmth'"):
        model.predict(infinite)
    unnamed = GaussianClassifier(smoothing=1, columns=Columns(categorical=[1, 3]))
    rows = infinite.astype(object).to_numpy()
    with pytest.raises(DataError, match="row 3, column 2"):
        unnamed.fit(rows, y)
    with pytest.raises(DataError, match="'wind' has categories of different types"):
        model.partial_fit(frame.assign(wind=7), y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"wind": "gusts"}))
    numbers = frame.assign(wind=np.arange(200) % 7, month=np.arange(200) % 11)
    with pytest.raises(DataError, match="different features"):
        model.merge(GaussianClassifier().fit(numbers, y))
    with pytest.raises(OptionError, match="smoothing must be .*, got -1"):
        GaussianClassifier(smoothing=-1).fit(frame, y)


def test_tags() -> None:
    tags = GaussianClassifier().__sklearn_tags__().input_tags
    assert (tags.allow_nan, tags.categorical, tags.string) == (True, False, False)
    tags = GaussianClassifier(columns=Columns(categorical=[0])).__sklearn_tags__().input_tags
    assert (tags.categorical, tags.string) == (True, True)


# Some features only, and scores of numbers alone.

FRAME, Y = weather()
NAMES = ["pressure", "wind", "warmth", "month"]
each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def mixed(covariance: Any = "full", shared: bool = False, **settings: Any) -> GaussianClassifier:
    model = GaussianClassifier(covariance, shared=shared, smoothing=0.5, **settings)
    return model.fit(FRAME, Y)


def without_rows(frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """The same rows with nothing known but these features."""
    gone = frame.copy()
    for name in set(NAMES) - set(names):
        gone[name] = np.nan if gone[name].dtype == float else None
    return gone


def test_the_negative_log_likelihood_of_what_cannot_be() -> None:
    X, y = [["a"], ["b"], ["b"]], [0, 1, 1]
    model = GaussianClassifier(columns=Columns(categorical=[0])).fit(X, y)
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0]).features == np.inf
    assert model.negative_log_likelihood([["a"], ["b"]], [0, 0], [1, 0]).features == 0.0
    with pytest.raises(DataError, match="X has 2 rows, but y has 1"):
        model.negative_log_likelihood([["a"], ["b"]], [0])


def test_novel_rows_are_novel_by_their_numbers() -> None:
    model = mixed()
    rows = FRAME[:3].copy()
    rows.loc[1, "pressure"] = 2000.0
    found = model.decide(rows, novelty=1e-4).labels
    assert [label is None for label in found] == [False, True, False]
    assert found[[0, 2]].tolist() == model.predict(rows)[[0, 2]].tolist()
