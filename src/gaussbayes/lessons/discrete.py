"""Bayes' rule on discrete features, by counting; for the lessons that have no Gaussian."""

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.kernels.reference import log_sum_exp
from gaussbayes.types import FloatArray, LabelArray


def log_joint(prior: ArrayLike, likelihood: ArrayLike) -> FloatArray:
    """``log p(x, c) = log p(c) + Σ_j log p(x_j | c)`` (k,), features independent given the class.

    Parameters
    ----------
    prior : (k,)
    likelihood : (k, d) probability of each observed value under each class

    Examples
    --------
    >>> np.exp(log_joint([0.5, 0.5], [[0.5, 0.5], [0.25, 1.0]])).round(12).tolist()
    [0.125, 0.125]
    """
    each = np.log(np.asarray(likelihood, dtype=np.float64))
    total: FloatArray = np.log(np.asarray(prior, dtype=np.float64)) + each.sum(axis=1)
    return total


def posterior(prior: ArrayLike, likelihood: ArrayLike) -> FloatArray:
    """``p(c | x)`` (k,)."""
    joint = log_joint(prior, likelihood)
    result: FloatArray = np.exp(joint - log_sum_exp(joint[None, :]))
    return result


def count(
    rows: LabelArray, labels: LabelArray, query: tuple[object, ...]
) -> tuple[LabelArray, FloatArray, FloatArray]:
    """Classes (k,), their shares (k,), and the share of each queried value within them (k, d)."""
    classes, sizes = np.unique(labels, return_counts=True)
    same = rows == np.asarray(query)
    likelihood = np.stack([same[labels == label].mean(axis=0) for label in classes])
    return classes, sizes / labels.shape[0], likelihood
