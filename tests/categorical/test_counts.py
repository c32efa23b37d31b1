"""Counts merge, are removed, and refuse what was never there."""

import numpy as np
import pytest

from gaussbayes.base.errors import DataError, RemovalError, SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.data.coding import code_columns
from gaussbayes.families.categorical.counting import count
from gaussbayes.families.categorical.counts import ClassCounts, empty

NAMED = Schema(np.array(["dry", "wet"]), 2, ("wind", "humidity"))


def counted(wind: list, humidity: list, codes: list[int], weights: list | None = None):
    columns = [np.array(wind, dtype=object), np.array(humidity, dtype=object)]
    own = None if weights is None else np.array(weights, dtype=float)
    return count(code_columns(columns, ["'wind'", "'humidity'"]), np.array(codes, np.int32), own, 2)


def test_weights_by_class_and_category() -> None:
    found = counted(["S", "M", None, "S"], [1, None, 2, 1], [0, 1, 1, 1], [1, 2, 4, 0.5])
    assert found.categories == (("M", "S"), (1, 2))
    assert found.of(0).tolist() == [[0, 1], [2, 0.5]]
    assert found.of(1).tolist() == [[1, 0], [0.5, 4]]
    assert found.missing.tolist() == [[0, 0], [4, 2]]
    assert found.class_weight.tolist() == [1, 6.5]
    assert (found.n_classes, found.n_features, found.starts) == (2, 2, [0, 2, 4])


def test_parts_with_other_categories_are_aligned() -> None:
    a, b = counted(["S", "M"], [1, 1], [0, 1]), counted(["L", "S"], [3, 2], [1, 1])
    both = counted(["S", "M", "L", "S"], [1, 1, 3, 2], [0, 1, 1, 1])
    for found in (a + b, b + a):
        assert found.categories == both.categories
        np.testing.assert_array_equal(found.weight, both.weight)
        np.testing.assert_array_equal(found.missing, both.missing)


def test_removal_forgets_categories() -> None:
    a, b = counted(["S", "M"], [1, None], [0, 1]), counted(["L", None], [3, 2], [1, 1])
    left = (a + b) - b
    assert left.categories == a.categories
    np.testing.assert_array_equal(left.weight, a.weight)
    np.testing.assert_array_equal(left.missing, a.missing)


def test_rounding_is_not_left_behind() -> None:
    tenths = [counted(["S"], [1], [0], [0.1]) for _ in range(3)]
    total = tenths[0] + tenths[1] + tenths[2]
    assert (total - counted(["S"], [1], [0], [0.3])).categories == ((), ())


@pytest.mark.parametrize(
    ("wind", "humidity", "code", "words"),
    [
        (["L"], [1], 0, r"weight 1 of 'L' of 'wind' from class 'dry', which has 0: remove only"),
        (["S"], [1], 1, r"weight 1 of 'S' of 'wind' from class 'wet', which has 0"),
        (["S", "S"], [1, 1], 0, r"weight 2 of 'S' of 'wind' from class 'dry', which has 1"),
        (["S"], [2], 0, r"weight 1 of 2 of 'humidity' from class 'dry', which has 0"),
        (["S"], [None], 0, r"weight 1 of rows without a value of 'humidity' from class 'dry'"),
    ],
)
def test_removing_what_was_never_there(wind: list, humidity: list, code: int, words: str) -> None:
    some = counted(["S", "M"], [1, 1], [0, 1])
    with pytest.raises(RemovalError, match=words):
        some.without(counted(wind, humidity, [code] * len(wind)), NAMED)


def test_classes_are_aligned_and_selected() -> None:
    some = counted(["S", "M"], [1, 1], [0, 1])
    wider = some.aligned([2, 0], 3)
    assert wider.of(0).tolist() == [[1, 0], [0, 0], [0, 1]]
    one = wider.selected([2])
    assert one.categories == (("S",), (1,))
    assert one.of(0).tolist() == [[1]]


def test_unlike_counts() -> None:
    with pytest.raises(DataError, match="2 classes and 2 categorical features do not go with 3"):
        counted(["S"], [1], [0]) + empty((("S",), (1,)), 3)
    with pytest.raises(SchemaError, match="'humidity' has categories of different types"):
        counted(["S"], [1], [0]).merged(counted(["S"], ["high"], [0]), NAMED)
    with pytest.raises(DataError, match=r"need weight \(1, 2\) and missing \(1, 1\), got \(1, 3\)"):
        ClassCounts((("a", "b"),), np.zeros((1, 3)), np.zeros((1, 1)))


def test_truth_values_become_numbers_where_they_meet() -> None:
    def whole(values: list) -> ClassCounts:
        columns = code_columns([np.array(values)], ["'x'"])
        return count(columns, np.zeros(len(values), np.int32), None, 1)

    for found in (whole([True, False]) + whole([1, 5]), whole([1, 5]) + whole([True, False])):
        assert repr(found.categories) == "((0, 1, 5),)"
        assert found.weight.tolist() == [[1, 2, 1]]
    for found in (whole([True]) + whole([1]), whole([1]) + whole([True])):
        assert repr(found.categories) == "((1,),)"
        assert found.weight.tolist() == [[2]]
