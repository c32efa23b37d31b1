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

WORDS = {
    "probability": "a probability from 0 to 1",
    "integer": "an integer, at least 1",
    "finite_number": "a finite number",
    "positive_number": "a finite number above 0",
    "not_negative": "0 or a finite number above it",
}
GOOD = {
    "probability": [0, 1, 0.5, np.float32(0.5), np.int64(1)],
    "integer": [1, np.int32(7), 10**30],
    "finite_number": [-2, np.float32(0.25)],
    "positive_number": [np.float32(0.25), 7],
    "not_negative": [0, 3.5],
}
BAD = {
    "probability": [-1e-300, 1.0000001],
    "integer": [0, -3, 2.0],
    "positive_number": [0, -2, 0.0],
    "not_negative": [-1e-300],
}


@pytest.mark.parametrize("name", WORDS)
def test_numbers(name: str) -> None:
    least = (1,) if name == "integer" else ()
    for value in GOOD[name]:
        number = getattr(checks, name)("level", value, *least)
        assert (number, type(number)) == (value, int if name == "integer" else float)
    for value in (*BAD.get(name, ()), np.nan, np.inf, -np.inf, "0.5", None, True, [0.5]):
        with pytest.raises(OptionError) as caught:
            getattr(checks, name)("level", value, *least)
        assert str(caught.value) == f"level must be {WORDS[name]}, got {value!r}"


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
