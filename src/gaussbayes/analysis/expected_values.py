"""Missing values → what is expected of them, given the values of the row that are there."""

import numpy as np

from gaussbayes.analysis.class_moments import class_covariances, class_means
from gaussbayes.base.patterns import patterns_of
from gaussbayes.base.types import FloatArray
from gaussbayes.data.rows import Rows
from gaussbayes.model.model import Model


def expected_rows(model: Model, rows: Rows, n_jobs: int | None = None) -> FloatArray:
    """The numbers (n, d) of rows, those that are missing replaced by their expectations.

    ``E[x_m | x_o] = Σ_c p(c | x_o) (μ_cm + Σ_c,mo Σ_c,oo⁻¹ (x_o − μ_co))`` of a model whose
    features are all Gaussian. What is linear in the rows is then its expectation.

    Examples
    --------
    >>> from gaussbayes import GaussianClassifier
    >>> model = GaussianClassifier.from_parameters(
    ...     None, [[0, 0], [4, 4]], [[1, 0.5], [0.5, 1]], covariance="full"
    ... ).model_
    >>> expected_rows(model, model.rows([[2.0, float("nan")]])).tolist()
    [[2.0, 2.0]]
    """
    filled = rows.matrix.astype(np.float64)
    if not np.isnan(filled).any():
        return filled
    means, posterior = class_means(model), model.posterior(rows, n_jobs)
    covariances = np.broadcast_to(class_covariances(model), (len(means), *(means.shape[1:] * 2)))
    patterns = patterns_of(filled)
    for number in range(patterns.n_patterns):
        which, seen = patterns.rows(number), patterns.observed[number]
        if seen.all():
            continue
        there, expected = filled[np.ix_(which, seen)], np.zeros((which.size, int((~seen).sum())))
        for mean, covariance, weight in zip(means, covariances, posterior[which].T, strict=True):
            # A pseudo-inverse: features may depend on one another.
            inverse = np.linalg.pinv(covariance[np.ix_(seen, seen)], hermitian=True)
            slope = covariance[np.ix_(~seen, seen)] @ inverse
            expected += weight[:, None] * (mean[~seen] + (there - mean[seen]) @ slope.T)
        filled[np.ix_(which, ~seen)] = expected
    return filled
