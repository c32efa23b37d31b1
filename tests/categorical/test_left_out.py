"""The categories of rows left out, against counting all others again."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical import ClassCounts, CodedColumns, code_columns, count
from gaussbayes.families.categorical.left_out import log_likelihood_left_out

SCHEMA = Schema(np.array(["no", "yes"]), 1, ("wind",))


def told(values: list[Any], codes: list[int], smoothing: float, weights: Any = None) -> np.ndarray:
    columns = code_columns([np.array(values, dtype=object)], ["'wind'"])
    targets = np.array(codes, np.int32)
    share = None if weights is None else np.array(weights, dtype=float)
    counts = count(columns, targets, share, 2)
    columns = code_columns([np.array(values, dtype=object)], ["'wind'"], counts.categories)
    return log_likelihood_left_out(columns, targets, share, counts, SCHEMA, smoothing)


def by_hand(values: list[Any], codes: list[int], alpha: float, weights: list[float]) -> np.ndarray:
    """Weights of the other rows, added up row by row."""
    found = np.zeros((len(values), 2))
    for i, value in enumerate(values):
        others = [
            (v, c, w)
            for j, (v, c, w) in enumerate(zip(values, codes, weights, strict=True))
            if j != i and v is not None and w > 0
        ]
        known = {v for v, _, _ in others}
        if value in known:
            for c in range(2):
                own = sum(w for v, b, w in others if (v, b) == (value, c))
                every = sum(w for _, b, w in others if b == c)
                with np.errstate(divide="ignore"):
                    found[i, c] = np.log((own + alpha) / (every + alpha * len(known)))
    return found


VALUES = ["S", "M", None, "S", "L", "M", "S", None, "M", "S", "G"]
CODES = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("smoothing", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "weights",
    [
        None,
        [0.5, 2.0, 1.0, 0.3, 1.0, 0.7, 3.0, 1.0, 0.1, 0.4, 2.2],
        [1e9, 2e-3, 1.0, 1e-7, 1.0, 1e12, 3e-4, 1.0, 1e6, 5e8, 1e15],  # one row is nearly all
        [0.0, 2.0, 1.0, 0.3, 0.0, 0.7, 3.0, 1.0, 0.1, 0.4, 2.2],
    ],
)
def test_as_counted_without_each_row(smoothing: float, weights: list[float] | None) -> None:
    expected = by_hand(VALUES, CODES, smoothing, weights or [1.0] * len(VALUES))
    found = told(VALUES, CODES, smoothing, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_category_that_no_other_row_of_the_class_has_is_impossible_there() -> None:
    found = told(["S", "M", "M", "S"], [0, 0, 0, 1], 0.0)
    assert found[0].tolist() == [-np.inf, 0.0]


def test_a_class_that_loses_its_only_value_cannot_be_fitted() -> None:
    values, codes = ["S", None, "M", "S"], [0, 0, 1, 1]
    with pytest.raises(DataError, match="without row 1 of 4 .* 'wind' is missing in every row of"):
        told(values, codes, 0.0)
    assert np.isfinite(told(values, codes, 1.0)).all()


def test_a_class_that_loses_its_only_row_is_no_error() -> None:
    found = told(["S", "M", "S"], [0, 1, 1], 0.0)
    assert found[0, 1] == np.log(0.5)
    assert not np.isnan(found).any()


def test_the_only_value_of_a_feature() -> None:
    assert told(["S", None, None, None], [0, 0, 1, 1], 1.0).tolist() == [[0.0, 0.0]] * 4


def test_columns_are_coded_by_the_counts() -> None:
    counts = ClassCounts((("S",),), np.ones((2, 1)), np.zeros((2, 1)))
    columns = CodedColumns(np.zeros((2, 1), np.int32), (("M",),))
    with pytest.raises(ValueError, match="not coded by the categories"):
        log_likelihood_left_out(columns, np.array([0, 1], np.int32), None, counts, SCHEMA, 1.0)
