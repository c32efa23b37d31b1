"""Bayes' rule on discrete features, by counting; for the lessons that have no Gaussian."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from gaussbayes.bayes_rule import BayesRule, BayesTerms
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


def explained(labels: Sequence[object], prior: ArrayLike, likelihood: ArrayLike) -> BayesRule:
    """Bayes' rule with every number, as `GaussianClassifier.explain` gives it for Gaussians.

    Parameters
    ----------
    labels : (k,) what the classes are called
    prior : (k,)
    likelihood : (k, d) probability of each observed value under each class

    Examples
    --------
    >>> told = explained(["no", "yes"], [0.75, 0.25], [[0.2], [0.6]])
    >>> round(told.evidence, 12), [round(terms.posterior, 12) for terms in told.classes]
    (0.3, [0.5, 0.5])
    """
    joint = log_joint(prior, likelihood)
    log_prior = np.log(np.asarray(prior, dtype=np.float64))
    log_evidence = float(log_sum_exp(joint[None, :])[0])
    logarithms = (log_prior, joint - log_prior, joint, joint - log_evidence)
    no_distance = np.full(joint.shape, np.nan)  # between values that are counted
    columns = (*map(np.exp, logarithms), *logarithms, no_distance)
    terms = tuple(map(BayesTerms, labels, *(column.tolist() for column in columns)))
    return BayesRule(terms, float(np.exp(log_evidence)), log_evidence)


def count(
    rows: LabelArray, labels: LabelArray, query: tuple[object, ...]
) -> tuple[LabelArray, FloatArray, FloatArray]:
    """Classes (k,), their shares (k,), and the share of each queried value within them (k, d)."""
    classes, sizes = np.unique(labels, return_counts=True)
    same = rows == np.asarray(query)
    likelihood = np.stack([same[labels == label].mean(axis=0) for label in classes])
    return classes, sizes / labels.shape[0], likelihood
