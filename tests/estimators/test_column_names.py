"""Labels and weights may be named columns of the rows."""

from pathlib import Path
from typing import Any

import dask.dataframe
import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import AutoClassifier, GaussianClassifier, compare, plots
from gaussbayes.base.errors import DataError
from gaussbayes.datasets import load_iris

IRIS = load_iris()
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
X = pd.DataFrame(IRIS.rows, columns=NAMES)
Y = pd.Series(IRIS.labels, name="species")
FRAME = pd.concat([X[NAMES[:2]], Y, X[NAMES[2:]]], axis=1)  # the target is in the middle
WEIGHTS = 1.0 + np.arange(150) % 3
APART = GaussianClassifier(shared=True).fit(X, Y)


@pytest.mark.parametrize("of", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_frames(of: Any) -> None:
    frame = of(FRAME)
    model = GaussianClassifier(shared=True).fit(frame, "species")
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == 4
    assert model.target_name_ == "species"
    for rows in (frame, of(X)):  # with and without the target
        np.testing.assert_array_equal(model.predict_proba(rows), APART.predict_proba(X))
    assert model.score(frame, "species") == APART.score(X, Y)
    one, other = model.evaluate(frame, "species"), APART.evaluate(X, Y)
    assert one.log_loss == pytest.approx(other.log_loss, rel=1e-12)


def test_every_method_that_takes_labels() -> None:
    model = GaussianClassifier(shared=True).fit(FRAME, "species")
    ours, theirs = model.leave_one_out(FRAME, "species"), APART.leave_one_out(X, Y)
    np.testing.assert_array_equal(ours.log_posterior, theirs.log_posterior)
    held_out = model.evaluate(FRAME, "species", held_out=3).log_loss
    assert held_out == APART.evaluate(X, Y, held_out=3).log_loss
    assert (
        model.negative_log_likelihood(FRAME, "species").total
        == APART.negative_log_likelihood(X, Y).total
    )
    test = model.evaluate(FRAME[::2], "species", held_out=(FRAME[1::2], "species"))
    assert test.n_rows == 75
    parts = GaussianClassifier(shared=True).partial_fit(FRAME[:80], "species")
    assert parts.target_name_ == "species"
    parts.partial_fit(FRAME[80:], "species").partial_fit(FRAME[:9], "species")
    parts.forget(FRAME[:9], "species")
    np.testing.assert_allclose(parts.means_, APART.means_, rtol=1e-12)
    assert model.drift(FRAME[::2], "species").p_value == APART.drift(X[::2], Y[::2]).p_value
    row = model.explain(FRAME[70:71]).bayes.classes[0]
    assert row.posterior == APART.explain(X[70:71]).bayes.classes[0].posterior
    assert compare(FRAME, "species", held_out=2, automatic=False, neighbors=[]).candidates


def test_weights_may_be_a_column_too() -> None:
    frame = FRAME.assign(times=WEIGHTS)
    model = GaussianClassifier().fit(frame, "species", sample_weight="times")
    expected = GaussianClassifier().fit(X, Y, WEIGHTS)
    np.testing.assert_array_equal(model.means_, expected.means_)
    assert model.feature_names_in_.tolist() == NAMES
    frame = frame.drop(columns="species")
    assert model.score(frame, Y, "times") == expected.score(X, Y, WEIGHTS)


@pytest.mark.parametrize("make", [GaussianClassifier, AutoClassifier])
def test_files_and_lazy_frames(make: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    FRAME[::2].to_csv(paths[0], index=False)
    FRAME[1::2].to_csv(paths[1], index=False)
    expected = make().fit_source(paths, "species").predict_proba(X)
    np.testing.assert_array_equal(make().fit(paths, "species").predict_proba(FRAME), expected)
    one = make().fit(str(paths[0]), "species")
    whole = one.partial_fit(paths[1], "species")
    assert float(whole.model_.learnt.weight.sum()) == 150
    tables = (
        pl.from_pandas(FRAME).lazy(),
        duckdb.from_arrow(pa.Table.from_pandas(FRAME)),
        dask.dataframe.from_pandas(FRAME, npartitions=2),
    )
    for table in tables:
        model = make().fit(table, "species")
        assert model.feature_names_in_.tolist() == NAMES
        assert model.predict(FRAME).shape == (150,)


def test_figures() -> None:
    model = GaussianClassifier(shared=True).fit(FRAME, "species")
    confusion = plots.confusion(model, FRAME, "species").images[0].get_array()
    np.testing.assert_array_equal(confusion, plots.confusion(APART, X, Y).images[0].get_array())
    petals = ["petal length", "petal width"]
    ax = plots.regions(model, FRAME, "species", features=petals, resolution=20)
    assert ax.get_xlabel() == "petal length"
    assert plots.dataset(FRAME, "species", features=petals).get_ylabel() == "petal width"
    assert plots.shapes(FRAME, "species", features=petals).shape == (3,)
    plt.close("all")


def test_what_is_not_there() -> None:
    for name, message in (
        ("speces", r"no column 'speces' \(did you mean 'species'\?\); the columns are 'sepal len"),
        ("petal", "there is no column 'petal'.*; the columns are 'sepal length', 'sepal width'"),
    ):
        for step in (GaussianClassifier().fit, APART.score, APART.leave_one_out, APART.evaluate):
            with pytest.raises(DataError, match=message):
                step(FRAME, name)
    for rows in (IRIS.rows, IRIS.rows.tolist()):
        with pytest.raises(DataError, match="'species' names a column, but X is .* without col"):
            GaussianClassifier().fit(rows, "species")
    with pytest.raises(DataError, match="no column 'w'"):
        GaussianClassifier().fit(FRAME, "species", sample_weight="w")
    other = FRAME.assign(more=1.0)
    with pytest.raises(ValueError, match="feature names should match"):
        GaussianClassifier().fit(FRAME, "species").predict(other)
