"""scikit-learn's estimator checks on the three drop-in classes: every one passes."""

from functools import partial
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gaussbayes.sklearn import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

ESTIMATORS = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1),
    GaussianNB(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # without it, one check is skipped
    check(estimator)


def test_the_checks_are_those_counted_on() -> None:
    # scikit-learn 1.9.1 yields 59 checks for its LDA, 52 for its QDA and 61 for its GaussianNB.
    marks = test_scikit_learn_check.pytestmark  # type: ignore[attr-defined]
    pairs = next(mark.args[1] for mark in marks if mark.name == "parametrize")
    assert len(pairs) >= 59 + 52 + 61
    assert not any(isinstance(check, partial) and check.func is None for _, check in pairs)
