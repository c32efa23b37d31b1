"""Tables whose columns lie apart: the same rows as in one array."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.families.gaussian.statistics import summarise
from gaussbayes.kernels.arrays import Columns, as_matrix

ROWS = np.random.default_rng(3).normal(size=(1000, 4))
APART = Columns(tuple(np.ascontiguousarray(column) for column in ROWS.T))


def test_rows_and_slices_are_those_of_the_array() -> None:
    assert APART.shape == ROWS.shape
    np.testing.assert_array_equal(APART.matrix(), ROWS)
    np.testing.assert_array_equal(APART[10:20].matrix(), ROWS[10:20])
    assert as_matrix(ROWS) is ROWS
    np.testing.assert_array_equal(as_matrix(APART), ROWS)


def test_moments_are_those_of_the_array() -> None:
    codes = (np.arange(1000) % 3).astype(np.int32)
    for weights in (None, np.linspace(0, 2, 1000)):
        apart, together = (summarise(X, codes, weights, 3) for X in (APART, ROWS))
        np.testing.assert_allclose(apart.scatter, together.scatter, rtol=1e-13)
        np.testing.assert_allclose(apart.mean, together.mean, rtol=1e-13)


def test_soft_labels_are_summed_too() -> None:
    soft_labels = np.random.default_rng(4).dirichlet([1, 1], size=1000)
    apart, together = (summarise(X, soft_labels, None, 2) for X in (APART, ROWS))
    np.testing.assert_allclose(apart.scatter, together.scatter, rtol=1e-13)


def test_a_number_that_is_none_is_named() -> None:
    column = ROWS[:, 1].copy()
    column[7] = np.nan
    broken = Columns((APART.columns[0], column))
    with pytest.raises(DataError, match=r"row 7"):
        summarise(broken, np.zeros(1000, np.int32), None, 1)
