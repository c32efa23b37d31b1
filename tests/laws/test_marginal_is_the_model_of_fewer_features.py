"""Leaving features out of a model gives the model that is fitted without them.

This holds for full and diagonal covariances, own and shared, whose entries are each estimated from
their own columns. A spherical covariance averages over the features, so its model of fewer features
is another one.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes import GaussianClassifier
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
