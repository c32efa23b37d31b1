"""Fitting and predicting with features and labels that are missing, through the estimator."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import AutoClassifier, Columns, DataError, GaussianClassifier
from gaussbayes.model import statistics
from tests.models import STRUCTURES, assert_same_model, iris

each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def holes(X: Any, share: float = 0.2, seed: int = 0) -> Any:
    """The rows with a share of their values missing."""
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@each_structure
def test_incomplete_rows_make_a_model(covariance: str, shared: bool) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared).fit(holes(X), y)
    whole = GaussianClassifier(covariance, shared=shared).fit(X, y)
    assert model.model_.convergence.converged
    assert whole.model_.convergence is None
    assert model.score(X, y) > 0.9
    # A fifth of the values is missing: the means stay within a few standard errors.
    error = np.sqrt(np.einsum("kii->ki", np.broadcast_to(whole.covariances_, (3, 4, 4))) / 50)
    assert (np.abs(model.means_ - whole.means_) < 3 * error).all()
    np.testing.assert_allclose(model.priors_, whole.priors_)


@pytest.mark.parametrize("unlabelled", [0, 20])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_covariances_shrunk_towards_the_pooled_one(
    covariance: str, unlabelled: int, divisor: str
) -> None:
    X, y = iris()
    X, y = holes(X), y.astype(object)
    y[np.random.default_rng(3).choice(150, unlabelled, replace=False)] = None
    own = GaussianClassifier(covariance).fit(X, y)
    model = GaussianClassifier(covariance, shared=0.3, divisor=divisor).fit(X, y)
    assert model.model_.convergence.converged
    # The expected scatters are those of the own covariances, which EM divides by the weights.
    weight = 150 * own.priors_
    scatter = weight[:, None, None] * own.covariances_
    lost = divisor == "unbiased"
    each = scatter / (weight - lost)[:, None, None]
    expected = 0.7 * each + 0.3 * scatter.sum(axis=0) / (150 - 3 * lost)
    np.testing.assert_allclose(model.means_, own.means_, rtol=1e-12)
    np.testing.assert_allclose(model.covariances_, expected, rtol=1e-9, atol=1e-12)
    assert model.n_parameters_ == own.n_parameters_
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_one_gaussian_with_missing_values_is_known_exactly() -> None:
    size = [8, 6, 11, 22, 14, 17, 18, 24, 19, 23, 26, 40, 4, 4, 5, 6, 8, 10]
    worms: list[float] = [59, 58, 56, 53, 50, 45, 43, 42, 39, 38, 30, 27, *[np.nan] * 6]
    X = np.column_stack([size, worms]).astype(float)
    # A second class, which own covariances keep apart.
    X, y = np.vstack([X, X[:12] + 1000]), ["apple"] * 18 + ["other"] * 12
    model = GaussianClassifier().fit(X, y)
    # The exact rational maximum of this monotone set.
    np.testing.assert_allclose(model.means_[0], [265 / 18, 148 / 3], rtol=1e-10)
    expected = [[29009 / 324, -377117 / 4158], [-377117 / 4158, 12240475 / 106722]]
    np.testing.assert_allclose(model.covariances_[0], expected, rtol=1e-10)


def test_rows_without_labels_help() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 2)) + 3 * y[:, None]
    few: Any = np.where(np.arange(600) < 10, y, np.nan)
    model = GaussianClassifier(shared=True, columns=Columns(unlabelled=np.nan)).fit(X, few)
    alone = GaussianClassifier(shared=True).fit(X[:10], y[:10])
    truth = np.array([[0.0, 0.0], [3.0, 3.0]])
    assert np.abs(model.means_ - truth).max() < np.abs(alone.means_ - truth).max()
    likelihood = model.model_.convergence.log_likelihood
    assert (np.diff(likelihood) >= -1e-10 * np.abs(likelihood[1:])).all()
    marks: Any = np.where(np.isnan(few), -1, few).astype(int)
    marked = GaussianClassifier(shared=True, columns=Columns(unlabelled=-1)).fit(X, marks)
    assert_same_model(marked, model, X)
    text: Any = [None if np.isnan(label) else "ab"[int(label)] for label in few]
    named = GaussianClassifier(shared=True).fit(X, text)
    np.testing.assert_allclose(named.means_, model.means_, rtol=1e-12)
    three = GaussianClassifier(columns=Columns(unlabelled=None)).fit(X, marks)
    assert three.classes_.tolist() == [-1, 0, 1]


def test_nan_among_labels_of_floats_is_warned_of() -> None:
    X, y = np.arange(12.0)[:, None] % 7, np.repeat([0.0, 1.0], 6)
    y[2] = np.nan
    with pytest.warns(
        UserWarning, match=r"^1 of 12 labels are NaN; .*Columns\(unlabelled=float\('nan'\)\)"
    ):
        warned = GaussianClassifier(shared=True).fit(X, y)
    meant = GaussianClassifier(shared=True, columns=Columns(unlabelled=float("nan"))).fit(X, y)
    written = GaussianClassifier(shared=True).fit(
        X, [None if np.isnan(each) else each for each in y]
    )
    for model in (meant, written):
        np.testing.assert_array_equal(model.means_, warned.means_)


def test_frames_files_and_explanations_take_such_models(tmp_path: Path) -> None:
    X, y = iris()
    frame = pd.DataFrame(holes(X), columns=["a", "b", "c", "d"]).convert_dtypes()
    model = GaussianClassifier().fit(frame, y)
    again = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    told = model.explain(frame[7:8])
    posterior = [terms.posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(posterior, model.predict_proba(frame[7:8])[0], rtol=1e-10)


def assert_alike(a: GaussianClassifier, b: GaussianClassifier) -> None:
    """The same classes, and parameters that agree to what EM is stopped at."""
    assert a.classes_.tolist() == b.classes_.tolist()
    np.testing.assert_allclose(a.priors_, b.priors_, rtol=1e-12)
    np.testing.assert_allclose(a.means_, b.means_, rtol=1e-10)
    size = np.sqrt(np.einsum("...ii->...i", b.covariances_))
    unit = size[..., :, None] * size[..., None, :]
    np.testing.assert_allclose(a.covariances_ / unit, b.covariances_ / unit, rtol=0, atol=1e-10)


@each_structure
def test_any_way_of_learning_gives_the_same_model(covariance: str, shared: bool) -> None:
    X, y = iris()
    X[:100] = holes(X[:100])  # the others are complete
    X[7] = np.nan
    weights = np.random.default_rng(2).random(150)

    def new() -> GaussianClassifier:
        return GaussianClassifier(covariance, shared=shared)

    whole = new().fit(X, y, weights)
    stream = new()
    for some in np.array_split(np.arange(150), 7):
        stream.partial_fit(X[some], y[some], sample_weight=weights[some])
    assert_alike(stream, whole)
    assert stream.model_.convergence.converged
    left, right = (
        new().partial_fit(X[some], y[some], sample_weight=weights[some])
        for some in (slice(0, 60), slice(60, None))
    )
    assert_alike(new().merge(left).merge(right), whole)
    extra = X[:30] + 1.0
    more = new().fit(X, y, weights).partial_fit(extra, y[:30])
    assert_alike(more.forget(extra, y[:30]), whole)


def test_forgetting_all_that_was_missing_leaves_a_model_of_complete_rows() -> None:
    X, y = iris()
    X[:50] = holes(X[:50])
    lacks = np.isnan(X).any(axis=1)
    model = GaussianClassifier().fit(X, y).forget(X[lacks], y[lacks])
    whole = GaussianClassifier().fit(X[~lacks], y[~lacks])
    assert model.model_.convergence is None
    np.testing.assert_allclose(model.means_, whole.means_, rtol=1e-13)
    np.testing.assert_allclose(model.covariances_, whole.covariances_, rtol=1e-12)


def test_rows_that_were_never_there_cannot_be_forgotten() -> None:
    X, y = iris()
    X[:50, 1] = np.nan
    model = GaussianClassifier().fit(X, y)
    gone = X[60:61].copy()
    gone[0, 2] = np.nan
    with pytest.raises(DataError, match=f"rows of class '{y[60]}' without feature 2 to be"):
        model.forget(gone, y[60:61])
    with pytest.raises(DataError, match="from class '.*' without feature 1, which has weight"):
        model.forget(X[:50], y[:50], np.full(50, 2.0))
    with pytest.raises(DataError, match="there are no rows of class .* to be removed"):
        GaussianClassifier().fit(X[50:], y[50:]).forget(X[:1], y[:1])
    assert_alike(model, GaussianClassifier().fit(X, y))


def test_classes_come_and_go() -> None:
    X, y = iris()
    X = holes(X)
    old = y != "virginica"
    model = GaussianClassifier().fit(X[old], y[old]).partial_fit(X[~old], y[~old])
    whole = GaussianClassifier().fit(X, y)
    assert_alike(model, whole)
    assert_alike(model.remove_class("virginica"), GaussianClassifier().fit(X[old], y[old]))
    np.testing.assert_allclose(whole.with_priors("uniform").means_, whole.means_, rtol=0)
    np.testing.assert_allclose(whole.with_priors("uniform").priors_, 1 / 3, rtol=1e-15)


def test_soft_labels_of_rows_with_missing_values() -> None:
    X, y = iris()
    X = holes(X)
    names = np.unique(y)
    sure = (y[:, None] == names).astype(float)
    soft = 0.9 * sure + 0.1 / 3
    assert_alike(
        GaussianClassifier().fit(X, pd.DataFrame(sure, columns=names)),
        GaussianClassifier().fit(X, y),
    )
    each = np.repeat(np.arange(150), 3)
    labels, weights = np.tile(names, 150), soft.ravel()
    assert_alike(
        GaussianClassifier(shared=True).fit(X, pd.DataFrame(soft, columns=names)),
        GaussianClassifier(shared=True).fit(X[each], labels, weights),
    )


def test_a_stream_may_begin_with_what_says_little() -> None:
    X, y = iris()
    X = holes(X)
    model = GaussianClassifier().partial_fit(np.full((1, 4), np.nan), y[:1])
    with pytest.raises(DataError, match="at least two classes"):
        model.predict(X)
    model.partial_fit(np.where(np.arange(4) == 0, X, np.nan), y)
    with pytest.raises(DataError, match="feature 1, feature 2, feature 3"):
        model.predict(X)
    model.partial_fit(X, y)
    assert model.model_.convergence.converged
    assert model.score(X, y) > 0.8


@each_structure
def test_rows_without_label_are_kept_for_what_comes(covariance: str, shared: bool) -> None:
    X, y = iris()
    X, some = holes(X, 0.1), np.where(np.arange(150) % 3 == 1, None, y)

    def new() -> GaussianClassifier:
        return GaussianClassifier(covariance, shared=shared)

    whole = new().fit(X, some)
    stream = new().partial_fit(X[:90], some[:90]).partial_fit(X[90:], some[90:])
    np.testing.assert_allclose(stream.means_, whole.means_, rtol=1e-8)
    merged = new().fit(X[:90], some[:90]).merge(new().partial_fit(X[90:], some[90:]))
    np.testing.assert_allclose(merged.means_, whole.means_, rtol=1e-8)
    again = new().fit(X, some).forget(X[90:], some[90:])
    np.testing.assert_allclose(again.means_, new().fit(X[:90], some[:90]).means_, rtol=1e-8)
    with pytest.raises(DataError, match="unlabelled row 0 is not among those"):
        again.forget(X[90:], np.full(60, None))


def test_more_rows_without_label_than_are_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y = iris()
    some = np.where(np.arange(150) % 3 == 1, None, y)
    whole = GaussianClassifier().fit(X, some)
    monkeypatch.setattr(statistics, "MOST_KEPT_BYTES", 1000)
    model = GaussianClassifier().fit(X, some)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    chosen = AutoClassifier().fit(X, some)
    assert chosen.selection_.best.unlabelled_weight in {0.0, 0.1, 1.0}
    monkeypatch.undo()
    loaded = GaussianClassifier.load(whole.save(tmp_path / "model.json"))
    for poorer in (model, loaded):
        for step in (poorer.partial_fit, poorer.forget):
            with pytest.raises(DataError, match="needs the 50 unlabelled rows .* are not kept"):
                step(X, y)
    kept = GaussianClassifier.load(whole.save(tmp_path / "model.json", unlabelled_rows=True))
    kept.partial_fit(X, y)
    np.testing.assert_allclose(kept.means_, whole.partial_fit(X, y).means_, rtol=1e-8)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.inf], [np.nan]], [0, 1, 1], "infinity in row 1"),
        ([[1.0], [2.0]], [None, None], "at least two classes"),
        ([[np.nan], [np.nan], [1.0], [2.0]], [0, 0, 1, 1], "0"),
        ([[1.0], [2.0], [3.0]], [0, 1], "X has 3 rows, but y has 2"),
    ],
)
def test_what_cannot_be_fitted(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        GaussianClassifier().fit(X, y)
