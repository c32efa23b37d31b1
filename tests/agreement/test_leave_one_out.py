"""Rows left out in closed form against fits without some of them, on tables that are difficult."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from gaussbayes import GaussianClassifier

STRUCTURES = [*product(("full", "diagonal", "spherical"), (False, True, 0.4)), ("full", 0.9)]
each_structure = pytest.mark.parametrize(("covariance", "shared"), STRUCTURES)


def assert_refitted(model: Any, X: Any, y: Any, rows: Any, tolerance: float) -> None:
    """Every row has posteriors; some are compared with those of a model fitted without them."""
    found = model.leave_one_out(X, y).log_posterior
    assert np.isfinite(found).all()
    assert np.abs(np.exp(found).sum(axis=1) - 1.0).max() <= 1e-15 * found.shape[1]
    for row in rows:
        others = np.arange(len(y)) != row
        expected = clone(model).fit(X[others], y[others]).predict_log_proba(X[[row]])[0]
        np.testing.assert_allclose(found[row], expected, rtol=tolerance, atol=tolerance)


@each_structure
@pytest.mark.parametrize("target", ["diagonal", "spherical"])
def test_a_condition_number_of_2e12(covariance: Any, shared: Any, target: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for shrinkage in (None, 1e-9, 1e-6, 0.3, "oas"):
        if (covariance, shrinkage) == ("full", "oas") and 0 < shared < 1:
            continue  # which has no closed form
        model = GaussianClassifier(
            covariance, shared=shared, shrinkage=shrinkage, shrinkage_target=target
        )
        assert_refitted(model, X, y, range(0, 569, 60), 1e-10)


@each_structure
def test_large_tables_sorted_by_class_or_with_a_rare_class(covariance: Any, shared: Any) -> None:
    """Rows go through in blocks: of some classes a block has none."""
    rng = np.random.default_rng(11)
    y = np.repeat(np.arange(3), [40_000, 26_000, 50])
    X = rng.normal(size=(y.size, 3)) + rng.normal(size=(3, 3))[y]
    model = GaussianClassifier(covariance, shared=shared, shrinkage=0.3)
    assert_refitted(model, X, y, (0, 39_999, 40_000, 66_049), 1e-10)
