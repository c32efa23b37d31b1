"""The probabilities of categories are their smoothed shares."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, ParameterError
from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical.counts import ClassCounts
from gaussbayes.families.categorical.parameters import estimate

SCHEMA = Schema(np.array(["dry", "wet"]), 2, ("wind", "humidity"))
COUNTS = ClassCounts(
    (("M", "S"), (1, 2, 3)),
    np.array([[1.0, 3.0, 2.0, 0.0, 2.0], [2.0, 0.0, 1.0, 1.0, 0.0]]),
    np.zeros((2, 2)),
)


def test_maximum_likelihood() -> None:
    found = estimate(COUNTS, SCHEMA)
    assert np.exp(found.of(0)).round(15).tolist() == [[0.25, 0.75], [1, 0]]
    assert np.exp(found.of(1)).round(15).tolist() == [[0.5, 0, 0.5], [0.5, 0.5, 0]]
    assert found.of(0)[1, 1] == -np.inf


@pytest.mark.parametrize("alpha", [1e-10, 0.5, 1, 7.25])
def test_smoothing(alpha: float) -> None:
    found = estimate(COUNTS, SCHEMA, alpha)
    for j in range(2):
        weight = COUNTS.of(j)
        by_hand = [
            [(one + alpha) / (own.sum() + alpha * own.size) for one in own] for own in weight
        ]
        np.testing.assert_allclose(np.exp(found.of(j)), by_hand, rtol=1e-14)


def test_free_parameters() -> None:
    assert estimate(COUNTS, SCHEMA).n_parameters == 2 * (1 + 2)


@pytest.mark.parametrize("alpha", [-1, -1e-300, np.nan, np.inf, "1", None, True])
def test_bad_smoothing(alpha: object) -> None:
    with pytest.raises(ParameterError, match="smoothing is"):
        estimate(COUNTS, SCHEMA, alpha)


def test_feature_missing_in_every_row_of_a_class() -> None:
    counts = ClassCounts((("a", "b"),), np.array([[1.0, 2.0], [0.0, 0.0]]), np.zeros((2, 1)))
    with pytest.raises(DataError, match="'wind' is missing in every row of class 'wet'.*smoothing"):
        estimate(counts, SCHEMA)
    np.testing.assert_allclose(np.exp(estimate(counts, SCHEMA, 1).of(0)[1]), [0.5, 0.5])


def test_feature_without_any_value() -> None:
    counts = ClassCounts(((),), np.zeros((2, 0)), np.ones((2, 1)))
    with pytest.raises(DataError, match="'wind' is missing in every row of class 'dry'"):
        estimate(counts, SCHEMA)
    found = estimate(counts, SCHEMA, 1)
    assert found.of(0).shape == (2, 0)
    assert found.n_parameters == 0
