"""scikit-learn's estimator checks: six structures, both kernels, both float widths.

Every check passes. Three of them fit data on which a Gaussian has no density: there the model must
say so, and passes the check with shrinkage where shrinkage helps.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from gaussbayes import GaussianClassifier, SingularCovarianceError, kernels, table
from gaussbayes.types import RealArray

STRUCTURES = [
    GaussianClassifier(covariance, shared=shared)
    for covariance in ("full", "diagonal", "spherical")
    for shared in (False, True)
]

CONSTANT_FEATURE = {
    "check_sample_weights_shape": "its second feature is constant within each class",
    "check_sample_weights_not_overwritten": "its second feature is constant within each class",
}

ONE_ROW_IN_A_CLASS = {
    "check_sample_weight_equivalence_on_dense_data": "one class is a single row, repeated, and "
    "there are 30 features for 15 rows; test_estimator.py has this law with rows enough",
}


@pytest.fixture(params=["reference"] if kernels.native is None else ["reference", "native"])
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    with kernels.using(request.param):
        yield request.param


@pytest.fixture(params=[np.float32, np.float64])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make every matrix that enters the model one of this width."""
    as_matrix = table.as_matrix

    def of_one_width(X: Any) -> RealArray:
        return as_matrix(X).astype(request.param, copy=False)

    monkeypatch.setattr(table, "as_matrix", of_one_width)
    return request.param


def name_of(check: Any) -> str:
    while isinstance(check, partial):
        if isinstance(check.func, partial) or callable(check.func):
            check = check.func
    return str(check.__name__)


def remedy(estimator: GaussianClassifier, name: str) -> Callable[[], GaussianClassifier] | None:
    """How to fit a check's degenerate data, if its data are degenerate for this structure."""
    shrunk = partial(clone(estimator).set_params, shrinkage=0.5)
    if name in CONSTANT_FEATURE and estimator.covariance != "spherical":
        return shrunk
    if name in ONE_ROW_IN_A_CLASS:
        if not estimator.shared:
            # No covariance of its own for a class without any spread, shrunk or not.
            return partial(clone(estimator).set_params, shared=True, shrinkage=0.5)
        return shrunk if estimator.covariance == "full" else None
    return None


@pytest.mark.usefixtures("kernel", "width")
@parametrize_with_checks(STRUCTURES, xfail_strict=True)
def test_scikit_learn_check(
    estimator: GaussianClassifier, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it, one check is skipped
    other = remedy(estimator, name_of(check))
    if other is None:
        check(estimator)
        return
    with pytest.raises(SingularCovarianceError, match="Ways out: give shrinkage"):
        check(estimator)
    check(other())


def test_the_checks_are_those_counted_on() -> None:
    # scikit-learn 1.9.1 yields 61 checks for its GaussianNB, which also has weights and
    # partial_fit; this classifier has a decision function besides.
    marks = test_scikit_learn_check.pytestmark  # type: ignore[attr-defined]
    pairs = next(mark.args[1] for mark in marks if mark.name == "parametrize")
    assert len(pairs) >= 6 * 61
    names = {name_of(check) for _, check in pairs}
    assert names >= {*CONSTANT_FEATURE, *ONE_ROW_IN_A_CLASS}
