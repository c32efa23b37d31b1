"""The plug-in Bayes error: closed forms, integration and enumeration."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from gaussbayes import GaussianClassifier


def bayes_error(model: GaussianClassifier, rows: Any) -> Any:
    """That of an evaluation; the rows do not matter."""
    rows = np.zeros((1, rows)) if isinstance(rows, int) else rows
    found = model.evaluate(rows, model.classes_[:1]).bayes_error
    assert found is not None
    assert 0 <= found.error <= 1
    assert "optimistic" in str(found)
    return found


def given(priors: Any, means: Any, covariances: Any, **settings: Any) -> GaussianClassifier:
    settings = {"covariance": "full", **settings}
    return GaussianClassifier.from_parameters(priors, means, covariances, **settings)


def shared_error(prior: float, apart: float) -> float:
    """Of two classes with one covariance, `apart` standard deviations from each other."""
    shift = np.log(prior / (1 - prior)) / apart
    return float(prior * norm.cdf(-apart / 2 - shift) + (1 - prior) * norm.cdf(-apart / 2 + shift))


@pytest.mark.parametrize("prior", [0.5, 0.01])
@pytest.mark.parametrize("apart", [0.2, 1.0, 4.0, 14.0, 60.0])
def test_two_classes_of_one_covariance(prior: float, apart: float) -> None:
    covariance = np.array([[4.0, -3.0], [-3.0, 4.0]])
    step = np.linalg.cholesky(covariance) @ [0.6, 0.8]
    means = [[7.0, 1.0], [7.0, 1.0] + apart * step]
    found = bayes_error(given([prior, 1 - prior], means, covariance), 2)
    exact = shared_error(prior, apart)
    assert abs(found.error - exact) <= 4 * found.standard_error + 1e-9
    assert found.standard_error <= 0.5 * np.sqrt(exact / 50_000)


TWO = ([[0.0, 0.0], [2.0, 2.0]], [[[2.0, -1.0], [-1.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]]])
THREE = (
    [[-5.0, -5.0], [5.0, -5.0], [0.0, 5.0]],
    [[[3.0, -1.0], [-1.0, 3.0]], [[3.0, -0.5], [-0.5, 3.0]], [[1.0, -1.0], [-1.0, 3.0]]],
)


@pytest.mark.parametrize(("gaussians", "exact"), [(TWO, 1 - 0.928106), (THREE, 0.0016600)])
def test_the_course(gaussians: Any, exact: float) -> None:
    """By integration, which is right to half its last digit."""
    found = bayes_error(given(None, *gaussians), 2)
    assert found.standard_error < 0.1 * exact
    assert abs(found.error - exact) <= 4 * found.standard_error + 5e-7


def test_several_classes_in_one_dimension() -> None:
    priors, means, deviations = [0.1, 0.4, 0.2, 0.3], [0.0, 1.0, 5.0, 3.0], [2.0, 0.5, 1.0, 1.0]

    def wrong(x: float) -> float:
        joint = np.array(priors) * norm.pdf(x, means, deviations)
        return float(joint.sum() - joint.max())

    exact = quad(wrong, -20, 25, limit=500)[0]
    covariances = np.square(deviations)[:, None, None]
    found = bayes_error(given(priors, np.array(means)[:, None], covariances), 1)
    assert abs(found.error - exact) <= 4 * found.standard_error + 1e-6


def test_categories_by_enumeration_and_beside_numbers() -> None:
    """Given the categories, the numbers are two Gaussians under other priors."""
    share = np.random.default_rng(1).dirichlet(np.full(3, 0.7), size=(2, 2))  # class, feature
    share[0, 0] = [1.0, 0.0, 0.0]
    tables = {f"f{j}": {level: share[:, j, level] for level in range(3)} for j in range(2)}
    prior = np.array([0.3, 0.7])
    joint = np.array(
        [prior * share[:, 0, a] * share[:, 1, b] for a, b in product(range(3), repeat=2)]
    )
    model = GaussianClassifier.from_parameters(prior, category_probabilities=tables)
    found = bayes_error(model, pd.DataFrame({"f0": [0], "f1": [0]}))
    assert abs(found.error - joint.min(axis=1).sum()) <= 4 * found.standard_error + 1e-12
    both = given(prior, [[0.0], [2.0]], [[1.0]], feature_names=["x"], category_probabilities=tables)
    exact = sum((a + b) * shared_error(a / (a + b), 2.0) for a, b in joint if a * b > 0)
    found = bayes_error(both, pd.DataFrame({"x": [0.0], "f0": [0], "f1": [0]}))
    assert abs(found.error - exact) <= 4 * found.standard_error


def test_extremes() -> None:
    same = bayes_error(given(None, np.zeros((2, 3)), np.eye(3)), 3)
    assert same.error == pytest.approx(0.5, rel=1e-13)
    far = bayes_error(given(None, [[0.0], [1000.0]], [[1.0]]), 1)
    assert far.error == 0.0  # exp(−125,000)
    assert "less than 0.001 %" in str(far)
    two = bayes_error(given(None, *TWO), 2)
    means = np.insert(np.array(TWO[0]), 1, [9.0, 9.0], axis=0)
    covariances = np.insert(np.array(TWO[1]), 1, np.eye(2), axis=0)
    three = bayes_error(given([0.5, 0.0, 0.5], means, covariances), 2)
    assert three.error == pytest.approx(two.error, rel=1e-6)
    units = np.array([2.0**60, 2.0**-60])
    scaled = given(None, TWO[0] * units, np.array(TWO[1]) * np.multiply.outer(units, units))
    assert bayes_error(scaled, 2).error == pytest.approx(two.error, rel=1e-9)
    many = given(None, [np.zeros(300), np.full(300, 4 / np.sqrt(300))], np.eye(300))
    found = bayes_error(many, 300)
    assert abs(found.error - shared_error(0.5, 4.0)) <= 4 * found.standard_error
