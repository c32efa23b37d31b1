"""The log likelihood of every row's categories by the counts without the row, in closed form.

Without a row of weight w, class c and category m only the probabilities of its own class change::

    p'(m | c) = (weight of m in c − w + α) / (weight of all in c − w + α M)

of M categories with smoothing α. A category that no other row has is none without it: as in any
prediction, a category never seen says nothing about the class.
"""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.errors import DataError
from gaussbayes.base.schema import Schema
from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families.categorical.counts import ClassCounts
from gaussbayes.families.categorical.likelihood import log_likelihood
from gaussbayes.families.categorical.parameters import (
    CategoricalParameters,
    estimate,
    nothing_known,
)

_LEAST_LEFT = 1e-3
"""Of a sum of which less is left, the rest is added up: a subtraction would lose its digits."""


def log_likelihood_left_out(
    columns: CodedColumns,
    codes: CodeArray,
    weights: FloatArray | None,
    counts: ClassCounts,
    schema: Schema,
    smoothing: float = 0.0,
) -> FloatArray:
    """``Σ_j log p(x_j | c)`` (n, k) of each row, by the probabilities without it.

    Missing values add 0, as do categories that no other row has. Without smoothing −∞ is a category
    that no other row of the class has. What is said of a class without any other row means nothing.

    Parameters
    ----------
    columns : coded by the categories of `counts`
    codes : (n,) class numbers
    weights : (n,) or None; a row leaves with its whole weight
    counts : of these same rows
    schema : what messages call the classes and the categorical features

    Raises
    ------
    DataError
        If, without smoothing, a class has no value of a feature, with all rows or without one.

    Examples
    --------
    >>> from gaussbayes.families.categorical import code_columns, count
    >>> columns = code_columns([np.array(["S", "M", "S", "M", "L"])], ["'wind'"])
    >>> codes = np.array([0, 0, 1, 1, 1], np.int32)
    >>> counts, schema = count(columns, codes, None, 2), Schema(np.arange(2), 1, ("wind",))
    >>> told = log_likelihood_left_out(columns, codes, None, counts, schema, 1.0)
    >>> np.exp(told[[0, 4]]).round(4).tolist()  # (1 − 1 + 1) / (2 − 1 + 3), and 'L' is not known
    [[0.25, 0.3333], [1.0, 1.0]]
    """
    parameters = estimate(counts, schema, smoothing)
    share = np.ones(codes.size) if weights is None else weights
    weighing = share > 0
    company = np.bincount(codes[weighing], minlength=counts.n_classes) > 1
    total = np.zeros((codes.size, counts.n_classes))
    for j in range(columns.n_features):
        rows = np.flatnonzero((columns.codes[:, j] >= 0) & weighing)
        owner, category = codes[rows].astype(np.intp), columns.codes[rows, j].astype(np.intp)
        m = len(counts.categories[j])
        rest = _without_each(owner, share[rows])
        lost = (rest == 0) & company[owner]
        if smoothing == 0 and lost.any():
            first = int(np.argmax(lost))
            why = nothing_known(int(owner[first]), j, schema)
            msg = f"without row {rows[first] + 1} of {codes.size} the model cannot be fitted: {why}"
            raise DataError(msg)
        left = _without_each(owner * m + category, share[rows])
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log((left + smoothing) / (rest + smoothing * m))
        own[np.isnan(own)] = -np.inf  # of a class without any other row
        terms = log_likelihood(_one(parameters, j), _column(columns, j))
        terms[rows, owner] = own
        terms[rows[np.bincount(category, minlength=m)[category] == 1]] = 0.0
        total += terms
    return total


def _without_each(group: NDArray[np.intp], weights: FloatArray) -> FloatArray:
    """What the other rows of each row's group weigh (n,), for positive weights (n,).

    Examples
    --------
    >>> _without_each(np.array([0, 0, 1]), np.array([0.25, 0.5, 2.0])).tolist()
    [0.5, 0.25, 0.0]
    """
    sums, number = np.bincount(group, weights), np.bincount(group)
    before, company = sums[group], number[group] > 1
    left = np.where(company, before - weights, 0.0)
    for row in np.flatnonzero(company & (left < _LEAST_LEFT * before)):
        others = group == group[row]
        others[row] = False
        left[row] = weights[others].sum()
    return left


def _one(parameters: CategoricalParameters, j: int) -> CategoricalParameters:
    return CategoricalParameters((parameters.categories[j],), parameters.of(j))


def _column(columns: CodedColumns, j: int) -> CodedColumns:
    return CodedColumns(columns.codes[:, j : j + 1], (columns.categories[j],))
