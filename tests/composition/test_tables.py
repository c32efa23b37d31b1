"""Arrays, lists and frames of every kind: the same rows give the same model; others are refused."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from gaussbayes import Columns, DataError, GaussianClassifier

ROWS = np.arange(24.0).reshape(6, 4) % 7
Y = [0, 1, 0, 1, 0, 1]


class Exported:
    """An array of another library, which offers DLPack and nothing else, as a tensor would."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


class OnDevice(Exported):
    """One that NumPy cannot read."""

    def __dlpack__(self, **options: Any) -> Any:
        msg = "cannot export a tensor that is not in the memory of the CPU"
        raise BufferError(msg)


def model_of(X: Any, y: Any = Y, **columns: Any) -> GaussianClassifier:
    """A model that few rows have."""
    given = Columns(**columns)
    return GaussianClassifier("diagonal", shared=True, smoothing=1, columns=given).fit(X, y)


def means(X: Any, **columns: Any) -> Any:
    """The mean of all rows, by the means of two classes."""
    y = np.arange(len(X) if hasattr(X, "__len__") else X.num_rows) % 2
    model = model_of(X, y, **columns)
    return model.priors_ @ model.means_


# Numbers.


@pytest.mark.parametrize(
    "X",
    [
        ROWS.astype(np.float32),
        np.asfortranarray(ROWS),
        np.repeat(ROWS, 2, axis=0)[::2],
        np.repeat(ROWS, 3, axis=1)[:, ::3],
        ROWS[::-1, ::-1].copy()[::-1, ::-1],
        np.ascontiguousarray(ROWS.T).T,
        ROWS.astype(np.int8),
        ROWS.astype(np.uint64),
        ROWS.astype(np.float16),
        ROWS.astype(np.longdouble),
        ROWS.astype(object),
        ROWS.astype(">f8"),
        ROWS.astype(">f4"),
        ROWS.astype(">i2"),
        ROWS.tolist(),
        tuple(map(tuple, ROWS.tolist())),
        ROWS.view(np.matrix),
        np.ma.masked_array(ROWS),
        [[Decimal(int(value)) for value in row] for row in ROWS],
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS, columns=list("abcd")),
        pd.DataFrame(ROWS, columns=list("abcd")).convert_dtypes(),
        pd.DataFrame(ROWS, columns=list("abcd")).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame(ROWS, schema=list("abcd")),
        pa.table(dict(zip("abcd", ROWS.T, strict=True))),
        pa.table({name: pa.array(map(Decimal, x)) for name, x in zip("abcd", ROWS.T, strict=True)}),
    ],
    ids=lambda X: f"{type(X).__module__}-{getattr(X, 'dtype', type(X).__name__)}",
)
def test_numbers_of_every_container(X: Any) -> None:
    expected = model_of(ROWS)
    model = model_of(X, keep_identifiers=True)
    np.testing.assert_allclose(model.means_, expected.means_, rtol=1e-7)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, expected.predict_proba(ROWS), rtol=1e-5, atol=1e-7)
    narrow = getattr(X, "dtype", None) in {np.dtype(kind) for kind in (np.float32, ">f4", "f2")}
    assert found.dtype == (np.float32 if narrow else np.float64)
    named = hasattr(model, "feature_names_in_")
    assert named == (type(X) in {pl.DataFrame, pa.Table} or "a" in getattr(X, "columns", ()))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_arrays_of_other_libraries(dtype: Any) -> None:
    rows, labels = ROWS.astype(dtype), np.array(Y)
    X, y, weights = Exported(rows), Exported(labels), Exported(np.arange(1.0, 7.0))
    expected = model_of(rows).fit(rows, labels, sample_weight=weights.values)
    model = model_of(rows).fit(X, y, sample_weight=weights)
    table, of_array = model.scores(X), expected.scores(rows)
    for name in ("label", "posterior", "squared_distance", "log_evidence"):
        assert type(getattr(table, name)) is np.ndarray
        np.testing.assert_array_equal(getattr(table, name), getattr(of_array, name))
    narrow = np.dtype(dtype).itemsize < 8
    assert model.predict_proba(X).dtype == (np.float32 if narrow else np.float64)
    assert model.score(X, y) == expected.score(rows, labels)
    assert model.evaluate(X, y).log_loss == expected.evaluate(rows, labels).log_loss
    assert model.explain(Exported(rows[1])).to_dict() == expected.explain(rows[1]).to_dict()
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.means_, expected.partial_fit(rows, labels).means_)


def test_arrays_that_are_not_in_the_memory_of_the_cpu() -> None:
    words = r"X \(.*OnDevice\) cannot be read as a NumPy array: .*X\.detach\(\)\.cpu\(\)"
    with pytest.raises(DataError, match=words):
        model_of(OnDevice(ROWS))
    with pytest.raises(DataError, match=r"y \(.*OnDevice\) cannot be read"):
        model_of(ROWS, OnDevice(Y))
    with pytest.raises(DataError, match=words):
        model_of(ROWS).predict(OnDevice(ROWS))


GAPS = np.array([[1, np.nan], [3, 0], [2, 5], [7, np.nan], [5, 3], [4, 1]])
NULLS = pa.array(GAPS[:, 1], from_pandas=True)


@pytest.mark.parametrize(
    "X",
    [
        np.where(np.isnan(GAPS), None, GAPS),
        [[None if np.isnan(value) else value for value in row] for row in GAPS],
        np.array([[pd.NA if np.isnan(v) else v for v in row] for row in GAPS], dtype=object),
        np.ma.masked_invalid(GAPS),
        np.ma.masked_array(np.nan_to_num(GAPS).astype(int), np.isnan(GAPS)),
        pd.DataFrame(GAPS, columns=["a", "b"]).astype("Int64"),
        pd.DataFrame(GAPS, columns=["a", "b"]).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame(GAPS, schema=["a", "b"]).fill_nan(None),
        pa.table({"a": GAPS[:, 0], "b": NULLS}),
        pa.table(
            {"a": GAPS[:, 0], "b": pa.array(GAPS[:, 1], from_pandas=True).dictionary_encode()}
        ),
    ],
    ids=lambda X: f"{type(X).__module__}-{getattr(X, 'dtype', type(X).__name__)}",
)
def test_missing_numbers_of_every_container(X: Any) -> None:
    expected = model_of(GAPS)
    model = model_of(X, numeric=["b"] if hasattr(X, "columns") else None)
    np.testing.assert_allclose(model.means_, expected.means_)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(GAPS))


def test_numbers_are_exact_and_may_be_read_only() -> None:
    X = pd.DataFrame({"a": [2**24 + 1, 5, 7, 1], "b": np.array([1, 2, 4, 3], dtype=np.float32)})
    assert model_of(X, [0, 0, 1, 1]).means_[0, 0] == (2**24 + 6) / 2
    frozen = ROWS.copy()
    frozen.flags.writeable = False
    assert model_of(frozen).score(frozen, Y) == model_of(ROWS).score(ROWS, Y)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.array([["1", "2"]] * 6), DataError, "column 0 of X holds a string: '1' in row 0"),
        ([[1.0, "x"]] * 6, DataError, r"column 1 of X.*'x' in row 0.*categorical=\[1\]"),
        ([[1.0, b"raw"]] * 6, DataError, "column 1 of X holds a string: b'raw' in row 0"),
        (np.array([[1.0, {"a": 1}]] * 6, dtype=object), TypeError, r"holds \{'a': 1\} in row 0"),
        (np.full((6, 1), "2020-01-01", "M8[D]"), DataError, "holds .* values; give numbers"),
        (np.zeros((6, 1), [("a", float)]), DataError, "holds .* values; give numbers"),
        (np.full((6, 1), 1j), DataError, "Complex data not supported"),
        ([[1.0, 2j]] * 6, DataError, "Complex data not supported"),
        (scipy.sparse.csr_array(ROWS), DataError, r"Sparse data.*X\.toarray\(\)"),
        (scipy.sparse.coo_matrix(ROWS), DataError, r"Sparse data.*X\.toarray\(\)"),
        (ROWS[0], DataError, r"Reshape your data.*reshape\(-1, 1\).*reshape\(1, -1"),
        ([1.0, 2.0], DataError, "Reshape your data"),
        (pd.Series([1.0] * 6), DataError, "Reshape your data"),
        ([], DataError, "Reshape your data"),
        (np.zeros((6, 2, 2)), DataError, r"dim 3 \(shape=\(6, 2, 2\)\), while dim <= 2"),
        (np.empty((0, 3)), DataError, r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), DataError, r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pd.DataFrame({"a": []}), DataError, r"0 sample\(s\) \(shape=\(0, 1\)\)|no column is left"),
        ([[1, 2], [3, 4], [5, 6, 7]], DataError, "row 0 has 2 values, row 2 has 3"),
        (pd.DataFrame(ROWS, columns=["a", "b", "a", "c"]), DataError, "same name"),
    ],
)
def test_what_is_not_a_table_of_numbers(X: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"(?s){words}"):
        model_of(X, [0, 1] * 3)


# Categories.

STRINGS = ["S", "M", None, "S", "M", "M"]
INTEGERS = [2**62 + 1, 3, None, 2**62 + 1, 3, 3]
BOOLEANS = [True, False, None, True, False, False]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(STRINGS, ["X", "S", "M"])),
        pd.Series(STRINGS, dtype="str"),
        pd.Series(STRINGS, dtype="string"),
        pd.Series(STRINGS, dtype=object),
        pd.Series(STRINGS, dtype=pd.ArrowDtype(pa.string())),
        pd.Series(["S", "M", "", "S", "M", "M"]),
        pd.Series(pd.Categorical(["S", "M", "", "S", "M", "M"])),
        pd.Series(INTEGERS, dtype="Int64"),
        pd.Series(BOOLEANS, dtype="boolean"),
        pl.Series(STRINGS),
        pl.Series(STRINGS, dtype=pl.Categorical),
        pl.Series(STRINGS, dtype=pl.Enum(["S", "M", "X"])),
        pl.Series(INTEGERS),
        pl.Series(BOOLEANS),
        pa.chunked_array([STRINGS]),
        pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in (STRINGS[:2], STRINGS[2:])]
        ),
        pa.chunked_array([INTEGERS]),
        pa.chunked_array([BOOLEANS]),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', '')}",
)
def test_categories_of_every_container(column: Any) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"x": [1.5, 2, 3, 4, 5, 2], "c": column})
    model = model_of(frame, list("uvuvuv"), categorical=["c"])
    kinds = [(each.name, each.kind) for each in model.columns_]
    assert kinds == [("x", "number"), ("c", "category")]
    (found,) = model.category_probabilities_.values()
    # M or 3 or False before S: (0 + 1)/(2 + 2) and so on, one value being missing.
    values = np.array(sorted(map(tuple, found.values())))
    np.testing.assert_allclose(values, sorted([(0.5, 0.6), (0.5, 0.4)]))
    assert model.predict_proba(frame).shape == (6, 2)


@pytest.mark.parametrize(
    "X",
    [
        [[1.5, "a", 2], [2.5, None, 3], [4, "b", 5], [1, "b", 1]],
        np.array([[1.5, "a", 2], [2.5, None, 3], [4, "b", 5], [1, "b", 1]], dtype=object),
        pd.DataFrame([[1.5, "a", 2], [2.5, None, 3], [4, "b", 5], [1, "b", 1]]),
    ],
    ids=["list", "array", "unnamed frame"],
)
def test_categories_of_arrays_are_given_by_number(X: Any) -> None:
    model = model_of(X, [0, 0, 1, 1], categorical=[1])
    assert [column.kind for column in model.columns_] == ["number", "category", "number"]
    assert model.means_.tolist() == [[2.0, 2.5], [2.5, 3.0]]
    probability = {name: p.tolist() for name, p in model.category_probabilities_[1].items()}
    assert probability == {"a": [2 / 3, 0.25], "b": [1 / 3, 0.75]}
    rows, _ = model.sample(20, random_state=0)
    assert {*rows[:, 1]} <= {"a", "b"}
    assert model.explain(X[0] if isinstance(X, list) else X[:1]).bayes is not None


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, 2.5, 2.5, 1.5], r"'c' holds (numbers such as )?[12]\.5"),
        ([1.0, np.inf, 1, 2], "'c' holds inf"),
        ([1e300, 1, 1, 2], r"'c' holds 1000.*64 bits"),
        (np.array([2**64, 1, 1, 2], dtype=object), r"'c' holds 18446744073709551616.*64 bits"),
        (np.array([b"a"] * 4, dtype=object), r"'c' holds b'a' \(bytes\).*make it a string"),
        ([dt.date(2024, 1, 1)] * 4, r"'c' holds datetime\.date"),
        (np.array(["2024-01-01"] * 4, dtype="M8[ns]"), "'c' holds values of type datetime64"),
        (np.array([[1], 2, 3, 4], dtype=object), "'c' holds what cannot be a category: unhash"),
        (np.array(["a", 1, 2, 3], dtype=object), r"'c' has categories of different types, 'a'"),
        (np.array([True, "a", "b", "a"], dtype=object), "all strings or all numbers"),
    ],
    ids=str,
)
def test_what_is_not_a_category(values: Any, words: str) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 5], "c": values})
    with pytest.raises(DataError, match=words):
        model_of(frame, [0, 1, 0, 1], categorical=["c"])


def test_categories_are_united_and_unseen_ones_carry_no_information() -> None:
    frame = pd.DataFrame({"c": list("abab"), "n": [1, 2, 2, 1]})
    model = model_of(frame, list("uvvu"), categorical=["c", "n"])
    more = pd.DataFrame({"c": ["z", "a"], "n": [3.0, 2.0]})
    model.partial_fit(more, ["u", "v"])
    assert [len(p) for p in model.category_probabilities_.values()] == [3, 3]
    new = pd.DataFrame({"c": ["q", "r", None], "n": [9, 1, 2]})
    with pytest.warns(
        UserWarning, match=r"2 values of 'c' \('q', 'r'\), 1 value of 'n' \(9\)"
    ) as w:
        found = model.predict_proba(new)
    assert [each.filename for each in w] == [__file__]
    np.testing.assert_allclose(found[0], model.priors_)
    declared = new.assign(c=pd.Categorical(["a", "b", "a"], ["q", "a", "b"]), n=[1, 2, 2])
    assert model.predict(declared).shape == (3,)
    booleans = model_of(pd.DataFrame({"c": [True, False] * 2}), list("uvuv"))
    assert booleans.predict(np.array([[1], [0]])).tolist() == ["u", "v"]
    with pytest.raises(DataError, match=r"'c' .*different types"):
        model.partial_fit(more.assign(c=[1, 2]), ["u", "v"])


# Features.


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame({"a": [1.0]}), "(?s)missing.*b"),
        (pd.DataFrame({"a": [1.0], "b": ["x"], "c": [1]}), "(?s)unseen at fit time.*c"),
        (pd.DataFrame({"b": ["x"], "a": [1.0]}), "in the order of the features: 'a', 'b'; got 'b'"),
        (np.ones((2, 3)), "3 features.*2 features"),
        ([[1.0]], "1 features.*2 features"),
        (np.empty((0, 2)), r"0 sample\(s\)"),
    ],
)
def test_other_features(X: Any, words: str) -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 5], "b": list("xyxx")})
    model = model_of(frame, [0, 1, 0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=words):
        model.predict(X)
    assert model.predict(frame.to_numpy()).tolist() == model.predict(frame).tolist()


def test_one_row() -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 3, 5], "b": list("xyxx"), "y": [0, 1, 0, 1]})
    model = model_of(frame, "y")
    expected = model.predict_proba(frame[:1])[0]
    for row in (
        [1.0, "x"],
        np.array([1.0, "x"], dtype=object),
        frame.iloc[0],
        {"a": 1.0, "b": "x"},
        [[1.0, "x"]],
        frame[:1],
    ):
        terms = model.explain(row).bayes.classes
        np.testing.assert_allclose([term.posterior for term in terms], expected)
    with pytest.raises(DataError, match="a row of 2 features is needed, got 1 values"):
        model.explain([1.5])
    with pytest.raises(DataError, match="one row is needed, got 2"):
        model.explain(frame[:2])
