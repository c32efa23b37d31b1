"""Categories drawn from a model: the right shares, repeatable, nothing impossible."""

import numpy as np
from scipy.stats import chisquare

from gaussbayes.families.categorical import MISSING, CategoricalParameters
from gaussbayes.families.categorical.drawing import draw

SHARES = np.array([[0.5, 0.2, 0.3], [0.01, 0.0, 0.99]])
LETTERS = CategoricalParameters(
    (("a", "b", "c"), (True,), (), (1, 2)),
    np.concatenate(
        [np.log(np.maximum(SHARES, 1e-300)), np.log([[1.0], [1.0]]), np.log([[0.25, 0.75]] * 2)],
        axis=1,
    ),
)


def test_shares_by_chi_squared() -> None:
    codes = np.random.default_rng(0).integers(0, 2, 40_000).astype(np.int32)
    drawn = draw(LETTERS, codes, np.random.default_rng(1)).codes
    for c in range(2):
        own = drawn[codes == c]
        there = SHARES[c] > 0
        counts = np.bincount(own[:, 0], minlength=3)
        assert not counts[~there].any()
        assert chisquare(counts[there], SHARES[c, there] * len(own)).pvalue > 1e-3
        assert chisquare(np.bincount(own[:, 3]), np.array([0.25, 0.75]) * len(own)).pvalue > 1e-3
    assert not drawn[:, 1].any()
    assert (drawn[:, 2] == MISSING).all()


def test_features_are_independent_given_the_class() -> None:
    both = CategoricalParameters((("a", "b"), ("x", "y")), np.log([[0.5, 0.5, 0.2, 0.8]]))
    drawn = draw(both, np.zeros(40_000, np.int32), np.random.default_rng(2)).codes
    counts = np.bincount(2 * drawn[:, 0] + drawn[:, 1])
    assert chisquare(counts, 40_000 * np.array([0.1, 0.4, 0.1, 0.4])).pvalue > 1e-3


def test_the_same_seed_draws_the_same() -> None:
    codes = np.array([0, 1, 0, 1, 1], np.int32)
    one, again, other = (draw(LETTERS, codes, np.random.default_rng(s)).codes for s in (3, 3, 4))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_the_first_and_the_last_category_may_be_impossible() -> None:
    with np.errstate(divide="ignore"):
        middle = CategoricalParameters((("a", "b", "c"),), np.log([[0.0, 1.0, 0.0]]))
    assert (draw(middle, np.zeros(1000, np.int32), np.random.default_rng(0)).codes == 1).all()
