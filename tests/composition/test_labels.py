"""Labels of any kind become class codes; soft labels stay what they are, or become codes."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes import Columns, DataError, GaussianClassifier

pytestmark = pytest.mark.usefixtures("kernels")


def model_of(y: Any, X: Any = None, weights: Any = None, **columns: Any) -> GaussianClassifier:
    """A model of one count, of which a single row of a class is enough."""
    rows = 1.0 + np.arange(len(y))[:, None] if X is None else X
    given: dict[str, Any] = {"columns": Columns(**columns), "families": {0: "poisson"}}
    return GaussianClassifier(**given).partial_fit(rows, y, sample_weight=weights)


def grouped(y: Any, **columns: Any) -> tuple[list[Any], list[float]]:
    """The classes, and the mean number of the rows of each."""
    model = model_of(y, **columns)
    return model.classes_, (model.means_[:, 0] - 1).tolist()


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


def expected_groups(y: Any) -> tuple[Any, list[float]]:
    classes, codes = np.unique(y, return_inverse=True)
    return classes, [float(np.flatnonzero(codes == c).mean()) for c in range(classes.size)]


@pytest.mark.parametrize("y", NUMBERS, ids=lambda y: f"{y.dtype.str}-{y.tolist()[1]}")
def test_numbers_as_numpy_sorts_them(y: Any) -> None:
    classes, means = grouped(y)
    expected, expected_means = expected_groups(y)
    assert classes.dtype == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_allclose(means, expected_means)


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
    classes, means = grouped(y)
    assert classes.tolist() == ["a", "b", "c"]
    assert means == [1.0, 1.0, 3.0]
    # What predict returns can be compared with what came.
    assert np.asarray(classes[[1, 0, 1, 2]] == np.asarray(y, dtype=object)).all()


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([True, False], [False, True]),
        (pd.Series([True, False], dtype="boolean"), [False, True]),
        (pl.Series([True, False]), [False, True]),
        (pa.chunked_array([[True, False]]), [False, True]),
        (np.array(["2021-01-01", "2020-01-01"], dtype="datetime64[D]"), None),
        (np.array([b"y", b"x"]), [b"x", b"y"]),
        ([[1], [0]], [0, 1]),
        (pd.DataFrame({"label": [1, 0]}), [0, 1]),
        (pl.DataFrame({"label": [1, 0]}), [0, 1]),
    ],
)
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_other_labels(y: Any, classes: Any) -> None:
    found, means = grouped(y)
    assert means == [1.0, 0.0]
    assert found.tolist() == classes if classes else found.dtype == y.dtype


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "f8"])
@pytest.mark.parametrize("rare", [0, 3, 100, -100, 2**63, 2**64 - 1, -(2**63)])
def test_one_label_unlike_many(dtype: str, rare: int) -> None:
    """A few of many labels tell the span of all, or do not."""
    y = np.resize(np.array([9, 5], dtype), 70_000)
    if dtype != "f8":
        rare = min(max(rare, int(np.iinfo(dtype).min)), int(np.iinfo(dtype).max))
    y[40_001] = rare
    classes, means = grouped(y)
    expected, expected_means = expected_groups(y)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_allclose(means, expected_means)


def test_many_labels_of_every_span() -> None:
    rng = np.random.default_rng(0)
    for span in (1, 2, 1000, 65535, 65536, 65537, 10**9):
        y = rng.integers(-span, span, 3000)
        classes, means = grouped(y)
        expected, expected_means = expected_groups(y)
        np.testing.assert_array_equal(classes, expected)
        np.testing.assert_allclose(means, expected_means)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        ([0.5, 1.0, 2.0], r"^Unknown label type: continuous.*row 0 is 0\.5"),
        (np.array([1, 2, 2.25], dtype=np.float32), r"^Unknown label type: continuous.*row 2"),
        ([np.nan, 1.0, 2.5], r"^Unknown label type: continuous.*row 2 is 2\.5"),
        ([0.0, 1.0, np.inf], "Input y contains infinity: the label in row 2"),
        ([1, "a", 1], r"labels of different types have no order: 1 \(int\), 'a' \(str\)"),
        (np.array(["a", {}, "b"], dtype=object), "^Unknown label type: .*unhashable type: 'dict'"),
        ([1j, 0, 1], "Complex data not supported"),
        (None, "requires y to be passed, but the target y is None"),
        (3, "one for each row, got 3"),
        ([[1, 1], [2, 3], [1]], "one for each row, got"),
        ([0, 1], "X has 3 rows, but y has 2"),
        ("text", "'text' names a column, but X .ndarray. has no column names"),
        ([[0.5, 0.5], [0.5, 0.6], [1, 0]], r"Row 1 is \[0\.5, 0\.6\], which sums to 1\.1"),
        ([[0.5, 0.5], [-0.5, 1.5], [1, 0]], r"Row 1 is \[-0\.5, 1\.5\]"),
        ([[0.5, 0.5], [np.nan, 1.0], [1, 0]], "Row 1 is .*nan"),
        ([[1, 1], [0, 1], [1, 0]], r"of each of 2 classes.*Row 0 is \[1\.0, 1\.0\]"),
        ([["a", "b"], ["b", "a"], ["a", "a"]], "must hold numbers; labels are given as one column"),
        (np.zeros((3, 2, 2)), r"y should be a 1d array.*\(3, 2, 2\)"),
        (np.zeros((3, 0)), r"y should be a 1d array.*\(3, 0\)"),
    ],
)
def test_labels_that_cannot_be(y: Any, what: str) -> None:
    with pytest.raises(DataError, match=what):
        model_of(y, np.arange(3.0)[:, None])


@pytest.mark.parametrize(
    ("y", "unlabelled", "classes"),
    [
        ([0.0, np.nan, 2.0], [1], [0.0, 2.0]),
        (["a", None, "b"], [1], ["a", "b"]),
        (["a", np.nan, "b"], [1], ["a", "b"]),
        ([1, None, 0], [1], [0, 1]),
        (np.array(["a", float("nan"), "b"], dtype=object), [1], ["a", "b"]),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), [1], ["a", "b"]),
        (pd.Series([2**62 + 1, pd.NA, 3], dtype="Int64"), [1], [3, 2**62 + 1]),
        (pd.Categorical(["b", None, "a"], categories=["b", "a"]), [1], ["a", "b"]),
        (pl.Series(["a", None, "b"]), [1], ["a", "b"]),
        (pl.Series([2**62 + 1, None, 3]), [1], [3, 2**62 + 1]),
        (pa.chunked_array([["a", None, "b"]]), [1], ["a", "b"]),
        (pa.chunked_array([pa.array(["b", None, "a"]).dictionary_encode()]), [1], ["a", "b"]),
        (np.ma.masked_array([1, 2, 3], [False, True, False]), [1], [1, 3]),
        (np.array(["2020-01-01", "NaT", "2021-01-01"], dtype="datetime64[D]"), [1], None),
        (["a", "NA", "None", " ", ".", "b"], [1, 2, 3, 4], ["a", "b"]),
    ],
    ids=lambda value: str(getattr(value, "dtype", value)),
)
def test_missing_labels(y: Any, unlabelled: list[int], classes: Any) -> None:
    model = model_of(y)
    assert model.model_.statistics.unlabelled.n_rows == len(unlabelled)
    assert classes is None or model.classes_.tolist() == classes
    assert "unlabelled rows" in {notice.kind for notice in model.notices_}


@pytest.mark.parametrize(
    ("y", "how", "classes"),
    [
        (np.array([0, -1, 1]), {"unlabelled": -1}, [0, 1]),
        (np.array(["a", "?", "b"]), {"unlabelled": "?"}, ["a", "b"]),
        (np.array(["-1", "a", "b"]), {"unlabelled": -1}, ["a", "b"]),
        (np.array(["a", "NA", ""]), {"keep_default_na": False}, ["NA", "a"]),
        (np.array([1, 2, 1]), {"unlabelled": "unknown"}, [1, 2]),
        (pd.Series(["?", "a", "b"], dtype="category"), {"unlabelled": "?"}, ["a", "b"]),
    ],
    ids=str,
)
def test_marks_of_missing_labels(y: Any, how: dict[str, Any], classes: list[Any]) -> None:
    assert model_of(y, **how).classes_.tolist() == classes


@pytest.mark.parametrize("frame", [None, pd.DataFrame, pl.DataFrame, pa.table])
def test_memberships(frame: Any) -> None:
    shares = {"yes": [0.25, 1.0, 0.0, np.nan], "no": [0.75, 0.0, 1.0, np.nan]}
    y = np.array(list(shares.values())).T if frame is None else frame(shares)
    X = np.array([[1.0], [3.0], [8.0], [5.0]])
    model = model_of(y, X)
    assert model.classes_.tolist() == ([0, 1] if frame is None else ["no", "yes"])
    order = slice(None) if frame is None else slice(None, None, -1)
    assert model.model_.statistics.weight[order].tolist() == [1.25, 1.75]
    assert model.model_.statistics.unlabelled.n_rows == 1


@pytest.mark.parametrize("dtype", [bool, int, np.float32, float])
def test_memberships_of_one_class_are_labels(dtype: Any) -> None:
    y = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]], dtype=dtype)
    assert grouped(y)[1] == [1.0, 2.0, 0.0]
    soft = np.random.default_rng(0).dirichlet(np.ones(3), 50).astype(np.float32)
    assert model_of(soft).classes_.tolist() == [0, 1, 2]  # they sum to 1 within their rounding


def test_classes_are_united() -> None:
    model = model_of(["b", "a"])
    model.partial_fit([[5.0]], np.array(["longer"], dtype=object))
    assert model.classes_.tolist() == ["a", "b", "longer"]
    with pytest.raises(DataError, match="labels of different types have no order"):
        model.partial_fit([[5.0]], [1])
    numbers = model_of([1.0, 2.0]).partial_fit([[3.0]], [2])
    assert numbers.classes_.tolist() == [1, 2]
    fitted = model_of(list("abcabc"), np.arange(6.0)[:, None] % 5)
    with pytest.raises(DataError, match=r"unknown labels: \['d'\]; the classes are \['a', 'b'"):
        fitted.negative_log_likelihood([[1.0], [2.0]], ["a", "d"])
    assert fitted.score([[1.0], [2.0]], ["a", None]) in {0.0, 1.0}


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
    assert model_of([0, 1, 1], weights=weights).model_.statistics.weight.tolist() == [1.0, 2.5]


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
        model_of([0, 1, 1], weights=weights)
