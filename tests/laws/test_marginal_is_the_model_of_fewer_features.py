"""The marginal of a model is the model of fewer features, and the model whose others are missing.

The first holds for full and diagonal covariances, own and shared, whose entries are each estimated
from their own columns. A spherical covariance averages over the features, so its model of fewer
features is another one.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from gaussbayes import AutoClassifier, GaussianClassifier
from gaussbayes.estimators import BaseClassifier
from tests.strategies import Rows, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("covariance", ["full", "diagonal"])
@given(rows=well_spread_rows(), data=st.data())
def test_marginal_and_fit_agree(
    covariance: str, shared: bool, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    columns = data.draw(st.permutations(range(d)).map(lambda order: order[: 1 + d // 2]))
    seen = GaussianClassifier(covariance, shared=shared).fit(rows.X, rows.codes)
    part = seen.marginal(columns)
    alone = GaussianClassifier(covariance, shared=shared).fit(rows.X[:, columns], rows.codes)
    np.testing.assert_array_equal(part.classes_, alone.classes_)
    np.testing.assert_array_equal(part.priors_, alone.priors_)
    # Sums of up to 24 numbers of size 50, and of their squares, in any order: n ε of their size.
    bound = 24 * np.finfo(np.float64).eps * 50
    np.testing.assert_allclose(part.means_, alone.means_, rtol=0, atol=bound)
    np.testing.assert_allclose(part.covariances_, alone.covariances_, rtol=0, atol=50 * bound)


def test_a_spherical_model_of_fewer_features_is_another() -> None:
    X = np.array([[0.0, 0.0], [1.0, 10.0], [5.0, 0.0], [6.0, 10.0]])
    codes = [0, 0, 1, 1]
    part = GaussianClassifier("spherical").fit(X, codes).marginal([0])
    alone = GaussianClassifier("spherical").fit(X[:, [0]], codes)
    # Variances ¼ and 25: their mean is 12.625.
    np.testing.assert_allclose(part.covariances_.ravel(), 12.625)
    np.testing.assert_allclose(alone.covariances_.ravel(), 0.25)


def table(seed: int, n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, counts and categories that depend on the class."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "width": rng.normal(size=n) + codes,
            "length": np.exp(rng.normal(size=n) - 0.5 * codes),
            "visits": rng.poisson(2 + codes).astype(float),
            "kind": rng.choice(["u", "v", "w"], n),
        }
    )
    frame["kind"] = np.where(rng.random(n) < 0.4, np.array(["u", "v", "w"])[codes], frame["kind"])
    return frame, np.array(["a", "b", "c"])[codes]


MIXED = {"smoothing": 1.0}
POISSON = {"families": {"visits": "poisson"}}
CALIBRATED = {
    "plain": GaussianClassifier(**MIXED),
    "calibrated": GaussianClassifier(**MIXED, calibrate=True),
    "shared, counts": GaussianClassifier(**MIXED, **POISSON, shared=True, calibrate=True),
    "transformed": GaussianClassifier(**MIXED, transforms="yeo-johnson", calibrate=True),
    "automatic": AutoClassifier(),
    "automatic, counts": AutoClassifier(**POISSON, priors="uniform"),
}


@pytest.mark.parametrize("model", CALIBRATED.values(), ids=CALIBRATED)
@given(seed=st.integers(0, 3), chosen=st.sets(st.sampled_from(range(4)), min_size=1))
@settings(max_examples=6, deadline=None)
def test_a_marginal_and_missing_values_give_the_same_answer(
    model: BaseClassifier, seed: int, chosen: set[int]
) -> None:
    """Also after calibration, and where the priors are changed afterwards."""
    X, y = table(seed)
    X_new, _ = table(seed + 100)
    fitted = clone(model).fit(X, y)
    columns = [X.columns[number] for number in sorted(chosen)]
    part, hidden = fitted.marginal(columns), X_new.copy()
    for name in set(X.columns) - set(columns):
        hidden[name] = None if name == "kind" else np.nan
    other = [0.1, 0.2, 0.7]
    for one, whole in ((part, fitted), (part.with_priors(other), fitted.with_priors(other))):
        np.testing.assert_allclose(
            one.predict_proba(X_new[columns]), whole.predict_proba(hidden), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_array_equal(one.predict(X_new[columns]), whole.predict(hidden))
    if fitted.model_.calibration is not None and fitted.model_.calibration.left_out:
        np.testing.assert_array_equal(
            part.predict_set(X_new[columns], 0.8).members, fitted.predict_set(hidden, 0.8).members
        )
