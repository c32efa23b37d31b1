"""Rows grouped by what they lack."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base.patterns import group, patterns_of


@given(
    hnp.arrays(
        bool,
        st.tuples(
            st.integers(0, 30), st.sampled_from([1, 2, 7, 8, 9, 57, 58, 59, 60, 63, 64, 65, 130])
        ),
    )
)
def test_rows_of_a_pattern_are_those_alike(observed: np.ndarray) -> None:
    found = group(observed)
    different = {row.tobytes() for row in observed}
    assert found.n_patterns == len(different)
    assert {row.tobytes() for row in found.observed} == different
    np.testing.assert_array_equal(found.observed[found.number], observed)
    assert sorted(found.order.tolist()) == list(range(observed.shape[0]))
    for pattern in range(found.n_patterns):
        rows = found.rows(pattern)
        assert rows.tolist() == np.flatnonzero(found.number == pattern).tolist()
    assert found.size.tolist() == np.bincount(found.number).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_is_missing_and_nothing_else_is(dtype: type) -> None:
    X = np.array([[0.0, np.inf], [np.nan, -0.0]], dtype=dtype)
    found = patterns_of(X)
    assert found.observed[found.number].tolist() == [[True, True], [False, True]]
