"""Spherical is diagonal with equal variances, diagonal is full without correlations."""

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.oracles import score_rounding
from tests.scored import estimate, given
from tests.strategies import Rows, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("shared", [False, True])
@for_all(data=st.data())
def test_the_same_covariance_in_each_shape(shared: bool, data: st.DataObject) -> None:
    k, d = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 4))
    whole = hnp.arrays(np.float64, (k, d), elements=st.integers(-8, 8))
    means, X = data.draw(whole), data.draw(whole)
    count = () if shared else (k,)
    variance = np.asarray(data.draw(hnp.arrays(np.float64, count, elements=st.integers(1, 9))))
    repeated = variance[..., None] * np.ones(d)
    values = {
        "spherical": variance,
        "diagonal": repeated,
        "full": repeated[..., None] * np.eye(d),
    }
    schema = Schema(np.arange(k), d)
    models = [
        given(schema, Structure(covariance, float(shared)), None, means, value)
        for covariance, value in values.items()
    ]
    largest = float(scores.mahalanobis(models[0], np.vstack([X, means])).max()) ** 2
    bound = score_rounding(1, 1 + largest, *(model.density for model in models))
    spherical, diagonal, full = (scores.log_joint(model, X) for model in models)
    np.testing.assert_allclose(diagonal, spherical, rtol=0, atol=bound)
    np.testing.assert_allclose(full, diagonal, rtol=0, atol=bound)


@pytest.mark.parametrize("shared", [False, True])
@for_all(rows=well_spread_rows())
def test_estimates_of_less_from_full_moments(shared: bool, rows: Rows) -> None:
    moments = rows.summarise("full")
    full, diagonal, spherical = (
        estimate(
            moments, rows.schema, Structure(covariance, float(shared))
        ).density.covariance.values
        for covariance in ("full", "diagonal", "spherical")
    )
    # One sum over the classes and one division each, in different order: a few ε of sums of terms
    # that are all positive.
    np.testing.assert_allclose(np.einsum("mii->mi", full), diagonal, rtol=1e-15)
    np.testing.assert_allclose(diagonal.mean(axis=1), spherical, rtol=2e-15)
