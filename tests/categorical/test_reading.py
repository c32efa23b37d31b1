"""Tables of every kind are split into numbers and categories."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.data.category_columns import read_columns, split

TEXTS = ["S", "M", None, "S"]
WHOLE = [2**62 + 1, 3, None, 3]
TRUE = [True, None, False, True]


def pandas_series(name: str) -> Any:
    return {
        "category": pd.Series(pd.Categorical(TEXTS, categories=["X", "S", "M"])),
        "str": pd.Series(TEXTS, dtype="str"),
        "string": pd.Series(TEXTS, dtype="string"),
        "object": pd.Series(TEXTS, dtype=object),
        "arrow": pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
        "Int64": pd.Series(WHOLE, dtype="Int64"),
        "category of numbers": pd.Series(pd.Categorical(WHOLE[1:] + WHOLE[:1])),
        "boolean": pd.Series(TRUE, dtype="boolean"),
    }[name]


@pytest.mark.parametrize(
    ("column", "codes", "categories"),
    [
        (pandas_series("category"), [1, 0, -2, 1], ("M", "S")),
        (pandas_series("str"), [1, 0, -2, 1], ("M", "S")),
        (pandas_series("string"), [1, 0, -2, 1], ("M", "S")),
        (pandas_series("object"), [1, 0, -2, 1], ("M", "S")),
        (pandas_series("arrow"), [1, 0, -2, 1], ("M", "S")),
        (pandas_series("Int64"), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pandas_series("boolean"), [1, -2, 0, 1], (False, True)),
        (pl.Series(TEXTS), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(TEXTS, dtype=pl.Categorical), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(TEXTS, dtype=pl.Enum(["S", "M", "X"])), [1, 0, -2, 1], ("M", "S")),
        (pl.Series(WHOLE), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pl.Series(TRUE), [1, -2, 0, 1], (False, True)),
        (pa.chunked_array([TEXTS]), [1, 0, -2, 1], ("M", "S")),
        (pa.chunked_array([pa.array(TEXTS).dictionary_encode()]), [1, 0, -2, 1], ("M", "S")),
        (pa.chunked_array([WHOLE]), [1, 0, -2, 0], (3, 2**62 + 1)),
        (pa.chunked_array([TRUE]), [1, -2, 0, 1], (False, True)),
    ],
)
def test_columns_of_every_kind(column: Any, codes: list[int], categories: tuple) -> None:
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    frame = make[type(column).__module__.split(".")[0]]({"x": [1.5, 2, 3, 4], "c": column})
    matrix, columns = split(frame, np.array([False, True]))
    assert matrix.tolist() == [[1.5], [2], [3], [4]]
    found = read_columns(columns, Schema(np.arange(2), 1, ("c",)))
    assert found.codes[:, 0].tolist() == codes
    assert found.categories == (categories,)


def test_dictionaries_of_arrow_that_differ() -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["b", None], ["a", "b"])]
    _, columns = split(pa.table({"c": pa.chunked_array(chunks)}), np.array([True]))
    found = read_columns(columns, Schema(np.arange(2), 1, ("c",)))
    assert found.codes[:, 0].tolist() == [1, -2, 0, 1]


def test_declared_categories_that_do_not_occur_are_none() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["a"], categories=["z", "a"])})
    _, columns = split(frame, np.array([True]))
    found = read_columns(columns, Schema(np.arange(2), 1, ("c",)), [("a", "b")])
    assert found.unseen == ()
    assert found.codes.tolist() == [[0]]


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
    matrix, columns = split(X, np.array([False, True, False]))
    assert matrix.tolist() == [[1.5, 2], [2.5, 3]]
    found = read_columns(columns, Schema(np.arange(2), 1))
    assert found.codes[:, 0].tolist() == [0, -2]


def test_only_categories() -> None:
    matrix, columns = split(np.array([["1", "S"], ["2", "M"]]), np.array([True, True]))
    assert matrix.shape == (2, 0)
    found = read_columns(columns, Schema(np.arange(2), 2))
    assert found.categories == (("1", "2"), ("M", "S"))


def test_masked_texts_are_missing() -> None:
    X = np.ma.masked_array([["a"], ["b"]], mask=[[False], [True]])
    _, columns = split(X, np.array([True]))
    assert read_columns(columns, Schema(np.arange(2), 1)).codes.tolist() == [[0], [-2]]


def test_no_rows() -> None:
    for X in (np.empty((0, 2), dtype=object), pd.DataFrame({"a": [], "b": []})):
        with pytest.raises(DataError, match=r"0 sample\(s\)"):
            split(X, np.array([True, True]))


def test_text_among_the_numbers_names_its_column() -> None:
    with pytest.raises(DataError, match="'name' of X holds text"):
        split(pd.DataFrame({"name": ["x"], "c": ["a"]}), np.array([False, True]))
