"""Defects 1-5 found in scikit-learn's classifiers of the same family: they do not exist here."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from gaussbayes import GaussianClassifier, OptionError
from tests.models import STRUCTURES

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("exponent", [-40, -33, -7, 7, 33, 40])
def test_1_the_unit_of_the_features_does_not_matter(
    structure: tuple[Any, bool], exponent: int
) -> None:
    X, y = load_iris(return_X_y=True)
    scaled = np.ldexp(X, exponent)  # powers of two, about 1e-12 to 1e12: exact
    model = GaussianClassifier(structure[0], shared=structure[1])
    labels = model.fit(X, y).predict(X)
    assert model.fit(scaled, y).predict(scaled).tolist() == labels.tolist()


@pytest.mark.parametrize("structure", STRUCTURES[:4])
def test_1_nor_does_the_unit_of_each_feature(structure: tuple[Any, bool]) -> None:
    X, y = load_iris(return_X_y=True)
    scaled = X * [1e-10, 1e10, 1.0, 1e-3]
    model = GaussianClassifier(structure[0], shared=structure[1])
    labels = model.fit(X, y).predict(X)
    assert model.fit(scaled, y).predict(scaled).tolist() == labels.tolist()


def test_1_data_in_small_units_or_badly_conditioned_are_not_refused() -> None:
    X, y = load_iris(return_X_y=True)
    assert GaussianClassifier().fit(X / 100, y).score(X / 100, y) == 0.98
    X, y = load_breast_cancer(return_X_y=True)
    assert GaussianClassifier().fit(X, y).score(X, y) > 0.97


def test_2_priors_do_not_reach_the_covariance() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=(300, 2)) @ [[2.0, 0.3], [0.0, 0.5]]
    second = rng.normal(size=(40, 2)) @ [[0.5, 0.0], [0.7, 1.5]] + 2
    X, y = np.vstack([first, second]), np.repeat([0, 1], [300, 40])
    # Pooled by the numbers of rows, whatever the priors.
    pooled = (300 * np.cov(first.T, bias=True) + 40 * np.cov(second.T, bias=True)) / 340
    slope = np.linalg.solve(pooled, second.mean(axis=0) - first.mean(axis=0))
    middle = (first.mean(axis=0) + second.mean(axis=0)) / 2
    for priors in ([0.5, 0.5], [0.9, 0.1], None):
        model = GaussianClassifier(shared=True, priors=priors).fit(X, y)
        np.testing.assert_allclose(model.covariances_, pooled, rtol=1e-13)
        share = 40 / 340 if priors is None else priors[1]
        odds = (X - middle) @ slope + math.log(share / (1 - share))
        np.testing.assert_allclose(model.decision_function(X), odds, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("gap", [20.0, 36.0, 158.04, 700.0, 708.4, 3800.0, 1e6])
def test_3_log_posteriors_are_exact_however_small(gap: float) -> None:
    # Means ±½, unit variance, equal priors: the log-odds are x itself. With x = gap the lesser
    # class has log posterior −log(1 + eᵍᵃᵖ) = −gap − log1p(e⁻ᵍᵃᵖ).
    model = GaussianClassifier.from_parameters([0.5, 0.5], [[-0.5], [0.5]], [[1.0]])
    log_posterior = model.predict_log_proba([[gap], [-gap]])
    lesser = -gap - math.log1p(math.exp(-gap))
    assert log_posterior[0, 0] == pytest.approx(lesser, rel=1e-14)
    assert log_posterior[1, 1] == pytest.approx(lesser, rel=1e-14)
    assert model.decision_function([[gap]])[0] == pytest.approx(gap, rel=1e-14)
    assert abs(model.predict_proba([[gap]]).sum() - 1.0) <= 2e-15


@pytest.mark.parametrize("shrinkage", [None, 0.01, "oas"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_4_batches_of_different_scale_give_the_model_of_all(
    structure: tuple[Any, bool], shrinkage: Any
) -> None:
    rng = np.random.default_rng(0)
    scales = [1e-2, 1.0, 1e3]
    X = np.vstack([scale * rng.normal(size=(60, 3)) for scale in scales])
    y = np.tile(["a", "b"], 90)
    settings = {"covariance": structure[0], "shared": structure[1], "shrinkage": shrinkage}
    whole = GaussianClassifier(**settings).fit(X, y)
    stream = GaussianClassifier(**settings)
    for rows in np.array_split(np.arange(180), 3):
        stream.partial_fit(X[rows], y[rows])
        stream.predict(X)  # parameters are worked out in between, and nothing of them stays
    for name in ("means_", "covariances_"):
        difference = np.abs(getattr(stream, name) - getattr(whole, name)).max()
        assert difference <= 1e-13 * np.abs(getattr(whole, name)).max()
    assert stream.predict(X).tolist() == whole.predict(X).tolist()


@pytest.mark.parametrize("priors", [[5, 5], [-0.5, 1.5], [0.5, 0.9], [np.nan, 1.0]])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_5_priors_that_are_none_are_refused(structure: tuple[Any, bool], priors: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianClassifier(structure[0], shared=structure[1], priors=priors)
    with pytest.raises(OptionError):
        model.fit(X[y < 2], y[y < 2])
