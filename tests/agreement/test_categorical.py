"""Discrete naive Bayes agrees with scikit-learn's `CategoricalNB`.

It takes whole numbers from 0 on as categories, counts every number up to the largest as one, and
raises an IndexError for a larger one; with alpha 0 it keeps zero probabilities only if
`force_alpha` is set. Where every number occurs and alpha is positive, nothing differs.
"""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical import code_columns, count, estimate, log_likelihood


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0, 10.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_probabilities_and_joint(alpha: float, weighted: bool) -> None:
    random = np.random.default_rng(5)
    n, k = 400, 3
    codes = random.integers(0, k, n).astype(np.int32)
    X = (random.integers(0, 3, (n, 4)) + codes[:, None] * [0, 1, 2, 0]) % [3, 4, 7, 2]
    weights = random.random(n) if weighted else None
    theirs = CategoricalNB(alpha=alpha).fit(X, codes, sample_weight=weights)
    columns = code_columns(list(X.T), list("abcd"))
    counts = count(columns, codes, weights, k)
    parameters = estimate(counts, Schema(np.arange(k), 4), alpha)
    for j in range(4):
        np.testing.assert_allclose(counts.of(j), theirs.category_count_[j], rtol=1e-12)
        np.testing.assert_allclose(parameters.of(j), theirs.feature_log_prob_[j], rtol=1e-12)
    log_prior = np.log(counts.class_weight / counts.class_weight.sum())
    np.testing.assert_allclose(
        log_prior + log_likelihood(parameters, columns),
        theirs.predict_joint_log_proba(X),
        rtol=1e-12,
    )


def test_a_category_never_seen_is_no_error_here() -> None:
    X, y = np.array([[0], [1], [1]]), np.array([0, 0, 1], dtype=np.int32)
    with pytest.raises(IndexError):
        CategoricalNB().fit(X, y).predict([[2]])
    counts = count(code_columns([X[:, 0]], ["a"]), y, None, 2)
    parameters = estimate(counts, Schema(np.arange(2), 1), 1.0)
    new = code_columns([np.array([2])], ["a"], counts.categories)
    assert log_likelihood(parameters, new).tolist() == [[0.0, 0.0]]
    assert new.n_unseen == 1
