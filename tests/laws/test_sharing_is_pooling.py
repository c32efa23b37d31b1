"""Sharing a covariance is pooling: a class alone shares with itself, equal ones share theirs."""

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.schema import Schema
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests import strategies
from tests.oracles import rounding, score_rounding
from tests.scored import given
from tests.strategies import Rows, rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("divisor", ["mle", "unbiased"])
@for_all(some=rows(weighted=False))
def test_shared_full_with_one_class_is_own_full(divisor: str, some: Rows) -> None:
    n = some.X.shape[0]
    if n < 2:
        return
    single = Rows(some.X, np.zeros_like(some.codes), None, 1)
    lost = 1 if divisor == "unbiased" else 0
    shape, degrees = Structure("full").shape, np.array([float(n - lost)])
    own, shared = (
        shape.from_scatter(single.summarise(layout).scatters("full", shared=shared), degrees)
        for layout, shared in (("full", False), ("pooled", True))
    )
    # The scatter's bound, divided as the scatter is, by n − 1 at the least.
    assert np.all(np.abs(own - shared) <= rounding(single).scatter / (n - 1))


@for_all(some=rows())
def test_the_shared_scatter_is_the_sum_of_the_classes(some: Rows) -> None:
    full, pooled = some.summarise("full"), some.summarise("pooled")
    bound = rounding(some).scatter.sum(axis=0)
    assert np.all(np.abs(full.scatter.sum(axis=0) - pooled.scatter) <= bound)
    assert np.all(np.abs(full.with_layout("pooled").scatter - pooled.scatter) <= bound)


@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@for_all(data=st.data())
def test_own_covariances_that_are_equal_are_a_shared_one(
    covariance: str, data: st.DataObject
) -> None:
    k, d = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 4))
    whole = st.integers(-8, 8)
    means = data.draw(hnp.arrays(np.float64, (k, d), elements=whole))
    X = data.draw(hnp.arrays(np.float64, (6, d), elements=whole))
    (matrix,) = data.draw(strategies.covariances(1, d))
    value = {"full": matrix, "diagonal": np.diagonal(matrix), "spherical": matrix[0, 0]}[covariance]
    schema = Schema(np.arange(k), d)
    own = given(
        schema, Structure(covariance), None, means, np.broadcast_to(value, (k, *value.shape))
    )
    shared = given(schema, Structure(covariance, 1.0), None, means, value)
    largest = float(scores.mahalanobis(own, X).max()) ** 2
    # The linear form of the shared one has terms as large as squared distances of the means too.
    largest += float(scores.mahalanobis(own, own.mean).max()) ** 2
    bound = score_rounding(1, largest, own.density, shared.density)
    np.testing.assert_allclose(
        scores.log_posterior(shared, X), scores.log_posterior(own, X), rtol=0, atol=2 * bound
    )
    np.testing.assert_allclose(
        scores.posterior(shared, X), scores.posterior(own, X), rtol=0, atol=2 * bound
    )
