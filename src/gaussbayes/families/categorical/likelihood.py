"""Parameters and coded columns → log likelihood, to be added to that of the other features."""

from typing import NoReturn

import numpy as np

from gaussbayes.base.errors import DataError, SchemaError
from gaussbayes.base.threads import ranges
from gaussbayes.base.types import FloatArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families.categorical.counts import ClassCounts
from gaussbayes.families.categorical.parameters import CategoricalParameters

_BLOCK = 1 << 14


def log_likelihood(parameters: CategoricalParameters, columns: CodedColumns) -> FloatArray:
    """``Σ_j log p(x_j | c)`` (n, k) over the categorical features of each row.

    A missing value and a category never seen in training are integrated out: whatever they are,
    their probabilities sum to 1, and they add 0 to every class. −∞ is a category that never
    occurred in the class, without smoothing.

    Examples
    --------
    >>> from gaussbayes.data.coding import code_columns
    >>> halves = CategoricalParameters((("a", "b"),), np.log([[0.5, 0.5], [0.25, 0.75]]))
    >>> rows = code_columns([np.array(["b", "c"])], ["feature 0"], halves.categories)
    >>> np.exp(log_likelihood(halves, rows)).tolist()
    [[0.5, 0.75], [1.0, 1.0]]
    """
    _refuse_other_codes(parameters, columns)
    n, k = columns.codes.shape[0], parameters.log_probability.shape[0]
    total = np.zeros((n, k))
    for j in range(columns.n_features):
        table = _table(parameters, j)
        for rows in ranges(n, _BLOCK):
            total[rows] += table[columns.codes[rows, j]]
    return total


def by_feature(parameters: CategoricalParameters, columns: CodedColumns) -> FloatArray:
    """``log p(x_j | c)`` (n, q, k) of each categorical feature, for few rows.

    Examples
    --------
    >>> from gaussbayes.data.coding import code_columns
    >>> halves = CategoricalParameters((("a", "b"),), np.log([[0.5, 0.5], [0.25, 0.75]]))
    >>> rows = code_columns([np.array(["b", "c"])], ["feature 0"], halves.categories)
    >>> np.exp(by_feature(halves, rows)).tolist()
    [[[0.5, 0.75]], [[1.0, 1.0]]]
    """
    _refuse_other_codes(parameters, columns)
    (n, q), k = columns.codes.shape, parameters.log_probability.shape[0]
    each = np.empty((n, q, k))
    for j in range(q):
        each[:, j] = _table(parameters, j)[columns.codes[:, j]]
    return each


def refuse_impossible(row: int, model: str = "") -> NoReturn:
    """Raise for a row that can be of no class at all; `model` says of which, if of another."""
    msg = (
        f"row {row} has probability 0 in every class{model}: without smoothing a category that "
        "never occurred in a class rules it out; set smoothing above 0"
    )
    raise DataError(msg)


def refuse_no_odds(a: object, b: object, row: int) -> NoReturn:
    """Raise for two classes that a row cannot be of."""
    msg = (
        f"classes {a} and {b} both have probability 0 in row {row}, so that their odds are not "
        "defined: compare classes that are possible there, or set smoothing above 0"
    )
    raise DataError(msg)


def _table(parameters: CategoricalParameters, feature: int) -> FloatArray:
    """``log p(category | class)`` (m + 2, k), two rows of zeros at the end.

    Unseen and missing are −1 and −2, counted from there.
    """
    k = parameters.log_probability.shape[0]
    return np.concatenate([parameters.of(feature).T, np.zeros((2, k))])


def _refuse_other_codes(parameters: CategoricalParameters, columns: CodedColumns) -> None:
    if columns.categories != parameters.categories:
        msg = "these columns are not coded by the categories of this model: code them by those"
        raise SchemaError(msg)


def total_log_likelihood(parameters: CategoricalParameters, counts: ClassCounts) -> float:
    """``Σ w log p(x | c)`` over the categories of all rows with their classes, from their counts.

    Examples
    --------
    >>> counts = ClassCounts((("a", "b"),), np.array([[3.0, 0.0]]), np.zeros((1, 1)))
    >>> never = CategoricalParameters((("a", "b"),), np.array([[-1.0, -np.inf]]))
    >>> total_log_likelihood(never, counts)
    -3.0
    """
    there = counts.weight > 0
    return float(counts.weight[there] @ parameters.log_probability[there])
