"""Features that are transformed, through the classifier: learning, streams, files, bad input."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.path import Path as Outline
from pyarrow import parquet
from scipy.special import logsumexp
from sklearn.base import clone

from gaussbayes import DataError, GaussianClassifier, Model, OptionError, compare, plots
from gaussbayes.analysis.boundary import decision_boundaries
from gaussbayes.families.transformed import Logarithm, Standardised, YeoJohnson
from gaussbayes.model import row_sample


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    yield
    plt.close("all")


KINDS = ("standardised", "yeo-johnson", "log", "rank-normal")


def table(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Positive features of three classes, in very different units, and a category."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    z = random.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]])
    z[:, 0] += codes
    z[:, 1] -= 0.7 * codes
    columns = {
        "income": 1e4 * np.exp(z[:, 0]),
        "area": np.square(z[:, 1] + 8.0),
        "share": 1e-3 * np.exp(0.5 * z[:, 2]),
        "colour": pd.Categorical(random.choice(list("abc"), n)),
    }
    return pd.DataFrame(columns), np.array(["r", "s", "t"])[codes]


X, Y = table()
NUMBERS = ["income", "area", "share"]


@pytest.mark.parametrize("kind", KINDS)
def test_scores_do_not_depend_on_units(kind: str) -> None:
    """Posteriors stay, densities change by the volume of the new units."""
    factors = np.array([1e-6, 3.0, 1e5])
    other = X.assign(**{name: X[name] * f for name, f in zip(NUMBERS, factors, strict=True)})
    for options in ({}, {"shared": True}, {"covariance": "spherical", "shared": 0.3}):
        a = GaussianClassifier(transforms=kind, **options).fit(X, Y)
        b = GaussianClassifier(transforms=kind, **options).fit(other, Y)
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(other), rtol=1e-5, atol=1e-9)
        shift = np.log(factors).sum()
        np.testing.assert_allclose(a.score_samples(X), b.score_samples(other) + shift, rtol=1e-5)


def test_standardised_features_change_nothing_that_is_not_shrunk() -> None:
    plain = GaussianClassifier().fit(X, Y)
    model = GaussianClassifier(transforms="standardised").fit(X, Y)
    np.testing.assert_allclose(model.predict_log_proba(X), plain.predict_log_proba(X), rtol=1e-8)
    np.testing.assert_allclose(model.score_samples(X), plain.score_samples(X), rtol=1e-10)
    np.testing.assert_allclose(model.means_, plain.means_, rtol=1e-10)
    np.testing.assert_allclose(model.covariances_, plain.covariances_, rtol=1e-8)
    assert model.n_parameters_ == plain.n_parameters_


def test_logarithms_are_the_classifier_of_logarithms() -> None:
    """Evidence differs by the slopes of the logarithms, 1 / x."""
    logs = X.assign(**{name: np.log(X[name]) for name in NUMBERS})
    plain = GaussianClassifier(shared=True).fit(logs, Y)
    model = GaussianClassifier(shared=True, transforms="log").fit(X, Y)
    np.testing.assert_allclose(model.predict_log_proba(X), plain.predict_log_proba(logs), atol=1e-9)
    expected = plain.score_samples(logs) - logs[NUMBERS].sum(axis=1)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-10)
    np.testing.assert_allclose(model.p_values(X), plain.p_values(logs), rtol=1e-6)
    bic = [
        GaussianClassifier("auto", selection="bic", transforms=how).fit(rows, Y).selection_.best.bic
        for how, rows in (("log", X), (None, logs))
    ]
    assert bic[0] - bic[1] == pytest.approx(2 * logs[NUMBERS].to_numpy().sum(), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_left_out_are_those_of_models_without_them(kind: str) -> None:
    """Given the transforms, which are learnt once."""
    x, y = X[:45], Y[:45]
    model = GaussianClassifier(shared=0.4, transforms=kind, smoothing=1.0).fit(x, y)
    left_out = model.leave_one_out(x, y)
    options = model.get_params() | {"transforms": model.transforms_}
    for i in (0, 7, 44):
        others = np.arange(45) != i
        again = GaussianClassifier(**options).fit(x[others], y[others])
        expected = again.predict_log_proba(x[i : i + 1])[0]
        np.testing.assert_allclose(left_out.log_posterior[i], expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_added_merged_and_forgotten(kind: str, tmp_path: Path) -> None:
    """The first rows say how all are transformed; with that, any order gives one model."""
    first = GaussianClassifier(transforms=kind).partial_fit(X[:90], Y[:90])
    shared = clone(first).set_params(transforms=first.transforms_)
    expected = clone(shared).fit(X, Y).predict_log_proba(X)
    second = clone(shared).partial_fit(X[90:], Y[90:])
    loaded = GaussianClassifier.load(first.save(tmp_path / "model.json"))
    assert loaded.transforms_ == first.transforms_
    for model in (
        clone(shared).partial_fit(X[:90], Y[:90]).merge(second),
        pickle.loads(pickle.dumps(first)).partial_fit(X[90:], Y[90:]),
        loaded.partial_fit(X[90:], Y[90:]),
        first.partial_fit(X, Y).forget(X[:90], Y[:90]),
    ):
        np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-8, atol=1e-8)
    with pytest.raises(DataError, match=r"transformed in different ways.*transforms_"):
        GaussianClassifier(transforms=kind).fit(X[:100], Y[:100]).merge(second)


def test_files_are_read_once_more_for_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    X.assign(y=Y).to_csv(path, index=False)
    how: dict[str, Any] = {"transforms": "yeo-johnson", "categorical_features": ["colour"]}
    strings = X.astype({"colour": object})
    whole = GaussianClassifier(**how).fit(strings, Y)
    model = GaussianClassifier(**how).fit_source(path, "y")
    assert model.transforms_ == whole.transforms_
    np.testing.assert_allclose(
        model.predict_log_proba(strings), whole.predict_log_proba(strings), rtol=1e-9
    )
    monkeypatch.setattr(row_sample, "MOST_SAMPLED", 100)
    sampled = GaussianClassifier(**how).fit_source(path, "y")
    which = row_sample.stratified(np.unique(Y, return_inverse=True)[1], len(Y) // 4)
    some = GaussianClassifier(**how).fit(strings.iloc[which], Y[which])
    assert sampled.transforms_ == some.transforms_
    assert sampled.partial_fit_source(path).transforms_ == some.transforms_


@pytest.mark.parametrize("kind", ["parquet", "dask", "duckdb", "polars"])
def test_other_sources_are_sampled_too(kind: str, tmp_path: Path) -> None:
    table = pa.Table.from_pandas(X[NUMBERS].assign(y=Y), preserve_index=False)
    path = tmp_path / "rows.parquet"
    parquet.write_table(table, path, row_group_size=50)
    source: Any = {
        "parquet": lambda: path,
        "dask": lambda: dd.from_pandas(table.to_pandas(), npartitions=3),
        "duckdb": lambda: duckdb.connect().from_arrow(table),
        "polars": lambda: pl.from_arrow(table).lazy(),
    }[kind]()
    for transform in KINDS:
        model = GaussianClassifier(transforms=transform).fit_source(source, "y")
        whole = GaussianClassifier(transforms=transform).fit(X[NUMBERS], Y)
        np.testing.assert_allclose(
            model.predict_log_proba(X[NUMBERS]), whole.predict_log_proba(X[NUMBERS]), rtol=1e-8
        )


def test_samples_of_parts_are_thinned_alike() -> None:
    from gaussbayes.base.schema import Schema
    from gaussbayes.data.rows import LabelledRows, Targets, number_rows

    most = row_sample.MOST_SAMPLED

    def part(first: int, n: int, classes: list[str]) -> row_sample.RowSample:
        numbers = np.arange(first, first + n, dtype=float)[:, None]
        codes = (np.arange(n) % len(classes)).astype(np.int32)
        rows = LabelledRows(number_rows(numbers), Targets(codes, len(classes)), np.array(classes))
        return row_sample.RowSample(rows, Schema(np.empty(0), 0)).bounded()

    both = part(0, 2 * most, ["a", "b"]) + part(2 * most, 30, ["b", "c"])
    assert both.table.rows.n_rows <= most
    assert both.every == 4
    assert both.table.classes.tolist() == ["a", "b", "c"]
    numbers = both.table.rows.matrix[:, 0]
    assert (np.diff(numbers) > 0).all()
    assert 0 < np.count_nonzero(numbers >= 2 * most) <= 30
    of_classes = np.bincount(both.table.targets.codes)
    np.testing.assert_allclose(of_classes / (most / 4), [1, 1, 0], atol=0.01)


def test_some_features_by_name() -> None:
    how = {"income": "log", ("area", "share"): None}
    model = GaussianClassifier(transforms=how).fit(X, Y)
    assert isinstance(model.transforms_["income"], Logarithm)
    assert model.transforms_["area"] == Standardised()
    logs = X.assign(income=np.log(X["income"]))
    plain = GaussianClassifier().fit(logs, Y)
    np.testing.assert_allclose(model.predict_log_proba(X), plain.predict_log_proba(logs), atol=1e-8)
    blocks = GaussianClassifier(
        transforms={"share": "yeo-johnson"}, families={("income", "area"): "gaussian"}
    ).fit(X, Y)
    assert list(blocks.transforms_) == ["share"]
    part = model.marginal(["share", "income"])
    assert list(part.transforms_) == ["share", "income"]
    assert isinstance(part.model_, Model)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_and_labels(kind: str) -> None:
    x = X.copy()
    x.loc[3:70, "area"] = np.nan
    x.loc[60:90, "income"] = np.nan
    model = GaussianClassifier(shared=True, transforms=kind).fit(x, Y)
    end = model.convergence_.log_likelihood[-1]
    assert end == pytest.approx(-model.negative_log_likelihood(x, Y).total, rel=1e-9)
    y = Y.astype(object)
    y[::3] = None
    model = GaussianClassifier(shared=True, transforms=kind).fit(X, y)
    labelled = np.array([label is not None for label in y])
    joint = model.predict_joint_log_proba(X)
    own = joint[np.arange(len(Y)), np.searchsorted(model.classes_, Y)]
    total = own[labelled].sum() + logsumexp(joint, axis=1)[~labelled].sum()
    assert model.convergence_.log_likelihood[-1] == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_is_where_the_model_is(kind: str) -> None:
    """Outlines hold as much of the draws as they say; boundaries are where classes are equal."""
    model = GaussianClassifier(transforms=kind).fit(X, Y)
    ax = plots.ellipses(model, levels=[0.5], unit="mass", features=["income", "area"])
    rows, labels = model.sample(20_000, random_state=0)
    for line, label in zip(ax.lines, model.classes_, strict=False):
        points = rows[labels == label][:, :2].astype(float)
        inside = Outline(np.column_stack(line.get_data())).contains_points(points)
        assert abs(inside.mean() - 0.5) < 0.025
    one = model.marginal(["income"])
    for boundary in decision_boundaries(one.model_):
        at = pd.DataFrame({"income": [boundary.position]})
        joint = one.predict_joint_log_proba(at)[0]
        np.testing.assert_allclose(joint[boundary.left], joint[boundary.right], atol=1e-7)
    plots.regions(model, X, Y, features=["income", "share"])
    plots.densities(one)


def test_compare_and_settings() -> None:
    compared = compare(X[NUMBERS][:90], Y[:90], model=GaussianClassifier(transforms="yeo-johnson"))
    assert all(candidate.problem is None for candidate in compared.candidates)
    model = GaussianClassifier(transforms="yeo-johnson").fit(X, Y)
    assert isinstance(model.transforms_["share"], YeoJohnson)
    assert clone(model).transforms == "yeo-johnson"
    assert not hasattr(GaussianClassifier().fit(X, Y), "transforms_")


def test_bad_input() -> None:
    fit = lambda transform, rows=X: GaussianClassifier(transforms=transform).fit(rows, Y)  # noqa: E731
    with pytest.raises(OptionError, match=r"None or one of .*'log'.*got 'yeo-jonson' \(did you"):
        fit("yeo-jonson")
    with pytest.raises(OptionError, match="'colour' must be Gaussian to be transformed"):
        fit({"colour": "log"})
    with pytest.raises(OptionError, match="'area' must have one transform"):
        fit({"area": "log", ("area", "income"): "log"})
    with pytest.raises(DataError, match="no feature 'are'"):
        fit({"are": "log"})
    wrong = X.copy()
    wrong.loc[17, "share"] = -1.0
    with pytest.raises(DataError, match=r"row 17 has -1 in 'share', which must be above 0"):
        fit("log", wrong)
    model = fit("log")
    for method in (model.predict, model.score_samples, model.p_values):
        with pytest.raises(DataError, match=r"row 17 has -1 in 'share', which must be above 0"):
            method(wrong)
    with pytest.raises(DataError, match=r"row 17 has -1 in 'share'"):
        model.partial_fit(wrong, Y)
    with pytest.raises(OptionError, match="'log' was learnt.*got 'rank-normal': fit again"):
        model.set_params(transforms="rank-normal").partial_fit(X, Y)
    with pytest.raises(DataError, match="cannot change the families"):
        model.set_params(transforms=None).partial_fit(X, Y)
    moments = GaussianClassifier().fit(X[NUMBERS], Y).moments_
    with pytest.raises(OptionError, match="learnt from rows, and there are moments only"):
        GaussianClassifier.from_moments(moments, transforms="log")


@pytest.mark.parametrize("kind", KINDS)
def test_difficult_columns(kind: str) -> None:
    """Constant within classes or everywhere but a few rows, of two values, of one row a class."""
    x = X[NUMBERS].assign(two=np.where(Y == "r", 1.0, 2.0) * (1 + (np.arange(240) % 7 == 0)))
    model = GaussianClassifier(transforms=kind, shrinkage=0.1).fit(x, Y)
    assert np.isfinite(model.predict_log_proba(x)).all()
    single = np.r_[0:60, 61]
    y = Y[single].copy()
    y[-1] = "alone"
    lonely = GaussianClassifier(transforms=kind, shared=True).fit(x.iloc[single], y)
    assert np.isfinite(lonely.predict_log_proba(x)).all()
    if kind in {"yeo-johnson", "rank-normal"}:
        x.loc[11, "income"] = 1e300
        outlying = GaussianClassifier(transforms=kind, shared=True).fit(x, Y)
        others = np.arange(240) != 11
        before = GaussianClassifier(transforms=kind, shared=True).fit(x[others], Y[others])
        assert outlying.score(X[NUMBERS].assign(two=x["two"]), Y) > before.score(x, Y) - 0.03
