"""Labels and weights may be named columns of the rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import GaussianClassifier, compare, drift, read
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
    assert model.columns_.target == "species"
    for rows in (frame, of(X)):  # with and without the target
        np.testing.assert_array_equal(model.predict_proba(rows), APART.predict_proba(X))
    assert model.score(frame, "species") == APART.score(X, Y)
    one, other = model.evaluate(frame, "species"), APART.evaluate(X, Y)
    assert one.log_loss == pytest.approx(other.log_loss, rel=1e-12)


def test_every_method_that_takes_labels() -> None:
    model = GaussianClassifier(shared=True).fit(FRAME, "species")
    ours, theirs = model.leave_one_out(FRAME, "species"), APART.leave_one_out(X, Y)
    np.testing.assert_array_equal(ours.log_posterior, theirs.log_posterior)
    held_out = model.evaluate(FRAME, "species", cv=3).log_loss
    assert held_out == APART.evaluate(X, Y, cv=3).log_loss
    assert (
        model.negative_log_likelihood(FRAME, "species").total
        == APART.negative_log_likelihood(X, Y).total
    )
    parts = GaussianClassifier(shared=True).partial_fit(FRAME[::2], "species")
    assert parts.columns_.target == "species"
    parts.partial_fit(FRAME[1::2], "species").partial_fit(FRAME[:9], "species")
    parts.forget(FRAME[:9], "species")
    np.testing.assert_allclose(parts.means_, APART.means_, rtol=1e-12)
    ours, theirs = drift(model, FRAME[::2], "species"), drift(APART, X[::2], Y[::2])
    assert ours.p_value == theirs.p_value
    row = model.explain(FRAME[70:71]).bayes.classes[0]
    assert row.posterior == APART.explain(X[70:71]).bayes.classes[0].posterior
    importance = model.importance(FRAME, "species").features
    assert importance == APART.importance(X, Y).features
    compared = compare(FRAME, "species", models={"LDA": model}, cv=2)
    assert compared.candidates[0].evaluation.n_rows == 150


def test_weights_may_be_a_column_too() -> None:
    frame = FRAME.assign(times=WEIGHTS)
    model = GaussianClassifier().fit(frame, "species", sample_weight="times")
    expected = GaussianClassifier().fit(X, Y, WEIGHTS)
    np.testing.assert_array_equal(model.means_, expected.means_)
    assert model.feature_names_in_.tolist() == NAMES
    frame = frame.drop(columns="species")
    assert model.score(frame, Y, "times") == expected.score(X, Y, WEIGHTS)


def test_every_method_takes_files(tmp_path: Path) -> None:
    path, known, both = tmp_path / "iris.csv", FRAME, FRAME.assign(times=WEIGHTS)
    FRAME.to_csv(path, index=False)
    weighted = tmp_path / "weighted.csv"
    both.to_csv(weighted, index=False)
    model = GaussianClassifier(shared=True).fit(weighted, "species", "times")
    for rows in (path, str(path), [path], read(path)):
        for name in ("predict_proba", "predict_log_proba", "decision_function", "score_samples"):
            np.testing.assert_array_equal(getattr(model, name)(rows), getattr(model, name)(known))
    assert model.predict(path).tolist() == model.predict(known).tolist()
    for name in ("posterior", "squared_distance"):
        np.testing.assert_array_equal(
            getattr(model.scores(path), name), getattr(model.scores(known), name)
        )
    assert model.decide(path, reject_below=0.9).labels.tolist() == (
        model.decide(known, reject_below=0.9).labels.tolist()
    )
    assert model.score(weighted, "species", "times") == model.score(both, "species", "times")
    loss = model.negative_log_likelihood(weighted, "species", "times").total
    assert loss == model.negative_log_likelihood(both, "species", "times").total
    assert model.evaluate(path, "species").log_loss == model.evaluate(known, "species").log_loss
    assert (
        model.leave_one_out(weighted, "species", "times").evaluation.log_loss
        == model.leave_one_out(both, "species", "times").evaluation.log_loss
    )
    log_odds = model.log_odds(path, "setosa", "virginica")
    np.testing.assert_array_equal(log_odds, model.log_odds(known, "setosa", "virginica"))
    assert model.estimate_priors(path).prior.sum() == pytest.approx(1.0)
    like = GaussianClassifier().fit(weighted, "species", "times", like=model)
    assert like.forget(weighted, "species", "times").classes_.size == 0
    empty = tmp_path / "empty.csv"
    FRAME[:0].to_csv(empty, index=False)
    nameless = GaussianClassifier().fit(IRIS.rows, Y)
    for name in ("predict", "scores"):
        with pytest.raises(DataError, match=r"0 sample\(s\)|no rows"):
            getattr(model, name)(empty)
        with pytest.raises(DataError, match="the features of this model have no names"):
            getattr(nameless, name)(path)
    with pytest.raises(DataError, match="X is read from elsewhere, so y must be the name"):
        model.fit(path, Y)
    with pytest.raises(DataError, match="so sample_weight must be the name"):
        model.fit(path, "species", WEIGHTS)


def test_what_is_not_there() -> None:
    for name, message in (
        ("speces", r"no column 'speces' \(did you mean 'species'\?\); the columns are 'sepal len"),
        ("petal", "there is no column 'petal'.*; the columns are 'sepal length', 'sepal width'"),
    ):
        for step in (GaussianClassifier().fit, APART.score, APART.leave_one_out, APART.evaluate):
            with pytest.raises(DataError, match=message):
                step(FRAME, name)
    for rows in (IRIS.rows, IRIS.rows.tolist()):
        with pytest.raises(
            DataError, match=r"'species' names a column, but X \((ndarray|list)\) has no col"
        ):
            GaussianClassifier().fit(rows, "species")
    with pytest.raises(DataError, match="no column 'w'"):
        GaussianClassifier().fit(FRAME, "species", sample_weight="w")
    other = FRAME.assign(more=1.0)
    with pytest.raises(ValueError, match="feature names should match"):
        GaussianClassifier().fit(FRAME, "species").predict(other)


def test_a_file_is_evaluated_as_it_is_fitted(tmp_path: Path) -> None:
    """Marks of missing values and rows that are skipped are those of `fit`."""
    path, rng = tmp_path / "rows.csv", np.random.default_rng(0)
    rows = [f"{rng.normal() + 2 * (i % 2):.3f},{rng.normal():.3f},{'ab'[i % 2]}" for i in range(90)]
    rows[5], rows[8] = "NA,1.0,b", "about 3,1.0,a"
    path.write_text("\n".join(["x,z,y", *rows, ""]))
    source = read(path, bad_rows="skip")
    for model in (GaussianClassifier(), GaussianClassifier().fit(source, "y")):
        evaluation = model.evaluate(source, "y", cv=3)
        assert (evaluation.n_rows, evaluation.error < 0.3) == (89, True)
        assert model.leave_one_out(source, "y").evaluation.n_rows == 89
    assert model.notices_[0].kind == "skipped rows"
    assert [column.kind for column in model.columns_] == ["number", "number"]
    with pytest.raises(DataError, match="'about 3', first in row 9.*Remedies:.*bad_rows='skip'"):
        GaussianClassifier().evaluate(path, "y", cv=3)
