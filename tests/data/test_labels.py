"""Labels of any kind become class codes; soft labels stay what they are, or become codes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.missing_marks import ColumnMarks
from gaussbayes.data.labels import codes_among, encode, read_targets, read_weights, unite
from gaussbayes.data.tables import is_missing

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
def test_booleans(y: Any) -> None:
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


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "f8"])
@pytest.mark.parametrize("rare", [0, 3, 100, -100, 2**63, 2**64 - 1, -(2**63)])
def test_one_label_unlike_many(dtype: str, rare: int) -> None:
    """A few of many labels tell the span of all, or do not."""
    y = np.resize(np.array([9, 5], dtype), 70_000)
    if dtype != "f8":
        rare = min(max(rare, int(np.iinfo(dtype).min)), int(np.iinfo(dtype).max))
    y[40_001] = rare
    codes, classes = encode(y)
    np.testing.assert_array_equal(classes, np.unique(y))
    np.testing.assert_array_equal(classes[codes], y)
    np.testing.assert_array_equal(read_targets(y, n_jobs=3)[0].codes, codes)


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
        ([np.nan, 1.0, 2.5], r"^Unknown label type: continuous.*row 2 is 2\.5"),
        ([0.0, 1.0, np.inf], "Input y contains infinity: the label in row 2"),
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
        read_targets(y)


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([0.0, np.nan, 2.0], [0, -1, 1], [0.0, 2.0]),
        (["a", None, "b"], [0, -1, 1], ["a", "b"]),
        (["a", np.nan, "b"], [0, -1, 1], ["a", "b"]),
        ([1, None, 0], [1, -1, 0], [0, 1]),
        ([True, None], [0, -1], [True]),
        (np.array(["a", float("nan")], dtype=object), [0, -1], ["a"]),
        (pd.Series(["a", None]), [0, -1], ["a"]),
        (pd.Series(["a", pd.NA], dtype="string"), [0, -1], ["a"]),
        (pd.Series([2**62 + 1, pd.NA], dtype="Int64"), [0, -1], [2**62 + 1]),
        (pd.Categorical(["b", None, "a"], categories=["b", "a"]), [1, -1, 0], ["a", "b"]),
        (pl.Series(["a", None]), [0, -1], ["a"]),
        (pl.Series([2**62 + 1, None]), [0, -1], [2**62 + 1]),
        (pa.chunked_array([["a", None]]), [0, -1], ["a"]),
        (
            pa.chunked_array([pa.array(["b", None, "a"]).dictionary_encode()]),
            [1, -1, 0],
            ["a", "b"],
        ),
        (np.ma.masked_array([1, 2], [False, True]), [0, -1], [1]),
        ([None, None], [-1, -1], []),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_missing_labels(y: Any, codes: list[int], classes: list[Any]) -> None:
    targets, found = read_targets(y)
    assert targets.labels.tolist() == codes
    assert targets.labels.dtype == np.int32
    assert found.tolist() == classes
    assert targets.n_classes == len(classes)
    assert targets.n_unlabelled == codes.count(-1)


def test_missing_days_are_missing_labels() -> None:
    targets, classes = read_targets(np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"))
    assert targets.labels.tolist() == [0, -1]
    assert classes.dtype == "datetime64[D]"


@pytest.mark.parametrize(
    ("y", "mark", "codes"),
    [
        (np.array([0, -1, 1]), -1, [0, -1, 1]),
        (np.array([0.0, np.nan, 5.0]), 5, [0, -1, -1]),
        (np.array(["a", "?", "b"]), "?", [0, -1, 1]),
        (np.array(["a", "?", None], dtype=object), "?", [0, -1, -1]),
        (np.array(["-1", "a"]), -1, [-1, 0]),
        (np.array(["a", "NA", "None", " ", "."]), None, [0, -1, -1, -1, -1]),
        (np.array(["a", "NA", ""]), ColumnMarks(frozenset()), [1, 0, -1]),
        (np.array([1, 2]), "unknown", [0, 1]),
        (pd.Series(["?", "a"], dtype="category"), "?", [-1, 0]),
    ],
    ids=str,
)
def test_a_mark_of_missing_labels(y: Any, mark: Any, codes: list[int]) -> None:
    assert read_targets(y, mark=mark)[0].labels.tolist() == codes


def test_encode_takes_no_missing_labels() -> None:
    for y in (["a", None], [0.0, np.nan], pl.Series(["a", None])):
        with pytest.raises(DataError, match="label in row 1"):
            encode(y)


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
    targets, classes = read_targets(y)
    assert targets.labels.tolist() == [0, 1]
    assert classes.tolist() == [0, 1]


def test_soft_labels() -> None:
    y = np.array([[0.25, 0.75], [1.0, 0.0]])
    targets, classes = read_targets(y)
    np.testing.assert_array_equal(targets.labels, y)
    assert classes.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [bool, int, np.float32, float])
def test_one_hot_soft_labels_become_codes(dtype: Any) -> None:
    targets, classes = read_targets(np.array([[0, 0, 1], [1, 0, 0]], dtype=dtype))
    assert targets.labels.dtype == np.int32
    assert targets.labels.tolist() == [2, 0]
    assert classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_a_frame_name_the_classes(frame: Any) -> None:
    targets, classes = read_targets(frame({"yes": [0.25, 1.0], "no": [0.75, 0.0]}))
    assert classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(targets.labels, [[0.75, 0.25], [0.0, 1.0]])


def test_float32_soft_labels_sum_to_one_within_their_rounding() -> None:
    y = np.random.default_rng(0).dirichlet(np.ones(5), 100).astype(np.float32)
    targets, _ = read_targets(y)
    np.testing.assert_array_equal(targets.labels, y)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        ([[0.5, 0.5], [0.5, 0.6]], r"Row 1 is \[0\.5, 0\.6\], which sums to 1\.1"),
        ([[0.5, 0.5], [-0.5, 1.5]], r"Row 1 is \[-0\.5, 1\.5\]"),
        ([[0.5, 0.5], [np.nan, 1.0]], "Row 1 is .*nan"),
        ([[np.inf, 0.5], [0.5, 0.5]], "Row 0 is .*inf"),
        ([[1, 1], [0, 1]], r"of each of 2 classes.*Row 0 is \[1\.0, 1\.0\]"),
        ([["a", "b"], ["b", "a"]], "must hold numbers; labels are given as one column"),
        (np.zeros((2, 2, 2)), r"y should be a 1d array.*\(2, 2, 2\)"),
        (np.zeros((2, 0)), r"y should be a 1d array.*\(2, 0\)"),
    ],
)
def test_bad_soft_labels(y: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        read_targets(y)


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


@pytest.mark.parametrize("soft", [True, False])
def test_rows_of_nan_among_soft_labels_have_no_label(soft: bool) -> None:
    y = np.array([[0.25, 0.75] if soft else [0.0, 1.0], [np.nan, np.nan], [1.0, 0.0]])
    targets, _ = read_targets(y)
    assert targets.is_soft == soft
    assert targets.n_unlabelled == 1
    assert targets.labelled.tolist() == [True, False, True]
    np.testing.assert_array_equal(targets.labels, y if soft else [1, -1, 0])


def test_codes_among_known_classes() -> None:
    known = np.array(["a", "b", "c"])
    targets, classes = read_targets(["c", None, "a"], weights=[1, 2, 3])
    found = codes_among(known, targets, classes)
    assert (found.labels.tolist(), found.n_classes, found.n_unlabelled) == ([2, -1, 0], 3, 1)
    assert found.weights is targets.weights
    assert codes_among(known, *read_targets(["a", "b", "c"])).labels.tolist() == [0, 1, 2]
    soft = read_targets(pd.DataFrame({"c": [0.25, np.nan], "a": [0.75, np.nan]}))
    expected = [[0.75, 0.0, 0.25], [np.nan] * 3]
    np.testing.assert_array_equal(codes_among(known, *soft).labels, expected)
    with pytest.raises(DataError, match=r"unknown labels: \['d'\]; the classes are \['a', 'b'"):
        codes_among(known, *read_targets(["a", "d"]))


def test_rows_and_labels_must_be_as_many() -> None:
    with pytest.raises(DataError, match="X has 6 rows, but y has 2"):
        read_targets([0, 1], 6)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 0.5],
        (1, 2, 0.5),
        np.array([1, 2, 0.5], dtype=np.float32),
        pd.Series([1, 2, 0.5]),
        pl.Series([1.0, 2.0, 0.5]),
        pa.chunked_array([[1.0, 2.0, 0.5]]),
    ],
)
def test_weights_of_any_kind(weights: Any) -> None:
    given = read_weights(weights, 3)
    assert given is not None
    assert given.dtype == np.float64
    assert given.tolist() == [1, 2, 0.5]


def test_no_weights() -> None:
    assert read_weights(None, 3) is None


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([1, -2, 1], r"not negative: row 1 has -2\.0"),
        ([1, 2, np.nan], "finite .*row 2 has nan"),
        ([np.inf, 2, 1], "finite .*row 0 has inf"),
        ([1e308, 1e308, 1e308], "finite .*together inf"),
        ([0, 0, 0], "all 3 are zero"),
        ([1, 2], r"shape \(3,\), one for each row, got \(2,\)"),
        ([[1, 2, 3]], r"shape \(3,\), one for each row, got \(1, 3\)"),
        (2.0, r"shape \(3,\), one for each row, got \(1,\)"),
        (["a", "b", "c"], "must be numbers, one for each row"),
    ],
)
def test_bad_weights(weights: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        read_weights(weights, 3)
