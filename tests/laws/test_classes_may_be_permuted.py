"""Numbering the classes differently permutes the answers and changes nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaussbayes.families.gaussian.structure import Structure
from tests import scored as scores
from tests.oracles import score_rounding
from tests.scored import estimate
from tests.strategies import STRUCTURES, Rows, name_of, well_spread_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
@given(rows=well_spread_rows(), data=st.data())
def test_permuted_classes(structure: Structure, rows: Rows, data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(rows.n_classes))), dtype=np.int32)
    other = Rows(rows.X, order[rows.codes], None, rows.n_classes)
    models = [
        estimate(one.summarise(structure.shape.layout), one.schema, structure)
        for one in (rows, other)
    ]
    one, two = (scores.posterior(model, rows.X) for model in models)
    distances = [scores.mahalanobis(model, rows.X) for model in models]
    largest = float(distances[0].max()) ** 2
    bound = score_rounding(rows.X.shape[0], largest, *(model.density for model in models))
    # A change of e in the log joints changes no probability by more than e.
    np.testing.assert_allclose(two[:, order], one, rtol=0, atol=bound)
    np.testing.assert_allclose(distances[1][:, order] ** 2, distances[0] ** 2, rtol=0, atol=bound)
    # Labels agree wherever the two best classes are further apart than rounding.
    best = np.sort(one, axis=1)
    clear = best[:, -1] - best[:, -2] > 2 * bound
    labels = [scores.labels(model, rows.X) for model in models]
    np.testing.assert_array_equal(labels[1][clear], order[labels[0][clear]])
