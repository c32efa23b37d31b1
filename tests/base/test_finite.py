"""NaN and infinity are named by row and column."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.finite import check_finite, overflow_error


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finite_rows_pass(dtype: type) -> None:
    largest = np.finfo(dtype).max
    check_finite(np.array([[largest, -largest], [0.0, 1.0]], dtype=dtype))
    check_finite(np.zeros((0, 3), dtype=dtype))


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_the_place_is_named(value: float, word: str) -> None:
    X = np.zeros((4, 3))
    X[2, 1] = value
    with pytest.raises(DataError, match=rf"{word} in row 2, column 1 \(1 such value\)"):
        check_finite(X)
    with pytest.raises(DataError, match=f"{word} in row 102, column 'b'.*remove or fill"):
        check_finite(X, start=100, names=("a", "b", "c"))


def test_all_are_counted_and_the_first_is_named() -> None:
    X = np.array([[0.0, np.inf], [np.nan, np.nan]])
    with pytest.raises(DataError, match=r"infinity in row 0, column 1 \(3 such values\)"):
        check_finite(X)


def test_values_too_large_for_squares() -> None:
    with pytest.raises(DataError, match=r"up to 1e\+200 are too large.*larger units"):
        raise overflow_error(np.array([[1.0, -1e200]]))
