"""Cost matrices: both ways to write them, and what is wrong with bad ones."""

from typing import Any

import numpy as np
import pytest

from gaussbayes.analysis.costs import check_costs, expected_costs
from gaussbayes.base.errors import ParameterError
from gaussbayes.base.schema import Schema

TWO = Schema(np.array(["ill", "well"]), 1)
THREE = Schema(np.array([10, 20, 30]), 1)


def test_a_matrix_is_copied() -> None:
    mine = np.array([[0.0, 50.0], [1.0, 0.0]])
    found = check_costs(mine, TWO)
    mine[0, 1] = -1.0
    assert found.tolist() == [[0.0, 50.0], [1.0, 0.0]]


def test_lists_and_whole_numbers_do() -> None:
    found = check_costs([[0, 50], [1, 0]], TWO)
    assert found.dtype == np.float64
    assert found.tolist() == [[0.0, 50.0], [1.0, 0.0]]


def test_a_mapping_names_true_and_decided_class() -> None:
    pairs = {(t, c): 100 * t + c for t in (10, 20, 30) for c in (10, 20, 30) if t != c}
    expected = [[0, 1020, 1030], [2010, 0, 2030], [3010, 3020, 0]]
    assert check_costs(pairs, THREE).tolist() == expected
    assert check_costs(dict(reversed(pairs.items())), THREE).tolist() == expected


def test_being_right_may_cost_or_gain() -> None:
    costs = {("ill", "well"): 50, ("well", "ill"): 1, ("ill", "ill"): -3.5}
    assert check_costs(costs, TWO).tolist() == [[-3.5, 50.0], [1.0, 0.0]]


def test_labels_of_numpy_are_the_same_labels() -> None:
    left, right = TWO.classes
    assert check_costs({(left, right): 2, (right, left): 1}, TWO).tolist() == [[0, 2], [1, 0]]
    ten, twenty = np.int64(10), np.int64(20)
    two = Schema(np.array([10, 20]), 1)
    assert check_costs({(ten, twenty): 2, (twenty, ten): 1}, two)[0, 1] == 2


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1, 1], [1, 0, 1]], r"3 classes have shape \(3, 3\).*got \(2, 3\)"),
        ([0, 1, 1], r"got \(3,\)"),
        (5, r"got \(\)"),
        ([[0, 1], [1]], "rows of equal length"),
        ([["a", "b", "c"]] * 3, "array of numbers"),
        ([[0, 1, 1], [1, 0, np.nan], [1, 1, 0]], "deciding 30 where 20 is true costs nan"),
        ([[0, 1, 1], [1, 0, 1], [np.inf, 1, 0]], "deciding 10 where 30 is true costs inf"),
        ({(10, 20): 1, (10, 40): 1, ("x", 30): 1}, "unknown classes: 40, 'x'; the classes are 10"),
        ({(10, 20): 1, (20, 10): 1}, r"missing: \(10, 30\), \(20, 30\), \(30, 10\), \(30, 20\)$"),
        ({10: 1}, r"pairs \(true label, decided label\), got 10"),
        ({(10, 20, 30): 1}, r"pairs .* got \(10, 20, 30\)"),
        ({"ab": 1}, "pairs .* got 'ab'"),
        ({}, "missing"),
    ],
)
def test_bad_costs(costs: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_costs(costs, THREE)


@pytest.mark.parametrize(("value", "message"), [(np.nan, "costs nan"), ("dear", "numbers")])
def test_bad_values_in_a_mapping(value: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        check_costs({("ill", "well"): value, ("well", "ill"): 1}, TWO)


def test_many_missing_pairs_are_not_all_listed() -> None:
    with pytest.raises(ParameterError, match=r"\(0, 8\), …$"):
        check_costs({}, Schema(np.arange(30), 1))


def test_expected_costs_by_the_definition() -> None:
    rng = np.random.default_rng(0)
    posterior, costs = rng.dirichlet(np.ones(4), size=20), rng.normal(size=(4, 4))
    expected = [[sum(p[t] * costs[t, c] for t in range(4)) for c in range(4)] for p in posterior]
    np.testing.assert_allclose(expected_costs(posterior, costs), expected, rtol=0, atol=1e-15)


def test_expected_costs_of_narrow_posteriors() -> None:
    posterior = np.array([[0.25, 0.75]], dtype=np.float32)
    found = expected_costs(posterior, np.array([[0.0, 50.0], [1.0, 0.0]]))
    assert found.dtype == np.float64
    assert found.tolist() == [[0.75, 12.5]]
