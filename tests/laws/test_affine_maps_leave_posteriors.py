"""The posterior does not depend on the units and axes in which the features are given.

Full covariances allow any affine map, diagonal ones any scaling of the features, spherical ones a
common scaling with a rotation or reflection. The maps are exact in floats: whole numbers and powers
of two.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.types import FloatArray
from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests import strategies
from tests.oracles import score_rounding
from tests.scored import estimate
from tests.strategies import Rows, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")
shared = pytest.mark.parametrize("shared", [False, True])


def assert_same_posterior(structure: Structure, before: Rows, X: FloatArray) -> None:
    after = Rows(X, before.codes, None, before.n_classes)
    models = [
        estimate(rows.summarise(structure.shape.layout), rows.schema, structure)
        for rows in (before, after)
    ]
    one, two = (
        scores.posterior(model, rows.X) for model, rows in zip(models, (before, after), strict=True)
    )
    largest = max(float(scores.mahalanobis(models[0], before.X).max()) ** 2, 1.0)
    bound = score_rounding(before.X.shape[0], largest, *(model.density for model in models))
    # A change of e in the log joints changes no probability by more than e.
    np.testing.assert_allclose(two, one, rtol=0, atol=bound)


def shifts(d: int) -> st.SearchStrategy[FloatArray]:
    return hnp.arrays(np.float64, d, elements=st.sampled_from([0.0, -7.0, 1e6, 2.0**40]))


@shared
@given(rows=well_spread_rows(), data=st.data())
def test_any_affine_map_with_full(shared: bool, rows: Rows, data: st.DataObject) -> None:
    d = rows.X.shape[1]
    matrix = data.draw(strategies.invertible_matrices(d))
    X = rows.X @ matrix.T + data.draw(shifts(d))
    assert_same_posterior(Structure("full", float(shared)), rows, X)


@shared
@given(rows=well_spread_rows(), data=st.data())
def test_common_scaling_and_rotation_with_spherical(
    shared: bool, rows: Rows, data: st.DataObject
) -> None:
    d = rows.X.shape[1]
    matrix = data.draw(strategies.scaled_reflections(d)) * 2.0 ** data.draw(st.integers(-60, 60))
    assert_same_posterior(Structure("spherical", float(shared)), rows, rows.X @ matrix.T)


@shared
@pytest.mark.parametrize("covariance", ["full", "diagonal", "spherical"])
@given(rows=well_spread_rows(), data=st.data())
def test_moving_all_rows(covariance: str, shared: bool, rows: Rows, data: st.DataObject) -> None:
    X = rows.X + data.draw(shifts(rows.X.shape[1]))
    assert_same_posterior(Structure(covariance, float(shared)), rows, X)
