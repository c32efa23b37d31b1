"""Tables of every container become numbers and category codes; features are checked."""

import datetime as dt
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils import validation

from gaussbayes.base.errors import DataError, GaussBayesError, OptionError
from gaussbayes.base.schema import Schema
from gaussbayes.data.categories import (
    MISSING,
    UNSEEN,
    Unseen,
    UnseenCategoryWarning,
    factorise,
    in_order,
    kind,
    unite,
    warn_of_many,
    warn_of_unseen,
)
from gaussbayes.data.rows import Encoder, number_rows

# Which columns are categorical.

PANDAS = pd.DataFrame(
    {
        "age": [30.0, 40.0],
        "wind": pd.Categorical(["S", "M"]),
        "name": ["x", "y"],
        "wet": [True, False],
    }
)
POLARS = pl.DataFrame(
    {
        "wind": pl.Series(["S", "M"], dtype=pl.Categorical),
        "kind": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b", "c"])),
        "name": ["x", "y"],
        "wet": [True, False],
    }
)
ARROW = pa.table({"age": [1.0, 2.0], "wind": pa.array(["S", "M"]).dictionary_encode()})


@pytest.mark.parametrize(
    ("X", "categorical"),
    [
        (PANDAS, (1,)),
        (POLARS, (0, 1)),
        (ARROW, (1,)),
        (ARROW.to_batches()[0], (1,)),
        (np.zeros((3, 2)), ()),
        ([["a", 1.0]], ()),
    ],
    ids=["pandas", "polars", "arrow", "record batch", "array", "list"],
)
def test_categorical_by_type(X: Any, categorical: tuple[int, ...]) -> None:
    encoder = Encoder.learn(X)
    assert encoder.categorical == categorical
    if not isinstance(X, list | pa.RecordBatch):
        theirs = validation._check_categorical_features(X, "from_dtype")
        assert categorical == (() if theirs is None else tuple(np.flatnonzero(theirs)))


@pytest.mark.parametrize(
    "chosen",
    [
        None,
        [],
        ["name", "wind"],
        ("wet",),
        np.array(["wet"]),
        [1, 3],
        np.array([3]),
        [True, False, False, True],
        np.array([False, True, False, False]),
        pd.Index(["wind"]),
    ],
    ids=repr,
)
def test_categorical_as_scikit_learn_reads_a_list(chosen: Any) -> None:
    theirs = validation._check_categorical_features(PANDAS, chosen)
    expected = () if theirs is None else tuple(np.flatnonzero(theirs))
    assert Encoder.learn(PANDAS, chosen).categorical == expected


@pytest.mark.parametrize(
    ("X", "chosen", "error", "words"),
    [
        (PANDAS, ["rain"], DataError, r"'rain', but the columns are \['age', 'wind'"),
        (PANDAS, [4], DataError, "column 4, but the columns of X are 0 to 3"),
        (PANDAS, [-1], DataError, "column -1"),
        (PANDAS, [True], DataError, "a boolean for each of the 4 columns of X, got 1"),
        (PANDAS, "wind", OptionError, r"got 'wind'; one name is written \['wind'\]"),
        (PANDAS, 1, OptionError, "got 1"),
        (PANDAS, [1.5], OptionError, r"all of one kind, got \[1.5\]"),
        (PANDAS, ["wind", 1], OptionError, "all of one kind"),
        (np.zeros((2, 2)), ["wind"], DataError, "columns of an array have no names"),
    ],
)
def test_bad_choices(X: Any, chosen: Any, error: type[GaussBayesError], words: str) -> None:
    with pytest.raises(error, match=words):
        Encoder.learn(X, chosen)


def test_families_demand_numbers_or_categories() -> None:
    frame = pd.DataFrame({"visits": pd.Categorical([1, 2]), "grade": [3, 4]})
    encoder = Encoder.learn(frame, kinds={"visits": "number", 1: "category"})
    assert encoder.categorical == (1,)
    assert encoder.encode(frame).matrix.tolist() == [[1.0], [2.0]]
    with pytest.raises(DataError, match="families names 'rain', but the columns are"):
        Encoder.learn(frame, kinds={"rain": "number"})


# Values of one column.


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
        (np.array([np.str_("b"), pd.NA, ""], dtype=object), [0, -2, -2], ("b",)),
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
        (np.array([1.0, 2.5]), r"'x' holds 2\.5 \(float\).*strings, integers.*intervals"),
        (np.array([1.0, np.inf]), r"'x' holds inf"),
        (np.array([1e300]), r"'x' holds 1000.*64 bits"),
        (np.array([2**64], dtype=object), r"'x' holds 18446744073709551616.*64 bits"),
        (np.array([b"a"]), r"'x' holds b'a' \(bytes\).*make it a string"),
        (np.array([dt.date(2024, 1, 1)]), r"'x' holds datetime\.date"),
        (np.array(["2024-01-01"], dtype="M8[ns]"), r"'x' holds values of type datetime64\[ns\]"),
        (np.array([1 + 2j]), r"'x' holds values of type complex128"),
        (np.array([[1], 2], dtype=object), r"'x' holds what cannot be a category: unhashable"),
        (np.array(["a", 1], dtype=object), r"'x' has categories of different types, 'a'.* and 1 "),
        (np.array([True, "a"], dtype=object), "all strings or all numbers"),
    ],
    ids=str,
)
def test_what_is_no_category(values: np.ndarray, words: str) -> None:
    with pytest.raises(DataError, match=words):
        factorise(values, "'x'")


@pytest.mark.parametrize(
    ("a", "b", "both"),
    [
        (("a", "c"), ("b",), ("a", "b", "c")),
        ((), ("b",), ("b",)),
        ((1, 3), (2, 3), (1, 2, 3)),
        ((False, True), (True,), (False, True)),
        ((False, True), (1, 5), (0, 1, 5)),
        ((True,), (1,), (1,)),
        ((), (), ()),
    ],
    ids=str,
)
def test_union_of_categories(a: tuple, b: tuple, both: tuple) -> None:
    for united in (unite(a, b, "'x'"), unite(b, a, "'x'")):
        assert united == both
        assert kind(united) is kind(both)


def test_categories_in_order() -> None:
    assert in_order(["b", "a", "b"], "'x'") == ("a", "b")
    with pytest.raises(DataError, match=r"'wind' .*different types, 'a' \(str\) and 1 \(int\)"):
        unite((1, 2), ("a",), "'wind'")


# Tables.

STRINGS = ["S", "M", None, "S"]
INTEGERS = [2**62 + 1, 3, None, 3]
BOOLEANS = [True, None, False, True]


@pytest.mark.parametrize(
    ("column", "codes", "categories"),
    [
        (pd.Series(pd.Categorical(STRINGS, ["X", "S", "M"])), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(STRINGS, dtype="str"), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(STRINGS, dtype="string"), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(STRINGS, dtype=object), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(STRINGS, dtype=pd.ArrowDtype(pa.string())), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(["S", "M", "", "S"]), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(pd.Categorical(["S", "M", "", "S"])), [1, 0, -2, 1], ("M", "S")),
        (pd.Series(INTEGERS, dtype="Int64"), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pd.Series(BOOLEANS, dtype="boolean"), [1, -2, 0, 1], (False, True)),
        (pl.Series(STRINGS), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(STRINGS, dtype=pl.Categorical), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(STRINGS, dtype=pl.Enum(["S", "M", "X"])), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(INTEGERS), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pl.Series(BOOLEANS), [1, -2, 0, 1], (False, True)),
        (pa.chunked_array([STRINGS]), [1, 0, -2, 1], ("M", "S")),
        (pa.chunked_array([pa.array(STRINGS).dictionary_encode()]), [1, 0, -2, 1], ("M", "S")),
        (pa.chunked_array([INTEGERS]), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pa.chunked_array([BOOLEANS]), [1, -2, 0, 1], (False, True)),
    ],
)
def test_columns_of_every_container(column: Any, codes: list[int], categories: tuple) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"x": [1.5, 2, 3, 4], "c": column})
    encoder = Encoder.learn(frame, ["c"])
    assert encoder.names == ("x", "c")
    rows = encoder.encode(frame)
    assert rows.matrix.tolist() == [[1.5], [2], [3], [4]]
    assert rows.codes[:, 0].tolist() == codes
    assert rows.categories == (categories,)
    known = encoder.with_categories([(*categories, "Z") if "M" in categories else categories])
    assert known.encode(frame).codes[:, 0].tolist() == codes
    assert known.encode(rows).codes[:, 0].tolist() == codes
    if isinstance(frame, pa.Table):
        assert encoder.encode_block(frame).codes[:, 0].tolist() == codes


def test_dictionaries_of_arrow_that_differ() -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["b", None], ["a", "b"])]
    table = pa.table({"c": pa.chunked_array(chunks)})
    assert Encoder.learn(table).encode(table).codes[:, 0].tolist() == [1, -2, 0, 1]


def test_known_categories_keep_their_codes_and_new_ones_are_counted() -> None:
    encoder = Encoder(2, None, (0, 1), (("L", "M", "S"), (1, 2)))
    X = np.array([["S", 2.0], ["X", 7.0], [None, np.nan], ["Y", 1.0]], dtype=object)
    rows = encoder.encode(X)
    assert rows.codes.T.tolist() == [[2, UNSEEN, MISSING, UNSEEN], [1, UNSEEN, MISSING, 0]]
    assert rows.categories == encoder.categories
    assert rows.unseen == (Unseen(0, 2, ("X", "Y")), Unseen(1, 1, (7,)))


def test_declared_categories_that_do_not_occur_are_not_unseen() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["a"], categories=["z", "a"])})
    rows = Encoder(1, ("c",), (0,), (("a", "b"),)).encode(frame)
    assert rows.unseen == ()
    assert rows.codes.tolist() == [[0]]


@pytest.mark.parametrize(
    ("values", "known", "codes"),
    [
        (np.array(["1"]), (1,), [UNSEEN]),  # a string is not the number it spells
        (np.array([True]), (0, 1), [1]),
        (np.array([1]), (False, True), [1]),
    ],
)
def test_strings_booleans_and_numbers(values: Any, known: tuple, codes: list[int]) -> None:
    encoder = Encoder(1, None, (0,), (known,))
    assert encoder.encode(values[:, None]).codes[:, 0].tolist() == codes


def test_strings_of_a_text_file_are_the_numbers_they_spell() -> None:
    table = pa.table({"c": ["1.0", "NA", "x", "2", ""]})
    rows = Encoder(1, ("c",), (0,), ((1, 2),)).encode_block(table, spelled=True)
    assert rows.codes[:, 0].tolist() == [0, MISSING, UNSEEN, 1, MISSING]


@pytest.mark.parametrize(
    "X",
    [
        [[1.5, "a", 2], [2.5, None, 3]],
        np.array([[1.5, "a", 2], [2.5, None, 3]], dtype=object),
        pd.DataFrame([[1.5, "a", 2], [2.5, None, 3]]),
    ],
    ids=["list", "array", "unnamed frame"],
)
def test_columns_may_lie_anywhere(X: Any) -> None:
    encoder = Encoder.learn(X, [1])
    assert encoder.names is None
    rows = encoder.encode(X)
    assert rows.matrix.tolist() == [[1.5, 2], [2.5, 3]]
    assert rows.codes[:, 0].tolist() == [0, -2]
    assert encoder.decode(rows).tolist() == [[1.5, "a", 2.0], [2.5, None, 3.0]]


def test_only_categories() -> None:
    X = np.array([["1", "S"], ["2", "M"]])
    rows = Encoder.learn(X, [0, 1]).encode(X)
    assert rows.matrix.shape == (2, 0)
    assert rows.categories == (("1", "2"), ("M", "S"))


def test_masked_strings_are_missing() -> None:
    X = np.ma.masked_array([["a"], ["b"]], mask=[[False], [True]])
    assert Encoder.learn(X, [0]).encode(X).codes.tolist() == [[0], [-2]]


def test_numbers_are_not_copied() -> None:
    X = np.arange(12.0).reshape(4, 3)
    assert Encoder.learn(X).encode(X).numbers is X
    frame = pd.DataFrame(X, columns=["a", "b", "c"], copy=False)
    assert np.shares_memory(Encoder.learn(frame).encode(frame).matrix, X)
    frame["d"] = pd.Categorical(["x", "y", "x", "y"])
    assert np.shares_memory(Encoder.learn(frame).encode(frame).matrix, X)
    frame = frame[["a", "d", "b", "c"]]
    np.testing.assert_array_equal(Encoder.learn(frame).encode(frame).matrix, X)
    table = pa.table({"a": X[:, 0].copy(), "b": X[:, 1].copy()})
    columns = Encoder.learn(table).encode_block(table).numbers.columns
    assert [column.ctypes.data for column in columns] == [
        table.column(name).chunk(0).buffers()[1].address for name in ("a", "b")
    ]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame({"a": [1.0]}), "missing are 'b'$"),
        (pd.DataFrame({"a": [1.0], "b": ["x"], "c": [1]}), "unknown are 'c'$"),
        (pd.DataFrame({"b": ["x"], "a": [1.0]}), "in the order of the features: 'a', 'b'; got 'b'"),
        (np.ones((2, 3)), "X has 3 features, but 2 are expected: 'a', 'b'"),
        ([[1.0]], "X has 1 features, but 2 are expected"),
        (number_rows(np.ones((2, 2))), "2 numbers and 0 categories, but others are"),
    ],
)
def test_other_features(X: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Encoder(2, ("a", "b"), (1,)).encode(X)


def test_a_frame_whose_names_are_numbers_has_none() -> None:
    encoder = Encoder(2, ("a", "b"))
    assert encoder.encode(pd.DataFrame([[1.0, 2.0]])).matrix.tolist() == [[1.0, 2.0]]
    assert encoder.encode(np.array([[1, 2]])).matrix.tolist() == [[1.0, 2.0]]


def test_no_rows() -> None:
    for X in (np.empty((0, 2)), np.empty((0, 2), dtype=object), pd.DataFrame({"a": [], "b": []})):
        for categorical in ((), (0,)):
            with pytest.raises(DataError, match=r"0 sample\(s\)"):
                Encoder(2, None, categorical).encode(X)


def test_strings_among_the_numbers_name_their_column() -> None:
    frame = pd.DataFrame({"name": ["x"], "c": ["a"]})
    with pytest.raises(DataError, match=r"column 'name' \(string, for example 'x' in row 0\)"):
        Encoder.learn(frame, ["c"]).encode(frame)
    with pytest.raises(DataError, match="column 2 of X holds a string: 'x' in row 0"):
        Encoder(3, None, (1,)).encode([[1.5, "a", "x"]])


def test_one_row() -> None:
    encoder = Encoder(2, ("a", "b"), (1,), (("x", "y"),))
    for row in (
        [1.5, "y"],
        (1.5, "y"),
        np.array([1.5, "y"], dtype=object),
        pd.Series({"a": 1.5, "b": "y"}),
        [[1.5, "y"]],
        pd.DataFrame({"a": [1.5], "b": ["y"]}),
    ):
        rows = encoder.encode_row(row)
        assert (rows.matrix.tolist(), rows.codes.tolist()) == ([[1.5]], [[1]])
    with pytest.raises(DataError, match="a row of 2 features is needed, got 1 values"):
        encoder.encode_row([1.5])
    with pytest.raises(DataError, match="one row is needed, got 2"):
        encoder.encode_row([[1.5, "y"], [2.5, "x"]])
    assert Encoder(1).encode_row(2.5).matrix.tolist() == [[2.5]]


# Warnings.

SCHEMA = Schema(np.arange(2), 2, ("wind", "humidity"))


def test_one_warning_for_all_features() -> None:
    unseen = (Unseen(0, 1234, ("X", "Y")), Unseen(1, 1, (7,)))
    with warnings.catch_warnings(record=True, action="always") as seen:
        warn_of_unseen(unseen, SCHEMA)
        warn_of_unseen((), SCHEMA)
    assert len(seen) == 1
    assert seen[0].category is UnseenCategoryWarning
    assert seen[0].filename == __file__
    told = str(seen[0].message)
    assert "1,234 values of 'wind' ('X', 'Y'), 1 value of 'humidity' (7)" in told


def test_many_numbers_are_hardly_categories() -> None:
    with pytest.warns(UserWarning, match="'wind' is categorical and has 100,000 different numbers"):
        warn_of_many([tuple(range(100_000))], SCHEMA)
    warn_of_many([tuple(sorted(map(str, range(5000)))), tuple(range(1000))], SCHEMA)
