"""How far the categories of two classes are the same, and rows drawn where they are.

``Σ_m √(p(m | a) p(m | b))`` of one feature is its Bhattacharyya coefficient: 1 if the classes have
the same probabilities, 0 if they have no category in common. Of independent features, and of
categories and numbers, the coefficients multiply. The terms of the sum, divided by it, are the
probabilities of a distribution that lies where the two classes meet.
"""

import numpy as np
from numpy.typing import NDArray

from gaussbayes.base.types import FloatArray
from gaussbayes.data.coding import CodedColumns
from gaussbayes.families.categorical.drawing import draw
from gaussbayes.families.categorical.parameters import CategoricalParameters


def log_overlap(parameters: CategoricalParameters) -> FloatArray:
    """``Σ_j log Σ_m √(p_j(m | a) p_j(m | b))`` (k, k) of every two classes; −∞ if it cannot be.

    Examples
    --------
    >>> wind = CategoricalParameters((("L", "S"),), np.log([[0.5, 0.5], [0.1, 0.9]]))
    >>> np.exp(log_overlap(wind)).round(6).tolist()  # √0.05 + √0.45
    [[1.0, 0.894427], [0.894427, 1.0]]
    """
    k = parameters.log_probability.shape[0]
    total = np.zeros((k, k))
    for j, categories in enumerate(parameters.categories):
        if categories:
            root = np.exp(0.5 * parameters.of(j))
            with np.errstate(divide="ignore"):
                total += np.log(root @ root.T)
    np.fill_diagonal(total, 0.0)
    return np.minimum(total, 0.0)


def draw_between(
    parameters: CategoricalParameters, pairs: NDArray[np.intp], generator: np.random.Generator
) -> CodedColumns:
    """A row's categories for each pair of classes (n,), number ``a k + b``, in increasing order.

    They are drawn with probabilities in proportion to ``√(p(m | a) p(m | b))``; the two classes
    must have categories in common.

    Examples
    --------
    >>> wind = CategoricalParameters((("L", "S"),), np.log([[0.5, 0.5], [0.1, 0.9]]))
    >>> drawn = draw_between(wind, np.full(10_000, 1), np.random.default_rng(0))
    >>> bool(abs(drawn.codes.mean() - 0.75) < 0.01)  # √0.45 / (√0.05 + √0.45)
    True
    """
    k = parameters.log_probability.shape[0]
    ends = np.flatnonzero(np.diff(pairs // k)) + 1
    parts = []
    for own in np.split(pairs, ends):  # of one class a and several others
        others, number = np.unique(own % k, return_inverse=True)
        root = 0.5 * (parameters.log_probability[own[0] // k] + parameters.log_probability[others])
        meeting = CategoricalParameters(parameters.categories, root)
        parts.append(draw(meeting, number.astype(np.int32), generator).codes)
    return CodedColumns(np.concatenate(parts), parameters.categories)
