"""The posterior of each row is a distribution over the classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.oracles import EPS
from tests.scored import estimate
from tests.strategies import STRUCTURES, Rows, name_of, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")
each_structure = pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_rows_sum_to_one(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    model = estimate(rows.summarise(structure.shape.layout), rows.schema, structure)
    shape = (5, rows.X.shape[1])
    X = data.draw(hnp.arrays(np.float64, shape, elements=st.floats(-1e6, 1e6)))
    posterior = scores.posterior(model, X)
    k = rows.n_classes
    assert posterior.shape == (5, k)
    assert np.all(posterior >= 0)
    assert np.all(posterior <= 1)
    # k quotients rounded by ε / 2 each, a divisor that is one sum rounded k times.
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0, rtol=0, atol=2 * k * EPS)


@each_structure
@given(rows=well_spread_rows(), data=st.data())
def test_narrow_rows_sum_to_one(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    model = estimate(rows.summarise(structure.shape.layout), rows.schema, structure)
    shape = (5, rows.X.shape[1])
    X = data.draw(hnp.arrays(np.float32, shape, elements=st.floats(-1024, 1024, width=32)))
    posterior = scores.posterior(model, X)
    assert posterior.dtype == np.float32
    eps = float(np.finfo(np.float32).eps)
    total = posterior.astype(np.float64).sum(axis=1)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=2 * rows.n_classes * eps)
