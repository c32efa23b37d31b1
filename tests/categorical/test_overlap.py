"""The Bhattacharyya coefficients of categories, by enumeration, and draws where classes meet."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from gaussbayes.families.categorical import CategoricalParameters
from gaussbayes.families.categorical.overlap import draw_between, log_overlap

SIZES = (2, 4, 3)


def letters(k: int = 3, zero: bool = False) -> CategoricalParameters:
    random = np.random.default_rng(k)
    parts = [random.dirichlet(np.ones(m), size=k) for m in SIZES]
    if zero:
        parts[0][:2] = np.eye(2)
    with np.errstate(divide="ignore"):
        return CategoricalParameters(
            tuple(tuple(range(m)) for m in SIZES), np.log(np.concatenate(parts, axis=1))
        )


def enumerated(parameters: CategoricalParameters) -> np.ndarray:
    """``p(x | c)`` (k, rows) of every row there can be."""
    shares = [np.exp(parameters.of(j)) for j in range(len(SIZES))]
    return np.stack(
        [
            np.prod([shares[j][:, m] for j, m in enumerate(row)], axis=0)
            for row in product(*map(range, SIZES))
        ],
        axis=1,
    )


@pytest.mark.parametrize("zero", [False, True])
def test_the_coefficient_is_the_sum_over_all_rows(zero: bool) -> None:
    parameters = letters(zero=zero)
    root = np.sqrt(enumerated(parameters))
    np.testing.assert_allclose(np.exp(log_overlap(parameters)), root @ root.T, rtol=1e-12, atol=0)
    assert np.isneginf(log_overlap(parameters)[0, 1]) == zero


def test_features_without_categories_say_nothing() -> None:
    parameters = letters()
    more = CategoricalParameters((*parameters.categories, ()), parameters.log_probability)
    np.testing.assert_array_equal(log_overlap(more), log_overlap(parameters))


def test_draws_are_in_proportion_to_the_root_of_the_product() -> None:
    parameters = letters()
    pairs = np.repeat([1, 2, 5], [30_000, 1, 30_000])  # classes 0 and 1, 0 and 2, 1 and 2
    drawn = draw_between(parameters, pairs, np.random.default_rng(0)).codes
    assert drawn.shape == (60_001, 3)
    every = enumerated(parameters)
    for pair, (a, b) in {1: (0, 1), 5: (1, 2)}.items():
        own = drawn[pairs == pair]
        counts = np.bincount(np.ravel_multi_index(tuple(own.T), SIZES), minlength=every.shape[1])
        share = np.sqrt(every[a] * every[b])
        assert chisquare(counts, share / share.sum() * len(own)).pvalue > 1e-3
