"""What `AutoClassifier` selects, on tables that a classifier may well meet, and on random ones."""

import os
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from gaussbayes import AutoClassifier
from gaussbayes.model import fit
from tests.fuzz import automatic


def clusters(n: int = 45, d: int = 3, k: int = 3, apart: float = 2.0) -> tuple[Any, Any]:
    y = np.arange(n) % k
    return np.random.default_rng(0).normal(size=(n, d)) + apart * y[:, None], y


def test_random_tables() -> None:
    assert not automatic.run(3, seed=100).failures


@pytest.mark.parametrize(
    "what", ["constant", "two values", "far away", "one row", "wide", "never", "one row each"]
)
def test_difficult_tables(what: str) -> None:
    """They are fitted without a warning, and as well as the other features and rows allow."""
    X, y = clusters(d=60 if what == "wide" else 3)
    if what == "constant":
        X[:, 0] = 5.0
    elif what == "two values":
        X[:, 0] = y == 1
    elif what == "far away":
        X[7, 1] = 1e300
    elif what == "one row":
        y[0] = 3
    elif what == "never":
        X[y == 0, 1] = np.nan
    elif what == "one row each":
        X, y = np.eye(3, 5), np.arange(3)
    model = AutoClassifier().fit(X, y)
    posterior = model.predict_proba(X)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=1e-12)
    assert (posterior > 0).all()
    assert model.score(X, y) > 0.75
    if what != "one row each":
        assert model.predict_set(X, by_class=True).members[np.arange(45), y].mean() > 0.8


def test_candidates_that_cannot_be_fitted_say_why() -> None:
    X, y = clusters(240)
    X[:, 1] = X[:, 0] * 2
    selection = AutoClassifier().fit(X, y).selection_
    refused = [each for each in selection.candidates if each.refused is not None]
    assert refused
    assert all("collinear" in str(each.refused) for each in refused)
    assert selection.best.refused is None
    assert "cannot be" in str(selection)
    assert selection.candidates[0] is selection.best
    assert [each.refused is None for each in selection.candidates] == sorted(
        (each.refused is None for each in selection.candidates), reverse=True
    )


def test_how_many_rows_each_candidate_needs() -> None:
    """Ten rows a class for variances, and ten for each class and feature for covariances."""
    for n in (19, 20, 59, 60):
        X, y = clusters(n, k=2, apart=3.0)
        titles = {each.title for each in AutoClassifier().fit(X, y).selection_.candidates}
        names = {title.partition(", ")[0] for title in titles if "predictive" not in title}
        variances = {"Gaussian naive Bayes", "diagonal covariance", "diagonal LDA"}
        covariances = {"QDA", "full covariance", "LDA"}
        assert names == (variances if n >= 20 else set()) | (covariances if n >= 60 else set())
        assert any("predictive" in title for title in titles)


def test_collinear_measurements_are_not_shrunk() -> None:
    """One large factor in all features and small differences, in which alone the classes differ.

    Shrunk towards equal variances, the differences drown in the factor.
    """
    generator, y = np.random.default_rng(0), np.arange(120) % 3
    X = 10.0 * generator.normal(size=(120, 1)) + 0.2 * generator.normal(size=(120, 8))
    X[:, 1:3] += np.stack([0.6 * y, -0.5 * (y == 1)], axis=1)
    candidates = AutoClassifier().fit(X, y).selection_.candidates
    best = candidates[0]
    assert ("predictive" in best.title, best.shrinkage) == (True, None)
    assert best.log_loss < 0.8 * min(each.log_loss for each in candidates if each.shrinkage)


def test_many_classes_have_fewer_candidates() -> None:
    """Three strengths of the prior instead of five, beside plain diagonal covariances."""
    for k, strengths in ((20, 5), (21, 3)):
        X, y = clusters(10 * k, d=2, k=k)
        titles = {
            each.title.partition(", shrinkage")[0]
            for each in AutoClassifier().fit(X, y).selection_.candidates
        }
        predictive = {
            title.partition(", predictive")[0] for title in titles if "predictive" in title
        }
        assert len(predictive) == strengths


def test_rows_of_gaussians_have_the_model_that_they_were_drawn_from() -> None:
    """Nothing is shrunk or integrated out where rows are many; more rows keep the selection."""
    generator = np.random.default_rng(0)
    y = np.arange(900) % 3
    mixed = generator.normal(size=(4, 4))
    X = generator.normal(size=(900, 4)) @ mixed + generator.normal(size=(3, 4))[y] @ mixed
    model = AutoClassifier().fit(X, y)
    best = model.selection_.best
    assert best.title.startswith("LDA, ")
    assert best.shrinkage is None
    least = min(each.log_loss for each in model.selection_.candidates)
    assert best.log_loss == pytest.approx(least, rel=1e-4)  # that of its predictive twin
    model.partial_fit(X[:300] + 0.1, y[:300])
    assert model.selection_.best == best


def test_rows_without_any_value_say_nothing_when_they_are_held_out() -> None:
    """In the other folds half of the rows are of its class, and nothing else is known of it."""
    X, y = clusters(40, 1, 2, 3.0)
    X[:30] = np.nan
    candidates = AutoClassifier().fit(X, y).selection_.candidates
    assert min(each.log_loss for each in candidates) > 30 / 40 * np.log(2)


def test_the_only_row_of_a_class_judges_nothing() -> None:
    X, y = clusters(46)
    y[45] = 3
    selection = AutoClassifier().fit(X, y).selection_
    assert selection.n_held_out == 45
    assert np.isfinite(selection.best.log_loss)


def test_unlabelled_rows_that_clearly_mislead_or_help() -> None:
    """If they mislead, the model is exactly that of the labelled rows."""
    generator = np.random.default_rng(1)
    y = generator.integers(0, 2, 120)
    X = np.exp(generator.normal(size=(120, 2)) + 0.5 * y[:, None])
    labels = y.astype(object)
    labels[30:] = None
    beside, alone = AutoClassifier().fit(X, labels), AutoClassifier().fit(X[:30], y[:30])
    choice = beside.selection_.unlabelled
    assert choice is not None
    assert choice.selected == "unused"
    assert choice.unused < choice.averaged < choice.used
    assert "Unlabelled rows: unused; log loss" in str(beside.selection_)
    np.testing.assert_array_equal(beside.predict_proba(X), alone.predict_proba(X))
    (notice,) = [each for each in beside.notices_ if each.kind == "unlabelled rows"]
    assert notice.message == "90 unlabelled rows not used"
    # Two clusters in many dimensions, of which labelled rows show little: all rows are of use.
    labels = (np.arange(400) % 2).astype(object)
    X = np.random.default_rng(1).normal(size=(400, 30)) + 0.73 * (labels == 1)[:, None]
    labels[20:] = None
    choice = AutoClassifier().fit(X, labels).selection_.unlabelled
    assert choice is not None
    assert choice.selected == "used"
    assert choice.used < choice.averaged < choice.unused


# Rows that need not fit into memory

N = 1200


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 3, N)
    numbers = generator.normal(size=(N, 2)) + 1.5 * codes[:, None]
    wind = np.where(generator.random(N) < 0.3 + 0.2 * codes, "S", "M")
    table = pd.DataFrame({"a": np.exp(numbers[:, 0]), "b": numbers[:, 1], "wind": wind})
    return table.assign(y=np.array(["u", "v", "w"])[codes])


@pytest.fixture(params=["csv", "parquet", "dask", "duckdb", "polars"])
def source(request: pytest.FixtureRequest, frame: pd.DataFrame, tmp_path: Path) -> Any:
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=200)
    return {
        "csv": lambda: tmp_path / "a.csv",
        "parquet": lambda: tmp_path / "a.parquet",
        "dask": lambda: dd.from_pandas(frame, npartitions=5),
        "duckdb": lambda: duckdb.from_df(frame),
        "polars": lambda: pl.from_pandas(frame).lazy(),
    }[request.param]()


def test_sources_have_the_model_of_the_frame(
    source: Any, frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = frame.drop(columns="y"), frame["y"]
    whole, model = AutoClassifier().fit(X, y), AutoClassifier().fit(source, "y")
    assert model.selection_.title == whole.selection_.title
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-7)
    # More rows are selected by a sample.
    monkeypatch.setattr(fit, "MOST_SAMPLED", 300)
    monkeypatch.setattr(fit, "MOST_BYTES", 0)
    sampled = AutoClassifier().fit(source, "y")
    assert 140 <= sampled.selection_.n_held_out <= 310
    np.testing.assert_allclose(sampled.priors_, whole.priors_, rtol=1e-12)  # of all rows
    assert sampled.evaluate(X, y).log_loss < whole.evaluate(X, y).log_loss + 0.02


def test_samples_where_candidates_are_refitted(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holes = frame.assign(b=frame["b"].mask(frame.index % 7 == 0))
    holes["y"] = holes["y"].mask(frame.index % 3 == 0)
    holes.to_csv(tmp_path / "holes.csv", index=False)
    monkeypatch.setattr(fit, "MOST_HELD_OUT", 150)
    monkeypatch.setattr(fit, "MOST_SAMPLED", 300)
    monkeypatch.setattr(fit, "MOST_BYTES", 0)
    for model in (
        AutoClassifier().fit(tmp_path / "holes.csv", "y"),
        AutoClassifier().fit(holes.drop(columns="y"), holes["y"]),
    ):
        assert model.selection_.n_held_out <= 150
        assert model.score(frame.drop(columns="y"), frame["y"]) > 0.6


def test_a_sample_is_drawn_of_a_pipe(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        frame.head(300).to_csv(pipe, index=False)
    monkeypatch.setattr(fit, "MOST_SAMPLED", 50)
    monkeypatch.setattr(fit, "MOST_BYTES", 0)
    model = AutoClassifier().fit(f"/dev/fd/{reading}", "y")
    assert model.model_.statistics.weight.sum() == 300
    os.close(reading)
