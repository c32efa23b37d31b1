"""Numbers of users: what passes, and what the messages say of the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gaussbayes.base import checks
from gaussbayes.base.checks import check_finite, overflow_error
from gaussbayes.base.errors import DataError, OptionError
from gaussbayes.families.gaussian.cells import group, patterns_of

NUMBERS = {
    "an integer, at least 1": (checks.integer, [1], [1, np.int32(7), 10**30], [0, -3, 2.0]),
    "a finite number": (checks.finite_number, [], [-2, np.float32(0.25)], []),
    "a finite number, at least 0": (checks.finite_number, [0.0], [0, 3.5], [-1e-300]),
    "a finite number from 0 to 1": (
        checks.finite_number,
        [0.0, 1.0],
        [0, 1, 0.5, np.float32(0.5), np.int64(1)],
        [-1e-300, 1.0000001],
    ),
    "a finite number above 0": (checks.positive_number, [], [np.float32(0.25), 7], [0, -2, 0.0]),
}


@pytest.mark.parametrize("words", NUMBERS)
def test_numbers(words: str) -> None:
    check, limits, good, bad = NUMBERS[words]
    for value in good:
        number = check("level", value, *limits)
        assert (number, type(number)) == (value, int if "integer" in words else float)
    for value in (*bad, np.nan, np.inf, -np.inf, "0.5", None, True, [0.5]):
        with pytest.raises(OptionError) as caught:
            check("level", value, *limits)
        assert str(caught.value) == f"level must be {words}, got {value!r}"


def test_values_that_are_not_finite_are_named_by_row_and_column() -> None:
    for dtype in (np.float32, np.float64):
        largest = np.finfo(dtype).max
        check_finite(np.array([[largest, -largest], [0.0, 1.0]], dtype=dtype))
        check_finite(np.zeros((0, 3), dtype=dtype))
    for value, word in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")):
        X = np.zeros((4, 3))
        X[2, 1] = value
        with pytest.raises(DataError, match=rf"{word} in row 2, column 1 \(1 such value\)"):
            check_finite(X)
        with pytest.raises(DataError, match=f"{word} in row 102, column 'b'"):
            check_finite(X, start=100, names=("a", "b", "c"))
    with pytest.raises(DataError, match=r"infinity in row 0, column 1 \(3 such values\)"):
        check_finite(np.array([[0.0, np.inf], [np.nan, np.nan]]))
    with pytest.raises(DataError, match=r"up to 1e\+200 are too large.*larger units"):
        raise overflow_error(np.array([[1.0, -1e200]]))


SIZES = st.sampled_from([1, 2, 7, 8, 9, 57, 58, 59, 60, 63, 64, 65, 130])


@given(hnp.arrays(bool, st.tuples(st.integers(0, 30), SIZES)))
def test_rows_of_a_pattern_are_those_alike(observed: np.ndarray) -> None:
    found = group(observed)
    different = {row.tobytes() for row in observed}
    assert found.n_patterns == len(different)
    assert {row.tobytes() for row in found.observed} == different
    np.testing.assert_array_equal(found.observed[found.number], observed)
    assert sorted(found.order.tolist()) == list(range(observed.shape[0]))
    for pattern in range(found.n_patterns):
        assert found.rows(pattern).tolist() == np.flatnonzero(found.number == pattern).tolist()
    assert found.size.tolist() == np.bincount(found.number).tolist()


def test_nan_is_missing_and_nothing_else_is() -> None:
    for dtype in (np.float32, np.float64):
        found = patterns_of(np.array([[0.0, np.inf], [np.nan, -0.0]], dtype=dtype))
        assert found.observed[found.number].tolist() == [[True, True], [False, True]]
