"""Automatic models of sources: all rows in memory, or a choice by a sample and a fit to all."""

import os
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.base.errors import DataError
from gaussbayes.model import fit, row_sample
from gaussbayes.model.row_sample import stratified
from tests.models import automatic_classifier

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


@pytest.fixture(scope="module", params=[False, True])
def whole(request: pytest.FixtureRequest, frame: pd.DataFrame) -> GaussianClassifier:
    """What is chosen, or averaged, of all rows in memory."""
    automatic = automatic_classifier(average=request.param)
    return automatic.fit(frame.drop(columns="y"), frame["y"])


@pytest.mark.parametrize("whole", [False], indirect=True)
def test_what_fits_into_memory_is_as_in_memory(
    source: Any, frame: pd.DataFrame, whole: GaussianClassifier
) -> None:
    X = frame.drop(columns="y")
    model = AutoClassifier().fit_source(source, "y")
    assert model.selection_.best.settings == whole.selection_.best.settings
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-7)


def test_more_rows_are_chosen_by_a_sample(
    source: Any, frame: pd.DataFrame, whole: GaussianClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_sample, "MOST_SAMPLED", 300)
    monkeypatch.setattr(row_sample, "MOST_BYTES", 0)
    model = clone(whole).fit_source(source, "y")
    assert 140 <= model.selection_.n_held_out <= 310
    learnt = model.model_.weighted_members[0][1].learnt
    assert learnt.weight.tolist() == np.unique(frame["y"], return_counts=True)[1].tolist()
    X, y = frame.drop(columns="y"), frame["y"]
    truth = np.unique(y, return_inverse=True)[1]
    losses = [-m.predict_log_proba(X)[np.arange(N), truth].mean() for m in (model, whole)]
    assert losses[0] < losses[1] + 0.02


def test_samples_where_candidates_are_refitted(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holes = frame.assign(b=frame["b"].mask(frame.index % 7 == 0))
    holes["y"] = holes["y"].mask(frame.index % 3 == 0)
    path = tmp_path / "holes.csv"
    holes.to_csv(path, index=False)
    monkeypatch.setattr(fit, "MOST_REFITTED", 150)
    monkeypatch.setattr(row_sample, "MOST_SAMPLED", 300)
    monkeypatch.setattr(row_sample, "MOST_BYTES", 0)
    X, y = frame.drop(columns="y"), frame["y"]
    for model, most in (  # two thirds have a label; in memory all that are looked at have
        (AutoClassifier().fit_source(path, "y"), 110),
        (AutoClassifier().fit(holes.drop(columns="y"), holes["y"]), 150),
    ):
        assert model.selection_.n_held_out <= most
        learnt = model.model_.learnt
        assert learnt.weight.sum() == 800
        assert learnt.unlabelled.n_rows == 400
        assert model.score(X, y) > 0.6


def test_a_sample_cannot_be_drawn_of_a_pipe(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        frame.head(300).to_csv(pipe, index=False)
    monkeypatch.setattr(row_sample, "MOST_SAMPLED", 50)
    monkeypatch.setattr(row_sample, "MOST_BYTES", 0)
    with pytest.raises(DataError, match="cannot be read again: write them to a file"):
        AutoClassifier().fit_source(f"/dev/fd/{reading}", "y")
    os.close(reading)


def test_strata() -> None:
    codes = np.repeat([2, 0, 1], [1000, 3000, 3]).astype(np.int32)
    which = stratified(codes, 400)
    assert (np.diff(which) > 0).all()
    np.testing.assert_allclose(np.bincount(codes[which]), [300, 2, 100], atol=1)
    np.testing.assert_array_equal(which, stratified(codes, 400))
    unique = np.arange(1000, dtype=np.int32)
    assert stratified(unique, 100).size == 100  # not one of every class
