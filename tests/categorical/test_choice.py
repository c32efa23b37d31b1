"""Which columns are categorical: as scikit-learn's gradient boosting says."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.validation import _check_categorical_features

from gaussbayes.base.errors import GaussBayesError, ParameterError, SchemaError
from gaussbayes.data.categorical_choice import categorical_columns

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
    ("X", "mask"),
    [
        (PANDAS, [False, True, False, False]),
        (POLARS, [True, True, False, False]),
        (ARROW, [False, True]),
        (np.zeros((3, 2)), [False, False]),
        ([["a", 1.0]], [False, False]),
    ],
    ids=["pandas", "polars", "arrow", "array", "list"],
)
def test_by_type(X: Any, mask: list[bool]) -> None:
    assert categorical_columns(X).tolist() == mask
    if not isinstance(X, list):
        theirs = _check_categorical_features(X, "from_dtype")
        assert mask == ([False] * len(mask) if theirs is None else theirs.tolist())


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
def test_as_scikit_learn_reads_a_list(chosen: Any) -> None:
    theirs = _check_categorical_features(PANDAS, chosen)
    ours = categorical_columns(PANDAS, chosen).tolist()
    assert ours == ([False] * 4 if theirs is None else theirs.tolist())


@pytest.mark.parametrize(
    ("X", "chosen", "error", "words"),
    [
        (PANDAS, ["rain"], SchemaError, r"'rain', but the columns are \['age', 'wind'"),
        (PANDAS, [4], SchemaError, "column 4, but the columns of X are 0 to 3"),
        (PANDAS, [-1], SchemaError, "column -1"),
        (PANDAS, [True], SchemaError, "says of 1 columns .* but X has 4"),
        (PANDAS, "wind", ParameterError, r"got 'wind'; one name is written \['wind'\]"),
        (PANDAS, 1, ParameterError, "got 1"),
        (PANDAS, [1.5], ParameterError, r"all whole numbers or all truth values, got \[1.5\]"),
        (PANDAS, ["wind", 1], ParameterError, "all names"),
        (np.zeros((2, 2)), ["wind"], SchemaError, "columns of an array have no names"),
    ],
)
def test_bad_choices(X: Any, chosen: Any, error: type[GaussBayesError], words: str) -> None:
    with pytest.raises(error, match=words):
        categorical_columns(X, chosen)
