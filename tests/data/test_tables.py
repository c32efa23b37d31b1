"""Arrays, lists and frames become matrices; what cannot become numbers is named."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from gaussbayes.base.errors import DataError
from gaussbayes.data.rows import Encoder
from gaussbayes.data.tables import as_matrix, is_frame

ROWS = np.arange(24.0).reshape(6, 4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "view",
    [
        lambda X: X,
        np.asfortranarray,
        lambda X: X[::2],
        lambda X: X[:, ::3],
        lambda X: X[::-1, ::-1],
        lambda X: X.T,
        lambda X: np.broadcast_to(X[0], (5, 4)),
    ],
    ids=["C", "Fortran", "rows", "columns", "backwards", "transposed", "broadcast"],
)
def test_floats_are_taken_as_they_are(dtype: Any, view: Any) -> None:
    X = view(ROWS.astype(dtype))
    assert as_matrix(X) is X


def test_read_only_rows_are_taken_as_they_are() -> None:
    X = ROWS.copy()
    X.flags.writeable = False
    assert as_matrix(X) is X


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (ROWS.astype(np.int8), np.float64),
        (ROWS.astype(np.uint64), np.float64),
        (ROWS > 3, np.float64),
        (ROWS.astype(np.float16), np.float64),
        (ROWS.astype(np.longdouble), np.float64),
        (ROWS.astype(object), np.float64),
        (ROWS.astype(">f8"), np.float64),
        (ROWS.astype(">f4"), np.float32),
        (ROWS.astype(">i2"), np.float64),
        (ROWS.tolist(), np.float64),
        (tuple(map(tuple, ROWS.tolist())), np.float64),
        (ROWS.view(np.matrix), np.float64),
        (np.ma.masked_array(ROWS), np.float64),
        ([[Decimal(1), 2], [np.int8(3), True]], np.float64),
    ],
)
def test_other_numbers_become_floats(X: Any, expected: Any) -> None:
    matrix = as_matrix(X)
    assert type(matrix) is np.ndarray
    assert matrix.dtype == expected
    assert matrix.dtype.isnative
    np.testing.assert_array_equal(matrix, np.array(X).astype(expected))


def test_missing_objects_become_nan() -> None:
    matrix = as_matrix(np.array([[1, None], [pd.NA, 2.0], [np.nan, pd.NaT]], dtype=object))
    np.testing.assert_array_equal(matrix, [[1, np.nan], [np.nan, 2], [np.nan, np.nan]])


def test_masked_values_become_nan() -> None:
    masked = np.ma.masked_array([[1, 2], [3, 4]], [[False, True], [False, False]])
    np.testing.assert_array_equal(as_matrix(masked), [[1, np.nan], [3, 4]])


FRAMES = [
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
    lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="numpy_nullable"),
    lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_mixed_numbers(frame: Any) -> None:
    columns = {
        "whole": np.array([1, 2, 3]),
        "float": np.array([0.5, 1.5, 2.5], dtype=np.float32),
        "flag": np.array([True, False, True]),
        "small": np.array([1, 2, 3], dtype=np.uint8),
    }
    X = frame(columns)
    assert is_frame(X)
    assert Encoder.learn(X).names == ("whole", "float", "flag", "small")
    matrix = as_matrix(X)
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, [[1, 0.5, 1, 1], [2, 1.5, 0, 2], [3, 2.5, 1, 3]])


@pytest.mark.parametrize("frame", FRAMES[:3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_frames_keep_their_float_width(frame: Any, dtype: Any) -> None:
    columns = {"a": np.array([1, 2], dtype=dtype), "b": np.array([3, 4], dtype=dtype)}
    assert as_matrix(frame(columns)).dtype == dtype


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [True, False]}),
        pd.DataFrame({"a": pd.array([1, None], dtype="Float64"), "b": [1.0, 0.0]}),
        pd.DataFrame({"a": pd.array([1, None], dtype="double[pyarrow]"), "b": [1.0, 0.0]}),
        pl.DataFrame({"a": [1, None], "b": [True, False]}),
        pl.DataFrame({"a": [1.0, None], "b": [1.0, 0.0]}),
        pa.table({"a": [1, None], "b": [True, False]}),
        pl.DataFrame({"a": [True, None], "b": [True, False]}),
        pa.table({"a": [Decimal(1), None], "b": [Decimal(1), Decimal(0)]}),
    ],
)
def test_missing_values_of_frames_become_nan(X: Any) -> None:
    np.testing.assert_array_equal(as_matrix(X), [[1, 1], [np.nan, 0]])


def test_pandas_frames_of_one_array_are_not_copied() -> None:
    X = ROWS.copy()
    assert np.shares_memory(as_matrix(pd.DataFrame(X, copy=False)), X)


def test_narrow_integers_with_float32_columns_are_exact() -> None:
    X = pd.DataFrame({"a": np.array([2**24 + 1]), "b": np.array([1.0], dtype=np.float32)})
    assert as_matrix(X)[0, 0] == 2**24 + 1


def test_names_that_are_no_strings_are_no_names() -> None:
    X = pd.DataFrame(ROWS)
    assert Encoder.learn(X).names is None
    np.testing.assert_array_equal(as_matrix(X), ROWS)
    assert Encoder.learn(ROWS).names is None
    assert Encoder.learn(ROWS.tolist()).names is None


def test_equal_column_names_are_refused() -> None:
    X = pd.DataFrame(ROWS, columns=["a", "b", "a", "c"])
    for function in (Encoder.learn, as_matrix):
        with pytest.raises(DataError, match="same name"):
            function(X)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), ["column 'b'", "'x'", "row 0"]),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [1, "y"]}), ["column 'b'", "'y'", "row 1"]),
        (pd.DataFrame({"a": pd.Categorical(["x", "y"])}), ["column 'a'", "'x'", "row 0"]),
        (pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), ["column 'b'", "'x'", "row 0"]),
        (pl.DataFrame({"a": ["x"]}, schema={"a": pl.Categorical}), ["column 'a'", "'x'"]),
        (pa.table({"a": [1.0, 2.0], "b": ["x", "y"]}), ["column 'b'", "'x'", "row 0"]),
        (np.array([["1", "2"]]), ["column 0", "'1'", "row 0"]),
        (np.array([[1, 2], [3, "4"]], dtype=object), ["column 1", "'4'", "row 1"]),
        ([[1.0, 2.0], [3.0, "tall"]], ["column 1", "'tall'", "row 1"]),
        ([[1.0, b"raw"]], ["column 1", "b'raw'", "row 0"]),
    ],
)
def test_strings_are_refused_by_column_row_and_value(X: Any, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        as_matrix(X)
    assert all(word in str(caught.value) for word in ["a string", "pandas.to_numeric", *words])


def test_what_is_no_number_at_all_is_a_type_error() -> None:
    X = np.array([[1.0, {"foo": "bar"}]], dtype=object)
    with pytest.raises(TypeError, match=r"column 1 of X holds \{'foo': 'bar'\} in row 0"):
        as_matrix(X)


@pytest.mark.parametrize(
    "X",
    [
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
        pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}),
        np.zeros((1, 1), dtype=[("a", float)]),
    ],
)
def test_other_types_are_refused(X: Any) -> None:
    with pytest.raises(DataError, match="holds .* values; give numbers"):
        as_matrix(X)


@pytest.mark.parametrize("X", [np.array([[1j]]), [[1j]], np.array([[1.0, 2j]], dtype=object)])
def test_complex_numbers_are_refused(X: Any) -> None:
    with pytest.raises(DataError, match="Complex data not supported"):
        as_matrix(X)


@pytest.mark.parametrize(
    "sparse", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array]
)
def test_sparse_matrices_are_refused(sparse: Any) -> None:
    with pytest.raises(DataError, match=r"(?s)Sparse data.*X\.toarray\(\)"):
        as_matrix(sparse(ROWS))


def test_lazy_frames_are_refused() -> None:
    with pytest.raises(DataError, match=r"lazy .*X\.collect\(\)"):
        as_matrix(pl.DataFrame({"a": [1.0]}).lazy())


@pytest.mark.parametrize("X", [ROWS[0], 3.0, [1.0, 2.0], pd.Series([1.0]), pl.Series([1.0]), []])
def test_too_few_dimensions(X: Any) -> None:
    with pytest.raises(DataError, match=r"(?s)Reshape your data.*reshape\(-1, 1\).*reshape\(1, -1"):
        as_matrix(X)


def test_too_many_dimensions() -> None:
    with pytest.raises(DataError, match=r"dim 3 \(shape=\(2, 2, 2\)\), while dim <= 2"):
        as_matrix(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    ("X", "what"),
    [
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        ([[]], r"0 feature\(s\) \(shape=\(1, 0\)\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pl.DataFrame({"a": [], "b": []}), r"0 sample\(s\) \(shape=\(0, 2\)\)"),
        (pd.DataFrame(index=[0, 1]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    ],
)
def test_empty_tables(X: Any, what: str) -> None:
    with pytest.raises(DataError, match=f"Found array with {what} while a minimum of 1 is require"):
        as_matrix(X)


def test_ragged_rows() -> None:
    with pytest.raises(DataError, match="row 0 has 2 values, row 2 has 3"):
        as_matrix([[1, 2], [3, 4], [5, 6, 7]])


def test_a_missing_number_in_a_dictionary_of_arrow_is_missing() -> None:
    table = pa.table({"age": pa.array([5.0, None, 7.0]).dictionary_encode()})
    np.testing.assert_array_equal(as_matrix(table), [[5.0], [np.nan], [7.0]])
