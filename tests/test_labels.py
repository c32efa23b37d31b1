"""Labels of any kind become class numbers; memberships stay what they are, or become them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.data.labels import as_targets, encode, is_missing, unite
from gaussbayes.model.labelled import in_order

pytestmark = pytest.mark.usefixtures("kernels")

NUMBERS = [
    np.array([3, 1, 3, 2], dtype=dtype)
    for dtype in ("i1", "i2", "i4", "i8", "u1", "u8", ">i4", "f2", "f4", "f8", ">f8")
] + [
    np.array([2**40, -(2**40), 2**40, 0]),
    np.array([2**64 - 1, 2**64 - 3, 2**64 - 1, 2**64 - 2], dtype=np.uint64),
    np.array([2**63 - 1, -(2**63), 2**63 - 1, 0]),
    np.array([3e300, -1e300, 3e300, 7.0]),
    np.array([-1, 1, -1, 1]),
    np.array([True, False, True, True]),
    np.array([65536, 0, 65536, 1]),
    np.array([65535, 0, 65535, 1]),
    np.arange(8)[::-2],
]


@pytest.mark.parametrize("y", NUMBERS, ids=lambda y: f"{y.dtype.str}-{y.tolist()[1]}")
def test_numbers_as_numpy_sorts_them(y: Any) -> None:
    codes, classes = encode(y)
    expected, inverse = np.unique(y, return_inverse=True)
    assert codes.dtype == np.int32
    assert classes.dtype == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, inverse)


TEXT = ["b", "a", "b", "c"]


@pytest.mark.parametrize(
    "y",
    [
        TEXT,
        tuple(TEXT),
        np.array(TEXT),
        np.array(TEXT, dtype=object),
        np.array(TEXT, dtype=np.dtypes.StringDType()),
        pd.Series(TEXT, index=[7, 7, 8, 9]),
        pd.Series(TEXT, dtype=object),
        pd.Series(TEXT, dtype="string"),
        pd.Series(TEXT, dtype="string[pyarrow]"),
        pd.Series(TEXT, dtype="category"),
        pd.Categorical(TEXT, categories=["c", "b", "a", "unused"]),
        pd.Index(TEXT),
        pl.Series(TEXT),
        pl.Series(TEXT, dtype=pl.Categorical),
        pl.Series(TEXT, dtype=pl.Enum(["c", "b", "a"])),
        pa.array(TEXT),
        pa.chunked_array([TEXT[:1], TEXT[1:]]),
        pa.chunked_array([pa.array(TEXT).dictionary_encode()]),
    ],
    ids=lambda y: f"{type(y).__module__}-{getattr(y, 'dtype', '')}",
)
def test_text_from_anywhere(y: Any) -> None:
    codes, classes = encode(y)
    assert codes.tolist() == [1, 0, 1, 2]
    assert codes.dtype == np.int32
    assert classes.tolist() == ["a", "b", "c"]
    # What predict returns can be compared with what came.
    assert np.asarray(classes[codes] == np.asarray(y, dtype=object)).all()


@pytest.mark.parametrize(
    "y",
    [
        [True, False],
        pd.Series([True, False]),
        pd.Series([True, False], dtype="boolean"),
        pl.Series([True, False]),
        pa.chunked_array([[True, False]]),
    ],
)
def test_truth_values(y: Any) -> None:
    codes, classes = encode(y)
    assert codes.tolist() == [1, 0]
    assert classes.dtype == np.bool_
    assert classes.tolist() == [False, True]


@pytest.mark.parametrize(
    "y",
    [
        np.array(["2021-01-01", "2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([(2, "b"), (1, "a"), (2, "b"), None], dtype=object)[:-1],
        np.array([b"y", b"x", b"y"]),
    ],
    ids=["dates", "pairs", "bytes"],
)
def test_other_labels(y: Any) -> None:
    codes, classes = encode(y)
    assert codes.tolist() == [1, 0, 1]
    assert classes.dtype == y.dtype
    assert list(classes) == [y[1], y[0]]


def test_many_labels_of_every_span() -> None:
    rng = np.random.default_rng(0)
    for span in (1, 2, 1000, 65535, 65536, 65537, 10**9):
        y = rng.integers(-span, span, 5000)
        codes, classes = encode(y)
        np.testing.assert_array_equal(classes[codes], y)
        assert (np.diff(classes) > 0).all()


@pytest.mark.parametrize(
    ("y", "what"),
    [
        ([0.5, 1.0, 2.0], r"^Unknown label type: continuous.*row 0 is 0\.5"),
        (np.array([1, 2, 2.25], dtype=np.float32), r"^Unknown label type: continuous.*row 2"),
        ([0.0, np.nan], "Input y contains NaN: the label in row 1"),
        ([0.0, 1.0, np.inf], "Input y contains infinity: the label in row 2"),
        (["a", None], r"label in row 1 is missing \(None\)"),
        (["a", np.nan, "b"], r"label in row 1 is missing \(nan\)"),
        (np.array(["a", float("nan")], dtype=object), r"label in row 1 is missing \(nan\)"),
        (pd.Series(["a", None]), "label in row 1 is missing"),
        (pd.Series(["a", pd.NA], dtype="string"), "label in row 1 is missing"),
        (pd.Series([1, pd.NA], dtype="Int64"), "Input y contains NaN: the label in row 1"),
        (pl.Series(["a", None]), "label in row 1 is missing"),
        (pl.Series([1, None]), "Input y contains NaN: the label in row 1"),
        (pa.chunked_array([["a", None]]), "label in row 1 is missing"),
        (np.ma.masked_array([1, 2], [False, True]), "label in row 1 is missing"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), "label in row 1 is missing"),
        ([1, "a"], r"labels of different types have no order: 1 \(int\), 'a' \(str\)"),
        (np.array(["a", {}], dtype=object), "^Unknown label type: .*unhashable type: 'dict'"),
        ([1j, 0], "Complex data not supported"),
        (None, "requires y to be passed, but the target y is None"),
        ("text", "one for each row, got 'text'"),
        (3, "one for each row, got 3"),
        ([[1], [2, 3]], "one for each row, got"),
    ],
)
def test_labels_that_are_none(y: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        as_targets(y)


def test_missing() -> None:
    values = [None, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "ns")]
    assert all(map(is_missing, values))
    assert not any(map(is_missing, ["", 0, False, "nan", np.datetime64("2020"), []]))


@pytest.mark.parametrize(
    "y",
    [
        [[0], [1]],
        np.array([[0], [1]]),
        pd.DataFrame({"label": [0, 1]}),
        pl.DataFrame({"label": [0, 1]}),
    ],
)
def test_one_column_counts_as_labels(y: Any) -> None:
    targets, classes = as_targets(y)
    assert targets.tolist() == [0, 1]
    assert classes.tolist() == [0, 1]


def test_soft_memberships() -> None:
    y = np.array([[0.25, 0.75], [1.0, 0.0]])
    targets, classes = as_targets(y)
    np.testing.assert_array_equal(targets, y)
    assert classes.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [bool, int, np.float32, float])
def test_one_hot_memberships_become_codes(dtype: Any) -> None:
    targets, classes = as_targets(np.array([[0, 0, 1], [1, 0, 0]], dtype=dtype))
    assert targets.dtype == np.int32
    assert targets.tolist() == [2, 0]
    assert classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_a_frame_name_the_classes(frame: Any) -> None:
    targets, classes = as_targets(frame({"yes": [0.25, 1.0], "no": [0.75, 0.0]}))
    assert classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(targets, [[0.75, 0.25], [0.0, 1.0]])


def test_float32_memberships_sum_to_one_within_their_rounding() -> None:
    y = np.random.default_rng(0).dirichlet(np.ones(5), 100).astype(np.float32)
    targets, _ = as_targets(y)
    np.testing.assert_array_equal(targets, y)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        ([[0.5, 0.5], [0.5, 0.6]], r"Row 1 is \[0\.5, 0\.6\], which sums to 1\.1"),
        ([[0.5, 0.5], [-0.5, 1.5]], r"Row 1 is \[-0\.5, 1\.5\]"),
        ([[0.5, 0.5], [np.nan, 1.0]], "Row 1 is .*nan"),
        ([[np.inf, 0.5], [0.5, 0.5]], "Row 0 is .*inf"),
        ([[1, 1], [0, 1]], r"each of 2 classes.*Row 0 is \[1\.0, 1\.0\]"),
        ([["a", "b"], ["b", "a"]], "must hold numbers; labels are given as one column"),
        (np.zeros((2, 2, 2)), r"y should be a 1d array.*\(2, 2, 2\)"),
        (np.zeros((2, 0)), r"y should be a 1d array.*\(2, 0\)"),
    ],
)
def test_bad_memberships(y: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        as_targets(y)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (np.array([1, 3]), np.array([2, 3]), [1, 2, 3]),
        (np.array(["a"]), np.array(["longer"]), ["a", "longer"]),
        (np.array(["b"]), np.array(["a"], dtype=object), ["a", "b"]),
        (np.array([1.0]), np.array([1, 2]), [1, 2]),
        (np.array([False]), np.array([True]), [False, True]),
    ],
)
def test_unite(a: Any, b: Any, expected: list[Any]) -> None:
    classes, of_a, of_b = unite(a, b)
    assert classes.tolist() == expected
    np.testing.assert_array_equal(classes[of_a], a)
    np.testing.assert_array_equal(classes[of_b], b)


def test_numbers_and_text_are_not_united() -> None:
    with pytest.raises(DataError, match="labels of different types have no order"):
        unite(np.array([1, 2]), np.array(["1", "2"]))


def test_in_order() -> None:
    order, ordered = in_order(None, 3)
    assert (order.tolist(), ordered.tolist()) == ([0, 1, 2], [0, 1, 2])
    order, ordered = in_order(["c", "a", "b"], 3)
    assert (order.tolist(), ordered.tolist()) == ([1, 2, 0], ["a", "b", "c"])
    for wrong in (["a", "b"], ["a", "a", "b"]):
        with pytest.raises(SchemaError, match="needs 3 different labels"):
            in_order(wrong, 3)


def test_a_missing_label_in_a_dictionary_of_arrow_is_missing() -> None:
    y = pa.chunked_array([pa.array(["b", None, "a"]).dictionary_encode()])
    with pytest.raises(DataError, match="the label in row 1 is missing"):
        encode(y)
