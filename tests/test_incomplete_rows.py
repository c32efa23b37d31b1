"""Fitting and predicting with features and labels that are missing, through the estimator."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gaussbayes import DataError, GaussianClassifier, NonFiniteError, ParameterError
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
    assert model.convergence_.converged
    assert not hasattr(whole, "convergence_")
    assert model.score(X, y) > 0.9
    # A fifth of the values is missing: the means stay within a few standard errors.
    error = np.sqrt(np.einsum("kii->ki", np.broadcast_to(whole.covariances_, (3, 4, 4))) / 50)
    assert (np.abs(model.means_ - whole.means_) < 3 * error).all()
    np.testing.assert_allclose(model.priors_, whole.priors_)


@pytest.mark.parametrize("unlabelled", [0, 20])
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
def test_covariances_drawn_towards_a_shared_one(
    covariance: str, unlabelled: int, divisor: str
) -> None:
    X, y = iris()
    X, y = holes(X), y.astype(object)
    y[np.random.default_rng(3).choice(150, unlabelled, replace=False)] = None
    own = GaussianClassifier(covariance).fit(X, y)
    model = GaussianClassifier(covariance, shared=0.3, divisor=divisor).fit(X, y)
    assert model.convergence_.converged
    # The completed scatters are those of the own covariances, which EM divides by the weights.
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


@each_structure
def test_predictions_integrate_out_what_is_missing(covariance: str, shared: bool) -> None:
    X, y = iris()
    model = GaussianClassifier(covariance, shared=shared).fit(X, y)
    rows = X[:20].copy()
    rows[:, [1, 3]] = np.nan
    expected = model.marginal([0, 2])
    for score in ("predict_log_proba", "log_likelihood", "mahalanobis", "score_samples"):
        found, wanted = getattr(model, score)(rows), getattr(expected, score)(X[:20, [0, 2]])
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    nothing = np.full((1, 4), np.nan)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.priors_, rtol=1e-14)


def test_rows_without_labels_help() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(600) % 2
    X = rng.normal(size=(600, 2)) + 3 * y[:, None]
    few: Any = np.where(np.arange(600) < 10, y, np.nan)
    model = GaussianClassifier(shared=True).fit(X, few)
    alone = GaussianClassifier(shared=True).fit(X[:10], y[:10])
    truth = np.array([[0.0, 0.0], [3.0, 3.0]])
    assert np.abs(model.means_ - truth).max() < np.abs(alone.means_ - truth).max()
    likelihood = model.convergence_.log_likelihood
    assert (np.diff(likelihood) >= -1e-10 * np.abs(likelihood[1:])).all()
    marks: Any = np.where(np.isnan(few), -1, few).astype(int)
    marked = GaussianClassifier(shared=True, unlabelled=-1).fit(X, marks)
    assert_same_model(marked, model, X)
    text: Any = [None if np.isnan(label) else "ab"[int(label)] for label in few]
    named = GaussianClassifier(shared=True).fit(X, text)
    np.testing.assert_allclose(named.means_, model.means_, rtol=1e-12)
    three = GaussianClassifier(unlabelled=None).fit(X, marks)
    assert three.classes_.tolist() == [-1, 0, 1]


def test_labels_count_more_the_less_the_others_weigh() -> None:
    X, y = iris()
    some = np.where(np.random.default_rng(1).random(150) < 0.5, None, y)
    light = GaussianClassifier(unlabelled_weight=1e-9).fit(X, some)
    there = np.array([label is not None for label in some])
    alone = GaussianClassifier().fit(X[there], y[there])
    np.testing.assert_allclose(light.means_, alone.means_, rtol=1e-6)


def test_frames_files_and_explanations_take_such_models(tmp_path: Path) -> None:
    X, y = iris()
    frame = pd.DataFrame(holes(X), columns=["a", "b", "c", "d"]).convert_dtypes()
    model = GaussianClassifier().fit(frame, y)
    again = GaussianClassifier.load(model.save(tmp_path / "model.json"))
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    told = model.explain(frame[7:8])
    posterior = [terms.posterior for terms in told.bayes.classes]
    np.testing.assert_allclose(posterior, model.predict_proba(frame[7:8])[0], rtol=1e-10)


def test_such_a_model_says_what_it_cannot_do() -> None:
    X, y = iris()
    model = GaussianClassifier().fit(holes(X), y)
    assert not hasattr(model, "moments_")
    for step in (lambda: model.partial_fit(X, y), lambda: model.forget(X[:1], y[:1])):
        with pytest.raises(DataError, match="fitted to rows with missing values or labels"):
            step()
    with pytest.raises(NonFiniteError, match="NaN in row 0"):
        GaussianClassifier().partial_fit(np.full((2, 1), np.nan), [0, 1])
    with pytest.raises(ParameterError, match="chosen by complete rows"):
        GaussianClassifier("auto").fit(holes(X), y)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.inf], [np.nan]], [0, 1, 1], "infinity in row 1"),
        ([[1.0], [2.0]], [None, None], "at least two classes, got labels of"),
        ([[np.nan], [np.nan], [1.0], [2.0]], [0, 0, 1, 1], "0"),
        ([[1.0], [2.0], [3.0]], [0, 1], "X has 3 rows, but y has 2"),
    ],
)
def test_what_cannot_be_fitted(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        GaussianClassifier().fit(X, y)
