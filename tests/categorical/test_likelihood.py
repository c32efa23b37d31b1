"""Log likelihoods of categories are added, alone and to those of Gaussian features."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from gaussbayes.base.errors import SchemaError
from gaussbayes.base.schema import Schema
from gaussbayes.families.categorical import (
    CategoricalParameters,
    code_columns,
    count,
    estimate,
    likelihood,
    log_likelihood,
)
from gaussbayes.families.gaussian import scores
from gaussbayes.families.gaussian.parameters import Structure
from gaussbayes.families.gaussian.parameters import estimate as estimate_gaussians
from gaussbayes.families.gaussian.summarise import summarise
from gaussbayes.lessons import rain

PARAMETERS = CategoricalParameters(
    (("M", "S"), (1, 2, 3)), np.log([[0.25, 0.75, 0.5, 0.3, 0.2], [0.5, 0.5, 0.1, 0.1, 0.8]])
)


def rows(wind: list, humidity: list):
    columns = [np.array(wind, dtype=object), np.array(humidity, dtype=object)]
    return code_columns(columns, ["'wind'", "'humidity'"], PARAMETERS.categories)


def test_features_are_independent_given_the_class() -> None:
    told = np.exp(log_likelihood(PARAMETERS, rows(["S", "M"], [2, 3])))
    np.testing.assert_allclose(told, [[0.75 * 0.3, 0.5 * 0.1], [0.25 * 0.2, 0.5 * 0.8]], rtol=1e-14)


def test_missing_and_unseen_say_nothing() -> None:
    told = np.exp(log_likelihood(PARAMETERS, rows(["S", None, "X", None], [None, 2, 9, None])))
    np.testing.assert_allclose(told, [[0.75, 0.5], [0.3, 0.1], [1, 1], [1, 1]], rtol=1e-14)


def test_missing_is_the_sum_over_all_categories() -> None:
    every = log_likelihood(PARAMETERS, rows(["S"] * 3, [1, 2, 3]))
    missing = log_likelihood(PARAMETERS, rows(["S"], [None]))
    np.testing.assert_allclose(logsumexp(every, axis=0), missing[0], rtol=1e-14)


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    many = rows(["S", "M", None] * 10, [1, 2, 3] * 10)
    at_once = log_likelihood(PARAMETERS, many)
    monkeypatch.setattr(likelihood, "_BLOCK", 7)
    np.testing.assert_array_equal(log_likelihood(PARAMETERS, many), at_once)


def test_columns_coded_by_other_categories() -> None:
    with pytest.raises(SchemaError, match="not coded by the categories of this model"):
        log_likelihood(PARAMETERS, code_columns([np.array(["S"])], ["'wind'"]))


def test_rain() -> None:
    days = rain.table()
    classes, targets = np.unique(days.labels, return_inverse=True)
    columns = code_columns(list(days.rows.T), list(days.features))
    counts = count(columns, targets.astype(np.int32), None, 2)
    parameters = estimate(counts, Schema(classes, 2, days.features))
    query = code_columns([np.array(["2"]), np.array(["S"])], days.features, counts.categories)
    log_prior = np.log(counts.class_weight / counts.class_weight.sum())
    joint = np.exp(log_prior + log_likelihood(parameters, query)[0])
    np.testing.assert_allclose(joint, [3 / 75, 2 / 75], rtol=1e-14)
    assert classes.tolist() == [-1, 1]
    assert joint[1] / joint.sum() == pytest.approx(0.4, rel=1e-14)
    assert parameters.n_parameters == 2 * (2 + 2)


def test_mixed_with_gaussian_features() -> None:
    random = np.random.default_rng(3)
    n, k = 300, 3
    codes = random.integers(0, k, n).astype(np.int32)
    numbers = random.normal(size=(n, 2)) @ [[1, 0.5], [0, 1]] + codes[:, None]
    letters = np.array(list("abcd"))[(random.integers(0, 3, n) + codes) % 4]
    schema = Schema(np.arange(k), 1)
    gaussian = estimate_gaussians(
        summarise(numbers, codes, None, k), Schema(np.arange(k), 2), Structure()
    )
    columns = code_columns([letters], ["'letter'"])
    discrete = estimate(count(columns, codes, None, k), schema, 0.5)
    joint = scores.log_joint(gaussian, numbers) + log_likelihood(discrete, columns)
    by_hand = np.empty((n, k))
    for c in range(k):
        own = numbers[codes == c]
        share = {
            letter: (np.sum(letters[codes == c] == letter) + 0.5) / (len(own) + 0.5 * 4)
            for letter in "abcd"
        }
        density = multivariate_normal(own.mean(axis=0), np.cov(own.T, ddof=0))
        by_hand[:, c] = (
            np.log(len(own) / n) + density.logpdf(numbers) + np.log([share[x] for x in letters])
        )
    np.testing.assert_allclose(joint, by_hand, rtol=1e-11)
    np.testing.assert_allclose(
        np.exp(joint - logsumexp(joint, axis=1, keepdims=True)),
        np.exp(by_hand - logsumexp(by_hand, axis=1, keepdims=True)),
        atol=1e-12,
    )
