"""scikit-learn's estimator checks: six structures, both kernels, and both float widths.

Every check passes. Four of them fit data on which a Gaussian has no density: there the model must
say so, and it passes the check with the remedy that its message names.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from gaussbayes import AutoClassifier, GaussianClassifier, SingularCovarianceError
from gaussbayes.data.rows import Encoder, Rows
from gaussbayes.kernels import native, using
from tests.models import six_models

CONSTANT_FEATURE = {
    "check_sample_weights_shape": "its second feature is constant within each class",
    "check_sample_weights_not_overwritten": "its second feature is constant within each class",
}

COLLINEAR_FEATURES = {
    "check_array_api_input": "two of its features are linear combinations of others",
}

ONE_ROW_IN_A_CLASS = {
    "check_sample_weight_equivalence_on_dense_data": "one class is a single row, repeated, and "
    "there are 30 features for 15 rows; tests/estimators has this law with rows enough",
}


@pytest.fixture
def _width_and_kernels(
    estimator: GaussianClassifier, check: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Compute a check with one kind of kernels; every matrix that enters the model has one width.

    Every check meets both kernels with either width, and every structure. The check of widths
    themselves has its own.
    """
    name = name_of(check)
    number = ("full", "diagonal", "spherical").index(estimator.covariance)
    turn = 2 * number + bool(estimator.shared) + len(name)
    width = (np.float32, np.float64)[turn // 2 % 2]
    encode = Encoder.encode

    def of_one_width(self: Encoder, X: Any) -> Rows:
        rows = encode(self, X)
        return replace(rows, numbers=rows.matrix.astype(width, copy=False))

    if name != "check_transformer_preserve_dtypes":
        monkeypatch.setattr(Encoder, "encode", of_one_width)
    with using("reference" if native is None or turn % 2 else "native"):
        yield


def name_of(check: Any) -> str:
    while isinstance(check, partial):
        check = check.func
    return str(check.__name__)


def remedy(estimator: GaussianClassifier, name: str) -> dict[str, Any]:
    """The settings that fit a check's data if they are degenerate for this structure."""
    full = estimator.covariance == "full"
    if name in ONE_ROW_IN_A_CLASS and not estimator.shared:
        return {"shared": True, "shrinkage": 0.5}  # a single row has no spread, shrunk or not
    if (
        (name in CONSTANT_FEATURE and estimator.covariance != "spherical")
        or (name in COLLINEAR_FEATURES and full)
        or (name in ONE_ROW_IN_A_CLASS and full)
    ):
        return {"shrinkage": 0.5}
    return {}


@pytest.mark.usefixtures("_width_and_kernels")
@parametrize_with_checks(six_models())
def test_scikit_learn_check(
    estimator: GaussianClassifier, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it, one check is skipped
    settings = remedy(estimator, name_of(check))
    if settings:
        with pytest.raises(SingularCovarianceError, match="Remedies: "):
            check(estimator)
    check(clone(estimator).set_params(**settings))


WEIGHTS_ARE_HELD_OUT_WHOLE = {
    "check_sample_weight_equivalence_on_dense_data": "a row of weight 2 is held out as a whole, "
    "but two equal rows are held out one after the other: the selection may differ",
}


@parametrize_with_checks(
    [AutoClassifier(n_jobs=1)], expected_failed_checks=lambda _: WEIGHTS_ARE_HELD_OUT_WHOLE
)
def test_scikit_learn_check_of_the_automatic_model(
    estimator: AutoClassifier, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


def test_the_checks_are_those_counted_on() -> None:
    # scikit-learn 1.9.1 yields 61 checks for its GaussianNB, which also has weights and
    # partial_fit; this classifier has a decision function besides.
    marks = test_scikit_learn_check.pytestmark  # type: ignore[attr-defined]
    pairs = next(mark.args[1] for mark in marks if mark.name == "parametrize")
    assert len(pairs) >= 6 * 61
    names = {name_of(check) for _, check in pairs}
    assert names >= {*CONSTANT_FEATURE, *COLLINEAR_FEATURES, *ONE_ROW_IN_A_CLASS}
