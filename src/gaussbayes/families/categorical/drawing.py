"""Categories drawn from a model: each feature of a row by its probabilities in the row's class."""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import CodeArray, FloatArray
from gaussbayes.data.coding import MISSING, CodedColumns
from gaussbayes.families.categorical.parameters import CategoricalParameters


def draw(
    parameters: CategoricalParameters, codes: CodeArray, generator: np.random.Generator
) -> CodedColumns:
    """The categories of one row for each class number (n,).

    A category of probability 0 is never drawn; of a feature that has no categories, because no row
    had a value of it, all values are missing.

    Examples
    --------
    >>> wind = CategoricalParameters((("L", "S"),), np.log([[0.25, 0.75]]))
    >>> drawn = draw(wind, np.zeros(10_000, np.int32), np.random.default_rng(0))
    >>> bool(abs(drawn.codes.mean() - 0.75) < 0.01)
    True
    """
    n, q = codes.size, len(parameters.categories)
    drawn = np.full((n, q), MISSING, dtype=np.int32, order="F")
    by_class = rows_of_classes(codes, parameters.log_probability.shape[0])
    for j, categories in enumerate(parameters.categories):
        if categories:
            place = generator.random(n)
            probability = np.exp(parameters.of(j))
            for c, rows in enumerate(by_class):
                if rows.size:
                    drawn[rows, j] = _chosen(probability[c], place[rows])
    return CodedColumns(drawn, parameters.categories)


def rows_of_classes(codes: CodeArray, n_classes: int) -> list[NDArray[np.intp]]:
    """Which rows are of each class.

    Examples
    --------
    >>> [rows.tolist() for rows in rows_of_classes(np.array([1, 0, 1], np.int32), 3)]
    [[1], [0, 2], []]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))
    return np.split(order, ends[:-1])


def _chosen(probability: FloatArray, place: FloatArray) -> CodeArray:
    """The category (n,) whose part of 0 … 1 each number lies in."""
    reached = np.cumsum(probability)
    reached /= reached[-1]  # the last is 1 exactly, and above every number
    return np.searchsorted(reached, place, side="right").astype(np.int32)
