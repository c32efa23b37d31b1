"""Columns of values become numbers of categories."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.coding import MISSING, UNSEEN, Unseen, code_columns, factorise


@pytest.mark.parametrize(
    ("values", "codes", "categories"),
    [
        (np.array(["b", "a", "b"]), [1, 0, 1], ("a", "b")),
        (np.array(["b", None, float("nan")], dtype=object), [0, -2, -2], ("b",)),
        (np.array([3, -1, 3], dtype=np.int8), [1, 0, 1], (-1, 3)),
        (np.array([2**63, 0], dtype=np.uint64), [1, 0], (0, 2**63)),
        (np.array([2.0, np.nan, -0.0]), [1, -2, 0], (0, 2)),
        (np.array([2.0**63, np.nan, 1.0]), [1, -2, 0], (1, 2**63)),
        (np.array([True, False, True]), [1, 0, 1], (False, True)),
        (np.array([True, 2, 1, None], dtype=object), [0, 1, 0, -2], (1, 2)),
        (np.array([np.str_("b"), pd.NA, ""], dtype=object), [1, -2, 0], ("", "b")),
        (np.array([np.float32(3), np.int8(3), 3], dtype=object), [0, 0, 0], (3,)),
        (np.array([np.nan, np.nan]), [-2, -2], ()),
        (np.array(["é", "a"], dtype=np.dtypes.StringDType()), [1, 0], ("a", "é")),
    ],
    ids=str,
)
def test_values_of_every_kind(values: np.ndarray, codes: list[int], categories: tuple) -> None:
    found, names = factorise(values, "'x'")
    assert found.tolist() == codes
    assert found.dtype == np.int32
    assert names == categories
    assert [type(name) for name in names] == [type(name) for name in categories]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.array([1.0, 2.5]), r"'x' holds 2\.5 \(float\).*texts, whole numbers.*intervals"),
        (np.array([1.0, np.inf]), r"'x' holds inf"),
        (np.array([1e300]), r"'x' holds 1000.*64 bits"),
        (np.array([2**64], dtype=object), r"'x' holds 18446744073709551616.*64 bits"),
        (np.array([b"a"]), r"'x' holds b'a' \(bytes\).*make it text"),
        (np.array([dt.date(2024, 1, 1)]), r"'x' holds datetime\.date"),
        (np.array(["2024-01-01"], dtype="M8[ns]"), r"'x' holds values of type datetime64\[ns\]"),
        (np.array([1 + 2j]), r"'x' holds values of type complex128"),
        (np.array([[1], 2], dtype=object), r"'x' holds what cannot be a category: unhashable"),
        (np.array(["a", 1], dtype=object), r"'x' has categories of different types, 'a'.* and 1 "),
    ],
    ids=str,
)
def test_what_is_no_category(values: np.ndarray, words: str) -> None:
    with pytest.raises(DataError, match=words):
        factorise(values, "'x'")


def test_texts_and_numbers_are_a_schema_error() -> None:
    with pytest.raises(SchemaError, match="all texts or all numbers"):
        factorise(np.array([True, "a"], dtype=object), "'x'")


def test_known_categories_keep_their_numbers() -> None:
    known = (("L", "M", "S"), (1, 2))
    columns = [np.array(["S", "X", None, "Y"], dtype=object), np.array([2.0, 7.0, np.nan, 1.0])]
    coded = code_columns(columns, ["'wind'", "'humidity'"], known)
    assert coded.codes.T.tolist() == [[2, UNSEEN, MISSING, UNSEEN], [1, UNSEEN, MISSING, 0]]
    assert coded.categories == known
    assert coded.unseen == (Unseen(0, 2, ("X", "Y")), Unseen(1, 1, (7,)))
    assert coded.n_unseen == 3
    assert coded.n_features == 2


def test_few_examples_of_many_unseen() -> None:
    coded = code_columns([np.arange(1000)], ["'x'"], [(5,)])
    assert coded.unseen == (Unseen(0, 999, (0, 1, 2)),)


def test_text_is_not_the_number_it_spells() -> None:
    assert code_columns([np.array(["1"])], ["'x'"], [(1,)]).codes.tolist() == [[UNSEEN]]


def test_truth_values_are_the_numbers_they_count_as() -> None:
    assert code_columns([np.array([True])], ["'x'"], [(0, 1)]).codes.tolist() == [[1]]
    assert code_columns([np.array([1])], ["'x'"], [(False, True)]).codes.tolist() == [[1]]
